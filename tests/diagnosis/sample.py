"""A report with every part, made of findings that are made up, for whoever shows one.

Every name in it is somebody's text, and some are hostile: it is for a page to show them inert.
"""

from __future__ import annotations

from typing import Any

from econome.diagnosis.findings import (
    RULES,
    SCHEMA,
    UNKNOWN,
    Claim,
    Finding,
    Judgement,
    Percentile,
    Threshold,
    evidence,
    found,
    not_judged,
    nothing,
    told,
)

__all__ = ["FACTS", "TABLES", "sample"]

DOLLAR = 10**18

_AMOUNT = "0.51750000000000000"
S1, S2 = "11111111-1111-4111-8111-111111111111", "<script>alert(1)</script>"
SHOP, WEB = "/home/dev/shop", "/home/dev/\u202eweb"
OPUS, HAIKU = "claude-opus-4-8", "claude-haiku-4-5-20251001"

FACTS: dict[str, dict[str, Any]] = {
    "cache-rebuilt-after-pause": {"rebuilds": 3, "sessions": 2, "longest_pause_seconds": 9000},
    "hour-writes-unread": {
        "sessions": 1, "written_tokens": 400_000, "unread_tokens": 90_000, "unread_usd": "0.2", "short_tokens": 10_000,
        "short_usd": "0.02",
    },
    "dear-model-in-sub-agents": {"responses": 40, "runs": 4, "models": 1},
    "fan-out-above-norm": {"sessions": 1, "norm_share": 0.62, "usual_share": 0.2},
    "mcp-answers-dominate": {
        "tools": 1, "answers": 7, "characters": 140_000, "tokens": 35_000, "tokenizer": "chars/4",
    },
    "same-file-read-again": {
        "files": 1, "reads": 9, "again": 8, "characters": 64_000, "tokens": 16_000, "tokenizer": "chars/4",
    },
    "compaction-again": {"sessions": 1, "compactions": 3, "responses": 3},
    "long-prompt-for-little": {"responses": 2, "margin_share": 0.1},
    "unusual-day": {"days": 1, "usual_usd": "2.5", "spread_usd": "0.5", "norm_days": 30},
    "delegation-loses": {"presets": 1, "delegations": 12},
    "heavy-menu": {"servers": 1, "menu_tokens": 21_000, "turns": 80},
}  # fmt: skip
"""The facts of each rule."""

TABLES: dict[str, list[tuple[str, list[tuple[str, str, Any]]]]] = {
    "cache-rebuilt-after-pause": [
        ("pauses", [
            ("session", "session", S1), ("project", "project", SHOP), ("agent", "agent", "main"), ("model", "model", OPUS),
            ("at", "instant", "2026-10-12T09:14:03.120Z"), ("pause", "seconds", 9000), ("lifetime", "seconds", 3600),
            ("context", "tokens", 100_000), ("rebuilt", "tokens", 90_000), ("usd", "usd", _AMOUNT),
        ]),
    ],
    "hour-writes-unread": [
        ("sessions", [
            ("session", "session", S2), ("project", "project", WEB), ("written", "tokens", 400_000),
            ("unread", "tokens", 90_000), ("short", "tokens", 10_000), ("usd", "usd", "0.22"),
        ]),
    ],
    "dear-model-in-sub-agents": [
        ("agents", [
            ("agent", "agent", "Explore"), ("model", "model", OPUS), ("other_model", "model", HAIKU), ("runs", "count", 4),
            ("responses", "count", 40), ("tokens", "tokens", 800_000), ("usd", "usd", "2.5"), ("other_usd", "usd", "0.5"),
        ]),
    ],
    "fan-out-above-norm": [
        ("sessions", [
            ("session", "session", S1), ("project", "project", SHOP), ("share", "share", 0.81), ("agents", "count", 9),
            ("usd", "usd", "3.5"), ("above_usd", "usd", "0.665"),
        ]),
    ],
    "mcp-answers-dominate": [
        ("tools", [
            ("server", "server", "files"), ("tool", "tool", "list_all"), ("sessions", "count", 2), ("answers", "count", 7),
            ("characters", "characters", 140_000), ("share", "share", 0.7), ("tokens", "tokens", 35_000),
            ("carried", "tokens", 900_000), ("usd", "usd", "0.55"),
        ]),
    ],
    "same-file-read-again": [
        ("files", [
            ("session", "session", S1), ("project", "project", SHOP), ("agent", "agent", "main"),
            ("file", "hash", "0123456789ab"), ("reads", "count", 9), ("again", "count", 8),
            ("characters", "characters", 64_000), ("tokens", "tokens", 16_000), ("carried", "tokens", 70_000),
            ("usd", "usd", "0.1"),
        ]),
    ],
    "compaction-again": [
        ("sessions", [
            ("session", "session", S1), ("project", "project", SHOP), ("compactions", "count", 3),
            ("before", "tokens", 480_000), ("after", "tokens", 30_000), ("responses", "count", 3), ("tokens", "tokens", 500_000),
            ("usd", "usd", "0.9"),
        ]),
    ],
    "long-prompt-for-little": [
        ("sessions", [
            ("session", "session", S1), ("project", "project", SHOP), ("model", "model", "claude-sonnet-4-5"),
            ("limit", "tokens", 200_000), ("responses", "count", 2), ("largest", "tokens", 201_500), ("usd", "usd", "0.6"),
        ]),
    ],
    "unusual-day": [
        ("days", [("day", "day", "2026-10-12"), ("usd", "usd", "9.5"), ("above_usd", "usd", "4.5")]),
        ("models", [
            ("day", "day", "2026-10-12"), ("model", "model", OPUS), ("usd", "usd", "8"), ("usual_usd", "usd", "1"),
        ]),
        ("projects", [
            ("day", "day", "2026-10-12"), ("project", "project", WEB), ("usd", "usd", "7"), ("usual_usd", "usd", "0"),
        ]),
        ("sessions", [
            ("day", "day", "2026-10-12"), ("session", "session", S2), ("project", "project", WEB), ("usd", "usd", "7"),
        ]),
    ],
    "delegation-loses": [
        ("presets", [
            ("preset", "preset", "tests"), ("delegations", "count", 12), ("avoided", "tokens", 4000),
            ("steering", "tokens", 5000), ("corrections", "tokens", 3000), ("net", "tokens", -4000),
            ("rework_rate", "share", 0.75), ("net_usd", "usd", None),
        ]),
    ],
    "heavy-menu": [
        ("servers", [
            ("server", "server", "files"), ("menu", "tokens", 21_000), ("turns", "count", 80),
            ("carried", "tokens", 1_680_000), ("economy", "economy", "lazy"), ("saved", "tokens", 18_000), ("usd", "usd", "0.84"),
        ]),
    ],
}  # fmt: skip
"""The tables of each rule: their names, and for each column its key, its kind and a value."""

_ESTIMATED = {
    "dear-model-in-sub-agents", "fan-out-above-norm", "mcp-answers-dominate", "same-file-read-again", "unusual-day",
    "delegation-loses", "heavy-menu",
}  # fmt: skip


def _finding(at: int, rule: str) -> Finding:
    unit = f"preset:{at}" if rule == "delegation-loses" else at // 2
    price = None if rule == "delegation-loses" else (at + 1) * DOLLAR // 4
    tables = [
        evidence(
            name,
            [(key, kind) for key, kind, _ in columns],
            [tuple(value for _, _, value in columns)],
            at,
        )
        for name, columns in TABLES[rule]
    ]
    return Finding(
        rule,
        "estimated" if rule in _ESTIMATED else "measured",
        ("high", "medium", "low")[at % 3],
        {unit: Claim((at + 1) * 1000, price)},
        FACTS[rule],
        tuple(tables),
    )


def sample(*, without: tuple[str, ...] = ("heavy-menu",)) -> dict[str, Any]:
    """Return a report in which every rule found something, but for those *without*: one of them was not judged."""
    judged: list[Judgement] = []
    for at, rule in enumerate(RULES):
        own = Percentile("cost-of-a-day", 90, "5") if at % 2 else None
        threshold = Threshold("5", "1", own, "rows" if at % 3 else "finding")
        if rule not in without:
            judged.append(found(_finding(at, rule), threshold))
        elif rule == without[-1]:
            judged.append(not_judged(rule, "no-profile"))
        else:
            judged.append(nothing(rule, threshold))
    return {
        "schema": SCHEMA,
        "today": "2026-10-20",
        "period": {"since": "2026-09-21", "until": "2026-10-20"},
        **told(judged, 40 * DOLLAR),
        "unknown": list(UNKNOWN),
        "cost": {"usd": "40", "partial": True, "responses": 1234, "sessions": 20},
        "coverage": {
            "files": 20, "unreadable": [], "lines": 9000, "usage_lines": 3000, "responses": 1234, "folded": 1766,
            "replayed": 0, "rejected": 0, "malformed": 0, "pending": 1, "undated": 2, "first_day": "2026-01-05",
            "last_day": "2026-10-20", "roots": ["/home/dev/.claude"],
        },
        "detail": {"files": 20, "lines": 9000, "malformed": 0, "pending": 1, "unreadable": 0},
        "prices": {"version": "2026.10.17", "checked": "2026-10-17"},
    }  # fmt: skip
