"""Lines of a Claude Code transcript to rows of detail. Takes bytes, opens no file, keeps no text.

A row is a plain tuple in the order of the table it goes into; see `detail_tables`. What a row says of its place is
the byte at which its line begins, and the number of the block in it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec

from econome.times import parse_instant
from econome.usage.detail import (
    PAUSE_NS,
    attributed,
    mcp_names,
    plain,
    response_key,
    touched_path,
)
from econome.usage.rows import Rejected, claude_row, counter, text_or, usage_of
from econome.usage.salvage import salvage

__all__ = ["DetailLines"]

# A line without any of these in quotes holds neither a turn of the conversation nor a compaction.
_NEEDLES = (b'"user"', b'"assistant"', b'"compact_boundary"')
_STRONG = 16

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

_Record = dict[str, Any]


def _digest(*parts: str) -> bytes:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).digest()


def _call_key(identity: str, session: str) -> bytes:
    """Return what tells a tool call from every other.

    Most ids are random and stand for themselves in every copy of their line. Some providers number the calls of a
    conversation (`functions.Read:3`); such an id says something only inside its session.
    """
    run = longest = 0
    for letter in identity:
        run = run + 1 if letter.isalnum() else 0
        longest = max(longest, run)
    strong = longest >= _STRONG or len(identity) >= 32
    return _digest("call", identity) if strong else _digest("call", identity, session)


def _measure(content: object) -> dict[str, list[int]]:
    """Return blocks, characters and UTF-8 bytes of a result by kind."""
    sizes: dict[str, list[int]] = {}
    for block in content if type(content) is list else [] if content is None else [content]:
        kind, text = _kind(block)
        sums = sizes.setdefault(kind, [0, 0, 0])
        sums[0] += 1
        sums[1] += len(text)
        sums[2] += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return sizes


def _kind(block: object) -> tuple[str, str]:
    if type(block) is str:
        return "text", block
    if type(block) is dict:
        kind, text, source = block.get("type"), block.get("text"), block.get("source")
        if kind == "text" and type(text) is str:
            return "text", text
        data = source.get("data") if type(source) is dict else None
        if kind in ("image", "document") and type(data) is str:
            return str(kind), data
    try:
        return "other", _encode(block).decode()
    except (TypeError, UnicodeError, msgspec.MsgspecError):
        return "other", repr(block)


class DetailLines:
    """Reads the lines of one transcript.

    *stem* is the file's name without its ending, *main* says that it is a session's own transcript, *salt* goes
    into the hash of the paths that tools touched. *state* is what `state` returned after the lines before.
    """

    def __init__(self, stem: str, main: bool, salt: bytes, state: Any = None) -> None:
        self._stem, self._main, self._salt = stem, main, salt
        self._agent = "" if main or not stem.startswith("agent-") else stem.removeprefix("agent-")
        self._latest: int | None = state
        self.lines = self.malformed = 0
        self.first: int | None = None
        self.calls: list[tuple[Any, ...]] = []
        self.results: list[tuple[Any, ...]] = []
        self.parts: list[tuple[Any, ...]] = []
        self.attributions: list[tuple[Any, ...]] = []
        self.compactions: list[tuple[Any, ...]] = []
        self.pauses: list[tuple[Any, ...]] = []

    def state(self) -> Any:
        """Return what reading on from here needs: the latest time of the conversation."""
        return self._latest

    def feed(
        self, data: bytes | bytearray, base: int, start: int = 0, stop: int | None = None
    ) -> None:
        """Read the whole lines in *data* from *start* to *stop*; the first begins at the file's byte *base*."""
        stop = len(data) if stop is None else stop
        view = memoryview(data)
        base -= start
        at, end = start, data.find(b"\n", start, stop)
        while end >= 0:
            self.lines += 1
            line = bytes(view[at:end])
            if any(needle in line for needle in _NEEDLES):
                self._line(line, base + at)
            elif not (line.startswith(b"{") and line.rstrip(b"\r").endswith(b"}")):
                self.malformed += salvage(line)[1]
            at = end + 1
            end = data.find(b"\n", at, stop)

    def last(self, data: bytes, base: int) -> bool:
        """Read a last line without its end; say whether it parses. One that does not gives no row."""
        records, damaged = salvage(data)
        if damaged:
            return False
        self.lines += 1
        for position, record in enumerate(records):
            self._record(record, base + position)
        return True

    def _line(self, line: bytes, offset: int) -> None:
        try:
            record = _decode(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            records, damaged = salvage(line)
            self.malformed += damaged
            for position, found in enumerate(records):
                self._record(found, offset + position)
            return
        if type(record) is dict:
            self._record(record, offset)
        else:
            self.malformed += 1

    def _record(self, record: _Record, offset: int) -> None:
        kind = record.get("type")
        if kind == "system":
            if record.get("subtype") == "compact_boundary":
                self._compaction(record, offset)
        elif kind in ("user", "assistant"):
            time = _instant(record)
            if time is not None:
                self.first = time if self.first is None else min(self.first, time)
                self._pause(record, time, offset)
            if kind == "assistant":
                self._attribution(record, time, offset)
            message = record.get("message")
            content = message.get("content") if type(message) is dict else None
            if type(content) is list:
                self._blocks(record, message, content, time, offset)  # type: ignore[arg-type]

    def _session(self, record: _Record) -> str:
        named = plain(record.get("sessionId")) or plain(record.get("session_id"))
        return named or self._stem

    def _where(self, record: _Record) -> tuple[str, str, str, bool, bool]:
        """Return session, agent, project, side chain and whether the line was copied from another session."""
        session = self._session(record)
        agent = plain(record.get("agentId"), self._agent)
        foreign = self._main and session != self._stem
        side = record.get("isSidechain") is True
        return session, agent, text_or(record.get("cwd"), ""), side, foreign

    def _key(self, kind: str, record: _Record, offset: int) -> bytes:
        uuid = text_or(record.get("uuid"), "")
        return _digest(kind, uuid) if uuid else _digest(kind, self._stem, str(offset))

    def _pause(self, record: _Record, time: int, offset: int) -> None:
        if not self._main or record.get("isSidechain") is True:
            return
        latest = self._latest
        if latest is not None and time - latest > PAUSE_NS:
            session, _, project, _, foreign = self._where(record)
            key = self._key("pause", record, offset)
            self.pauses.append((offset, key, session, project, foreign, latest, time))
        self._latest = time if latest is None else max(latest, time)

    def _attribution(self, record: _Record, time: int | None, offset: int) -> None:
        names = attributed(record)
        usage = usage_of(record) if names else None
        try:
            if names is None or usage is None or claude_row(record, usage) is None:
                return
        except Rejected:  # no response of the usage index either
            return
        session, _, _, side, foreign = self._where(record)
        identity, asked = record["message"].get("id"), record.get("requestId")
        response = response_key(identity, asked, record.get("uuid"))
        group, request = response or (None, None)
        where = f"{self._stem}:{offset}" if group is None else f"{group}:{request or ''}"
        self.attributions.append(
            (
                offset, _digest("attribution", where), group, plain(request) or None, *names, session, side, foreign,
                time, plain(record.get("version")),
            )
        )  # fmt: skip

    def _compaction(self, record: _Record, offset: int) -> None:
        session, agent, project, side, foreign = self._where(record)
        found = record.get("compactMetadata")
        facts = found if type(found) is dict else {}
        self.compactions.append(
            (
                offset, self._key("compaction", record, offset), session, agent, project, side, foreign,
                _instant(record), plain(facts.get("trigger"), "unknown"),
                _tokens(facts.get("preTokens")), _tokens(facts.get("postTokens")),
            )
        )  # fmt: skip

    def _blocks(
        self, record: _Record, message: _Record, content: list[Any], time: int | None, offset: int
    ) -> None:
        for number, block in enumerate(content):
            if type(block) is not dict:
                continue
            kind = block.get("type")
            if kind == "tool_use" and record["type"] == "assistant":
                self._call(record, message, block, time, (offset, number))
            elif kind == "tool_result":
                self._result(record, block, time, (offset, number))

    def _call(
        self,
        record: _Record,
        message: _Record,
        block: _Record,
        time: int | None,
        place: tuple[int, int],
    ) -> None:
        session, agent, project, side, foreign = self._where(record)
        identity = text_or(block.get("id"), "")
        key = identity or f"{self._stem}:{place[0]}:{place[1]}"
        name = plain(block.get("name"), "invalid")
        path = touched_path(name, block.get("input"), project)
        response = response_key(message.get("id"), record.get("requestId"), record.get("uuid"))
        group, request = response or (None, None)
        self.calls.append(
            (
                *place, _call_key(key, session), plain(identity), name, *mcp_names(name), group, plain(request) or None,
                session, agent, project, side, foreign, time, self._hidden(path) if path else b"",
            )
        )  # fmt: skip

    def _hidden(self, path: str) -> bytes:
        data = path.encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=16, key=self._salt).digest()

    def _result(
        self, record: _Record, block: _Record, time: int | None, place: tuple[int, int]
    ) -> None:
        identity = text_or(block.get("tool_use_id"), "")
        if not identity:
            return
        session, _, _, side, foreign = self._where(record)
        key = _call_key(identity, session)
        self.results.append((*place, key, side, foreign, time, block.get("is_error") is True))
        for kind, sizes in _measure(block.get("content")).items():
            self.parts.append((*place, kind, *sizes))


def _instant(record: _Record) -> int | None:
    """Return the time of a line where 64 bits hold it, which is until the year 2262."""
    time = parse_instant(record.get("timestamp"))
    return time if time is not None and abs(time) < 1 << 63 else None


def _tokens(value: object) -> int | None:
    try:
        return None if value is None else counter(value)
    except Rejected:
        return None
