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

__all__ = ["CALENDAR_WEEKS", "MAIN", "Amount", "Group", "Panorama", "Strand", "panorama"]

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
        sums = self.counters
        for at in range(len(sums)):
            sums[at] += counters[at]
        if cost is None:
            self.unpriced = True
        else:
            self.priced = True
            self.cost += cost

    def merge(self, other: Amount) -> None:
        """Add another amount."""
        for at, value in enumerate(other.counters):
            self.counters[at] += value
        self.cost += other.cost
        self.priced, self.unpriced = self.priced or other.priced, self.unpriced or other.unpriced

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


class Group(Amount):
    """An amount of several sessions."""

    __slots__ = ("sessions",)

    def __init__(self) -> None:
        super().__init__()
        self.sessions: set[str] = set()


class Strand(Amount):
    """One session in the period: when, where, and what each type of its agents came to.

    `first` and `last` are to the quarter of an hour, None where no time is known.
    """

    __slots__ = ("agents", "first", "last", "name", "projects", "source")

    def __init__(self, name: str, source: str) -> None:
        super().__init__()
        self.name, self.source = name, source
        self.first: int | None = None
        self.last: int | None = None
        self.projects: dict[str, int] = {}
        self.agents: dict[str, Amount] = {}

    def seen(self, first: int, last: int) -> None:
        """Take two instants into its span."""
        self.first = first if self.first is None else min(first, self.first)
        self.last = last if self.last is None else max(last, self.last)

    @property
    def project(self) -> str:
        """The project of most of its responses, the first by path of equals."""
        return min(self.projects, key=lambda path: (-self.projects[path], path))

    @property
    def delegated(self) -> Amount:
        """What was not its main thread's."""
        found = Amount()
        for agent, amount in self.agents.items():
            if agent != MAIN:
                found.merge(amount)
        return found


class Panorama:
    """What a page shows of one question. Local days are numbers, None stands for what is undated (F7)."""

    __slots__ = (
        "agents", "calendar", "calendar_span", "coverage", "days", "from_history", "hours", "models", "prices", "projects",
        "read_factors", "refused", "sessions", "since", "total", "unpriced", "unsplit", "until",
    )  # fmt: skip

    def __init__(self, since: int | None, until: int | None) -> None:
        self.since, self.until = since, until
        self.total = Group()
        self.days: dict[int | None, dict[str, Amount]] = {}
        self.hours: dict[tuple[int, int] | None, Amount] = {}
        self.models: dict[str, Group] = {}
        self.projects: dict[str, Group] = {}
        self.agents: dict[str, Group] = {}
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
    found = walk.found
    found.unpriced, found.refused = walk.unpriced.rows(), walk.refused.rows("attempts")
    found.coverage, found.prices = tree.coverage(zone), tree.prices.label()
    found.from_history = tree.totals["from_history"]
    return found


class _Walk:
    """Adds the cells of one UTC day after the other."""

    def __init__(self, tree: Tree, query: Query, zone: Zone, today: int) -> None:
        self._zone, self._prices = zone, tree.prices
        self.found = Panorama(query.since, query.until)
        self.unpriced, self.refused = Unpriced(), Unpriced()
        self._tests = [(DIMS.index(name), test) for name, test in query.tests()]
        self._bounded = query.since is not None or query.until is not None
        self._last = today if query.until is None else query.until
        monday = self._last - (self._last + 3) % 7
        self._first = max(monday - (CALENDAR_WEEKS - 1) * 7, _FIRST_OF_ALL)
        self.found.calendar_span = self._first, self._last

    def bounds(self) -> tuple[int | None, int | None]:
        """The UTC days that may hold what is asked for: no zone is a day and a half from UTC."""
        since, until = self.found.since, self.found.until
        if not self._bounded:
            return None, None
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
        merged: dict[int | None, list[Amount | None]] = {}
        for time, by_place in times.items():
            local = None if time is None else time[0]
            within = self._within(local)
            for place, counters in _present(by_place):
                d = dims[place]
                if d[KIND]:
                    if within:
                        self.refused.add(str(d[MODEL]), counters)
                    continue
                rate = rates[place]
                cost = None if rate is None else price(rate, counters)
                if local is not None and self._first <= local <= self._last:
                    _amount(self.found.calendar, local).add(counters, cost)
                if not within:
                    continue
                hour = None if time is None else ((time[0] + 3) % 7, time[1])
                _amount(self.found.hours, hour).add(counters, cost)
                self.found.unsplit += counters[_UNSPLIT]
                of_day = merged.setdefault(local, [None] * len(dims))
                known = of_day[place]
                if known is None:
                    known = of_day[place] = Amount()
                known.add(counters, cost)
        for local, amounts in merged.items():
            for place, amount in _present(amounts):
                self._of(local, dims[place], amount)
                if rates[place] is None:
                    self.unpriced.add(dims[place][MODEL], amount.counters)
                elif amount.counters[_READ] and rates[place][0]:
                    self.found.read_factors.add(Fraction(rates[place][2], rates[place][0]))
        for place, span in _present(spans):
            strand = self.found.sessions.get(dims[place][SESSION])
            if strand is not None and day != UNDATED_DAY and not dims[place][KIND]:
                strand.seen(*span)

    def _of(self, local: int | None, dims: Any, amount: Amount) -> None:
        """Add what a local day holds of one combination of everything that responses are told apart by."""
        found, session = self.found, dims[SESSION]
        groups = (
            (found.models, dims[MODEL]),
            (found.projects, dims[PROJECT]),
            (found.agents, dims[AGENT]),
        )
        for table, key in groups:
            group = table.get(key)
            if group is None:
                group = table[key] = Group()
            group.merge(amount)
            group.sessions.add(session)
        found.total.merge(amount)
        found.total.sessions.add(session)
        _amount(found.days.setdefault(local, {}), dims[MODEL]).merge(amount)
        strand = found.sessions.get(session)
        if strand is None:
            strand = found.sessions[session] = Strand(session, dims[SOURCE])
        strand.merge(amount)
        _amount(strand.agents, dims[AGENT]).merge(amount)
        projects = strand.projects
        projects[dims[PROJECT]] = projects.get(dims[PROJECT], 0) + amount.responses


def _amount(table: dict[Any, Amount], key: Any) -> Amount:
    found = table.get(key)
    if found is None:
        found = table[key] = Amount()
    return found


def _present(values: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return ((place, value) for place, value in enumerate(values) if value is not None)


def _day_and_hour(local: int) -> tuple[int, int]:
    return local // 86400, local % 86400 // 3600
