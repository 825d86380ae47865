"""Server-sent events as they stand on the wire: cut from a stream, read, and given another message.

It knows the form of an event and keeps every byte of it that is not asked to change: ids, retry times, comments, the kind
of line end. It does not know what a message means.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["EVENT_BYTES", "Events", "data_of", "field_of", "new_event", "with_data"]

EVENT_BYTES: Final = 67_108_864
"""The largest event that is taken as a whole; a larger one passes as it comes."""

_END = rb"(?:\r\n|\n|\r(?!\n))"
_BLANK = re.compile(_END + rb"(?:\r\n|\n|\r)")
_COMMENTS = re.compile(rb"(?::[^\r\n]*" + _END + rb")+")
_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BREAK = re.compile(rb"\r\n|\n|\r")
_LONGEST_END = 4
_MARK = b"\xef\xbb\xbf"


class Events:
    """Cuts a stream into events; what it returns, one after the other, is what it was given.

    A piece that is no whole event, because it is too large or because the stream ended in it, is returned as it is.
    """

    def __init__(self, most: int = EVENT_BYTES) -> None:
        self._most = most
        self._held = bytearray()
        self._looked = 0
        self._passing = False

    def feed(self, data: bytes) -> list[tuple[bytes, bool]]:
        """Take bytes; return pieces, each with whether it is a whole event (or comments between events)."""
        self._held += data
        found: list[tuple[bytes, bool]] = []
        start = 0
        while (end := _BLANK.search(self._held, max(start, self._looked))) is not None:
            found.append((bytes(self._held[start : end.end()]), not self._passing))
            self._passing = False
            start = self._looked = end.end()
        if not self._passing and (between := _COMMENTS.match(self._held, start)) is not None:
            # A sign of life need not wait for the event after it.
            found.append((between[0], True))
            start = between.end()
        del self._held[:start]
        if len(self._held) > self._most:
            found.append((bytes(self._held[:-_LONGEST_END]), False))
            del self._held[:-_LONGEST_END]
            self._passing = True
        self._looked = max(0, len(self._held) - _LONGEST_END)
        return found

    def end(self) -> bytes:
        """Return what came after the last whole event, when the stream has ended."""
        rest, self._held, self._looked = bytes(self._held), bytearray(), 0
        return rest


def data_of(event: bytes) -> bytes | None:
    """Return the message of an event; None where it has none, or is of a kind that is no message."""
    kind = field_of(event, b"event")
    if kind not in (None, b"", b"message"):
        return None
    if event.count(b"data") == 1 and event.startswith(b"data: "):  # by far the most
        return _BREAK.split(event[6:], maxsplit=1)[0] or None
    values = [value for name, value in map(_field, _lines(event)) if name == b"data"]
    return b"\n".join(values) or None


def field_of(event: bytes, name: bytes) -> bytes | None:
    """Return the last value that an event gives to a field, None where it does not name it."""
    if name not in event:
        return None
    found = None
    for field, value in map(_field, _lines(event)):
        if field == name:
            found = value
    return found


def with_data(event: bytes, messages: list[bytes]) -> bytes:
    """Return an event with other messages in the place of its own; all else of it stays where it is.

    The first one takes the place of the event's data. More become events of their own after it; where there is none, what
    is left of the event says nothing to a client but its id.
    """
    first, put = messages[0] if messages else None, False
    kept: list[bytes] = []
    for line in _lines(event):
        if _field(line)[0] != b"data":
            kept.append(line)
        elif first is not None and not put:
            put = True
            kept.append(_data(first, line[len(line.rstrip(b"\r\n")) :] or b"\n"))
    if first is not None and not put:
        return b"".join([*kept, *map(new_event, messages)])
    return b"".join([*kept, *map(new_event, messages[1:])])


def new_event(message: bytes) -> bytes:
    """Return a message as an event."""
    return b"event: message\n" + _data(message, b"\n") + b"\n"


def _data(message: bytes, end: bytes) -> bytes:
    return b"".join(b"data: " + line + end for line in _BREAK.split(message))


def _lines(event: bytes) -> list[bytes]:
    """Return the lines of an event with their ends; joined they are the event."""
    return [found[0] for found in _LINES.finditer(event) if found[0]]


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.rstrip(b"\r\n").removeprefix(_MARK).partition(b":")
    return name, value.removeprefix(b" ")
