"""A running opencode: its process, with an environment made from nothing, and its HTTP interface on loopback.

Nobody else can speak to it: it wants a password that was drawn for it. When it is let go, nothing that came of it runs any more.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import econome
from econome.errors import BackendAway, BackendFailed

if TYPE_CHECKING:
    import httpx2

__all__ = ["Opencode", "password", "running", "surroundings"]

_KEEPER: Final = os.path.join(econome.__path__[0], "keeper.py")
_USER = "opencode"
_START_S = 120.0
_CALL_S = 60.0
_END_S = 15.0
_LINE_LIMIT = 1 << 16
_LISTENING = re.compile(rb"listening on (http://127\.0\.0\.1:\d+)")

# The settings of git that win over those of the clone, in which a coder may write.
_GIT = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.attributesFile": os.devnull,
    "credential.helper": "",
    "protocol.allow": "never",
    "protocol.file.allow": "always",
}


def surroundings(
    home: str, path: str, settings: Mapping[str, Any], password: str
) -> dict[str, str]:
    """Return the environment of a coder, made from nothing: its home is *home*, programs are found along *path*."""
    own = {
        "HOME": home,
        "PATH": path,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": os.path.join(home, "tmp"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": str(len(_GIT)),
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        "OPENCODE_SERVER_PASSWORD": password,
    }
    for name in ("cache", "config", "data", "state"):
        own[f"XDG_{name.upper()}_HOME"] = os.path.join(home, name)
    for number, (name, value) in enumerate(_GIT.items()):
        own[f"GIT_CONFIG_KEY_{number}"], own[f"GIT_CONFIG_VALUE_{number}"] = name, value
    without = (
        "AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "PROJECT_CONFIG", "CLAUDE_CODE", "EXTERNAL_SKILLS",
        "SHARE", "EMBEDDED_WEB_UI", "TERMINAL_TITLE",
    )  # fmt: skip
    return own | {f"OPENCODE_DISABLE_{name}": "1" for name in without} | {"OPENCODE_PURE": "1"}


def password() -> str:
    """Return a password that nobody else has."""
    return secrets.token_urlsafe(32)


class Opencode:
    """The HTTP interface of one that runs."""

    def __init__(self, client: httpx2.AsyncClient, ended: asyncio.Task[int]) -> None:
        self._client, self.ended = client, ended

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return what it answers.

        Raises:
            BackendFailed: it does not.
        """
        import httpx2

        try:
            response = await self._client.request(method, path, json=body, timeout=_CALL_S)
            if response.is_success:
                return response.json() if response.content else None
        except (httpx2.HTTPError, OSError, ValueError):
            raise BackendFailed("opencode does not answer any more") from None
        raise BackendFailed(f"opencode answered {response.status_code} to {method} {path}")

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield its events, until it ends."""
        import httpx2

        try:
            async with self._client.stream("GET", "/event", timeout=None) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data:"):
                        with suppress(ValueError):
                            event = json.loads(line[5:])
                            if isinstance(event, dict):
                                yield event
        except (httpx2.HTTPError, OSError):
            return


@asynccontextmanager
async def running(
    program: str, directory: str, environment: Mapping[str, str]
) -> AsyncIterator[Opencode]:
    """Start one in *directory*, and end it and all that came of it.

    Raises:
        BackendAway: it cannot be started.
    """
    import httpx2

    arguments = ("serve", "--pure", "--hostname", "127.0.0.1", "--port", "0")
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", _KEEPER, "0", program, *arguments,
            cwd=directory, env=environment, limit=_LINE_LIMIT,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        raise BackendAway(f"{program}: {error.strerror or 'it cannot be started'}") from None
    ended = asyncio.create_task(process.wait())
    drained: asyncio.Task[None] | None = None
    try:
        url = await _address(process, program)
        drained = asyncio.create_task(_drain(process))
        auth = httpx2.BasicAuth(_USER, environment["OPENCODE_SERVER_PASSWORD"])
        async with httpx2.AsyncClient(
            base_url=url, auth=auth, trust_env=False, follow_redirects=False
        ) as client:
            yield Opencode(client, ended)
    finally:
        await asyncio.shield(_end(process, ended, drained))


async def _address(process: asyncio.subprocess.Process, program: str) -> str:
    """Return where it listens, once it says so."""
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_START_S):
            while line := await process.stdout.readline():
                found = _LISTENING.search(line)
                if found is not None:
                    return found[1].decode("ascii")
    except (TimeoutError, ValueError):
        pass
    raise BackendAway(f"{program} does not start; try it with `{os.path.basename(program)} serve`")


async def _drain(process: asyncio.subprocess.Process) -> None:
    """Read on, and forget: it would wait otherwise."""
    assert process.stdout is not None
    while await process.stdout.read(_LINE_LIMIT):
        pass


async def _end(
    process: asyncio.subprocess.Process,
    ended: asyncio.Task[int],
    drained: asyncio.Task[None] | None,
) -> None:
    """Close its keeper's input, upon which the keeper kills all and ends."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_END_S):
            await asyncio.shield(ended)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await ended
    if drained is not None:
        drained.cancel()
        with suppress(asyncio.CancelledError):
            await drained
