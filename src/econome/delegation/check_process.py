"""The process in which an answer is checked, so that a check that does not end stops nothing else (D6).

Its standard input is one JSON line that says what is asked, and then the answer; what it finds goes to standard output as
one JSON object. It gives up its own time and memory first. It opens no file and no connection, and runs no answer.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from typing import Any

from econome.delegation.checks import Check, failures
from econome.delegation.formats import Format, check
from econome.errors import FormatBroken

__all__ = ["main"]

_bounds: Any = None
with suppress(ImportError):  # Windows, where only the time on the wall is bounded
    _bounds = import_module("resource")

_CPU_S = 10
_MEMORY_BYTES = 1 << 30
_NICENESS = 5


def main() -> int:
    """Check one answer."""
    _bound()
    asked, _, answer = sys.stdin.buffer.read().partition(b"\n")
    try:
        found = _found(json.loads(asked), answer.decode("utf-8", "surrogatepass"))
    except MemoryError:
        found = {"broken": "it is too large to be checked"}
    sys.stdout.write(json.dumps(found))
    return 0


def _bound() -> None:
    if _bounds is None:
        return
    with suppress(OSError):
        os.nice(_NICENESS)
    for what, most in ((_bounds.RLIMIT_CPU, _CPU_S), (_bounds.RLIMIT_AS, _MEMORY_BYTES)):
        with suppress(
            OSError, ValueError
        ):  # a system that has another limit already, or none of this kind
            _bounds.setrlimit(what, (most, most))


def _found(asked: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the answer in its format, and in what it falls short of a preset's check; or why it is not of the format."""
    try:
        answer = check(Format(**asked["format"]), text)
    except FormatBroken as error:
        return {"broken": str(error)}
    one = asked["check"]
    return {"answer": answer, "failures": [] if one is None else failures(_check(one), answer)}


def _check(raw: dict[str, Any]) -> Check:
    known = {field.name for field in fields(Check)}
    return Check(**{name: value for name, value in raw.items() if name in known})


if __name__ == "__main__":
    sys.exit(main())
