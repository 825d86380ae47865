"""Which events a figure of the balance is made of: the same filters as its own, and narrower ones (S7).

Pure: what is found are places in the columns of the books. What stands on their lines is not read here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, NamedTuple

from econome.savings.bearing import Bearers
from econome.savings.counting import LocalDays, Requests
from econome.savings.endings import NONE
from econome.savings.question import KINDS, Question, Selection
from econome.savings.shares import share
from econome.usage.cells import slot_of

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.savings.books import Books, Corrections, Delegations, Steerings

__all__ = ["Chosen", "Place"]

_DELEGATION, _STEERING, _CORRECTION, _CONFLICT = range(len(KINDS))


class Place(NamedTuple):
    """Where an event is: its instant, where its line begins, the number of its kind, its place in the columns of that."""

    seconds: int
    offset: int
    kind: int
    at: int


class Chosen:
    """The events of a selection, by their places in the columns of each kind.

    `counted` has how much of the cost of each steering event counts here: the parts of the requests that were asked for.
    """

    def __init__(self, books: Books, selection: Selection, zone: Zone) -> None:
        self.books = books
        self._selection, self._days = selection, LocalDays(zone)
        question = selection.question
        self.requests = Requests(books, question)
        self._wanted = _wanted(books, self.requests, selection)
        self._bearers = Bearers(books, self.requests.known)
        self._client = None if question.client is None else books.clients.get(question.client, NONE)
        kind = selection.kind
        self.delegations = self._single(books.delegations) if kind in (None, "delegation") else []
        self.corrections = self._single(books.corrections) if kind in (None, "correction") else []
        self.steerings: list[int] = []
        self.counted: list[int] = []
        if kind in (None, "steering"):
            self._choose_steerings()
        self.conflicts = self._of_conflicts() if kind == "conflict" else []

    def __len__(self) -> int:
        lists = self.delegations, self.steerings, self.corrections, self.conflicts
        return sum(map(len, lists))

    def sums(self) -> tuple[int, int, int, int]:
        """Return how many delegations there are, what they avoided, and what steering and corrections cost."""
        avoided, cost = self.books.delegations.avoided, self.books.corrections.cost
        return (
            len(self.delegations),
            sum(map(avoided.__getitem__, self.delegations)),
            sum(self.counted),
            sum(map(cost.__getitem__, self.corrections)),
        )

    def newest(self, first: int, count: int) -> list[Place]:
        """Return *count* of the events, the latest first, without the *first* ones; of one second, the last that came.

        It takes as long as there are events to look at, and more the later the page is.
        """
        found = nlargest(first + count, self._places())
        return [Place(*place) for place in found[first:]]

    def requests_of(self, at: int) -> Sequence[int]:
        """Return the requests that a steering event names, each once."""
        table = self.books.steerings
        return table.requests[table.ends[at - 1] if at else 0 : table.ends[at]]

    def counted_of(self, place: Place) -> int:
        """Return how much of a steering event counts here."""
        return self.counted[bisect_left(self.steerings, place.at)]

    def _places(self) -> Iterator[tuple[int, int, int, int]]:
        books = self.books
        again = books.conflicts
        return chain(
            _of(_DELEGATION, self.delegations, books.delegations),
            _of(_STEERING, self.steerings, books.steerings),
            _of(_CORRECTION, self.corrections, books.corrections),
            zip(
                (again.events[at][1] for at in self.conflicts),
                map(again.offsets.__getitem__, self.conflicts),
                repeat(_CONFLICT),
                self.conflicts,
                strict=False,
            ),
        )

    def _within(self, seconds: int) -> bool:
        return self._selection.question.within(self._days[slot_of(seconds)])

    def _tests(
        self, table: Delegations | Corrections | Steerings
    ) -> Iterator[tuple[Sequence[int], Callable[[int], bool | int]]]:
        """Yield the columns that every kind has, each with what its values must pass."""
        if self._client is not None:
            yield table.client, self._client.__eq__
        question = self._selection.question
        if question.since is not None or question.until is not None:
            yield table.seconds, self._within

    def _single(self, table: Delegations | Corrections) -> list[int]:
        """Return the places of the events of one request each that pass."""
        kept: Iterable[int] = range(len(table.request))
        tests = list(self._tests(table))
        if self._wanted is not None:
            tests.append((table.request, self._wanted.__getitem__))
        attached = self._selection.attached
        if attached is not None:
            known = self.requests.known
            tests.append((table.request, lambda request: bool(known[request]) == attached))
        for column, passes in tests:
            kept = [at for at in kept if passes(column[at])]
        return list(kept)

    def _choose_steerings(self) -> None:
        table = self.books.steerings
        kept: Iterable[int] = range(len(table.cost))
        for column, passes in self._tests(table):
            kept = [at for at in kept if passes(column[at])]
        attached = self._selection.attached
        if self._wanted is None and attached is None:
            self.steerings = list(kept)
            self.counted = [table.cost[at] for at in self.steerings]
            return
        for at in kept:
            bearing, weights = self._bearers.of(self.requests_of(at))
            if attached is not None and bool(self.requests.known[bearing[0]]) != attached:
                continue
            wanted = [self._wanted is None or self._wanted[request] for request in bearing]
            if any(wanted):
                parts = share(table.cost[at], weights)
                self.steerings.append(at)
                self.counted.append(sum(compress(parts, wanted)))

    def _of_conflicts(self) -> list[int]:
        """Return the places of the conflicts that pass; one over several requests belongs to the first that is known."""
        question, found = self._selection.question, []
        for at, (client, seconds, names) in enumerate(self.books.conflicts.events):
            if question.client not in (None, client) or not self._within(seconds):
                continue
            first = self.requests.first_known(names)
            if self._selection.attached not in (None, first != NONE):
                continue
            if self._wanted is None or (
                self._wanted[first] if first != NONE else self._is_nothing_wanted(names)
            ):
                found.append(at)
        return found

    def _is_nothing_wanted(self, names: Sequence[str]) -> bool:
        """Return whether what the journal knows nothing of was asked for."""
        selection = self._selection
        asked = selection.question.preset, selection.format, selection.model
        return not any(asked) and selection.request in (None, *names)


def _of(
    kind: int, places: Sequence[int], table: Delegations | Steerings | Corrections
) -> Iterator[tuple[int, int, int, int]]:
    seconds = map(table.seconds.__getitem__, places)
    offsets = map(table.offset.__getitem__, places)
    return zip(seconds, offsets, repeat(kind), places, strict=False)


def _wanted(books: Books, requests: Requests, selection: Selection) -> bytearray | None:
    """Return of each request whether it was asked for, None where all were; the first line of the journal joins."""
    wanted = requests.wanted
    for name, asked in (("format", selection.format), ("model", selection.model)):
        if asked is not None:
            other = Requests(books, Question(by="format" if name == "format" else "model"))
            assert other.group_of is not None
            passing = bytearray((other.groups[group] or "") == asked for group in other.group_of)
            wanted = _both(wanted, passing)
    if selection.request is not None:
        only = bytearray(len(requests.names))
        place = books.requests.get(selection.request, NONE)
        if place != NONE:
            only[place] = 1
        wanted = _both(wanted, only)
    return wanted


def _both(one: bytearray | None, other: bytearray) -> bytearray:
    if one is None:
        return other
    return bytearray(map(int.__and__, one, other))
