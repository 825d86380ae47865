"""Claude Code transcripts: lines to rows. Takes bytes, opens no file.

Four lines in ten carry usage. They are found by the bytes `"usage"`, which cannot stand inside a JSON string
(there the quotes are escaped), whatever the order and spacing of keys. Every other line is only looked at from
outside: a line that begins with `{` and ends with `}` is taken for a record that is not ours.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import stringzilla

from econome.usage.occurrences import FileFold
from econome.usage.rows import ABSENT, Rejected, Row, claude_row, iteration_extras, usage_of
from econome.usage.salvage import salvage
from econome.times import parse_instant

__all__ = ["ClaudeParser", "parser"]

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_NEEDLE = b'"usage"'
_BRACE, _CLOSE = b"{}"


class _Split(msgspec.Struct, gc=False):
    ephemeral_5m_input_tokens: _Count | None = None
    ephemeral_1h_input_tokens: _Count | None = None


class _Tools(msgspec.Struct, gc=False):
    web_search_requests: _Count | None = None
    web_fetch_requests: _Count | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cache_read_input_tokens: _Count | None = None
    cache_creation_input_tokens: _Count | None = None
    cache_creation: _Split | None = None
    server_tool_use: _Tools | None = None
    speed: str | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    iterations: msgspec.Raw = msgspec.Raw()


class _Message(msgspec.Struct, gc=False):
    usage: _Usage | None = None
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None


class _Line(msgspec.Struct, gc=False):
    type: str | None = None
    message: _Message | None = None
    requestId: str | None = None
    uuid: str | None = None
    isSidechain: bool | None = None
    sessionId: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    timestamp: str | None = None
    attributionAgent: str | None = None
    isApiErrorMessage: bool | None = None


_decode = msgspec.json.Decoder(_Line).decode
_NO_SPLIT = _Split()
_NO_TOOLS = _Tools()


def _row(line: _Line, message: _Message, usage: _Usage) -> Row | None:
    """The typed twin of `rows.claude_row`; a test holds them together."""
    model = message.model or "unknown"
    if model == "<synthetic>":
        return None
    split = usage.cache_creation or _NO_SPLIT
    written = usage.cache_creation_input_tokens
    tools = usage.server_tool_use or _NO_TOOLS
    raw = bytes(usage.iterations)
    extras = None
    if len(raw) > 2 and (b"advisor_message" in raw or b"fallback_message" in raw):
        extras = iteration_extras(msgspec.json.decode(raw))
    # fmt: off
    row = (
        message.id or None, line.requestId or None, line.uuid or None, line.isSidechain is True,
        line.sessionId or line.session_id or "", line.cwd or "", line.gitBranch or "",
        parse_instant(line.timestamp), model,
        usage.input_tokens or 0, usage.output_tokens or 0, usage.cache_read_input_tokens or 0,
        ABSENT if written is None else written,
        split.ephemeral_5m_input_tokens or 0, split.ephemeral_1h_input_tokens or 0,
        tools.web_search_requests or 0, tools.web_fetch_requests or 0,
        usage.speed or "", usage.service_tier or "", usage.inference_geo or "",
        message.stop_reason is not None, line.attributionAgent or "", extras,
    )
    # fmt: on
    if line.isApiErrorMessage is True and max(row[9:17]) <= 0:
        return None
    return row


class ClaudeParser:
    """Reads the lines of one transcript."""

    def __init__(self, home: str, stem: str, salt: str) -> None:
        self.fold = FileFold(home, stem, salt)
        self.lines = self.malformed = self.rejected = 0

    def state(self) -> Any:
        """Return nothing: no line depends on an earlier one."""
        return None

    def feed(self, data: bytes, base: int) -> None:
        """Read whole lines, the first of which begins at the file's byte *base*."""
        find, search, add = data.find, stringzilla.find, self.fold.add
        at, lines = 0, 0
        hit = search(data, _NEEDLE)
        end = find(b"\n")
        while end >= 0:
            lines += 1
            if hit < 0 or hit > end:
                last = data[end - 1] if end > at else 0
                if data[at] != _BRACE or (last != _CLOSE and not data.endswith(b"}\r", at, end)):
                    self._plain(data[at:end])
            else:
                try:
                    line = _decode(data[at:end])
                    if line.type == "assistant" and (message := line.message) is not None:
                        if (usage := message.usage) is not None:
                            row = _row(line, message, usage)
                            if row is not None:
                                add(row, base + at)
                except (msgspec.MsgspecError, UnicodeError, RecursionError, Rejected):
                    self._slowly(data[at:end], base + at)
                hit = search(data, _NEEDLE, end)
            at = end + 1
            end = find(b"\n", at)
        self.lines += lines

    def _plain(self, line: bytes) -> None:
        """Judge a line without usage that does not look like a record from outside."""
        self.malformed += salvage(line)[1]

    def _slowly(self, line: bytes, offset: int) -> None:
        """Read a line leniently."""
        records, damaged = salvage(line)
        for position, record in enumerate(records):
            usage = usage_of(record)
            if usage is None:
                continue
            try:
                row = claude_row(record, usage)
            except Rejected:
                self.rejected += 1
                continue
            if row is not None:
                self.fold.add(row, offset + position)
        self.malformed += damaged

    def last(self, data: bytes, base: int) -> bool:
        """Read a last line without its end; say whether it parses. One that does not gives no row (R3)."""
        self.lines += 1
        if salvage(data)[1]:
            return False
        self._slowly(data, base)
        return True


def parser(home: str, stem: str, salt: str, state: Any) -> ClaudeParser:
    """Return a parser of one transcript."""
    return ClaudeParser(home, stem, salt)
