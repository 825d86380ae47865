"""Every figure of the page of usage, from one walk over a tree's cells (V, F11).

Pure: the tree, the question, the zone and today's date are arguments.
Each response is added once to what it is of: its model, project, session, agent, day and hour; so all totals are the one
that `usage_report` gives for the same question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from econome.prices.amounts import usd
from econome.times import day_number
from econome.usage.cells import (
    AGENT,
    DIMS,
    KIND,
    MODEL,
    PROJECT,
    SESSION,
    SOURCE,
    UNDATED_DAY,
)
from econome.usage.sums import COLUMNS, Unpriced, cell_rates, price

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.usage.query import Query
    from econome.usage.tree import DayTable, Tree

__all__ = ["CALENDAR_WEEKS", "MAIN", "Amount", "Panorama", "Strand", "panorama"]

MAIN = "main"
"""The agent type of a main thread."""

CALENDAR_WEEKS = 53
"""So many weeks has the calendar, up to that of the period's end: it tells of the time before the period too."""

_UNSPLIT = len(COLUMNS)
_READ = 3
_FIRST_OF_ALL = day_number(1, 1, 1)


class Amount:
    """Counters with their exact cost in atto-dollars; `priced` and `unpriced` say whether any of it was (P4)."""

    __slots__ = ("cost", "counters", "priced", "unpriced")

    def __init__(self) -> None:
        self.counters = [0] * len(COLUMNS)
        self.cost = 0
        self.priced = self.unpriced = False

    def add(self, counters: Sequence[int], cost: int | None) -> None:
        """Add counters, and what they cost; None where they have no price."""
        # spelt out: a loop takes twice as long, and a page may add up a million times
        sums = self.counters
        sums[0] += counters[0]
        sums[1] += counters[1]
        sums[2] += counters[2]
        sums[3] += counters[3]
        sums[4] += counters[4]
        sums[5] += counters[5]
        sums[6] += counters[6]
        sums[7] += counters[7]
        if cost is None:
            self.unpriced = True
        else:
            self.priced = True
            self.cost += cost

    def merge(self, other: Amount) -> None:
        """Add another amount."""
        priced, unpriced = self.priced or other.priced, self.unpriced or other.unpriced
        self.add(other.counters, other.cost)
        self.priced, self.unpriced = priced, unpriced

    def count(self, name: str) -> int:
        """Return one of the counters."""
        return self.counters[COLUMNS.index(name)]

    @property
    def responses(self) -> int:
        """How many responses there are."""
        return self.counters[0]

    @property
    def tokens(self) -> int:
        """All tokens."""
        return sum(self.counters[1:6])

    @property
    def known(self) -> bool:
        """Whether the cost says anything: something has a price, or there is nothing."""
        return self.priced or not self.unpriced

    @property
    def usd(self) -> str | None:
        """The cost as an exact decimal text, None where nothing has a price (P4)."""
        return usd(self.cost) if self.known else None


class Strand:
    """One session in the period: when it was, and what it came to by project and type of agent.

    `first` and `last` are to the quarter of an hour, None where no time is known.
    """

    __slots__ = ("amount", "first", "last", "name", "parts", "source")

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.first: int | None = None
        self.last: int | None = None
        self.parts: dict[tuple[str, str], Amount] = {}
        self.amount = Amount()

    def seen(self, first: int, last: int) -> None:
        """Take two instants into its span."""
        self.first = first if self.first is None else min(first, self.first)
        self.last = last if self.last is None else max(last, self.last)

    @property
    def project(self) -> str:
        """The project of most of its responses, the first by path of equals."""
        if len(self.parts) == 1:
            return next(iter(self.parts))[0]
        projects: dict[str, int] = {}
        for (path, _), amount in self.parts.items():
            projects[path] = projects.get(path, 0) + amount.responses
        return min(projects, key=lambda path: (-projects[path], path))

    @property
    def delegated(self) -> dict[str, Amount]:
        """What was not its main thread's, by type of agent."""
        found: dict[str, Amount] = {}
        for (_, agent), amount in self.parts.items():
            if agent != MAIN:
                _amount(found, agent).merge(amount)
        return found


class Panorama:
    """What a page shows of one question. Local days are numbers, None stands for what is undated (F7)."""

    __slots__ = (
        "agents", "calendar", "calendar_span", "coverage", "days", "from_history", "hours", "models", "prices", "projects",
        "read_factors", "refused", "sessions", "since", "total", "unpriced", "unsplit", "until",
    )  # fmt: skip

    def __init__(self, since: int | None, until: int | None) -> None:
        self.since, self.until = since, until
        self.total = Amount()
        self.days: dict[int | None, dict[str, Amount]] = {}
        self.hours: dict[tuple[int, int] | None, Amount] = {}
        self.models: dict[str, Amount] = {}
        self.projects: dict[str, Amount] = {}
        self.agents: dict[str, Amount] = {}
        self.sessions: dict[str, Strand] = {}
        self.calendar: dict[int, Amount] = {}
        self.calendar_span = 0, 0
        self.unpriced: list[dict[str, Any]] = []
        self.refused: list[dict[str, Any]] = []
        self.unsplit = 0
        self.read_factors: set[Fraction] = set()
        self.coverage: dict[str, Any] = {}
        self.prices: dict[str, str] = {}
        self.from_history = 0

    @property
    def dated(self) -> list[int]:
        """The local days with a response, in order."""
        return sorted(day for day in self.days if day is not None)


def panorama(tree: Tree, query: Query, zone: Zone, today: int) -> Panorama:
    """Return everything that the page of usage shows of a question; its rows, order and limit do not matter."""
    walk = _Walk(tree, query, zone, today)
    for day, table in tree.days(*walk.bounds()):
        walk.add_day(day, table)
    found = walk.summed()
    found.coverage, found.prices = tree.coverage(zone), tree.prices.label()
    found.from_history = tree.totals["from_history"]
    return found


class _Walk:
    """Adds the cells of one UTC day after the other."""

    def __init__(self, tree: Tree, query: Query, zone: Zone, today: int) -> None:
        self._zone, self._prices = zone, tree.prices
        self.found = Panorama(query.since, query.until)
        self.unpriced, self.refused = Unpriced(), Unpriced()
        self._factors: set[tuple[int, int]] = set()
        self._tests = [(DIMS.index(name), test) for name, test in query.tests()]
        self._bounded = query.since is not None or query.until is not None
        self._last = today if query.until is None else query.until
        monday = self._last - (self._last + 3) % 7
        self._first = max(monday - (CALENDAR_WEEKS - 1) * 7, _FIRST_OF_ALL)
        self.found.calendar_span = self._first, self._last

    def bounds(self) -> tuple[int | None, int | None]:
        """The UTC days that may hold what is asked for: no zone is a day and a half from UTC."""
        since, until = self.found.since, self.found.until
        first = None if since is None else min(since, self._first) - 2
        return first, None if until is None else until + 2

    def _within(self, day: int | None) -> bool:
        """Whether a local day is in the period."""
        if day is None:
            return not self._bounded
        since, until = self.found.since, self.found.until
        return (since is None or day >= since) and (until is None or day <= until)

    def add_day(self, day: int, table: DayTable) -> None:
        """Add the cells of a UTC day."""
        dims, rows = table
        wanted = [all(test(d[place]) for place, test in self._tests) for d in dims]  # type: ignore[arg-type]
        if not any(wanted):
            return
        local = self._local(day)
        spans: list[tuple[int, int] | None] = [None] * len(dims)
        times: dict[tuple[int, int] | None, list[list[int] | None]] = {}
        here: list[list[int] | None] = []
        at, within = None, False
        for slot, place, *counters in rows:
            if slot != at:
                at, time = slot, local(slot)
                here = times.get(time) or times.setdefault(time, [None] * len(dims))
                within = self._within(None if time is None else time[0])
            if not wanted[place]:
                continue
            known = here[place]
            here[place] = (
                counters if known is None else [a + b for a, b in zip(known, counters, strict=True)]
            )
            if within:
                span = spans[place]
                spans[place] = (slot, slot) if span is None else (span[0], slot)
        self._add(day, dims, times, spans)

    def _local(self, day: int) -> Callable[[int], tuple[int, int] | None]:
        """Return the function from the slots of a UTC day to a local day and hour."""
        if day == UNDATED_DAY:
            return lambda slot: None
        offsets = {self._zone.offset(day * 86400), self._zone.offset(day * 86400 + 86399)}
        if len(offsets) == 1:
            ahead = offsets.pop()
            return lambda slot: _day_and_hour(slot + ahead)
        return lambda slot: _day_and_hour(slot + self._zone.offset(slot))

    def _add(
        self,
        day: int,
        dims: Sequence[Any],
        times: dict[tuple[int, int] | None, list[list[int] | None]],
        spans: Sequence[tuple[int, int] | None],
    ) -> None:
        rates: list[Any] = [None if d[KIND] else cell_rates(self._prices, day, d) for d in dims]
        for time, by_place in times.items():
            local = None if time is None else time[0]
            if not self._within(local):
                self._beside(local, dims, rates, by_place)
                continue
            hour = _amount(self.found.hours, time and ((time[0] + 3) % 7, time[1]))
            models = self.found.days.setdefault(local, {})
            for place, counters in _present(by_place):
                d, rate = dims[place], rates[place]
                if d[KIND]:
                    self.refused.add(str(d[MODEL]), counters)
                    continue
                cost = None if rate is None else price(rate, counters)
                hour.add(counters, cost)
                _amount(models, d[MODEL]).add(counters, cost)
                _amount(self._strand(d).parts, (d[PROJECT], d[AGENT])).add(counters, cost)
                self.found.unsplit += counters[_UNSPLIT]
                if rate is None:
                    self.unpriced.add(d[MODEL], counters)
                elif counters[_READ]:
                    self._factors.add((rate[2], rate[0]))
        for place, span in _present(spans):
            if day != UNDATED_DAY and not dims[place][KIND]:
                self._strand(dims[place]).seen(*span)

    def _beside(
        self, local: int | None, dims: Sequence[Any], rates: Sequence[Any], by_place: Sequence[Any]
    ) -> None:
        """Add what is in the calendar only."""
        if local is None or not self._first <= local <= self._last:
            return
        for place, counters in _present(by_place):
            if not dims[place][KIND]:
                rate = rates[place]
                cost = None if rate is None else price(rate, counters)
                _amount(self.found.calendar, local).add(counters, cost)

    def _strand(self, dims: Any) -> Strand:
        strand = self.found.sessions.get(dims[SESSION])
        if strand is None:
            strand = self.found.sessions[dims[SESSION]] = Strand(dims[SESSION], dims[SOURCE])
        return strand

    def summed(self) -> Panorama:
        """Return what was found, with the sums that follow from what was added up."""
        found = self.found
        found.days = {day: models for day, models in found.days.items() if models}
        found.hours = {hour: amount for hour, amount in found.hours.items() if any(amount.counters)}
        for day, models in found.days.items():
            for model, amount in models.items():
                _amount(found.models, model).merge(amount)
                if day is not None and self._first <= day <= self._last:
                    _amount(found.calendar, day).merge(amount)
        for amount in found.models.values():
            found.total.merge(amount)
        for strand in found.sessions.values():
            for (project, agent), amount in strand.parts.items():
                _amount(found.projects, project).merge(amount)
                _amount(found.agents, agent).merge(amount)
                if len(strand.parts) == 1:
                    strand.amount = amount
                else:
                    strand.amount.merge(amount)
        found.read_factors = {Fraction(*pair) for pair in self._factors if pair[1]}
        found.unpriced, found.refused = self.unpriced.rows(), self.refused.rows("attempts")
        return found


def _amount(table: dict[Any, Amount], key: Any) -> Amount:
    found = table.get(key)
    if found is None:
        found = table[key] = Amount()
    return found


def _present(values: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return ((place, value) for place, value in enumerate(values) if value is not None)


def _day_and_hour(local: int) -> tuple[int, int]:
    return local // 86400, local % 86400 // 3600
