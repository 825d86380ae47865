"""Objects worth trying: with the fewest fields, with all, with one more, one less, one otherwise, one that nobody names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from econome.contract.cases import Case, gathered
from econome.contract.made import HEAVIEST, Made, Place, weight_of
from econome.contract.patterns import longest_judged, matching
from econome.contract.readings import Schema, pointer_to
from econome.contract.sameness import MOST_FIELDS, Sameness, bare

__all__ = ["LEVELS", "Fields", "Pair"]

LEVELS = 5
"""Levels of objects whose fields are varied; below them only what must be there is made."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One case of a schema, and the schemas of the other side that it is compared with.

    *known* are the fields that any case of the schema names here: they may be sent in this one too. Where both sides have the case,
    it is *brief* at first.
    """

    case: Case
    hints: Case
    known: frozenset[str]
    brief: bool


class Fields:
    """The fields of an object in one case: which there may be, what they may hold, which must be there."""

    def __init__(
        self,
        place: Place,
        sameness: Sameness,
        pair: Pair,
        where: str,
        depth: int,
    ) -> None:
        self._place, self._sameness = place, sameness
        case, hints = self._case, self._hints = pair.case, pair.hints
        self._where, self._depth = where, depth
        self._needs = _needs(case)
        self.required = self._closed(name for node in case for name in _names(node, "required"))
        named = sorted({name for node in case for name in node.get("properties", {})})
        theirs = sorted({name for node in hints for name in node.get("properties", {})})
        invited = [name for name in theirs if name in pair.known or _invites(case, name)]
        matched = [text for node in case for text in _matching_names(node)]
        self.names = list(dict.fromkeys([*self.required, *named, *invited, *matched]))
        self.optional = [name for name in self.names if name not in self.required]
        self._open = self._unnamed({*named, *theirs, *self.names})

    def child(self, name: str) -> Made | None:
        """Return the values of a field, None where none could be made."""
        mine, theirs = _ruling(self._case, name), _ruling(self._hints, name)
        where = self._where + pointer_to(name)
        return self._place(mine, theirs, where, self._depth + 1)

    def differs(self, name: str) -> bool:
        """Return whether the two sides rule a field differently."""
        mine, theirs = _ruling(self._case, name), _ruling(self._hints, name)
        return not self._sameness.same(mine, theirs)

    def least(self) -> dict[str, Any] | None:
        """Return an object of what must be there, None where a field of that has no value."""
        least = {}
        for name in self.required:
            made = self.child(name)
            if made is None:
                return None
            least[name] = made.first
        return least

    def everything(self, least: dict[str, Any]) -> dict[str, Any]:
        """Return an object of all that may be there, as far as its weight allows."""
        full, weight = dict(least), 0
        if self._depth >= LEVELS:
            return full
        for name in self.names:
            made = self.child(name)
            if made is not None:
                full[name] = made.full
                weight += weight_of(made.full)
            if weight > HEAVIEST:
                break
        return full

    def having(self, value: dict[str, Any], name: str, *held: Any) -> dict[str, Any]:
        """Return an object with one more field, and those that it needs beside it."""
        having = dict(value)
        for one in self._closed([name]):
            made = self.child(one)
            if one == name and held:
                having[one] = held[0]
            elif one not in having and made is not None:
                having[one] = made.first
        return having

    def present_or_not(
        self, least: dict[str, Any], full: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield objects with one field more or less than usual, where the two sides tell such objects apart."""
        own = self._sameness.same(map(_frame, self._case), map(_frame, self._hints))
        names = [name for name in self.names if not own or self.differs(name)]
        mine, theirs = _Standing(self._case), _Standing(self._hints)
        names.sort(key=lambda name: mine.of(name) == theirs.of(name))
        for name in names:
            if name not in least:
                yield self.having(least, name)
            if name in full:
                yield _without(full, name)
            if name in least and name not in self.required:
                others = [one for one in self.optional if one not in least]
                yield from (self.having(_without(least, name), one) for one in others[:8])
        for name in self._open if not own else ():
            made = self.child(name)
            for base in (least, full) if made is not None else ():
                yield self.having(base, name)
            if made is not None and (_ruling(self._case, name) or _ruling(self._hints, name)):
                yield from (self.having(least, name, held) for held in made.varied)
        if not own:
            yield from self.counted(least, full)

    def varied(self, bases: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield objects with one field otherwise, in turn over the fields that differ, around each of some."""
        children = [(name, self.child(name)) for name in self.names if self.differs(name)]
        made = [(name, one) for name, one in children if one is not None]
        made.sort(key=lambda child: weight_of(child[1].varied[0]))
        telling = [[(name, held) for held in one.telling] for name, one in made]
        others = [[(name, held) for held in one.others] for name, one in made]
        for name, held in chain(_in_turn(telling), _in_turn(others)):
            yield from (self.having(base, name, held) for base in bases)

    def counted(self, least: dict[str, Any], full: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield objects of as many fields as a bound allows, one less and one more."""
        nodes = [*self._case, *self._hints]
        bounds = [*gathered(nodes, "minProperties"), *gathered(nodes, "maxProperties")]
        for count in sorted({int(bound) + by for bound in bounds for by in (-1, 0, 1)}):
            if len(least) <= count <= MOST_FIELDS:
                for base in (least, full):
                    value = dict(base)
                    more = chain(
                        self.names, self._open, (f"{self._open[0]}_{nth}" for nth in range(3, 80))
                    )
                    for name in more:
                        made = self.child(name) if len(value) < count else None
                        if made is not None and name not in value:
                            value[name] = made.first
                    yield value

    def _closed(self, names: Iterable[str]) -> list[str]:
        """Return names with those that must stand beside them."""
        closed, unseen = dict.fromkeys(names), []
        unseen = list(closed)
        while unseen:
            for name in self._needs.get(unseen.pop(), ()):
                if name not in closed:
                    closed[name] = None
                    unseen.append(name)
        return list(closed)

    def _unnamed(self, taken: set[str]) -> list[str]:
        """Return names that neither side knows, and such as a rule for names asks for."""
        ruled = [one for one in gathered(self._case, "propertyNames") if isinstance(one, dict)]
        names = ["note", "x-note", "note_2", "note_3"]
        if ruled:
            made = self._place(ruled, [], self._where, self._depth + 1)
            names = [one for one in (made.varied if made else ()) if isinstance(one, str)][
                :4
            ] + names
        nodes = [*self._case, *self._hints]
        patterns = [pattern for node in nodes for pattern in node.get("patternProperties", {})]
        free = [name for name in names if name not in taken and not _any_match(patterns, name)]
        return free or ["note_of_nobody"]


def _without(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {one: held for one, held in value.items() if one != name}


class _Standing:
    """Which fields some schemas name, and which they require."""

    def __init__(self, nodes: Iterable[dict[str, Any]]) -> None:
        nodes = list(nodes)
        self._named = {name for node in nodes for name in node.get("properties", {})}
        self._required = {name for node in nodes for name in _names(node, "required")}

    def of(self, name: str) -> tuple[bool, bool]:
        return name in self._named, name in self._required


def _in_turn(rows: list[list[tuple[str, Any]]]) -> Iterator[tuple[str, Any]]:
    """Yield the first of each row, then the second of each, and so on."""
    for nth in range(max(map(len, rows), default=0)):
        yield from (row[nth] for row in rows if nth < len(row))


def _ruling(nodes: Iterable[dict[str, Any]], name: str) -> list[Schema]:
    """Return the schemas that rule a field."""
    ruling: list[Schema] = []
    for node in nodes:
        fields = node.get("properties", {})
        own = [fields[name]] if name in fields else []
        patterns = node.get("patternProperties", {})
        own += [part for pattern, part in patterns.items() if _any_match([pattern], name)]
        if not own and "additionalProperties" in node:
            own = [node["additionalProperties"]]
        ruling += own
    return ruling


def _invites(case: Case, name: str) -> bool:
    """Return whether a case says something of a field that it may not name."""
    return any(one is not True and one != {} and one is not False for one in _ruling(case, name))


def _matching_names(node: dict[str, Any]) -> list[str]:
    return [text for pattern in node.get("patternProperties", {}) for text in matching(pattern)[:3]]


def _any_match(patterns: Iterable[str], name: str) -> bool:
    return any(
        len(name) <= longest_judged(pattern) and re.search(pattern, name) for pattern in patterns
    )


def _names(node: dict[str, Any], keyword: str) -> list[str]:
    held = node.get(keyword)
    return held if isinstance(held, list) else []


def _needs(case: Case) -> dict[str, list[str]]:
    needs: dict[str, list[str]] = {}
    for node in case:
        for keyword in ("dependentRequired", "dependencies"):
            for name, held in node.get(keyword, {}).items():
                if isinstance(held, list):
                    needs.setdefault(name, []).extend(held)
    return needs


def _frame(node: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says of an object as a whole, and the names of its fields."""
    frame = bare(node)
    if "properties" in frame:
        frame["properties"] = dict.fromkeys(frame["properties"], True)
    return frame
