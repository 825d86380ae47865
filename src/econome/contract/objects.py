"""Objects worth trying: with the fewest fields, with all, with one more, one less, one otherwise, one that nobody names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any

from econome.contract.cases import Case, gathered
from econome.contract.made import HEAVIEST, Made, Place, weight_of
from econome.contract.mentions import (
    admits,
    forbids,
    matched,
    mentioned,
    needs,
    required_together,
    ruling,
)
from econome.contract.readings import Schema
from econome.contract.sameness import MOST_FIELDS, Sameness, bare
from econome.lean.pointers import below

__all__ = ["LEVELS", "Fields", "Pair"]

LEVELS = 5
"""Levels of objects whose fields are varied; below them only what must be there is made."""

_MOST_COMBINED = 256
_MOST_TOGETHER = 16
_ABSENT = object()


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
        self._needs = needs(case)
        self.required = self._closed(name for node in case for name in _names(node, "required"))
        named = sorted({name for node in case for name in node.get("properties", {})})
        theirs = sorted({name for node in hints for name in node.get("properties", {})})
        spoken = mentioned(case)
        known = pair.known.union(spoken)
        invited = [name for name in theirs if name in known or self._invited(name)]
        spoken += [name for name in mentioned(hints) if name not in theirs]
        self.unreached: list[str] = []
        fitting = self._fitting({*named, *theirs})
        self.names = list(dict.fromkeys([*self.required, *named, *invited, *spoken, *fitting]))
        self.optional = [name for name in self.names if name not in self.required]
        self._open = self._unnamed({*named, *theirs, *self.names})

    def _invited(self, name: str) -> bool:
        """Return whether a field that only the other side names may be sent, or must not be sent any more."""
        return admits(self._case, name, top=not self._where) or forbids(self._hints, name)

    def _fitting(self, taken: set[str]) -> list[str]:
        """Return names for the patterns of either side; a changed rule for names that none is found of is kept as *unreached*."""
        fitting: list[str] = []
        mine, theirs = _patterns(self._case), _patterns(self._hints)
        for pattern in mine | theirs:
            names = matched(pattern, self._case, taken)
            fitting += names
            parts = mine.get(pattern, [])
            if not (names or False in parts or self._sameness.same(parts, theirs.get(pattern, []))):
                self.unreached.append(below(self._where, f"{{{pattern}}}"))
        return fitting

    def child(self, name: str) -> Made | None:
        """Return the values of a field, None where none could be made."""
        mine, theirs = ruling(self._case, name), ruling(self._hints, name)
        return self._place(mine, theirs, below(self._where, name), self._depth + 1)

    def differs(self, name: str) -> bool:
        """Return whether the two sides rule a field differently."""
        mine, theirs = ruling(self._case, name), ruling(self._hints, name)
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
            if made is not None and (ruling(self._case, name) or ruling(self._hints, name)):
                yield from (self.having(least, name, held) for held in made.varied)
        if not own:
            for together in islice(required_together([*self._case, *self._hints]), _MOST_TOGETHER):
                value = least
                for name in together:
                    value = self.having(value, name)
                yield value
            yield from self.counted(least, full)

    def combined(self, least: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield an object for each way of filling the fields that have few values, where such ways are few."""
        if self._sameness.same(map(_frame, self._case), map(_frame, self._hints)):
            return
        ways: dict[str, list[Any]] = {}
        count = 1
        for name in sorted(self.names, key=lambda name: not self.differs(name)):
            values = _few(ruling(self._case, name))
            values += [_ABSENT] if values and name not in self.required else []
            if values and count * len(values) <= _MOST_COMBINED:
                ways[name] = values
                count *= len(values)
        for chosen in product(*ways.values()) if len(ways) > 1 else ():
            held = dict(zip(ways, chosen, strict=True))
            yield {name: one for name, one in {**least, **held}.items() if one is not _ABSENT}

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
        patterns = [{"patternProperties": node.get("patternProperties", {})} for node in nodes]
        free = [name for name in names if name not in taken and not ruling(patterns, name)]
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


def _patterns(nodes: Iterable[dict[str, Any]]) -> dict[str, list[Schema]]:
    """Return the schemas of each pattern for names."""
    found: dict[str, list[Schema]] = {}
    for node in nodes:
        for pattern, part in node.get("patternProperties", {}).items():
            found.setdefault(pattern, []).append(part)
    return found


def _few(rules: Iterable[Schema]) -> list[Any]:
    """Return the values of a field that can be counted, none where they cannot."""
    for rule in rules:
        if isinstance(rule, dict):
            if "const" in rule or "enum" in rule:
                return list(rule.get("enum", [rule.get("const")]))
            if rule.get("type") == "boolean":
                return [True, False]
    return []


def _names(node: dict[str, Any], keyword: str) -> list[str]:
    held = node.get(keyword)
    return held if isinstance(held, list) else []


def _frame(node: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says of an object as a whole, and the names of its fields."""
    frame = bare(node)
    if "properties" in frame:
        frame["properties"] = dict.fromkeys(frame["properties"], True)
    return frame
