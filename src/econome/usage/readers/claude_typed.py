"""Claude Code transcripts, where there are many lines: the same rows as `claude`, six times as fast.

A line is decoded straight into a typed record with the dozen fields that count. One that is anything but what
nearly every version writes is left to the lenient reader.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import msgspec

from econome.times import parse_instant
from econome.usage.readers.claude import CHECKED_WHOLE, ClaudeParser
from econome.usage.rows import ABSENT

__all__ = ["TypedParser"]

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


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


class TypedParser(ClaudeParser):
    """Reads the lines of one transcript, most of them quickly."""

    def _quick(self, line: memoryview, offset: int) -> bool:
        """Fold a line; False where it must be read leniently. The typed twin of `rows.claude_row`."""
        try:
            record = _decode(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return False
        if record.type != "assistant":
            return True
        message = record.message
        usage = None if message is None else message.usage
        if message is None or usage is None:
            return True
        message_id, model, request_id = message.id, message.model, record.requestId
        if (
            not message_id
            or len(message_id) == 36
            or not model
            or model == "<synthetic>"
            or request_id == ""
            or not record.sessionId
            or record.isApiErrorMessage
        ):
            return False
        if usage.iterations is not _NOTHING:
            iterations = bytes(usage.iterations)
            if b"_message" in iterations:  # of an advisor, or a fallback
                return False
        split, tools = usage.cache_creation, usage.server_tool_use
        # fmt: off
        self.fold.add_sure(
            "i" + message_id,
            request_id,
            (record.sessionId, record.cwd, record.gitBranch, record.attributionAgent),
            (model, usage.speed, usage.service_tier, usage.inference_geo),
            _instant(record.timestamp),
            record.isSidechain,
            record.sessionId,
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
        try:
            _check(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            if len(line) < CHECKED_WHOLE or not (line.startswith(b"{") and line.endswith(b"}\r")):
                super()._plain(line)
