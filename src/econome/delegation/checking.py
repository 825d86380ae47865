"""Has an answer checked where a check that takes too long harms nobody: in a process of its own (D6).

Only what takes time in proportion to the answer is done here. It knows how the process is started, asked and ended; what
a format is, it does not.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

import msgspec

from econome.delegation.checks import Check, failures
from econome.delegation.formats import Format, check
from econome.errors import BackendFailed, FormatBroken

__all__ = ["LONGEST_S", "checked", "shortfalls"]

LONGEST_S: Final = 10.0
"""A check that is not done by then is given up."""

_SLOW = "it takes too long to check"
# The path is ours, so that it is this econome, wherever it was imported from, and nothing of the environment counts.
_BEGIN = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from econome.delegation.check_process import main; sys.exit(main())"
)


async def checked(form: Format, text: str, longest_s: float = LONGEST_S) -> str:
    """Return the answer in its format.

    Raises:
        FormatBroken: it is not of the format, or that takes too long to find out.
        BackendFailed: nothing can be checked here.
    """
    if _is_linear(form):
        return await asyncio.to_thread(check, form, text)
    answer: str = (await _found(form, None, text, longest_s))["answer"]
    return answer


async def shortfalls(
    form: Format, one: Check, text: str, longest_s: float = LONGEST_S
) -> list[str]:
    """Return in what an answer falls short of a preset's check, each in one line; nothing where it holds.

    Raises:
        FormatBroken: it is not of the format, or that takes too long to find out.
        BackendFailed: nothing can be checked here.
    """
    if _is_linear(form) and one.regex is None:
        return failures(one, await asyncio.to_thread(check, form, text))
    found: list[str] = (await _found(form, one, text, longest_s))["failures"]
    return found


def _is_linear(form: Format) -> bool:
    """Whether the check takes time in proportion to the answer, whatever stands in it."""
    if form.kind == "code":
        return form.language in (None, "json")
    return form.schema is None


async def _found(form: Format, one: Check | None, text: str, longest_s: float) -> dict[str, Any]:
    asked = {"format": asdict(form), "check": None if one is None else _plain(one)}
    line = json.dumps(asked, default=str).encode()
    said = await _run(line + b"\n" + text.encode("utf-8", "surrogatepass"), longest_s)
    try:
        found: dict[str, Any] = json.loads(said)
    except ValueError:
        raise BackendFailed("the answer could not be checked: its check broke off") from None
    if "broken" in found:
        raise FormatBroken(found["broken"])
    return found


def _plain(one: Check) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if value is not msgspec.UNSET}


async def _run(data: bytes, longest_s: float) -> bytes:
    """Return what the process says; it is gone however this ends."""
    path = [os.path.abspath(each) for each in sys.path if each]
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", _BEGIN, *path),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        reason = error.strerror or "its check cannot be started"
        raise BackendFailed(f"the answer could not be checked: {reason}") from None
    try:
        async with asyncio.timeout(longest_s):
            said, _ = await process.communicate(data)
    except TimeoutError:
        raise FormatBroken(_SLOW) from None
    finally:
        if process.returncode is None:
            # Not by `process.kill`, which would take its end away from the loop where it has just ended.
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode is not None and process.returncode < 0:
        # By the bound on its time, or by the system for its size.
        raise FormatBroken(_SLOW)
    return said
