"""Counts the events of the books that a question is about, by client and by what rows are of (S7).

It knows what belongs to whom: which requests are known, who bears the cost of a steering event, which filter applies to
what. What the sums are shown as is not its business. Pure: the zone and what prices are taken from are arguments.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, pairwise, repeat
from typing import TYPE_CHECKING

from econome.savings.bearing import Bearers
from econome.savings.endings import NONE
from econome.savings.figures import AVOIDED, CORRECTIONS, DELEGATIONS, STEERING, Dollars
from econome.savings.money import Money, Pricing
from econome.savings.question import NO_PRESET, Question
from econome.savings.shares import share
from econome.usage.cells import slot_of

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.savings.books import Books, Corrections, Delegations

__all__ = ["Counting", "LocalDays", "Requests"]

_JOINED = ("preset", "format", "model")
_NOBODY = 0  # the group of what the journal knows nothing of, or whose request is unknown


class LocalDays(dict[int, int]):
    """The local day of each quarter of an hour, found once."""

    def __init__(self, zone: Zone) -> None:
        super().__init__()
        self._zone = zone

    def __missing__(self, slot: int) -> int:
        day = self[slot] = (slot + self._zone.offset(slot)) // 86400
        return day


class Requests:
    """What is known of each request: whether it is, whether the filter by preset lets it pass, its group.

    The first line of a request in the journal is the one that joins.
    """

    def __init__(self, books: Books, question: Question) -> None:
        self.names = list(books.requests)
        self._places = books.requests
        endings, count = books.endings, len(self.names)
        self.known = bytearray(count)
        for table in (books.delegations, endings):
            for request in table.request:
                if request != NONE:
                    self.known[request] = 1
        self.groups: list[str | None] = [None]
        self.group_of: array[int] | None = None
        self.wanted: bytearray | None = None
        if question.preset is not None:
            self.wanted = bytearray([question.preset == NO_PRESET]) * count
            asked = endings.names.get(question.preset, NONE)
            sought = asked if question.preset else NONE
            unheard = question.preset != NO_PRESET and asked == NONE
            for request, preset in _first_of_each(endings.request, endings.preset, count):
                self.wanted[request] = preset == sought and not unheard
        if question.by in _JOINED:
            self.groups += endings.names
            self.group_of = array("i", bytes(4 * count))
            column = getattr(endings, str(question.by))
            for request, group in _first_of_each(endings.request, column, count):
                self.group_of[request] = group + 1
        elif question.by == "delegation":
            self.groups += self.names
            self.group_of = array(
                "i", [at + 1 if known else _NOBODY for at, known in enumerate(self.known)]
            )

    def is_wanted(self, request: int) -> bool:
        """Return whether a request passes the filter by preset."""
        return self.wanted is None or bool(self.wanted[request])

    def first_known(self, names: Iterable[str]) -> int:
        """Return the first known one of those that are named, `NONE` where none is; the books need not have them."""
        places = (self._places.get(name, NONE) for name in names)
        return next((one for one in places if one != NONE and self.known[one]), NONE)


def _first_of_each(
    requests: Sequence[int], values: Sequence[int], count: int
) -> Iterator[tuple[int, int]]:
    """Yield each of *count* requests once, with its first value."""
    met = bytearray(count)
    for request, value in zip(requests, values, strict=True):
        if request != NONE and not met[request]:
            met[request] = 1
            yield request, value


class Counting:
    """Counts the events of one question, by client and group: a day, or what a request belongs to."""

    def __init__(self, books: Books, question: Question, zone: Zone, money: Money | None) -> None:
        self.books, self.question = books, question
        self.requests = Requests(books, question)
        self.days = LocalDays(zone)
        self.pricing = None if money is None else Pricing(books, money)
        self.sums: dict[tuple[int, int], list[int]] = {}
        self.usd: dict[tuple[int, int], Dollars] = {}
        self.unattached = [0] * len(books.clients)
        asked = question.client
        self.asked = None if asked is None else books.clients.get(asked, -1)
        self._by_day = question.by == "day"
        self._bounded = question.since is not None or question.until is not None
        self._bearers = Bearers(books, self.requests.known)

    def count(self) -> None:
        """Count all events."""
        self._count_delegations()
        self._count_corrections()
        self._count_steerings()

    def _row(self, key: tuple[int, int]) -> list[int]:
        row = self.sums.get(key)
        return self.sums.setdefault(key, [0, 0, 0, 0]) if row is None else row

    def _money(self, key: tuple[int, int]) -> Dollars:
        row = self.usd.get(key)
        return self.usd.setdefault(key, Dollars()) if row is None else row

    def _count_delegations(self) -> None:
        table = self.books.delegations
        for key, avoided in self._kept(table, table.avoided):
            row = self._row(key)
            row[DELEGATIONS] += 1
            row[AVOIDED] += avoided
        if self.pricing is not None:
            for key, at in self._kept(table, range(len(table.request))):
                self._money(key).add(AVOIDED, self.pricing.delegation(at))

    def _count_corrections(self) -> None:
        table, known = self.books.corrections, self.requests.known
        for key, cost in self._kept(table, table.cost):
            self._row(key)[CORRECTIONS] += cost
        for (client, _), request in self._kept(table, table.request):
            if not known[request]:
                self.unattached[client] += 1
        if self.pricing is not None:
            for key, at in self._kept(table, range(len(table.request))):
                self._money(key).add(CORRECTIONS, self.pricing.correction(at))

    def _kept(
        self, table: Delegations | Corrections, values: Sequence[int]
    ) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield the (client, group) and the value of each event that passes the filters."""
        days = self._days_of(table.seconds)
        groups: Iterable[int] = repeat(_NOBODY)
        if self._by_day:
            groups = days
        elif self.requests.group_of is not None:
            groups = map(self.requests.group_of.__getitem__, table.request)
        keys = zip(table.client, groups, strict=False)
        found: Iterable[tuple[tuple[int, int], int]] = zip(keys, values, strict=False)
        requests: Iterable[int] = table.request
        if self._bounded:
            found = compress(found, map(self.question.within, days))
            requests = compress(requests, map(self.question.within, days))
        if self.requests.wanted is not None:
            found = compress(found, map(self.requests.wanted.__getitem__, requests))
        if self.asked is not None:
            return (entry for entry in found if entry[0][0] == self.asked)
        return iter(found)

    def _days_of(self, seconds: Sequence[int]) -> Sequence[int]:
        """Return the local day of each instant, where the question depends on it."""
        if not (self._by_day or self._bounded):
            return ()
        days = self.days
        return [days[slot_of(second)] for second in seconds]

    def _count_steerings(self) -> None:
        table, requests = self.books.steerings, self.requests
        days = self._days_of(table.seconds) or repeat(_NOBODY)
        models = list(self.books.models)
        spans = pairwise((0, *table.ends))
        for at, (client, day, span) in enumerate(zip(table.client, days, spans, strict=False)):
            if self.asked not in (None, client) or (
                self._bounded and not self.question.within(day)
            ):
                continue
            receiving, weights = self._bearers.of(table.requests[span[0] : span[1]])
            if not any(map(requests.is_wanted, receiving)):
                continue
            if not requests.known[receiving[0]]:
                self.unattached[client] += 1
            atto = None
            if self.pricing is not None:
                atto = self.pricing.steering(at, models[table.model[at]])
            self._add_shares(client, day, receiving, weights, table.cost[at], atto)

    def _add_shares(
        self,
        client: int,
        day: int,
        receiving: Sequence[int],
        weights: Sequence[int],
        cost: int,
        atto: int | None,
    ) -> None:
        parts, amounts = [cost], [atto]
        if len(receiving) > 1:
            parts = share(cost, weights)
            amounts = [None] * len(parts) if atto is None else [*share(atto, weights)]
        group_of = self.requests.group_of
        for request, weight, part, amount in zip(receiving, weights, parts, amounts, strict=True):
            if not self.requests.is_wanted(request):
                continue
            group = day if self._by_day else _NOBODY if group_of is None else group_of[request]
            self._row((client, group))[STEERING] += part
            if self.pricing is not None and weight:
                self._money((client, group)).add(STEERING, amount)

    def conflicts(self) -> dict[str, int]:
        """Return how many conflicts each client has; one over several requests belongs to the first that is known."""
        found: dict[str, int] = {}
        for client, seconds, names in self.books.conflicts.events:
            if self.question.client in (None, client):
                within = not self._bounded or self.question.within(self.days[slot_of(seconds)])
                found[client] = found.get(client, 0) + (within and self._is_conflict_wanted(names))
        return found

    def _is_conflict_wanted(self, names: Sequence[str]) -> bool:
        """Return whether a conflict passes the filter by preset; the ledger need not name its requests."""
        if self.requests.wanted is None:
            return True
        first = self.requests.first_known(names)
        return (
            self.question.preset == NO_PRESET if first == NONE else self.requests.is_wanted(first)
        )
