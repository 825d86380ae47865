"""Where the parts of a JSON text stand that no strict reader takes, and none of them read: they stay the bytes they were.

Python writes NaN, JavaScript half a surrogate pair, and both nest deeper than a decoder follows. What has no such parts,
since its brackets, quotes or commas do not fit, is None to the caller.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

__all__ = ["beginning", "elements", "members"]

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_MARK = re.compile(_STRING.pattern + rb"|[\[\]{}]", re.DOTALL)
_WORD = re.compile(rb'[^\s"\[\]{},:]+')
_SPACE = re.compile(rb"[ \t\r\n]*")
_QUOTE: Final = ord('"')
_CLOSING: Final = {ord("["): ord("]"), ord("{"): ord("}")}
_MOST_MARKS: Final = 1_000_000
"""What has more of them is not looked through: it would keep everybody else waiting."""


def members(raw: bytes) -> dict[str, bytes] | None:
    """Return the members of an object, each as its bytes, None where it is none; of two with one name the last one counts."""
    try:
        held = dict(_members(raw))
    except ValueError:
        return None
    return {name: value for name, value in held.items() if value is not None}


def beginning(raw: bytes) -> dict[str, bytes | None]:
    """Return the members at the beginning of an object that was cut off; None is the value of one that is not whole."""
    held: dict[str, bytes | None] = {}
    try:
        for name, value in _members(raw):
            held[name] = value
    except ValueError:
        pass
    return held


def elements(raw: bytes) -> list[bytes] | None:
    """Return the elements of a list, each as its bytes, None where it is none."""
    found: list[bytes] = []
    try:
        at = _past(raw, 0, b"[")
        while raw[at : at + 1] != b"]":
            end = _end(raw, at)
            if end is None:
                return None
            found.append(raw[at:end])
            at = _further(raw, end, b"]")
        _last(raw, at + 1)
    except ValueError:
        return None
    return found


def _members(raw: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Yield names and values; the last value is None where it is not whole.

    Raises:
        ValueError: from here on it is no object.
    """
    at = _past(raw, 0, b"{")
    while raw[at : at + 1] != b"}":
        found = _STRING.match(raw, at)
        if found is None:
            raise ValueError("no name")
        name = json.loads(found[0].decode("utf-8", "surrogatepass"), strict=False)
        at = _past(raw, found.end(), b":")
        end = _end(raw, at)
        yield name, None if end is None else raw[at:end]
        if end is None:
            raise ValueError("no whole value")
        at = _further(raw, end, b"}")
    _last(raw, at + 1)


def _end(raw: bytes, at: int) -> int | None:
    """Return where the value ends that begins here."""
    mark = raw[at] if at < len(raw) else 0
    if mark not in _CLOSING:
        found = (_STRING if mark == _QUOTE else _WORD).match(raw, at)
        return None if found is None else found.end()
    awaited = bytearray()
    for count, found in enumerate(_MARK.finditer(raw, at)):
        mark = raw[found.start()]
        if mark == _QUOTE:
            continue
        if count > _MOST_MARKS:
            return None
        if mark in _CLOSING:
            awaited.append(_CLOSING[mark])
        elif awaited.pop() != mark:
            raise ValueError("brackets that do not fit")
        if not awaited:
            return found.end()
    return None


def _past(raw: bytes, at: int, mark: bytes) -> int:
    """Return where the next thing begins after a mark, which has to be the next one."""
    at = _space(raw, at)
    if raw[at : at + 1] != mark:
        raise ValueError("something else")
    return _space(raw, at + 1)


def _further(raw: bytes, at: int, closing: bytes) -> int:
    """Return where the closing mark stands that comes next, or what comes after a comma."""
    at = _space(raw, at)
    if raw[at : at + 1] == closing:
        return at
    at = _past(raw, at, b",")
    if raw[at : at + 1] == closing:
        raise ValueError("nothing after a comma")
    return at


def _last(raw: bytes, at: int) -> None:
    if _space(raw, at) != len(raw):
        raise ValueError("more behind the end")


def _space(raw: bytes, at: int) -> int:
    found = _SPACE.match(raw, at)
    return at if found is None else found.end()
