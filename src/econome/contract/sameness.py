"""Where two schemas say the same, and which rules differ that trying calls cannot settle.

It compares what rules a place of the arguments, however that is written: a part that moved behind a reference or into
`allOf` is the same part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from econome.contract.cases import Case, Cases, gathered
from econome.contract.patterns import longest_judged
from econome.contract.readings import Reading, Schema, key_of
from econome.contract.scalars import LONGEST_TEXT
from econome.lean.pointers import below

__all__ = ["LONGEST_ARRAY", "MOST_FIELDS", "Outline", "Sameness", "bare", "outlined", "unsettled"]

LONGEST_ARRAY = 1_100
"""Items of the longest array that is made."""

MOST_FIELDS = 64
"""Fields up to which a count of fields is tried."""

_WHOLE = (
    "contains",
    "dependencies",
    "dependentSchemas",
    "not",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_COMBINING = frozenset(
    {
        "$defs",
        "$ref",
        "allOf",
        "anyOf",
        "definitions",
        "dependentSchemas",
        "else",
        "if",
        "oneOf",
        "then",
    }
)
_BOUNDS = {
    "maxItems": LONGEST_ARRAY,
    "maxLength": LONGEST_TEXT,
    "maxProperties": MOST_FIELDS,
    "minItems": LONGEST_ARRAY,
    "minLength": LONGEST_TEXT,
    "minProperties": MOST_FIELDS,
}
_MOST_STEPS = 20_000
_DEEPEST = 60


class Sameness:
    """Tells whether parts of two schemas rule the same, references followed."""

    def __init__(self, some: Reading, others: Reading, cases: Sequence[Cases]) -> None:
        self._alike = some.dialect == others.dialect
        self._texts: dict[int, tuple[object, str, frozenset[str]]] = {}
        self._moved = self._changed((some, others), cases)

    def same(self, some: Iterable[Schema], others: Iterable[Schema]) -> bool:
        """Return whether schemas that hold together rule the same as others do."""
        mine, theirs = self.signature(some), self.signature(others)
        return self._alike and mine is not None and mine == theirs

    def signature(self, schemas: Iterable[Schema]) -> frozenset[str] | None:
        """Return what two sides share that rule the same, None where a reference leads to what differs."""
        texts: set[str] = set()
        for schema in schemas:
            text, references = self._told(schema)
            if references & self._moved:
                return None
            texts.add(text)
        return frozenset(texts) - {"true", "{}"}

    def of_case(self, case: Case) -> frozenset[str] | None:
        """Return the signature of a case, what it combines left out."""
        texts = self.signature([one for one in map(bare, case) if one])
        return texts if self._alike else None

    def text(self, schema: Schema) -> str:
        """Return a schema as text, the same for schemas that are written alike."""
        return self._told(schema)[0]

    def _told(self, schema: Schema) -> tuple[str, frozenset[str]]:
        known = self._texts.get(id(schema))
        if known is None:
            known = (schema, key_of(schema), frozenset(_references(schema)))
            self._texts[id(schema)] = known
        return known[1:]

    def _changed(self, readings: Sequence[Reading], cases: Sequence[Cases]) -> frozenset[str]:
        """Return the references that lead to different things on the two sides, at once or further on."""
        references = {one for reading in readings for one in _references(reading.schema)}
        users: defaultdict[str, set[str]] = defaultdict(set)
        moved: set[str] = set()
        for reference in references:
            targets = [side.target(reference) for side in cases]
            if len({None if one is None else self._told(one)[0] for one in targets}) > 1:
                moved.add(reference)
            for target in targets:
                if target is not None:
                    for used in self._told(target)[1]:
                        users[used].add(reference)
        unseen = list(moved)
        while unseen:
            for user in users[unseen.pop()] - moved:
                moved.add(user)
                unseen.append(user)
        return frozenset(moved)


def bare(node: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what it combines or refers to."""
    return {name: held for name, held in node.items() if name not in _COMBINING}


@dataclass(frozen=True, slots=True)
class Outline:
    """What one schema says of each place: the *fields* it names, and the *rules* that trying calls cannot settle.

    A field is a JSON pointer into the arguments, `*` for any item. A rule is its place, its keyword, its branch and its value as text;
    its value here says whether losing it can only widen. *bounds* are the values of such rules where they are numbers. *said*
    are all rules of fields and items, settled or not, with their place, where they were asked for. *loops* has, for a place
    that is inside itself, the place whose fields it has.
    """

    fields: dict[str, None] = field(default_factory=dict)
    rules: dict[tuple[str, str, str, str], bool] = field(default_factory=dict)
    bounds: dict[tuple[str, str, str], list[float]] = field(default_factory=dict)
    said: set[tuple[str, str, str]] = field(default_factory=set)
    loops: dict[str, str] = field(default_factory=dict)

    def names(self, place: str) -> bool:
        """Return whether the schema names a field, at any depth of a part that is inside itself."""
        for _ in range(_DEEPEST):
            if place in self.fields:
                return True
            loop = next((one for one in self.loops if place.startswith(one + "/")), None)
            if loop is None:
                return False
            place = self.loops[loop] + place.removeprefix(loop)
        return False


def outlined(reading: Reading, cases: Cases, *, said: bool = False) -> Outline:
    """Return the outline of a schema, to a bounded depth; with all that is *said*, where that is asked for."""
    tracer = _Tracer(reading, cases, said)
    tracer.trace(reading.schema, "", "", True, {"#": ""}, 0)
    return tracer.outline


def unsettled(old: Outline, new: Outline) -> list[str]:
    """Return the rules that differ and that no call could settle, each as "`keyword` at /place"."""
    found: dict[str, None] = {}
    for rule in [*new.rules, *old.rules]:
        place, keyword, branch, _ = rule
        lost = rule not in new.rules
        if (rule in old.rules and not lost) or (lost and old.rules[rule]):
            continue
        if not _only_wider(
            keyword, old.bounds.get(rule[:3]), new.bounds.get((place, keyword, branch))
        ):
            found[f"`{keyword}` at {place or 'the top'}"] = None
    return list(found)


def _only_wider(keyword: str, old: list[float] | None, new: list[float] | None) -> bool:
    if not old or not new:
        return False
    return min(new) >= min(old) if keyword.startswith("max") else max(new) <= max(old)


class _Tracer:
    def __init__(self, reading: Reading, cases: Cases, said: bool) -> None:
        self.outline = Outline()
        self._said = said
        self._whole = key_of(reading.schema)
        self._cases = cases
        self._steps = 0

    def trace(
        self,
        node: Schema,
        place: str,
        branch: str,
        widens: bool,
        trail: Mapping[str, str],
        depth: int,
    ) -> None:
        self._steps += 1
        if isinstance(node, bool) or depth > _DEEPEST or self._steps > _MOST_STEPS:
            return
        if self._said:
            self.outline.said.update(
                (place, keyword, key_of(held))
                for keyword, held in node.items()
                if keyword not in ("properties", "$defs", "definitions")
            )
        for keyword, text in self._rules(node):
            self.outline.rules.setdefault((place, keyword, branch, text), widens)
        for keyword in _BOUNDS.keys() & node.keys():
            if self._out_of_reach(node, keyword):
                self.outline.rules.setdefault((place, keyword, branch, str(node[keyword])), widens)
                self.outline.bounds.setdefault((place, keyword, branch), []).append(node[keyword])
        reference = node.get("$ref")
        if isinstance(reference, str) and reference in trail:
            if trail[reference] != place:
                self.outline.loops.setdefault(place, trail[reference])
        elif isinstance(reference, str):
            target = self._cases.target(reference)
            if target is not None:
                self.trace(target, place, branch, widens, {**trail, reference: place}, depth + 1)
        for keyword in ("allOf", "anyOf", "oneOf"):
            for part in node.get(keyword, ()):
                mark = branch if keyword == "allOf" else branch + _mark(part, self._cases)
                loose = widens and keyword != "oneOf"
                self.trace(part, place, mark, loose, trail, depth + 1)
        for step, part in _held(node):
            inside = below(place, step)
            if step in node.get("properties", {}) and part is not False:
                self.outline.fields[inside] = None
            self.trace(part, inside, branch, widens, trail, depth + 1)

    def _rules(self, node: dict[str, Any]) -> Iterator[tuple[str, str]]:
        for keyword in ("format", "pattern"):
            if keyword in node:
                yield keyword, node[keyword]
        for keyword in _WHOLE:
            if keyword in node and not _says_names(keyword, node[keyword]):
                yield keyword, self._expanded(node[keyword])
        if "contains" in node:
            for keyword in ("minContains", "maxContains"):
                if keyword in node:
                    yield keyword, str(node[keyword])
        if "if" in node:
            parts = [node.get(keyword) for keyword in ("if", "then", "else")]
            yield "if", self._expanded(parts)
        if "$ref" in node and self._cases.target(node["$ref"]) is None:
            yield "$ref", node["$ref"]
        for keyword in _DYNAMIC:
            if keyword in node:
                yield keyword, self._whole
        for pattern in node.get("patternProperties", {}):
            yield "patternProperties", pattern

    def _expanded(self, value: object) -> str:
        """Return a part as text; where it refers to others, the whole schema stands for them."""
        return key_of(value) + (self._whole if any(_references(value)) else "")

    def _out_of_reach(self, node: dict[str, Any], keyword: str) -> bool:
        if node[keyword] >= _BOUNDS[keyword]:
            return True
        return "Length" in keyword and any(
            pattern != "" and longest_judged(pattern) >= 0
            for pattern in gathered([node], "pattern")
        )


def _says_names(keyword: str, held: object) -> bool:
    """Return whether dependencies are lists of names, which calls do settle."""
    if keyword != "dependencies" or not isinstance(held, dict):
        return False
    return all(isinstance(one, list) for one in held.values())


def _held(node: dict[str, Any]) -> Iterator[tuple[str, Schema]]:
    """Yield the schemas of the fields and items of a place, with the step that leads there."""
    yield from node.get("properties", {}).items()
    for pattern, part in node.get("patternProperties", {}).items():
        yield f"{{{pattern}}}", part
    if isinstance(node.get("additionalProperties"), dict):
        yield "{}", node["additionalProperties"]
    items = node.get("items")
    tuples = node.get("prefixItems", items if isinstance(items, list) else [])
    yield from ((str(nth), part) for nth, part in enumerate(tuples))
    rest = node.get("additionalItems") if isinstance(items, list) else items
    if isinstance(rest, dict):
        yield "*", rest


def _mark(branch: Schema, cases: Cases) -> str:
    """Return what tells a branch from its neighbours: the fields that have one value only."""
    if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
        branch = cases.target(branch["$ref"]) or branch
    if isinstance(branch, bool):
        return str(branch)
    single = {
        name: held
        for name, held in branch.get("properties", {}).items()
        if isinstance(held, dict) and ("const" in held or len(held.get("enum", ())) == 1)
    }
    return key_of(single)


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, held in value.items():
            if name == "$ref" and isinstance(held, str):
                yield held
            else:
                yield from _references(held)
    elif isinstance(value, list):
        for held in value:
            yield from _references(held)
