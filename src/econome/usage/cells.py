"""Cells: the counters of every response of one quarter of an hour that agree in all a report can ask for.

A cell is (slot, dims) -> counters. *slot* is the UTC second at which its quarter of an hour begins, because every
zone's offset has been a whole number of quarters since 1973 (before, the exact second); -1 when undated (F7).
*dims* is the tuple below. Cells hold counters, never money (F12), so a new price needs no new scan.
It is imported by every report, so it imports nothing.
"""

from __future__ import annotations

Dims = tuple[str, str, str, str, str, int, str, str, str, str, str]
Cells = dict[tuple[int, Dims], list[int]]
DayCells = dict[int, Cells]

__all__ = [
    "AGENT", "BRANCH", "BUCKET", "COUNTERS", "DIMS", "GEO", "KIND", "MODEL", "PROJECT", "SESSION",
    "SOURCE", "SPEED", "TIER", "UNDATED_DAY", "UNDATED_SLOT", "Cells", "DayCells", "Dims",
    "add_cells", "day_of", "slot_of",
]  # fmt: skip

DIMS = (
    "source", "model", "speed", "tier", "geo", "bucket", "project", "session", "agent", "branch", "kind",
)  # fmt: skip
SOURCE, MODEL, SPEED, TIER, GEO, BUCKET, PROJECT, SESSION, AGENT, BRANCH, KIND = range(len(DIMS))
"""The places of the dimensions in a cell's dims."""

COUNTERS = (
    "responses", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens",
    "cache_write_1h_tokens", "web_searches", "output_incomplete", "unsplit_write_tokens",
)  # fmt: skip

UNDATED_DAY = -(1 << 40)
"""The day under which undated cells are kept."""

UNDATED_SLOT = -(1 << 60)

_QUARTER = 900
_EXACT_BEFORE = 94_694_400  # 1973-01-01: the last odd offset, Liberia's, ended in 1972 (IANA time zone database)


def slot_of(seconds: int) -> int:
    """Return the slot of an instant in UTC seconds."""
    return seconds - seconds % _QUARTER if seconds >= _EXACT_BEFORE else seconds


def day_of(slot: int) -> int:
    """Return the UTC day number of a slot."""
    return UNDATED_DAY if slot == UNDATED_SLOT else slot // 86400


def add_cells(into: DayCells, cells: Cells, sign: int = 1) -> None:
    """Add (or, with sign -1, take away) cells; one that comes to nothing is removed."""
    for key, counters in cells.items():
        day = into.setdefault(day_of(key[0]), {})
        known = day.get(key)
        if known is None:
            day[key] = counters[:] if sign == 1 else [-c for c in counters]
        else:
            for at, value in enumerate(counters):
                known[at] += sign * value
            if not any(known):
                del day[key]
