"""What one economy came to, as a line of the lean ledger: counts and names, never a word of a call or an answer.

It knows the fields and how a line is read tolerantly. It does not count tokens, and knows no file and no clock.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

__all__ = ["KINDS", "VERSION", "Kind", "Record", "line_of", "record_of"]

Kind = Literal["menu", "answer", "lookup", "fault"]

KINDS: Final = ("menu", "answer", "lookup", "fault")

VERSION: Final = 1

_Amount = Annotated[int, Meta(ge=0, le=2**53)]

_LONGEST_NAME = 200


class Record(Struct, frozen=True, kw_only=True, rename={"version": "v"}):
    """One showing of a menu, one answer, one look-up, or one fault of the upstream or of an economy.

    `at` is an instant in UTC; the writer fills in what is empty. `tool` is the upstream's own name of the tool; "" for
    a menu, which is one record for all its tools; of a look-up it is what was called, `describe`, `find` or `more`, or
    `refused`. `method` names the tokenizer that `before`, `after` and `cut` were counted with. `before` is what the
    model would have read without econome, 0 for a look-up, which exists only because of it; `after` is what it reads;
    of the difference, `cut` is what was left out, before the note that says so, so that the rest was saved by
    encoding. `added_us` is what econome added to the time of the call, in microseconds. `lost` counts records that
    were dropped before this one.
    """

    version: int = VERSION
    at: str = ""
    kind: Kind
    server: str
    tool: str = ""
    client: str = ""
    method: str = ""
    before: _Amount = 0
    after: _Amount = 0
    cut: _Amount = 0
    rows_cut: _Amount = 0
    form: str = ""
    added_us: _Amount = 0
    lost: _Amount = 0


class _Versioned(Struct):
    v: int


_WRITE = msgspec.json.Encoder()
_READ = msgspec.json.Decoder(Record)
_READ_VERSION = msgspec.json.Decoder(_Versioned)


def line_of(record: Record) -> bytes:
    """Return a record as a line of the ledger, with its end; a name that is too long is cut."""
    names = {
        name: _encodable(value)[:_LONGEST_NAME]
        for name in ("server", "tool", "client", "method", "form")
        if len(value := getattr(record, name)) > _LONGEST_NAME or not value.isascii()
    }
    shown = msgspec.structs.replace(record, **names) if names else record
    return _WRITE.encode(shown) + b"\n"


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def record_of(line: bytes) -> Record | None:
    """Return the record that a line holds, None where it is of a version that a later econome writes.

    Raises:
        ValueError: the line holds no record.
    """
    try:
        record = _READ.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if _is_later(line):
            return None
        raise ValueError(str(error)) from None
    return record if record.version == VERSION else None


def _is_later(line: bytes) -> bool:
    try:
        return _READ_VERSION.decode(line).v > VERSION
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
