"""A tree of transcripts as read: its cells by UTC day, its coverage, and on demand a session's responses.

Every report goes through it, so it imports nothing heavy.
"""

from __future__ import annotations

from econome.times import day_text
from econome.usage.cells import KIND, UNDATED_DAY, Cells, Dims
from econome.usage.index import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from econome.clock import Zone
    from econome.prices.table import PriceTable

    _Made = TypeVar("_Made")

__all__ = ["TOTALS", "DayTable", "Flaws", "Tree", "day_table"]

DayTable = tuple[list[Dims], list[tuple[int, ...]]]
"""A day's cells: the different dims, and rows (slot, place in dims, counters…), by slot."""

Flaws = tuple[str, int, int, int]
"""The path of a file, and how many of its lines are malformed, rejected and pending."""

TOTALS = (
    "files", "lines", "rows", "malformed", "rejected", "pending", "replayed", "folded_into", "responses", "undated",
    "from_history",
)  # fmt: skip
"""Sums over a tree: `folded_into` counts responses without advisors' (each the fold of its rows);
`from_history` the files that are gone from disk and go on counting (F17)."""


def day_table(cells: Cells) -> DayTable:
    """Return cells as a table, in an order that only their content decides."""
    known: dict[Any, Any] = {}
    places: dict[Dims, int] = {}
    for dims in sorted({dims for _, dims in cells}):
        places[tuple(known.setdefault(part, part) for part in dims)] = len(places)
    rows = sorted((slot, places[dims], *counters) for (slot, dims), counters in cells.items())
    return list(places), rows


class Tree:
    """What was read below some roots.

    Use it as a context: at its end what was learnt is kept in the index, after the answer was given.
    """

    __slots__ = (
        "_days",
        "_every",
        "_finish",
        "_flaws",
        "_responses",
        "prices",
        "roots",
        "scanned_at",
        "totals",
        "unreadable",
    )

    def __init__(
        self,
        roots: list[str],
        totals: dict[str, int],
        unreadable: list[tuple[str, str]],
        prices: PriceTable,
        days: dict[int, Any],
        responses: Callable[[str], list[Any]],
        flaws: Callable[[], list[Flaws]],
        scanned_at: float,
        finish: Callable[[], None] | None = None,
        every: Callable[[Callable[[Iterator[Any]], Any]], Any] | None = None,
    ) -> None:
        self.roots, self.totals, self.unreadable, self.prices = roots, totals, unreadable, prices
        self._days, self._responses, self._flaws, self._finish = days, responses, flaws, finish
        self._every = every
        self.scanned_at = scanned_at

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, *failure: object) -> None:
        self.finish()

    def finish(self) -> None:
        """Keep in the index what was learnt."""
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()

    def days(
        self, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, DayTable]]:
        """Yield (UTC day, its cells) between two UTC days, both included, in order; `UNDATED_DAY` first."""
        for day in sorted(self._days):
            if (first is None or day >= first) and (last is None or day <= last):
                kept = self._days[day]
                if kept:
                    yield day, day_table(kept) if type(kept) is dict else unpack(kept)

    def responses(self, session: str) -> list[Any]:
        """Return the responses that a session owns, refused attempts among them, by time.

        What was learnt is kept first, since they are folded again from what the index holds.
        """
        self.finish()
        return self._responses(session)

    def every_response(self, use: Callable[[Iterator[Any]], _Made]) -> _Made:
        """Return what *use* makes of all responses, which come in no order, refused attempts among them.

        They are folded again file by file, so that *use* holds what it wants to and nothing else does; it is called
        anew with all of them where what the index kept turns out to be damaged. What was learnt is kept first.
        """
        self.finish()
        return use(iter(())) if self._every is None else self._every(use)

    def flaws(self) -> list[Flaws]:
        """Return (path, malformed, rejected, pending) of every file that has such lines, by path.

        What was learnt is kept first, since the counts are those that the index holds.
        """
        self.finish()
        return sorted(self._flaws())

    def _bounds(self, zone: Zone) -> tuple[int | None, int | None]:
        """The first and the last local day with a response."""
        dated = {day for day, kept in self._days.items() if day != UNDATED_DAY and kept}
        ends = []
        for order in (1, -1):
            slot = None
            for day in sorted(dated, reverse=order < 0):
                counted = [
                    row[0]
                    for _, (dims, rows) in self.days(day, day)
                    for row in rows
                    if not dims[row[1]][KIND]
                ]
                if counted:
                    slot = min(counted) if order > 0 else max(counted)
                    break
            ends.append(None if slot is None else (slot + zone.offset(slot)) // 86400)
        return ends[0], ends[1]

    def coverage(self, zone: Zone) -> dict[str, Any]:
        """Return what the answer rests on (R6); days are local to *zone*."""
        totals = self.totals
        first, last = self._bounds(zone)
        return {
            "files": totals["files"] - totals["from_history"],
            "unreadable": [{"path": path, "reason": reason} for path, reason in self.unreadable],
            "lines": totals["lines"],
            "usage_lines": totals["rows"],
            "responses": totals["responses"],
            "folded": totals["rows"] - totals["folded_into"] - totals["replayed"],
            "replayed": totals["replayed"],
            "rejected": totals["rejected"],
            "malformed": totals["malformed"],
            "pending": totals["pending"],
            "undated": totals["undated"],
            "first_day": None if first is None else day_text(first),
            "last_day": None if last is None else day_text(last),
            "roots": list(self.roots),
        }
