"""On which line of a lockfile something stands, so that a report can point at it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from json import JSONDecoder

__all__ = ["lines_of"]

_LISTS = ("tools", "prompts", "resources", "templates")
_DECODER = JSONDecoder()


def lines_of(data: bytes) -> dict[tuple[str, str, str], int]:
    """Return the line of each server (with two empty texts) and of each of its entries (with its list and name).

    *data* is a lockfile that was read; of anything else the answer is whatever was found up to where it is none.
    """
    text = data.decode("utf-8", "replace")
    ends = [at for at, letter in enumerate(text) if letter == "\n"]
    found = {}
    try:
        for key, at in _places(text):
            found[key] = bisect_right(ends, at) + 1
    except (IndexError, ValueError):
        pass
    return found


def _places(text: str) -> Iterator[tuple[tuple[str, str, str], int]]:
    for name, _, at in _members(text, _blank(text, 0)):
        if name != "servers":
            continue
        for server, begin, inside in _members(text, at):
            yield (server, "", ""), begin
            yield from _entries(text, server, inside)


def _entries(text: str, server: str, at: int) -> Iterator[tuple[tuple[str, str, str], int]]:
    for part, _, inside in _members(text, at):
        if part in _LISTS:
            for name, begin, _ in _members(text, inside):
                yield (server, part, name), begin


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield each name of the object that begins at *at*, where it stands, and where its value begins."""
    at = _blank(text, at + 1)
    while text[at] == '"':
        begin = at
        name, at = _DECODER.raw_decode(text, at)
        inside = _blank(text, _blank(text, at) + 1)
        yield name, begin, inside
        _, at = _DECODER.raw_decode(text, inside)
        at = _blank(text, at)
        if text[at] != ",":
            return
        at = _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at
