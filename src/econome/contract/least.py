"""The least that a caller may send: one call that a schema accepts, and one use of what else a server lists.

It shows what is broken where a thing is gone or refused for a reason that stands in no schema. Nothing is sent.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from econome.contract.entries import mapping

__all__ = ["least_call", "least_use"]

_MOST_CALLS = 60
_MOST_WORK = 30_000
_TEXT = "a"
_VARIABLE = re.compile(r"\{[^{}]*\}")


def least_call(schema: object) -> dict[str, Any] | None:
    """Return the arguments of the smallest call found that *schema* accepts, None where none was found."""
    from econome.contract.accepts import Judge, Work
    from econome.contract.arguments import Maker, Side
    from econome.contract.cases import Cases
    from econome.contract.readings import read
    from econome.contract.sameness import Sameness
    from econome.contract.shrinking import shrunk

    reading = read({"type": "object"} if schema is None else schema)
    if reading.flaw:
        return None
    side = Side(reading, Judge(reading, Work(_MOST_WORK)), Cases(reading, reading))
    maker = Maker(side, side, Sameness(reading, reading, [side.cases, side.cases]))
    judge = Judge(reading, Work(_MOST_WORK))

    def accepted(call: object) -> bool:
        return isinstance(call, dict) and judge.accepts(call) is True

    for call in islice(maker.calls(), _MOST_CALLS):
        if accepted(call):
            found: dict[str, Any] = shrunk(call, accepted)
            return found
    return None


def least_use(subject: str, name: str, entry: object) -> dict[str, Any] | None:
    """Return what is sent at least for a prompt, a resource or one of a template: its required arguments, or its address."""
    if subject == "resource":
        return {"uri": name}
    if subject == "template":
        return {"uri": _VARIABLE.sub(_TEXT, name)}
    arguments = mapping(entry).get("arguments")
    if arguments is not None and not isinstance(arguments, list):
        return None
    needed = [one for one in map(mapping, arguments or ()) if one.get("required") is True]
    return {one["name"]: _TEXT for one in needed if isinstance(one.get("name"), str)}
