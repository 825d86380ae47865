"""Lines that the quick decoder refuses: read leniently, damage recorded, no good record lost (R3, F14)."""

from __future__ import annotations

from json import JSONDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["salvage"]

_BLANKS = " \t\r\n\x00\ufeff"
_OWN_KEYS = ("type", "uuid", "sessionId", "timestamp")
_EFFORT = 256
"""How many times its own length a damaged line may be tried before the rest of it is given up."""


def _refuse(literal: str) -> Any:
    raise ValueError(literal)


def _whole(digits: str) -> Any:
    return (
        int(digits) if len(digits) < 40 else float("inf")
    )  # either way more than any counter can be


_DECODER = JSONDecoder(strict=False, parse_constant=_refuse, parse_int=_whole)


def salvage(line: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Return the records of a line, and whether it is malformed.

    A whole line is one object, or several without a line feed between. After damage, reading goes on at each
    `{`, and an object counts only with a `type`, `uuid`, `sessionId` and `timestamp` of its own.
    """
    text = line.decode("utf-8", "replace").strip(_BLANKS)
    if "\x00" in text:
        text = text.replace("\x00", " ")
    found: list[dict[str, Any]] = []
    at, damaged, effort = 0, not text, 0
    while at < len(text):
        if damaged:
            at = text.find("{", at)
            if at < 0 or effort > _EFFORT * len(text) + 1_000_000:
                break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            effort += getattr(error, "pos", at) - at
            damaged = True
            at += 1
            continue
        own = isinstance(value, dict)
        if own and damaged:
            own = all(isinstance(value.get(key), str) for key in _OWN_KEYS)
        if not own:
            effort += end - at
            damaged = True
            at += 1
            continue
        found.append(value)
        at = end
        while at < len(text) and text[at] in _BLANKS:
            at += 1
    return found, damaged
