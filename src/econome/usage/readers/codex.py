"""Codex CLI rollouts: lines to rows. Takes bytes, opens no file.

A rollout is a list of `{timestamp, type, payload}`. Its usage comes in two forms:

- `event_msg` of type `token_count`: running totals of the thread, written again whenever the rate limits
  change. A response is the difference of two totals; equal totals are none; totals that go down begin anew.
- `token_usage_record` (builds of autumn 2026 on): one record a response, with an id. Once a file has one, its
  running totals are only followed, not counted.

A forked thread begins with a copy of its parent's lines, stamped anew in most builds, or goes on from the
parent's totals without copying a line; docs/detail.md says what is known of this and what is a guess. So a row's
key is the turn it belongs to (an id that copies keep) and the totals it reached, and what is known to be a copy
moves the totals on but gives no row.
"""

from __future__ import annotations

from typing import Any

import msgspec
import stringzilla

from econome.times import parse_instant
from econome.usage.occurrences import FileFold, is_uuid
from econome.usage.rows import Rejected, Row, counter, text_or
from econome.usage.salvage import salvage

__all__ = ["CodexParser", "parser"]

# A line without any of these in quotes holds nothing that is read here.
_NEEDLES = tuple(
    f'"{word}"'.encode()
    for word in (
        "token_count", "token_usage_record", "turn_context", "session_meta", "task_started",
        "turn_started",
    )
)  # fmt: skip
_BRACE, _CLOSE = b"{}"
_FAR = 1 << 62

_Totals = tuple[int, int, int, int]  # input, of it cached, of it written to the cache, output
_NOTHING: _Totals = (0, 0, 0, 0)


def _totals(value: object) -> _Totals | None:
    """Return the counters of a usage object, or None where there is no object.

    Reasoning tokens are part of the output.

    Raises:
        Rejected: a counter cannot be one (R4).
    """
    if type(value) is not dict:
        return None
    counter(value.get("reasoning_output_tokens"))
    counter(value.get("total_tokens"))
    return (
        counter(value.get("input_tokens")),
        counter(value.get("cached_input_tokens")),
        counter(value.get("cache_write_input_tokens")),
        counter(value.get("output_tokens")),
    )


def _spent(before: _Totals, total: _Totals, last: _Totals | None) -> _Totals:
    """Return what was used between two totals."""
    if total[0] + total[3] < before[0] + before[3]:
        return total  # a new base: the count began again from zero
    if last is not None and any(now < then for now, then in zip(total, before, strict=True)):
        return last
    steps = (max(0, now - then) for now, then in zip(total, before, strict=True))
    return tuple(steps)  # type: ignore[return-value]


def _born_ms(uuid: str) -> int | None:
    """Return the milliseconds in a version 7 UUID, which is how threads and turns are named."""
    return int(uuid[:8] + uuid[9:13], 16) if is_uuid(uuid) and uuid[14] == "7" else None


def _agent(payload: dict[str, Any]) -> str:
    """Return the kind of a sub-agent from its thread's first line, or "" for a main thread."""
    source = payload.get("source")
    kind = source.get("subagent") if type(source) is dict else None
    if type(kind) is dict:
        spawn = kind.get("thread_spawn")
        role = spawn.get("agent_role") if type(spawn) is dict else next(iter(kind.values()), None)
        return text_or(role, "") or text_or(payload.get("agent_role"), "unknown")
    if kind is not None:
        return text_or(kind, "unknown")
    return "unknown" if payload.get("thread_source") == "subagent" else ""


def _inherits(payload: dict[str, Any]) -> bool:
    """Say whether a thread began with another one's history, copied or by reference."""
    source = payload.get("source")
    parents = (payload.get(name) for name in ("forked_from_id", "parent_thread_id", "history_base"))
    return any(parents) or (type(source) is dict and bool(source.get("subagent")))


class _Thread:
    """What has been read of the thread so far; a list, so that `marshal` can write it."""

    __slots__ = (
        "active", "agent", "born", "branch", "cwd", "inherits", "model", "own", "recorded", "session",
        "start", "totals", "turn", "turned",
    )  # fmt: skip

    def __init__(self) -> None:
        self.own = ""  # id of the file's thread, from its first session_meta
        self.active = ""  # id of the thread whose lines are being read
        self.session = self.agent = self.cwd = self.branch = self.model = self.turn = ""
        self.born: int | None = None
        self.start: int | None = None  # ordinal of a sub-agent's first own line
        self.inherits = self.turned = self.recorded = False
        self.totals: _Totals | None = None

    def values(self) -> list[Any]:
        """Return the state as plain values."""
        return [getattr(self, name) for name in self.__slots__]

    def restore(self, values: list[Any]) -> None:
        """Take up a state that `values` gave."""
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)
        if self.totals is not None:
            self.totals = tuple(self.totals)  # type: ignore[assignment]

    def meta(self, payload: dict[str, Any]) -> None:
        """Read a `session_meta`: the first one names the file's thread, later ones a copied part's."""
        thread = text_or(payload.get("id"), "") or text_or(payload.get("session_id"), "")
        if self.own:
            self.inherits = self.inherits or thread != self.own
            self.active = thread
            return
        git = payload.get("git")
        self.own = thread
        self.active = text_or(payload.get("forked_from_id"), thread)
        self.session = text_or(payload.get("session_id"), thread)
        self.agent = _agent(payload)
        self.inherits = _inherits(payload)
        self.born = parse_instant(payload.get("timestamp"))
        start = payload.get("subagent_history_start_ordinal")
        self.start = start if type(start) is int else None
        self.cwd = text_or(payload.get("cwd"), "")
        self.branch = text_or(git.get("branch"), "") if type(git) is dict else ""

    def begin(self, payload: dict[str, Any]) -> None:
        """Read the beginning of a turn."""
        self.turned = True
        turn = text_or(payload.get("turn_id"), "")
        self.turn = turn if is_uuid(turn) else ""

    def context(self, payload: dict[str, Any]) -> None:
        """Read a `turn_context`: the model and the directory of what follows."""
        self.begin(payload)
        self.model = text_or(payload.get("model"), self.model)
        self.cwd = text_or(payload.get("cwd"), self.cwd)

    def copies(self, record: dict[str, Any]) -> bool:
        """Say whether a line is known to be a copy of an older thread's."""
        if not self.inherits:
            return False
        ordinal = record.get("ordinal")
        if self.start is not None and type(ordinal) is int:
            return ordinal < self.start
        own, turn = _born_ms(self.own), _born_ms(self.turn)
        if own is not None and turn is not None:
            return turn < own
        time = parse_instant(record.get("timestamp"))
        return self.born is not None and time is not None and time < self.born

    def step(self, total: _Totals, last: _Totals | None) -> _Totals:
        """Move on to the next total; return what was used since the one before."""
        before, self.totals = self.totals, total
        if before is None and self.inherits:  # the total has a part that another file counts
            if last is None:
                return total if self.turned else _NOTHING
            return last if self.turned else _NOTHING
        return _spent(before or _NOTHING, total, last)


class CodexParser:
    """Reads the lines of one rollout."""

    def __init__(self, stem: str, salt: str, state: Any) -> None:
        self._thread = _Thread()
        self._stem = stem
        if state is not None:
            self._thread.restore(state)
        self.fold = FileFold(stem[-36:] if is_uuid(stem[-36:]) else "", stem, salt)
        self.lines = self.malformed = self.rejected = 0

    def state(self) -> Any:
        """Return what is known of the thread after the lines read."""
        return self._thread.values()

    def feed(
        self, data: bytes | bytearray, base: int, start: int = 0, stop: int | None = None
    ) -> None:
        """Read the whole lines in *data* from *start* to *stop*; the first begins at the file's byte *base*."""
        stop = len(data) if stop is None else stop
        base -= start
        hits = [self._next(data, needle, start, stop) for needle in _NEEDLES]
        hit = min(hits)
        at, end = start, data.find(b"\n", start, stop)
        while end >= 0:
            self.lines += 1
            if hit > end:
                last = data[end - 1] if end > at else 0
                if data[at] != _BRACE or (last != _CLOSE and not data.endswith(b"}\r", at, end)):
                    self.malformed += salvage(bytes(data[at:end]))[1]
            else:
                self.malformed += self._line(bytes(data[at:end]), base + at)
                hits = [
                    self._next(data, needle, end, stop) if known < end else known
                    for needle, known in zip(_NEEDLES, hits, strict=True)
                ]
                hit = min(hits)
            at = end + 1
            end = data.find(b"\n", at, stop)

    @staticmethod
    def _next(data: bytes | bytearray, needle: bytes, start: int, stop: int) -> int:
        found = int(stringzilla.find(data, needle, start, stop))
        return found if found >= 0 else _FAR

    def last(self, data: bytes, base: int) -> bool:
        """Read a last line without its end; say whether it parses. One that does not gives no row (R3)."""
        self.lines += 1
        records, damaged = salvage(data)
        if not damaged:
            self._read(records, base)
        return not damaged

    def _line(self, line: bytes, offset: int) -> bool:
        """Read a line; say whether it is malformed."""
        try:
            record = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            records, damaged = salvage(line)
            self._read(records, offset)
            return damaged
        if type(record) is not dict:
            return True
        self._read([record], offset)
        return False

    def _read(self, records: list[dict[str, Any]], offset: int) -> None:
        for position, record in enumerate(records):
            try:
                self._record(record, offset + position)
            except Rejected:
                self.rejected += 1

    def _record(self, record: dict[str, Any], offset: int) -> None:
        payload, kind = record.get("payload"), record.get("type")
        if type(payload) is not dict:
            return
        if kind == "session_meta":
            self._thread.meta(payload)
        elif kind == "turn_context":
            self._thread.context(payload)
        elif kind == "token_usage_record":
            self._recorded(record, payload, offset)
        elif kind == "event_msg":
            event = payload.get("type")
            if event == "token_count":
                self._counted(record, payload, offset)
            elif event in ("task_started", "turn_started"):
                self._thread.begin(payload)

    def _counted(self, record: dict[str, Any], payload: dict[str, Any], offset: int) -> None:
        info = payload.get("info")
        if type(info) is not dict:
            return
        last = _totals(info.get("last_token_usage"))
        total = _totals(info.get("total_token_usage"))
        if total is None:
            return
        thread = self._thread
        spent = thread.step(total, last)
        if thread.recorded or not any(spent) or thread.copies(record):
            return
        where = thread.turn or thread.active or self._stem
        key = ":".join((where, *map(str, total)))
        self.fold.add(self._row(key, where, record, spent), offset)

    def _recorded(self, record: dict[str, Any], payload: dict[str, Any], offset: int) -> None:
        thread = self._thread
        response = text_or(payload.get("response_id"), "")
        spent = _totals(payload.get("usage"))
        if spent is None:
            return
        thread.recorded = True
        if not any(spent):
            return
        where = text_or(payload.get("thread_id"), thread.own) or self._stem
        key = (
            f"{where}:{response}" if response else ":".join((where, thread.turn, *map(str, spent)))
        )
        self.fold.add(self._row(key, where, record, spent), offset)

    def _row(self, key: str, where: str, record: dict[str, Any], spent: _Totals) -> Row:
        thread = self._thread
        fresh, cached, written, output = spent
        # fmt: off
        return (
            key, where, None, bool(thread.agent), thread.session or self._stem, thread.cwd, thread.branch,
            parse_instant(record.get("timestamp")), thread.model or "unknown",
            max(0, fresh - cached - written), output, cached, written, written, 0,
            0, 0, "", "", "", True, thread.agent, None,
        )
        # fmt: on


def parser(home: str, stem: str, salt: str, state: Any, many: bool = False) -> CodexParser:
    """Return a parser of one rollout, to go on from *state*."""
    return CodexParser(stem, salt, state)
