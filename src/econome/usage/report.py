"""From cells to the report of `econome usage`: rows, total, what has no price, coverage (R6, F8, F11, P1, P2, P4).

Pure: the tree, the question and the zone are arguments. It is on the path of every report, so it imports
nothing heavy, and money is a whole number of atto-dollars (1e-18 USD) until it becomes text.
"""

from __future__ import annotations

from econome.times import day_number, day_text, split_day
from econome.usage.cells import DIMS, KIND, MODEL, SESSION, UNDATED_DAY
from econome.usage.query import BY, SORTS, TIMED
from econome.usage.sums import Sum, Unpriced, cell_rates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from econome.clock import Zone
    from econome.prices.table import PriceTable
    from econome.usage.query import Query
    from econome.usage.tree import DayTable, Tree

__all__ = ["SCHEMA", "iso_week", "usage_report"]

SCHEMA = "econome.usage/1"

_PLACES = {name: DIMS.index(name) for name in BY if name not in TIMED}


def iso_week(day: int) -> str:
    """Return the ISO week of a day number, as `2026-W05`."""
    thursday = day - (day + 3) % 7 + 3
    year = split_day(thursday)[0]
    return f"{year:04d}-W{(thursday - day_number(year, 1, 1)) // 7 + 1:02d}"


class _Times:
    """Turns slots into what rows are of, in one zone: a time key, or None for the time that is not asked for."""

    def __init__(self, query: Query, zone: Zone) -> None:
        self._zone = zone
        self._since, self._until = query.since, query.until
        self._bounded = query.since is not None or query.until is not None
        self.names = tuple(name for name in query.by if name in TIMED)
        self._labels: dict[tuple[int, int | None], Any] = {}

    def of_day(self, day: int) -> Callable[[int], Any]:
        """Return the function from the slots of a UTC day to (wanted, time key)."""
        if day == UNDATED_DAY:
            undated = (not self._bounded, (None,) * len(self.names))
            return lambda slot: undated
        start = day * 86400
        offsets = self._zone.offset(start), self._zone.offset(start + 86399)
        if offsets[0] != offsets[1]:
            return lambda slot: self._at(slot + self._zone.offset(slot))
        return lambda slot: self._at(slot + offsets[0])

    def _at(self, local: int) -> tuple[bool, Any]:
        day = local // 86400
        hour = local % 86400 // 3600 if "hour" in self.names else None
        known = self._labels.get((day, hour))
        if known is None:
            wanted = (self._since is None or day >= self._since) and (
                self._until is None or day <= self._until
            )
            key = tuple(self._label(name, day, hour) for name in self.names)
            known = self._labels[day, hour] = wanted, key
        return known

    @staticmethod
    def _label(name: str, day: int, hour: int | None) -> str | int | None:
        if name == "day":
            return day_text(day)
        if name == "week":
            return iso_week(day)
        return day_text(day)[:7] if name == "month" else hour


def _days(tree: Tree, query: Query) -> Iterator[tuple[int, DayTable]]:
    """The UTC days that may hold local days of the period: no zone is a day and a half from UTC."""
    first = None if query.since is None else query.since - 2
    last = None if query.until is None else query.until + 2
    return tree.days(first, last)


class _Summing:
    """Sums a tree's cells into the rows of one question."""

    def __init__(self, query: Query, zone: Zone, prices: PriceTable) -> None:
        self.query, self.prices = query, prices
        self.times = _Times(query, zone)
        self.places = [_PLACES[name] for name in query.by if name in _PLACES]
        self.tests = [(_PLACES[name], test) for name, test in query.tests()]
        self.rows: dict[Any, Sum] = {}
        self.unpriced, self.refused = Unpriced(), Unpriced()
        self.unsplit = 0

    def add_day(self, day: int, table: DayTable) -> None:
        dims, rows = table
        wanted = [all(test(d[place]) for place, test in self.tests) for d in dims]  # type: ignore[arg-type]
        time_of = self.times.of_day(day)
        sums: dict[Any, list[list[int] | None]] = {}
        nothing: list[list[int] | None] = [None] * len(dims)
        at, within, here = None, False, nothing
        for slot, place, c0, c1, c2, c3, c4, c5, c6, c7, c8 in rows:
            if slot != at:
                at = slot
                within, key = time_of(slot)
                if within:
                    found = sums.get(key)
                    here = found if found is not None else sums.setdefault(key, nothing[:])
            if not within or not wanted[place]:
                continue
            known = here[place]
            if known is None:
                here[place] = [c0, c1, c2, c3, c4, c5, c6, c7, c8]
            else:
                known[0] += c0
                known[1] += c1
                known[2] += c2
                known[3] += c3
                known[4] += c4
                known[5] += c5
                known[6] += c6
                known[7] += c7
                known[8] += c8
        for key, by_place in sums.items():
            for d, counters in zip(dims, by_place, strict=True):
                if counters is None:
                    continue
                if d[KIND]:
                    self.refused.add(str(d[MODEL]), counters)
                else:
                    self._add(day, key, d, counters)

    def _add(self, day: int, time_key: Any, d: Any, counters: list[int]) -> None:
        key = (*time_key, *[d[place] for place in self.places])
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = Sum()
        row.add(counters, d[SESSION])
        self.unsplit += counters[8]
        rates = cell_rates(self.prices, day, d)
        row.charge(rates, counters)
        if rates is None:
            self.unpriced.add(d[MODEL], counters)

    def names(self) -> tuple[str, ...]:
        """The names of the parts of a row's key, in their order."""
        return self.times.names + tuple(name for name in self.query.by if name in _PLACES)


def _row_order(row: dict[str, Any], by: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple((row[name] is None, "" if row[name] is None else row[name]) for name in by)


def _sorted(rows: list[dict[str, Any]], sums: list[Sum], query: Query) -> list[dict[str, Any]]:
    order = query.order()
    paired = sorted(zip(rows, sums, strict=True), key=lambda pair: _row_order(pair[0], query.by))
    if order == "cost":
        paired.sort(key=lambda pair: (pair[0]["cost_usd"] is None, -pair[1].cost))
    elif order != "key":
        paired.sort(key=lambda pair: -pair[0][SORTS[order]])
    return [row for row, _ in paired[: query.limit]]


def usage_report(tree: Tree, query: Query, zone: Zone, today: int) -> dict[str, Any]:
    """Return the report that `econome usage --json` prints: schema `econome.usage/1`.

    *today* is only named in it: the one value of a clock, which says what `--days` was counted from.
    `cost_usd` is an exact decimal text, or None where nothing of the row has a price; `partial` says that
    something of the row has none (P4). Rows come in the query's order; `total` is over all rows, also those that
    a limit leaves out. `refused` is in no total (F6); `unsplit_write_tokens` are cache writes that no split vouches
    for, priced at the 5-minute rate, so that the cost is a lower bound (P5).
    """
    summing = _Summing(query, zone, tree.prices)
    for day, table in _days(tree, query):
        summing.add_day(day, table)
    total = Sum()
    rows, sums = [], []
    names = summing.names()
    for key, found in summing.rows.items():
        total.merge(found)
        parts = dict(zip(names, key, strict=True))
        rows.append(found.row({name: parts[name] for name in query.by}, query.cost))
        sums.append(found)
    return {
        "schema": SCHEMA,
        "by": list(query.by),
        "today": day_text(today),
        "rows": _sorted(rows, sums, query),
        "total": total.row({}, query.cost),
        "unpriced": summing.unpriced.rows(),
        "refused": summing.refused.rows("attempts"),
        "unsplit_write_tokens": summing.unsplit,
        "coverage": tree.coverage(zone),
        "prices": tree.prices.label(),
    }
