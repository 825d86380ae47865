"""Arrays worth trying: of each length at a bound, with each item in turn otherwise, with items twice and all different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from econome.contract.cases import Case, gathered
from econome.contract.made import HEAVIEST, Made, Place, weight_of
from econome.contract.readings import Schema, key_of
from econome.contract.sameness import LONGEST_ARRAY
from econome.lean.pointers import below

__all__ = ["arrays"]

_LONGEST_UNLIKE = 256
_MOST_ITEMS_VARIED = 120


def arrays(
    place: Place, case: Case, hints: Case, where: str, depth: int, brief: bool
) -> Iterator[list[Any]]:
    """Yield arrays for one place; *place* makes the values of an item, *brief* asks for the least and a full one only."""
    rows = _Rows(place, case, hints, where, depth)
    low = int(max(gathered(case, "minItems"), default=0))
    yield from rows.of_length(low)
    yield from rows.of_length(max(low, 1, rows.told), full=True)
    if brief:
        return
    yield from rows.containing(low)
    yield from rows.varied(low)
    bounds = [*gathered([*case, *hints], "minItems"), *gathered([*case, *hints], "maxItems"), 1]
    bounds += [rows.told, low]
    for length in sorted({int(bound) + by for bound in bounds for by in (-1, 0, 1)}):
        yield from rows.of_length(length)
    yield from rows.twice(low)


class _Rows:
    def __init__(self, place: Place, case: Case, hints: Case, where: str, depth: int) -> None:
        self._place, self._case, self._hints = place, case, hints
        self._where, self._depth = where, depth
        self.told = max((len(_prefix(node)) for node in (*case, *hints)), default=0)
        self._unlike = any(node.get("uniqueItems") is True for node in (*case, *hints))

    def item(self, index: int) -> Made | None:
        nth = min(index, self.told)
        step = nth if nth < self.told else "*"
        mine, theirs = _ruling(self._case, nth), _ruling(self._hints, nth)
        return self._place(mine, theirs, below(self._where, step), self._depth + 1)

    def of_length(self, length: int, *, full: bool = False) -> Iterator[list[Any]]:
        """Yield an array of that length, and one of different items where a side asks for such."""
        if not 0 <= length <= LONGEST_ARRAY:
            return
        items: list[Any] = []
        for index in range(min(length, self.told + 1)):
            made = self.item(index)
            if made is None:
                return
            items.append(made.full if full else made.first)
        items += items[-1:] * (length - len(items))
        if length and weight_of(items[-1]) * length > HEAVIEST:
            return
        yield items
        if self._unlike and 1 < length <= _LONGEST_UNLIKE:
            yield self._different(length)

    def _different(self, length: int) -> list[Any]:
        items: list[Any] = []
        taken: set[str] = set()
        for index in range(length):
            made = self.item(index)
            pool = [] if made is None else [made.first, *made.varied]
            more = (value for nth in range(length + 4) for value in (nth, f"a{nth}", [nth]))
            kinds = {type(one) for one in pool}
            for value in (*pool, *(one for one in more if type(one) in kinds)):
                if key_of(value) not in taken:
                    taken.add(key_of(value))
                    items.append(value)
                    break
        return items

    def varied(self, low: int) -> Iterator[list[Any]]:
        for index in range(self.told + 1):
            made = self.item(index)
            for held in islice(made.varied if made else (), _MOST_ITEMS_VARIED):
                for base in islice(self.of_length(max(low, index + 1)), 2):
                    yield [*base[:index], held, *base[index + 1 :]]

    def containing(self, low: int) -> Iterator[list[Any]]:
        wanted = [one for one in gathered(self._case, "contains") if isinstance(one, dict)]
        made = self._place(wanted, [], self._where + "/*", self._depth + 1) if wanted else None
        if made is None:
            return
        least = int(max(gathered(self._case, "minContains"), default=1))
        for base in self.of_length(low):
            for times in range(least, min(least + 2, 64)):
                yield [made.first] * times + base[times:]

    def twice(self, low: int) -> Iterator[list[Any]]:
        made = self.item(self.told)
        base = next(self.of_length(max(low, self.told)), None)
        if made is not None and base is not None:
            yield [*base, made.first, made.first]
            yield [*base, *made.varied[:2]]
            yield [*base, made.full, made.full]


def _prefix(node: dict[str, Any]) -> list[Schema]:
    items = node.get("items")
    return list(node.get("prefixItems", items if isinstance(items, list) else []))


def _ruling(nodes: Sequence[dict[str, Any]], index: int) -> list[Schema]:
    """Return the schemas that rule the item at an index."""
    ruling: list[Schema] = []
    for node in nodes:
        told = _prefix(node)
        rest = node.get("additionalItems" if isinstance(node.get("items"), list) else "items")
        if index < len(told):
            ruling.append(told[index])
        elif isinstance(rest, dict | bool):
            ruling.append(rest)
    return ruling
