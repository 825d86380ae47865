"""What the server's own parts and the libraries below it may say to the operator: one line each, and no content.

A library's message may quote a header, a path or a body. So of it only the place and the kind are told, never the text.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

from econome.traces import place

__all__ = ["QUIET_SECONDS", "route_logging", "sparing", "to_standard_error"]

QUIET_SECONDS = 60.0
"""How long a line is not said again."""


def to_standard_error(line: str) -> None:
    """Say a line on standard error."""
    if sys.stderr is not None:
        print(f"econome: {line}", file=sys.stderr, flush=True)


def sparing(
    log: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> Callable[[str], None]:
    """Return a *log* that says a line once in a while, and then how often it kept silent: anybody can make it speak."""
    said: dict[str, tuple[float, int]] = {}

    def say(line: str) -> None:
        now = clock()
        since, unsaid = said.get(line, (-QUIET_SECONDS, 0))
        if now - since < QUIET_SECONDS:
            said[line] = since, unsaid + 1
            return
        said[line] = now, 0
        log(f"{line} ({unsaid} more like this before)" if unsaid else line)

    return say


class _Places(logging.Handler):
    """Tells where a library warned, and of which exception."""

    def __init__(self, log: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._log = sparing(log)

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.name}: {record.levelname.lower()} at {record.module}:{record.lineno}"
        if record.exc_info and record.exc_info[0] is not None:
            line += f": {record.exc_info[0].__name__} at {place(record.exc_info[2])}"
        self._log(line)


def route_logging(log: Callable[[str], None]) -> None:
    """Send what libraries log to *log*, as places only."""
    root = logging.getLogger()
    root.handlers[:] = [_Places(log)]
    root.setLevel(logging.WARNING)
    # It warns of every request that is no HTTP, which anybody can send.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
