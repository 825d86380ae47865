"""The reference: what a tree of transcripts holds, counted slowly and literally (rules F1-F14).

Answers in the words of ``econome usage --json`` so that both can be compared; it knows no price.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.reference.slow_rows import (
    Counts,
    File,
    Reading,
    RejectedRow,
    advice_of,
    counts_of,
    find_files,
    nanoseconds,
    part,
    read_file,
    text_or_none,
)

UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
NEVER = float("inf")
Key = tuple[Any, ...]
Numbers = dict[str, Any]


@dataclass
class Row:
    """One line of a response."""

    file: File
    line: int
    raw: dict[str, Any]
    usage: dict[str, Any]
    counts: Counts
    order: int
    key: Key = ()

    @property
    def message_id(self) -> str | None:
        """The id of the message, when it identifies anything (F2)."""
        found = text_or_none(self.raw["message"].get("id"))
        return None if found and UUID.fullmatch(found) else found

    @property
    def request_id(self) -> str | None:
        return text_or_none(self.raw.get("requestId"))

    @property
    def side(self) -> bool:
        return self.raw.get("isSidechain") is True

    @property
    def time(self) -> int | None:
        return nanoseconds(self.raw.get("timestamp"))

    @property
    def model(self) -> str:
        return text_or_none(self.raw["message"].get("model")) or "unknown"

    @property
    def session(self) -> str:
        return session_of(self.raw, self.file)

    @property
    def triple(self) -> tuple[int, int, int]:
        counts = self.counts
        written = counts["write"]
        if written is None:
            written = (counts["w5m"] or 0) + (counts["w1h"] or 0)
        return counts["input"] or 0, counts["read"] or 0, written


@dataclass
class Response:
    """One response, whole."""

    key: Key
    rows: list[Row]
    owner: Row
    counts: Counts
    model: str
    time: int | None
    agent: str
    incomplete: bool


@dataclass
class Account:
    """Everything the reference knows of a tree."""

    reading: Reading
    usage_lines: int = 0
    rejected: int = 0
    replayed: int = 0
    folded: int = 0
    responses: list[Response] = field(default_factory=list)


def is_counted(raw: dict[str, Any]) -> bool:
    """F1, but for zero-usage error rows, which need the counters."""
    message = raw.get("message")
    if raw.get("type") != "assistant" or not isinstance(part(message, "usage"), dict):
        return False
    return bool(part(message, "model") != "<synthetic>")


def rows_of(account: Account) -> list[Row]:
    """The rows that count, in the order of files and lines."""
    rows: list[Row] = []
    for file in account.reading.files:
        for line, raw in file.objects:
            if not is_counted(raw):
                continue
            usage = raw["message"]["usage"]
            try:
                counts = counts_of(usage)
                advice_of(usage)
            except RejectedRow:
                account.rejected += 1
                continue
            if raw.get("isApiErrorMessage") is True and not any(counts.values()):
                continue
            account.usage_lines += 1
            rows.append(Row(file, line, raw, usage, counts, len(rows)))
    return rows


def give_keys(rows: list[Row]) -> None:
    """F2."""
    by_id: dict[str, list[Row]] = {}
    for row in rows:
        if row.message_id is None:
            row.key = (
                ("request", row.request_id)
                if row.request_id
                else ("uuid", row.raw["uuid"])
                if text_or_none(row.raw.get("uuid"))
                else ("line", row.file.rank, row.line, row.order)
            )
        else:
            by_id.setdefault(row.message_id, []).append(row)
    for name, group in by_id.items():
        requests = {row.request_id for row in group if row.request_id}
        gateway = not requests and len({row.triple for row in group}) >= 3
        for row in group:
            if gateway:
                row.key = ("gateway", name, row.triple)
            else:
                only = next(iter(requests)) if len(requests) == 1 else None
                row.key = ("id", name, row.request_id or only)


def replays(groups: dict[Key, list[Row]]) -> set[Key]:
    """F4: side-chain keys whose id stands in the main chain under another key."""
    main: dict[str, set[Key]] = {}
    for key, rows in groups.items():
        if key[0] == "id" and not all(row.side for row in rows):
            main.setdefault(key[1], set()).add(key)
    return {
        key
        for key, rows in groups.items()
        if key[0] == "id" and all(row.side for row in rows) and main.get(key[1], set()) - {key}
    }


def maxima(counts: list[Counts]) -> Counts:
    """F3: each counter at its maximum, None when no line has it."""
    return {
        name: max((c[name] or 0 for c in counts if c[name] is not None), default=None)
        for name in counts[0]
    }


def ownership(births: dict[int, float]) -> Callable[[Row], Key]:
    """F5: the order in which occurrences come first."""

    def rank(row: Row) -> Key:
        foreign = row.file.agent_id is None and row.session != row.file.stem
        born = births[id(row.file)]
        place = (row.file.rank, row.order)
        return (row.file.helper is not None, row.side, foreign, born, *place)

    return rank


class Agents:
    """F10: the type of a response's agent, from its owning row."""

    def __init__(self, files: list[File]) -> None:
        self.files = files

    def type_of(self, row: Row) -> str:
        if not row.side:
            return "main"
        return (
            row.file.helper
            or text_or_none(row.raw.get("attributionAgent"))
            or self.from_meta(row)
            or self.from_parent(row)
            or "unknown"
        )

    @staticmethod
    def from_meta(row: Row) -> str | None:
        path = row.file.real.with_name(row.file.stem + ".meta.json")
        if row.file.agent_id is None:
            return None
        try:
            meta = json.loads(path.read_bytes().decode("utf-8-sig", "replace"))
        except (OSError, ValueError):
            return None
        return text_or_none(part(meta, "agentType"))

    def from_parent(self, row: Row) -> str | None:
        """The call of the session's files that got this agent as its result."""
        wanted = row.file.agent_id or text_or_none(row.raw.get("agentId"))
        place = (row.file.slug, row.session)
        near = [f for f in self.files if (f.slug, f.place) == place and f is not row.file]
        for file in near if wanted else []:
            for _, raw in file.objects:
                result = raw.get("toolUseResult")
                if part(result, "agentId") != wanted:
                    continue
                if named := text_or_none(part(result, "agentType")):
                    return named
                for block in blocks(raw):
                    if block.get("type") == "tool_result":
                        if asked := self.asked(near, block.get("tool_use_id")):
                            return asked
        return None

    @staticmethod
    def asked(files: list[File], call: Any) -> str | None:
        for file in files:
            for _, raw in file.objects:
                for block in blocks(raw):
                    if block.get("type") == "tool_use" and block.get("id") == call:
                        if found := text_or_none(part(block.get("input"), "subagent_type")):
                            return found
        return None


def session_of(raw: dict[str, Any], file: File) -> str:
    """F5: `sessionId`, else `session_id`, else the file's name."""
    named = text_or_none(raw.get("sessionId")) or text_or_none(raw.get("session_id"))
    return named or file.stem


def blocks(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a line."""
    content = part(raw.get("message"), "content")
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def fold(key: Key, rows: list[Row], owner: Row, agent: str) -> list[Response]:
    """One response of *rows*, and one for each adviser it asked (F3, F6, F7, F13)."""
    times = [row.time for row in rows if row.time is not None]
    best = min(
        rows,
        key=lambda r: (-(r.counts["output"] or 0), NEVER if r.time is None else r.time, r.model),
    )
    counts = maxima([row.counts for row in rows])
    time = min(times, default=None)
    silent = all(row.raw["message"].get("stop_reason") is None for row in rows)
    found = [Response(key, rows, owner, counts, best.model, time, agent, silent)]
    advice: dict[int, list[tuple[Row, dict[str, Any], Counts]]] = {}
    for row in rows:
        for place, (item, used) in advice_of(row.usage).items():
            advice.setdefault(place, []).append((row, item, used))
    for place, said in sorted(advice.items()):
        _, item, _ = min(
            said,
            key=lambda s: (
                -(s[2]["output"] or 0),
                NEVER if s[0].time is None else s[0].time,
                text_or_none(s[1].get("model")) or "",
            ),
        )
        model = text_or_none(item.get("model")) or best.model
        total = maxima([counts for _, _, counts in said])
        found.append(Response((key, place), [], owner, total, model, time, "advisor", False))
    return found


def read(roots: list[Path]) -> Account:
    """Read the trees under *roots*."""
    account = Account(Reading())
    for file in find_files(roots, account.reading):
        read_file(file, account.reading)
    rows = rows_of(account)
    give_keys(rows)
    births: dict[int, float] = {}
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.key, []).append(row)
        time = NEVER if row.time is None else row.time
        births[id(row.file)] = min(births.get(id(row.file), NEVER), time)
    replayed = replays(groups)
    account.replayed = len(replayed)
    account.folded = len(rows) - len(groups)
    agents = Agents(account.reading.files)
    rank = ownership(births)
    for key, group in groups.items():
        if key not in replayed:
            owner = min(group, key=rank)
            account.responses += fold(key, group, owner, agents.type_of(owner))
    return account


def day_of(response: Response, zone: str) -> str | None:
    """F8: the local day, by the zone's rule for the instant."""
    if response.time is None:
        return None
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=response.time // 10**9)
    return moment.astimezone(ZoneInfo(zone)).date().isoformat()


def project_of(response: Response) -> str:
    """F9: `cwd` of the owning row, else the slug."""
    return text_or_none(response.owner.raw.get("cwd")) or response.owner.file.slug


def labels(response: Response, zone: str) -> dict[str, str | None]:
    """What a response is counted under."""
    return {
        "day": day_of(response, zone),
        "model": response.model,
        "project": project_of(response),
        "session": response.owner.session,
        "agent": response.agent,
    }


def totals(responses: list[Response]) -> Numbers:
    """The numbers of `econome usage --json` for *responses*, but for the money."""
    out = dict.fromkeys(
        (
            "responses",
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_5m_tokens",
            "cache_write_1h_tokens",
            "web_searches",
            "output_incomplete",
        ),
        0,
    )
    for response in responses:
        counts = response.counts
        split = (counts["w5m"] or 0) + (counts["w1h"] or 0)
        total = split if counts["write"] is None else counts["write"]
        hour = min(counts["w1h"] or 0, total)  # P5
        out["responses"] += 1
        out["input_tokens"] += counts["input"] or 0
        out["output_tokens"] += counts["output"] or 0
        out["cache_read_tokens"] += counts["read"] or 0
        out["cache_write_5m_tokens"] += total - hour
        out["cache_write_1h_tokens"] += hour
        out["web_searches"] += counts["searches"] or 0
        out["output_incomplete"] += response.incomplete
    out["sessions"] = len({response.owner.session for response in responses})
    return out


def table(account: Account, by: str, zone: str = "UTC") -> dict[str | None, Numbers]:
    """The numbers by one dimension."""
    cells: dict[str | None, list[Response]] = {}
    for response in account.responses:
        cells.setdefault(labels(response, zone)[by], []).append(response)
    return {name: totals(responses) for name, responses in cells.items()}
