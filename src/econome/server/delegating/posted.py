"""What a command posts to have a tool called in the running server, and the lines that it gets back.

The lines are JSON: any number tell of progress, the last one is the answer of the tool, byte for byte as every other way
to call it gives it. It knows no tool and no connection.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Raw, Struct

from econome.delegation.order import Standing
from econome.errors import BodyMalformed
from econome.savings.wire import TEXT_LIMIT
from econome.server.delegating.call import Said

__all__ = [
    "LINES",
    "PATH",
    "ROUTE",
    "Posted",
    "progress_line",
    "read_line",
    "read_posted",
    "result_line",
]

PATH: Final = "/api/v1/tools/"
"""The names of the tools stand behind it."""
ROUTE: Final = PATH + "{tool}"

LINES: Final = "application/x-ndjson"

_Name = Annotated[str, Meta(min_length=1, max_length=TEXT_LIMIT)]
_Path = Annotated[str, Meta(min_length=1, max_length=4096)]


class Posted(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A call: the tool's arguments, who asks, and what an order takes from the connection.

    `base` and `deadline_s` are those of an order and `roots` the client's own. Only with the `key` of the ledger's lock is
    `base` heard: whoever can read that can read this user's files anyhow.
    """

    arguments: dict[str, Any] = {}
    client: _Name | None = None
    session: _Name | None = None
    connection: _Name | None = None
    tool_use: _Name | None = None
    base: _Path | None = None
    roots: tuple[_Path, ...] | None = None
    deadline_s: Annotated[float, Meta(gt=0, le=31_536_000)] | None = None
    key: _Name | None = None


class _Progress(Struct, frozen=True, omit_defaults=True):
    request_id: str
    status: str
    waiting_s: float = 0.0
    written: int = 0
    position: int | None = None
    model: str | None = None


class _Line(Struct, frozen=True, omit_defaults=True):
    progress: _Progress | None = None
    result: Raw = Raw()


class _Outcome(Struct, frozen=True):
    ok: bool


_read = msgspec.json.Decoder(Posted).decode
_read_line = msgspec.json.Decoder(_Line).decode


def read_posted(body: bytes) -> Posted:
    """Return the call that a body asks for.

    Raises:
        BodyMalformed: it is no such JSON.
    """
    try:
        return _read(body)
    except (ValueError, RecursionError) as error:
        raise BodyMalformed(f"the call: {error}") from None


def progress_line(standing: Standing) -> bytes:
    """Return the line that tells how a request stands."""
    progress = _Progress(
        standing.request_id,
        standing.status,
        round(standing.waiting_s, 1),
        standing.written,
        standing.position,
        standing.model,
    )
    return msgspec.json.encode(_Line(progress=progress)) + b"\n"


def result_line(said: Said) -> bytes:
    """Return the line that ends an answer."""
    return b'{"result":%b}\n' % said.text.encode("utf-8")


def read_line(line: bytes) -> Standing | Said:
    """Return what a line tells: how the request stands, or what the tool answered.

    Raises:
        ValueError: it is no such line.
    """
    read = _read_line(line)
    told = read.progress
    if told is not None:
        return Standing(
            told.request_id,
            told.status,
            model=told.model,
            position=told.position,
            waiting_s=told.waiting_s,
            written=told.written,
        )
    text = bytes(read.result)
    outcome = msgspec.json.decode(text, type=_Outcome)
    return Said(text.decode("utf-8"), failed=not outcome.ok)
