"""From the bytes of a body to the events to store, or to the one reason why nothing of it is taken.

It knows well-formedness, the limits of a batch and how a stored line is spelt. It keeps an event as the client's own
bytes and recomputes none of its figures; it stores nothing and knows no status code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from re import compile as pattern

import msgspec

from econome.errors import BatchError, BodyMalformed
from econome.savings.wire import (
    BATCH_FIELD,
    DATE_FIELD,
    RECEIVED_FIELD,
    Batch,
    Event,
    epoch_seconds,
)

__all__ = [
    "BATCH_EVENTS",
    "NESTING",
    "Received",
    "content_digest",
    "decode_event",
    "event_key",
    "event_keys",
    "read_batch",
    "read_event",
    "split_stored",
    "stored_digests",
    "stored_line",
]

BATCH_EVENTS = 500
"""The most events that one body may carry."""

NESTING = 64
"""The most objects and lists inside one another in an event; the contract's own need three.

Every later reader of the line goes as deep as the line does, and each reader has its own limit."""

_read_body = msgspec.json.Decoder(Batch).decode
_read_typed = msgspec.json.Decoder(Event).decode
_read_any = msgspec.json.Decoder(msgspec.Raw).decode
_compact = msgspec.json.format

_PATH = pattern(r" - at `\$\.?([^`]*)`\Z")
_MISSING = pattern(r"Object missing required field `([^`]*)`\Z")
_STRING = pattern(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_BRACKETS = b"[]{}"
_ROUND = bytes.maketrans(_BRACKETS, b"()()")
_NO_BRACKETS = bytes(set(range(256)).difference(_BRACKETS))
_TAIL = f',"{RECEIVED_FIELD}":"'.encode()
_ENDS = (b'"}', b'"}\n')


class Received(msgspec.Struct, frozen=True, gc=False):
    """One event as it came, with what the store needs to know it again.

    *line* is the client's own text of it without the blanks between tokens; *key* and *content* are the digests of
    its id and of that line.
    """

    id: str
    key: bytes
    content: int
    line: bytes


def read_batch(body: bytes) -> list[Received]:
    """Return the events of a body, in its order: all of them or none.

    The body is JSON text in UTF-8 as RFC 8259 has it. Three things that some readers take are refused: a byte order
    mark, the escape of a lone surrogate (it stands for no character), and an event nested deeper than `NESTING`.

    Raises:
        BodyMalformed: it is no such text.
        BatchError: it is, and it or one of its events breaks the contract.
    """
    try:
        body.decode("utf-8")  # the decoder does not look into the strings that it skips
        raws = _read_body(body).events
    except UnicodeDecodeError:
        raise BodyMalformed("the body is not UTF-8") from None
    except RecursionError:
        raise BodyMalformed("the body is nested too deep") from None
    except msgspec.DecodeError:
        raise _body_error(body) from None
    if not 1 <= len(raws) <= BATCH_EVENTS:
        reason = f"expected 1 to {BATCH_EVENTS} events, got {len(raws)}"
        raise BatchError(reason, field=BATCH_FIELD)
    # A body is well formed as a whole before one of its events is looked at.
    lines = [_one_line(raw) for raw in raws]
    return [_received(line, index) for index, line in enumerate(lines)]


def read_event(raw: bytes, index: int | None) -> Received:
    """Return one event that stands alone, such as a line of a file; *index* is its place for the error.

    Raises:
        BodyMalformed: it is no JSON text.
        BatchError: it is no event of the contract.
    """
    try:
        raw.decode("utf-8")
        line = _one_line(raw)
    except UnicodeDecodeError:
        raise BodyMalformed("the event is not UTF-8") from None
    except msgspec.DecodeError as error:
        raise _no_json("event", error) from None
    return _received(line, index)


def decode_event(line: bytes) -> Event:
    """Return the event of a stored or compacted line.

    Raises:
        BatchError: it holds none.
    """
    return _decoded(line, None)


def stored_line(line: bytes, received_at: str) -> bytes:
    """Return the line of the ledger for a compacted event, with the time of its arrival and a line end.

    Where the event has a field of that name itself, the ledger's stands last, which is the one that readers take.
    """
    return b'%b%b%b"}\n' % (line[:-1], _TAIL, received_at.encode("ascii"))


def split_stored(stored: bytes) -> bytes:
    """Return the event of a line of the ledger as it was received; the inverse of `stored_line`.

    Raises:
        ValueError: the line does not end as `stored_line` ends one.
    """
    end = stored.rfind(_TAIL)
    if end < 0 or stored[stored.find(b'"', end + len(_TAIL)) :] not in _ENDS:
        raise ValueError("not a line of the ledger")
    return stored[:end] + b"}"


def event_key(event_id: str) -> bytes:
    """Return the 16 bytes that stand for an event's id."""
    return blake2b(event_id.encode("utf-8"), digest_size=16).digest()


def content_digest(line: bytes) -> int:
    """Return 64 bits that tell two contents of one id apart; they hold in this process only."""
    # Without its brace, which in the ledger stands behind the time of arrival.
    return hash(line[:-1])


def event_keys(event_ids: Iterable[str]) -> list[bytes]:
    """Return the `event_key` of each id, in less time."""
    return [blake2b(event_id.encode("utf-8"), digest_size=16).digest() for event_id in event_ids]


def stored_digests(lines: Sequence[bytes]) -> list[int]:
    """Return the `content_digest` of what `split_stored` gives for each line without its end, in less time.

    Raises:
        ValueError: a line does not end as `stored_line` ends one.
    """
    quote, time = b'"', len(_TAIL)
    found = [
        hash(line[:end])
        for line in lines
        if (end := line.rfind(_TAIL)) >= 0 and line.find(quote, end + time) == len(line) - 2
    ]
    if len(found) < len(lines):
        raise ValueError("not a line of the ledger")
    return found


def _one_line(raw: bytes | msgspec.Raw) -> bytes:
    try:
        line = _compact(raw, indent=-1)
    except RecursionError:
        raise BodyMalformed("an event is nested too deep") from None
    if line.count(b"{") + line.count(b"[") > NESTING and _too_deep(line):
        raise BodyMalformed(f"an event is nested deeper than {NESTING} levels")
    return line


def _too_deep(line: bytes) -> bool:
    brackets = _STRING.sub(b"", line).translate(_ROUND, _NO_BRACKETS)
    for _ in range(NESTING):
        brackets = brackets.replace(b"()", b"")  # takes off the innermost level everywhere
    return bool(brackets)


def _received(line: bytes, index: int | None) -> Received:
    event_id = _decoded(line, index).id
    return Received(event_id, event_key(event_id), content_digest(line), line)


def _decoded(line: bytes, index: int | None) -> Event:
    try:
        event = _read_typed(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _batch_error(str(error), index) from None
    if epoch_seconds(event.date) is None:
        raise BatchError("expected an RFC 3339 date with a zone", index=index, field=DATE_FIELD)
    return event


def _body_error(body: bytes) -> BatchError | BodyMalformed:
    """Return what is wrong with a body that is no batch: first whether it is JSON at all."""
    try:
        _read_any(body)
    except RecursionError:
        return BodyMalformed("the body is nested too deep")
    except msgspec.DecodeError as malformed:
        return _no_json("body", malformed)
    reason = f"expected an object whose `{BATCH_FIELD}` is a list of events"
    return BatchError(reason, field=BATCH_FIELD)


def _no_json(what: str, error: msgspec.DecodeError) -> BodyMalformed:
    return BodyMalformed(
        f"the {what} is no JSON: {_sentence(str(error).removeprefix('JSON is malformed: '))}"
    )


def _batch_error(message: str, index: int | None) -> BatchError:
    """Return the decoder's *message* about one event as the error that names its place.

    The message ends in the path of the value at fault, or of the object that lacks a field and then begins with the
    field's name. Of a value that is none of those listed it repeats the text, which is the client's: that is left out.
    """
    place = _PATH.search(message)
    path, reason = ("", message) if place is None else (place[1], message[: place.start()])
    missing = _MISSING.match(reason)
    if missing is not None:
        path, reason = f"{path}.{missing[1]}" if path else missing[1], "missing"
    elif reason.startswith("Invalid"):
        reason = "none of the values that the contract lists"
    return BatchError(_sentence(reason), index=index, field=path or None)


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:]
