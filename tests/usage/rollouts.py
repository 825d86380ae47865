"""Rollouts for the tests of the Codex reader: threads, turns, records, and what a reader makes of them."""

from __future__ import annotations

from typing import Any

from econome.usage.occurrences import LEAD, OWN, TIME, Groups, merge_groups
from econome.usage.readers.codex import CodexParser, parser
from tests.builders import Row, lines
from tests.builders_codex import meta, turn

ROOT = "019a0000-0000-7000-8000-00000000000a"  # a thread of millisecond 0x019a00000000
FORK = "019a0000-0100-7000-8000-00000000000b"  # and one of 256 milliseconds later
OLD_TURN = "019a0000-0001-7000-8000-000000000001"
NEW_TURN = "019a0000-0200-7000-8000-000000000002"
LATE = "2026-01-06T08:00:00.000Z"
COUNTERS = ("input", "output", "cache_read", "cache_write", "write_5m")


def stem(thread: str) -> str:
    return f"rollout-2026-01-05T10-00-00-{thread}"


def read(*rows: Row | bytes, thread: str = "c1") -> CodexParser:
    made: CodexParser = parser("", stem(thread), "salt", None)
    made.feed(lines(rows), 0)
    return made


def folded(*files: CodexParser) -> list[dict[str, Any]]:
    """The responses of several files, in time order."""
    groups: Groups = {}
    for file in files:
        merge_groups(groups, file.fold.groups())
    found = [
        dict(zip(COUNTERS, one[:5], strict=True))
        | {"model": one[LEAD][0], "session": one[OWN][0], "agent": one[OWN][3], "time": one[TIME]}
        for group in groups.values()
        for one in group
    ]
    return sorted(found, key=lambda one: (one["time"], one["output"]))


def used(*files: CodexParser) -> list[tuple[int, int, int]]:
    """Fresh input, cached input and output of each response."""
    return used_in(folded(*files))


def used_in(found: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    return [(one["input"], one["cache_read"], one["output"]) for one in found]


def stamped(row: Row, time: str) -> Row:
    return row | {"timestamp": time}


def started(turn_id: str) -> Row:
    return {
        "timestamp": LATE,
        "type": "event_msg",
        "payload": {"type": "task_started", "turn_id": turn_id},
    }


def turned(turn_id: str, model: str = "gpt-5-codex") -> Row:
    row = turn(model)
    return row | {"payload": row["payload"] | {"turn_id": turn_id}}


def headed(thread: str, **more: Any) -> Row:
    row = meta(thread)
    return row | {"payload": row["payload"] | {"timestamp": row["timestamp"], **more}}


def record(response: str, usage: Row, thread: str = ROOT, turn_id: str = OLD_TURN) -> Row:
    payload = {"thread_id": thread, "turn_id": turn_id, "response_id": response, "usage": usage}
    return {"timestamp": LATE, "type": "token_usage_record", "payload": payload}
