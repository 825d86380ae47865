"""Reads files of events from elsewhere: a batch as it is posted, events one a line, or another ledger's file.

A line of a ledger is taken without the time of its arrival there, so that importing it twice, or into the ledger that it
came from, is a repetition and no conflict. Memory is bounded by the longest line, whatever the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from econome.errors import BatchError, BodyMalformed, ImportRefused
from econome.savings.batch import Received, read_batch, read_event, split_stored
from econome.savings.wire import BATCH_FIELD, Batch

__all__ = ["DOCUMENT_BYTES", "EVENT_BYTES", "LINE_BYTES", "read_foreign"]

LINE_BYTES = 1_048_576
"""No line is longer: it is an event, or a body as it was posted."""

EVENT_BYTES = LINE_BYTES - 64
"""No event is longer: it has to fit into a body of its own."""

DOCUMENT_BYTES = 16 * LINE_BYTES
"""No batch that is spread over lines is longer: it holds 500 events at most."""

_MARK = b"\xef\xbb\xbf"
_read_batch_shape = msgspec.json.Decoder(Batch).decode


class _AnyBatch(msgspec.Struct, rename={"events": BATCH_FIELD}):
    """Whatever calls itself a batch."""

    events: Any


_read_any_batch = msgspec.json.Decoder(_AnyBatch).decode


def read_foreign(file: BinaryIO, name: str, end: int | None = None) -> Iterator[Received]:
    """Yield the events of *file* from where it stands, up to its byte *end* where that is given.

    Raises:
        ImportRefused: a line is too long, no JSON, or breaks the contract; it names the line, and *name*.
    """
    first = True
    for number, line in _lines(file, name, end):
        text = line.removeprefix(_MARK).strip() if number == 1 else line.strip()
        if not text:
            continue
        try:
            yield from _events(text)
        except BodyMalformed as error:
            if not first:
                raise ImportRefused(name, number, error.reason) from None
            yield from _document(text, file, name, number, error)
            return
        except BatchError as error:
            raise ImportRefused(name, number, str(error)) from None
        first = False


def _lines(file: BinaryIO, name: str, end: int | None) -> Iterator[tuple[int, bytes]]:
    number = read = 0
    while end is None or read < end:
        line = file.readline(LINE_BYTES + 1)
        if not line:
            return
        number, read = number + 1, read + len(line)
        if len(line) > LINE_BYTES:
            raise ImportRefused(name, number, f"longer than {LINE_BYTES} bytes")
        yield number, line


def _events(text: bytes) -> list[Received]:
    """Return the events of one line, which is an event or a batch."""
    try:
        line = split_stored(text)
    except ValueError:
        line = text
    try:
        return _fitting([read_event(line, None)])
    except BatchError:
        if not _is_batch(text):
            raise
    return _fitting(read_batch(text))


def _fitting(events: list[Received]) -> list[Received]:
    if any(len(event.line) > EVENT_BYTES for event in events):
        raise BatchError(f"an event is longer than {EVENT_BYTES} bytes")
    return events


def _is_batch(text: bytes) -> bool:
    try:
        _read_any_batch(text)
    except msgspec.DecodeError:
        return False
    return True


def _document(
    begun: bytes, file: BinaryIO, name: str, number: int, alone: BodyMalformed
) -> Iterator[Received]:
    """Yield the events of a batch that is spread over lines; *begun* is its first line, in the line *number*."""
    rest = file.read(DOCUMENT_BYTES)
    document = begun + b"\n" + rest
    if BATCH_FIELD.encode() not in document[:LINE_BYTES]:
        reason = f"neither an event nor the beginning of a batch: {alone.reason}"
        raise ImportRefused(name, number, reason)
    if file.read(1):
        reason = f"a batch over several lines, longer than {DOCUMENT_BYTES} bytes"
        raise ImportRefused(name, number, reason)
    try:
        yield from _fitting(read_batch(document))
    except BodyMalformed as error:
        raise ImportRefused(name, number, error.reason) from None
    except BatchError as error:
        line = number + _line_of(document, error.index)
        raise ImportRefused(name, line, str(error)) from None


def _line_of(document: bytes, index: int | None) -> int:
    """Return in which line of a sound batch, counted from 0, the event at *index* begins."""
    begins = ends = 0
    if index is not None:
        for raw in _read_batch_shape(document).events[: index + 1]:
            begins = document.index(bytes(raw), ends)
            ends = begins + len(bytes(raw))
    return document.count(b"\n", 0, begins)
