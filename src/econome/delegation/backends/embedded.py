"""The embedded model, in a process of its own: a crash or a slow load there touches nothing here (D5).

The process is started at the first prompt and stopped when nobody has asked for a while. It proves that the plumbing
works; the model is far too small to judge anything by.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import IO, Final

from econome.delegation.backends.bodies import TOO_LONG
from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.local_model import LocalModel, runner_is_there
from econome.delegation.options import BackendOptions
from econome.delegation.ports import Progress, Prompt, Written
from econome.errors import BackendAway, BackendFailed, LocalModelError

__all__ = ["COMMAND", "EmbeddedBackend"]

COMMAND: Final = (sys.executable, "-P", "-m", "econome.delegation.backends.embedded_process")

_LOAD_S = 120.0
_IDLE_S = 600.0
_FIRST_S = 600.0
"""It may have to read some thousand tokens on one busy core first."""
_PAUSE_S = 120.0
_CONTEXT = 8192
_THREADS = 1
"""Two collapse where both cores are busy."""
_USUAL_LENGTH = 512
"""So small a model does not always find an end."""
_END_S = 2.0
_SEEN_DEAD_S = 1.0
_LINE_LIMIT = 65_536


class EmbeddedBackend:
    """The one model that econome brings along, where it was set up."""

    def __init__(
        self,
        name: str,
        local: LocalModel,
        *,
        command: Sequence[str] | None = None,
        load_s: float = _LOAD_S,
        idle_s: float = _IDLE_S,
    ) -> None:
        """*command* runs another process in place of the usual one, which needs a package of its own."""
        self._name, self._local, self._command = name, local, command
        self._load_s, self._idle_s = load_s, idle_s
        self._process: subprocess.Popen[bytes] | None = None
        self._server: OpenAiBackend | None = None
        self._starting = asyncio.Lock()
        self._asked = 0
        self._idle: asyncio.TimerHandle | None = None

    @property
    def name(self) -> str:
        """Its name in settings and presets."""
        return self._name

    @property
    def workers(self) -> int:
        """How many prompts it takes at once."""
        return 1

    @property
    def pid(self) -> int | None:
        """The id of its process, None while there is none."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    async def generate(self, prompt: Prompt, progress: Progress) -> Written:
        """Return the answer.

        Raises:
            BackendAway: the model is not set up, or what runs it is not installed.
            BackendFailed: its process does not start, crashed or broke off; the next prompt starts it anew.
        """
        self._asked += 1
        self._rest()
        try:
            length = prompt.max_tokens or _USUAL_LENGTH
            mine = replace(prompt, model=self._local.pin.title, max_tokens=length)
            return await self._ask(mine, progress)
        finally:
            self._asked -= 1
            self._rest()

    async def close(self) -> None:
        """End its process."""
        self._rest(over=True)
        await asyncio.to_thread(_end, self._take())

    async def _ask(self, prompt: Prompt, progress: Progress) -> Written:
        for again in (True, False):
            server = await self._started()
            try:
                return await server.generate(prompt, progress)
            except (BackendAway, BackendFailed) as error:
                code = await asyncio.to_thread(self._exit_code)
                if code is None and TOO_LONG in str(error):
                    reason = f"the prompt is longer than the {_CONTEXT:,} tokens that this model reads, its answer included"
                    raise BackendFailed(
                        f"{self._name}: {reason}; give less, or use a larger model"
                    ) from None
                if code is None:
                    raise
                if again and isinstance(error, BackendAway):
                    continue  # it had died before it was asked, which was not seen yet
                raise BackendFailed(
                    f"{self._name}: its process ended {_manner(code)} while it wrote; the next prompt starts it again"
                ) from None
        raise AssertionError("the second try returns or raises")

    async def _started(self) -> OpenAiBackend:
        """Return the server of the running process, started where there is none."""
        async with self._starting:
            if self._server is not None and self.pid is not None:
                return self._server
            await asyncio.to_thread(_end, self._take())
            await self._check()
            key = secrets.token_urlsafe(32)
            try:
                url = await self._start(key)
            except BaseException:
                # Also where the caller no longer waits: a load that hangs must not stay.
                if self._process is not None:
                    self._process.kill()
                    _end(self._take())
                raise
            options = BackendOptions(
                name=self._name, url=f"{url}/v1", first_s=_FIRST_S, pause_s=_PAUSE_S
            )
            self._server = OpenAiBackend(options, key, pauses_s=())
            return self._server

    def check_there(self) -> None:
        """Look, without reading the model, whether all that it needs is there.

        Raises:
            BackendAway: something is missing; the text says what to run.
        """
        if not self._local.is_there():
            raise BackendAway(f"{self._name}: the model is not set up; run `econome local setup`")
        if self._command is None and not runner_is_there():
            reason = "xllamacpp, which runs the model, is not installed"
            raise BackendAway(f"{self._name}: {reason}; run `pip install 'econome[local]'`")

    async def _check(self) -> None:
        self.check_there()
        try:
            state = await asyncio.to_thread(self._local.state)
        except LocalModelError as error:
            raise BackendAway(f"{self._name}: {error}") from None
        if state != "ready":
            reason = f"{self._local.path} is not the file that was set up"
            raise BackendAway(f"{self._name}: {reason}; run `econome local setup` again")

    async def _start(self, key: str) -> str:
        """Start the process; return its address once the model is loaded."""
        process = self._process = subprocess.Popen(
            self._command or COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is ours to carry out
        )
        asked = {
            "model": self._local.path, "name": self._local.pin.title, "key": key,
            "threads": _THREADS, "context": _CONTEXT, "longest": _CONTEXT,
        }  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it is gone, as its answer will tell
        reading = asyncio.ensure_future(asyncio.to_thread(_first_answer, process.stdout))
        try:
            async with asyncio.timeout(self._load_s):
                said = await asyncio.shield(reading)
        except TimeoutError:
            raise BackendFailed(
                f"{self._name}: the model was not loaded within {self._load_s:g} s; try again when the machine is less busy"
            ) from None
        finally:
            if not reading.done():
                process.kill()  # ends the reading
                await asyncio.wait([reading])
        if "url" in said:
            return said["url"]
        reason = said.get("error")
        if reason is None:
            code = await asyncio.to_thread(self._exit_code)
            reason = f"its process ended {_manner(code)} while it loaded the model"
        raise BackendFailed(f"{self._name}: {reason}; `econome local status` checks the model")

    def _rest(self, *, over: bool = False) -> None:
        """Count the time without a question from now, if there is none."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if not over and not self._asked and self._process is not None:
            self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._tire)

    def _tire(self) -> None:
        if not self._asked:
            asyncio.get_running_loop().run_in_executor(None, _end, self._take())

    def _exit_code(self) -> int | None:
        """Return the exit code of the process, None where it lives on."""
        if self._process is None:
            return None
        try:
            return self._process.wait(_SEEN_DEAD_S)
        except subprocess.TimeoutExpired:
            return None

    def _take(self) -> subprocess.Popen[bytes] | None:
        """Return the process, which is then no longer the one that is asked."""
        process, self._process, self._server = self._process, None, None
        return process


def _end(process: subprocess.Popen[bytes] | None) -> None:
    """End a process, gently at first, and let go of it."""
    if process is None:
        return
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def _first_answer(stdout: IO[bytes]) -> dict[str, str]:
    """Return what the process says first; nothing where it says nothing sensible."""
    try:
        said = json.loads(stdout.readline(_LINE_LIMIT))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {name: value for name, value in said.items() if isinstance(value, str)}


def _manner(code: int | None) -> str:
    """Return how a process ended."""
    if code is None:
        return "in some way"
    if code < 0:
        try:
            return f"by {signal.Signals(-code).name}"
        except ValueError:
            return f"by signal {-code}"
    return f"with exit code {code}"
