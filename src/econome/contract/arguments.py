"""Calls worth trying between two schemas: valid by one, and where the two differ, at every edge of either.

It varies one place at a time around a call with the least and a call with everything, first the places that differ. It draws nothing
at random: the same schemas give the same calls. What an object that has fields of its own left open, and the other side names,
is left alone, since nobody sends an argument that nothing names. Where a schema admits other names expressly, declares no
field at all, or mentions a name elsewhere, it is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Any

from econome.contract.accepts import Judge
from econome.contract.arrays import arrays
from econome.contract.cases import Case, Cases
from econome.contract.made import HEAVIEST, Made, weight_of
from econome.contract.objects import LEVELS, Fields, Pair
from econome.contract.readings import Reading, Schema, key_of
from econome.contract.sameness import Sameness
from econome.contract.scalars import numbers, texts
from econome.lean.pointers import row_at, steps_of

__all__ = ["Maker", "Side"]

_MOST_TRIED = 600
_MOST_KEPT = 200
_MOST_MEMBERS = 96
_MOST_REPAIRS = 60
_DEEPEST = 14
_DEEPEST_COMBINED = 1
_SAMPLES: tuple[Any, ...] = ("a", 1, 1.5, True, None, [], {})
_TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")
_SPEAKS_OF = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "multipleOf"),
}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two schemas, with what judges by it and what takes it apart."""

    reading: Reading
    judge: Judge
    cases: Cases


class Maker:
    """Makes calls that are valid by *mine*, guided by both schemas.

    After it has run, *unmade* holds the places that differ and that no call reached which is valid, and *cut* says whether
    there was more to try than was made.
    """

    def __init__(self, mine: Side, theirs: Side, sameness: Sameness) -> None:
        self._mine, self._theirs, self._sameness = mine, theirs, sameness
        self._made: dict[tuple[object, ...], Made | None] = {}
        self._open: list[tuple[object, ...]] = []
        self._unreached: dict[str, tuple[str, ...]] = {}
        self._reached: set[str] = set()
        self.unmade: dict[str, None] = {}
        self.cut = False

    def calls(self) -> Iterator[dict[str, Any]]:
        """Yield the calls, each once."""
        seen: set[str] = set()
        mine, theirs = (self._mine.reading.schema,), (self._theirs.reading.schema,)
        for pair in self._matched(mine, theirs):
            if "object" not in _types(pair.case):
                continue
            for call in self._objects(pair, mine, "", 0):
                key = key_of(call)
                if key not in seen:
                    seen.add(key)
                    self._reach(call)
                    yield call
        self.unmade.update(dict.fromkeys(self._unreached))

    def _reach(self, call: dict[str, Any]) -> None:
        """Note which of the places that differ a call holds, where it is valid."""
        held = [where for where, steps in self._unreached.items() if _holds(call, steps)]
        if held and self._mine.judge.accepts(call):
            self._reached.update(held)
            for where in held:
                del self._unreached[where]

    def place(
        self, mine: Sequence[Schema], theirs: Sequence[Schema], where: str, depth: int
    ) -> Made | None:
        """Return values for one place, which schemas of either side rule together; None where none could be made."""
        text = self._sameness.text
        ruled = (tuple(map(text, mine)), tuple(map(text, theirs)))
        within = ruled in self._open  # inside itself, it tells nothing that it did not tell outside
        key = (depth, within, *ruled)
        differs = not within and not self._sameness.same(mine, theirs)
        if key not in self._made:
            self._open.append(ruled)
            self._made[key] = self._place(mine, theirs, where, depth, differs)
            self._open.pop()
        made = self._made[key]
        if differs and made is not None and where not in self._reached:
            self._unreached.setdefault(where, steps_of(where))
        return made

    def _place(
        self,
        mine: Sequence[Schema],
        theirs: Sequence[Schema],
        where: str,
        depth: int,
        differs: bool,
    ) -> Made | None:
        if depth > _DEEPEST or False in mine:
            return None
        kept: dict[str, Any] = {}
        tried: set[str] = set()
        for value in self._raw(mine, theirs, where, depth, differs):
            key = key_of(value) + (".0" if isinstance(value, float) else "")
            if key in tried:
                continue
            tried.add(key)
            if self._mine.judge.accepts(value, mine):
                kept[key] = value
            enough = len(kept) >= (_MOST_KEPT if differs else 2) or len(tried) >= _MOST_TRIED
            if enough or self._mine.judge.spent:
                self.cut = self.cut or differs
                break
        if not kept:
            if differs:
                self.unmade[where] = None
            return None
        values = list(kept.values())
        taken = (
            [self._taken(value, theirs) for value in values] if differs else [True] * len(values)
        )
        order = sorted(
            range(len(values)), key=lambda nth: (not taken[nth], weight_of(values[nth]), nth)
        )
        telling = tuple(value for value, took in zip(values, taken, strict=True) if not took)
        others = tuple(value for value, took in zip(values, taken, strict=True) if took)
        first = values[order[0]]
        held = [one for one in others or telling if isinstance(one, dict | list)]
        held = [one for one in held if 1 < weight_of(one) <= HEAVIEST // 8]
        full = max(held, key=weight_of, default=first)
        return Made(first, full, telling, others)

    def _taken(self, value: object, theirs: Sequence[Schema]) -> bool:
        return all(self._theirs.judge.accepts(value, [one]) is not False for one in theirs)

    def _raw(
        self,
        mine: Sequence[Schema],
        theirs: Sequence[Schema],
        where: str,
        depth: int,
        differs: bool,
    ) -> Iterator[Any]:
        for pair in self._matched(mine, theirs):
            case, hints = pair.case, pair.hints
            pair = pair if differs else replace(pair, brief=True)
            hints = (*hints, *_denied((*case, *hints)))
            yield from _members(case, hints)
            if any("enum" in node or "const" in node for node in case):
                continue
            ruled = any(node for node in (*case, *hints))
            for kind in _types(case):
                if kind == "object":
                    objects = self._objects(pair, mine, where, depth)
                    yield from islice(objects, _MOST_TRIED // 2)
                elif kind == "array":
                    yield from arrays(self.place, case, hints, where, depth, pair.brief)
                    for most in _held_at_most(hints if differs else ()):
                        yield from arrays(self.place, (*case, most), hints, where, depth, False)
                elif kind == "string":
                    yield from texts(case, hints)
                elif kind in ("integer", "number"):
                    yield from numbers([*case, *hints])
                else:
                    yield from (True, False) if kind == "boolean" else (None,)
                if not differs and not ruled:
                    break
        if differs:
            yield from _SAMPLES

    def _matched(self, mine: Sequence[Schema], theirs: Sequence[Schema]) -> Iterator[Pair]:
        """Yield each case with what it is compared with.

        A case that the other side has too is only touched at first, and tried in full in the end: in `oneOf`, what
        changed beside it may overlap it now.
        """
        cases, others = self._mine.cases.of(mine), self._theirs.cases.of(theirs)
        here = [self._sameness.of_case(case) for case in cases]
        there = [self._sameness.of_case(case) for case in others]
        unlike = [
            case for case, one in zip(others, there, strict=True) if one not in set(here) - {None}
        ]
        hints = _nodes(unlike or others)
        shared = set(there) - {None}
        kept = [case for case, one in zip(cases, here, strict=True) if one in shared]
        own = [case for case, one in zip(cases, here, strict=True) if one not in shared]
        known = frozenset(name for node in _nodes(cases) for name in node.get("properties", {}))
        yield from (Pair(case, hints, known, False) for case in own)
        yield from (Pair(case, case, known, True) for case in kept)
        if unlike or own:
            yield from (Pair(case, hints, known, False) for case in kept)

    def _objects(
        self, pair: Pair, mine: Sequence[Schema], where: str, depth: int
    ) -> Iterator[dict[str, Any]]:
        fields = Fields(self.place, self._sameness, pair, where, depth)
        self.unmade.update(dict.fromkeys(fields.unreached))
        fewest = fields.least()
        if fewest is None:
            return
        least = self._based(fields, fewest, mine)
        yield least
        full = self._filled(fields, least, mine)
        yield full
        if pair.brief or depth >= LEVELS:
            return
        bases = [least, full] if least == fewest else [least, full, fewest]
        yield from _alternating(fields.present_or_not(least, full), fields.varied(bases))
        if depth <= _DEEPEST_COMBINED:
            yield from fields.combined(least)

    def _based(
        self, fields: Fields, least: dict[str, Any], mine: Sequence[Schema]
    ) -> dict[str, Any]:
        """Return the least object that is accepted, the least there is where none was found."""
        repairs = chain(
            (fields.having(least, name) for name in fields.optional), fields.counted(least, least)
        )
        for value in islice(chain([least], repairs, [fields.everything(least)]), _MOST_REPAIRS):
            if self._mine.judge.accepts(value, mine):
                return value
        return least

    def _filled(
        self, fields: Fields, least: dict[str, Any], mine: Sequence[Schema]
    ) -> dict[str, Any]:
        full = fields.everything(least)
        if self._mine.judge.accepts(full, mine):
            return full
        full = least
        for name in fields.optional[:_MOST_REPAIRS]:
            more = fields.having(full, name)
            if self._mine.judge.accepts(more, mine):
                full = more
        return full


def _alternating(*ways: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in zip_longest(*ways):
        yield from (one for one in row if one is not None)


def _types(case: Case) -> list[str]:
    """Return the types that a case allows, those first that it speaks of."""
    allowed = set(_TYPES)
    for node in case:
        if "type" in node:
            names = set(node["type"] if isinstance(node["type"], list) else [node["type"]])
            allowed &= names | ({"integer"} if "number" in names else set())
    spoken = {name for node in case for name in node}
    return sorted(
        allowed,
        key=lambda kind: (spoken.isdisjoint(_SPEAKS_OF.get(kind, ())), _TYPES.index(kind)),
    )


def _members(case: Case, hints: Case) -> list[Any]:
    """Return the values that are listed on either side, those first that only one lists."""
    lists = []
    for nodes in (case, hints):
        listed = [one for node in nodes for one in node.get("enum", ())]
        listed += [node["const"] for node in nodes if "const" in node]
        lists.append({key_of(one): one for one in listed})
    mine, theirs = lists
    if len(mine) + len(theirs) <= _MOST_MEMBERS:
        return list({**mine, **theirs}.values())
    alone = [one for key, one in mine.items() if key not in theirs]
    alone += [one for key, one in theirs.items() if key not in mine]
    shared = [one for key, one in mine.items() if key in theirs]
    return [*shared[:4], *alone[:_MOST_MEMBERS], *shared[4:20]]


def _denied(nodes: Case) -> Iterator[dict[str, Any]]:
    """Yield what values must not be: what tells them apart is worth trying."""
    for node in nodes:
        if isinstance(node.get("not"), dict):
            yield node["not"]


def _held_at_most(nodes: Case) -> Iterator[dict[str, Any]]:
    """Yield, for each kind of item that schemas count, that as many of it must be there as may be."""
    for node in nodes:
        if "contains" in node and "maxContains" in node:
            yield {"contains": node["contains"], "minContains": node["maxContains"]}


def _holds(value: Any, steps: Sequence[str]) -> bool:
    """Return whether a value has something at a place, `*` standing for any item."""
    for nth, step in enumerate(steps):
        if isinstance(value, list):
            if step == "*":
                return any(_holds(one, steps[nth + 1 :]) for one in value)
            row = row_at(step, value)
            if row is None:
                return False
            value = value[row]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return False
    return True


def _nodes(cases: Iterable[Case]) -> Case:
    return tuple({id(node): node for case in cases for node in case}.values())
