"""Claude Code transcripts: lines to rows. Takes bytes, opens no file.

Four lines in ten carry usage. They are found by the bytes `"usage"`, which cannot stand inside a JSON string
(there the quotes are escaped), whatever the order and spacing of keys. Of the other lines short ones are checked
whole, and a long one that begins with `{` and ends with `}` is taken for a record that is not ours.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import stringzilla

from econome.times import parse_instant
from econome.usage.occurrences import FileFold
from econome.usage.rows import ABSENT, Rejected, claude_row, usage_of
from econome.usage.salvage import salvage

__all__ = ["ClaudeParser", "parser"]

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_NEEDLE = b'"usage"'
_BRACE, _CLOSE = b"{}"
_CHECKED_WHOLE = 512  # bytes: checking every line without usage would double the time of a scan


class _Nothing(msgspec.Struct, gc=False):
    """An object whatever it holds."""


class _Split(msgspec.Struct, gc=False, frozen=True):
    ephemeral_5m_input_tokens: _Count = 0
    ephemeral_1h_input_tokens: _Count = 0


class _Tools(msgspec.Struct, gc=False, frozen=True):
    web_search_requests: _Count = 0
    web_fetch_requests: _Count = 0


_NO_SPLIT, _NO_TOOLS, _NOTHING = _Split(), _Tools(), msgspec.Raw()


class _Usage(msgspec.Struct, gc=False):
    input_tokens: _Count = 0
    output_tokens: _Count = 0
    cache_read_input_tokens: _Count = 0
    cache_creation_input_tokens: _Count = ABSENT
    cache_creation: _Split = _NO_SPLIT
    server_tool_use: _Tools = _NO_TOOLS
    speed: str = ""
    service_tier: str = ""
    inference_geo: str = ""
    iterations: msgspec.Raw = _NOTHING


class _Message(msgspec.Struct, gc=False):
    usage: _Usage | None = None
    id: str = ""
    model: str = ""
    stop_reason: str | None = None


class _Line(msgspec.Struct, gc=False):
    """The line as nearly every version writes it; another shape is read leniently, key by key."""

    type: str = ""
    message: _Message | None = None
    requestId: str | None = None
    isSidechain: bool = False
    sessionId: str = ""
    cwd: str = ""
    gitBranch: str = ""
    timestamp: str = ""
    attributionAgent: str = ""
    isApiErrorMessage: bool = False


_decode = msgspec.json.Decoder(_Line).decode
_check = msgspec.json.Decoder(_Nothing).decode
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _instant(text: str) -> int | None:
    """The quick twin of `parse_instant` for the one form that Claude Code writes."""
    if (
        len(text) == 24
        and text[7] == "-"
        and text[10] == "T"
        and text[13] == ":"
        and text[23] == "Z"
    ):
        try:
            since = datetime.fromisoformat(text) - _EPOCH
        except ValueError:
            return parse_instant(text)
        return (since.days * 86400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
    return parse_instant(text)


class ClaudeParser:
    """Reads the lines of one transcript."""

    def __init__(self, home: str, stem: str, salt: str) -> None:
        self.fold = FileFold(home, stem, salt)
        self.lines = self.malformed = self.rejected = 0

    def state(self) -> Any:
        """Return nothing: no line depends on an earlier one."""
        return None

    def feed(
        self, data: bytes | bytearray, base: int, start: int = 0, stop: int | None = None
    ) -> None:
        """Read the whole lines in *data* from *start* to *stop*; the first begins at the file's byte *base*."""
        find, search, take, decode = data.find, stringzilla.find, self._take, _decode
        stop = len(data) if stop is None else stop
        view = memoryview(data)
        base -= start
        at, lines = start, 0
        hit = search(data, _NEEDLE, at, stop)
        end = find(b"\n", at, stop)
        while end >= 0:
            lines += 1
            if hit < 0 or hit > end:
                if end - at < _CHECKED_WHOLE or data[at] != _BRACE or data[end - 1] != _CLOSE:
                    self._plain(bytes(view[at:end]))
            else:
                try:
                    line = decode(view[at:end])
                    sure = line.type != "assistant" or take(line, base + at)
                except (msgspec.MsgspecError, UnicodeError, RecursionError):
                    sure = False
                if not sure:
                    self._slowly(bytes(view[at:end]), base + at)
                hit = search(data, _NEEDLE, end, stop)
            at = end + 1
            end = find(b"\n", at, stop)
        self.lines += lines

    def _take(self, line: _Line, offset: int) -> bool:
        """Fold a line; False where it must be read leniently. The typed twin of `rows.claude_row`."""
        message = line.message
        usage = None if message is None else message.usage
        if message is None or usage is None:
            return True
        message_id, model, request_id = message.id, message.model, line.requestId
        if (
            not message_id
            or len(message_id) == 36
            or not model
            or model == "<synthetic>"
            or request_id == ""
            or not line.sessionId
            or line.isApiErrorMessage
        ):
            return False
        if usage.iterations is not _NOTHING:
            iterations = bytes(usage.iterations)
            if b"advisor_m" in iterations or b"fallback_m" in iterations:
                return False
        split, tools = usage.cache_creation, usage.server_tool_use
        # fmt: off
        self.fold.add_sure(
            "i" + message_id,
            request_id,
            (line.sessionId, line.cwd, line.gitBranch, line.attributionAgent),
            (model, usage.speed, usage.service_tier, usage.inference_geo),
            _instant(line.timestamp),
            line.isSidechain,
            line.sessionId,
            message.stop_reason is not None,
            offset,
            [
                usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens,
                usage.cache_creation_input_tokens, split.ephemeral_5m_input_tokens,
                split.ephemeral_1h_input_tokens, tools.web_search_requests, tools.web_fetch_requests,
            ],
            None,
        )
        # fmt: on
        return True

    def _plain(self, line: bytes) -> None:
        """Judge a line without usage that is short, or does not look like a record from outside."""
        try:
            _check(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            if len(line) < _CHECKED_WHOLE or not (line.startswith(b"{") and line.endswith(b"}\r")):
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
