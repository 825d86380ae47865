"""What an output schema says of the shape of an answer: its named fields and its collections, told by types (L14).

It follows references, alternatives and nesting as far as is sensible, and never raises whatever a schema holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from econome.lean.pointers import pointer_to, row_at, steps_of

__all__ = ["ROW", "Grown", "Outline", "outline"]

ROW = "*"
"""What stands in a place for any row of a list and any key of a map."""

_Place = tuple[str, ...]

_DEEPEST = 40
_MOST_PARTS = 20_000
_MANY = 24
_OF_LISTS = ("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains")
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_REACH = 4
"""Keys of objects through which `econome.lean.limits` looks for collections."""


@dataclass(frozen=True, slots=True)
class Grown:
    """One collection of an answer.

    *place* leads to it, *most* is how many rows the schema allows, None where it says nothing. *kind* is `list` or `map`.
    *of_rows* says that its rows are objects or lists, *of_records* that they are objects. *cut_at* is where a limit finds
    it in the data of an answer, None where no limit does.
    """

    place: _Place
    most: int | None
    kind: str
    of_records: bool
    of_rows: bool
    cut_at: _Place | None

    @property
    def pointer(self) -> str:
        """The JSON pointer into an answer, with `*` for any row."""
        return pointer_to(*self.place)


@dataclass(frozen=True, slots=True)
class Outline:
    """The places of the named fields that hold values, and the collections; *whole* unless too much was there to look at."""

    fields: tuple[_Place, ...]
    collections: tuple[Grown, ...]
    whole: bool = True


def outline(schema: object) -> Outline | None:
    """Return what an output schema tells, None where there is none."""
    if not isinstance(schema, Mapping):
        return None
    look = _Look(schema)
    look.at(schema, _Here())
    return look.told()


@dataclass(frozen=True, slots=True)
class _Here:
    """Where a look stands: its place, whether it is inside rows, the references it came through, the bounds that hold."""

    place: _Place = ()
    inside: bool = False
    refs: frozenset[str] = frozenset({"#"})
    items: int | None = None
    entries: int | None = None
    deep: int = 0

    def below(self, key: str, *, inside: bool = False) -> _Here:
        """Return where its field of that name is, or any of its rows."""
        return _Here((*self.place, key), self.inside or inside, self.refs, deep=self.deep + 1)

    def instead(self, refs: frozenset[str]) -> _Here:
        """Return the same place, seen as another part of the schema has it."""
        return replace(self, refs=refs, deep=self.deep + 1)


@dataclass(slots=True)
class _Seen:
    """What was seen of one collection, in any of the alternatives that make it one."""

    most: int | None
    kind: str
    records: bool
    lists: bool
    cuttable: bool


@dataclass(slots=True)
class _Look:
    root: Mapping[str, Any]
    left: int = _MOST_PARTS
    named: dict[str, object] | None = None
    leaves: set[_Place] = field(default_factory=set)
    found: dict[_Place, _Seen] = field(default_factory=dict)

    def at(self, schema: object, here: _Here) -> None:
        self.left -= 1
        if self.left < 0 or here.deep > _DEEPEST or not isinstance(schema, Mapping):
            self.leaves.add(here.place)
            return
        if "const" in schema or "enum" in schema:  # the whole value stands in the schema
            self.leaves.add(here.place)
            return
        here = _held(schema, here, self.root)
        shaped = self.alternatives(schema, here)
        shaped |= self.list_of(schema, here)
        shaped |= self.object_of(schema, here)
        if not shaped:
            self.leaves.add(here.place)

    def alternatives(self, schema: Mapping[str, Any], here: _Here) -> bool:
        """Look at what *schema* refers to and what it may be instead; tell whether there is any."""
        ref = _reference(schema)
        if ref in here.refs:
            self.leaves.add(here.place)
            return True
        parts = [(part, here.refs) for part in _parts(schema) if not _is_null(part)]
        if ref is not None:
            parts.insert(0, (self.followed(ref), here.refs | {ref}))
        saying = [(part, refs) for part, refs in parts if part is not True and not _bounds(part)]
        for part, refs in saying:
            self.at(part, here.instead(refs))
        return bool(saying)

    def list_of(self, schema: Mapping[str, Any], here: _Here) -> bool:
        if not _is_kind(schema, "array", _OF_LISTS):
            return False
        items = schema.get("items")
        fixed = items if isinstance(items, list) else schema.get("prefixItems")
        rest = schema.get("additionalItems") if isinstance(items, list) else items
        if rest is None:
            rest = schema.get("unevaluatedItems")
        if isinstance(fixed, list):
            for part in fixed:
                self.at(part, here.below(ROW, inside=True))
            if not isinstance(rest, Mapping):
                return True
        elif rest is None:
            rest = schema.get("contains")
        most = here.items
        if most is None and schema.get("uniqueItems") is True and isinstance(rest, Mapping):
            named = rest.get("enum")
            most = len(named) if isinstance(named, list) else None
        if rest is not False:
            records, lists = self.rows_are(rest)
            self.note(here, _Seen(most, "list", records, lists, not here.inside))
        if rest is False or rest is None:
            self.leaves.add(here.place)
        else:
            self.at(rest, here.below(ROW, inside=True))
        return True

    def object_of(self, schema: Mapping[str, Any], here: _Here) -> bool:
        properties = schema.get("properties")
        fields = properties if isinstance(properties, Mapping) else {}
        for name in sorted(map(str, fields)):
            self.at(fields.get(name), here.below(name))
        patterns = schema.get("patternProperties")
        values = list(patterns.values()) if isinstance(patterns, Mapping) else []
        values += [schema.get(f"{others}Properties") for others in ("additional", "unevaluated")]
        maps = [value for value in values if isinstance(value, Mapping) and value]
        for value in maps:
            records, _ = self.rows_are(value)
            if records:
                self.note(
                    here, _Seen(here.entries, "map", True, False, not (here.inside or fields))
                )
            self.at(value, here.below(ROW, inside=records))
        return bool(fields or maps)

    def note(self, here: _Here, seen: _Seen) -> None:
        """Keep what was seen of a collection; of two alternatives, the one without a bound counts."""
        known = self.found.setdefault(here.place, seen)
        if known is seen:
            return
        open_ = known.most is None or seen.most is None
        known.most = None if open_ else max(known.most or 0, seen.most or 0)
        known.kind = min(known.kind, seen.kind)
        known.records, known.lists = known.records or seen.records, known.lists or seen.lists
        known.cuttable = known.cuttable and seen.cuttable

    def rows_are(self, schema: object, deeper: int = 8) -> tuple[bool, bool]:
        """Tell whether what a schema describes may be an object, and whether it may be a list."""
        self.left -= 1
        if not isinstance(schema, Mapping) or not deeper or self.left < 0:
            return False, False
        record = _is_kind(schema, "object", ("properties",))
        listed = _is_kind(schema, "array", _OF_LISTS)
        ref = _reference(schema)
        parts = [] if ref is None else [self.followed(ref)]
        for part in parts + _parts(schema)[:_MANY]:
            own = self.rows_are(part, deeper - 1)
            record, listed = record or own[0], listed or own[1]
        return record, listed

    def followed(self, ref: str) -> object:
        """Return what a reference into the schema itself leads to, None where that is nothing."""
        head, _, fragment = ref.partition("#")
        whole = _ENCODED.sub(_decoded, fragment)
        pointer = not whole or whole.startswith("/")
        if self.named is None and (head or not pointer):
            self.named = _named_parts(self.root)
        if not pointer:
            return (self.named or {}).get(whole)
        root = (self.named or {}).get(head) if head else self.root
        found = _pointed(fragment, root) if fragment.startswith("/") else None
        return _pointed(whole, root) if found is None else found

    def told(self) -> Outline:
        named = {_named(place) for place in self.leaves} - {()}
        ordered = sorted(named)
        fields = [
            place
            for number, place in enumerate(ordered, 1)
            if ordered[number : number + 1] == [] or ordered[number][: len(place)] != place
        ]
        start = 1 if self.wraps() else 0
        grown = [
            Grown(
                place=place,
                most=seen.most,
                kind=seen.kind,
                of_records=seen.records,
                of_rows=seen.records or seen.lists,
                cut_at=place[start:] if self.reached(seen, place, start) else None,
            )
            for place, seen in sorted(self.found.items())
        ]
        return Outline(tuple(fields), tuple(grown), whole=self.left >= 0)

    def wraps(self) -> bool:
        """Tell whether an answer is an object whose only field, `result`, is a list or an object: its data is that one."""
        firsts = {place[0] for place in (*self.leaves, *self.found) if place}
        inner = ("result",) in self.found or any(len(place) > 1 for place in self.leaves)
        return firsts == {"result"} and () not in self.found and inner

    def reached(self, seen: _Seen, place: _Place, start: int) -> bool:
        return seen.cuttable and len(place) >= start and len(place) - start <= _REACH


def _named(place: _Place) -> _Place:
    """Return the place of the field whose rows a value is."""
    while place and place[-1] == ROW:
        place = place[:-1]
    return place


def _held(schema: Mapping[str, Any], here: _Here, root: Mapping[str, Any]) -> _Here:
    """Return *here* with the bounds that *schema* sets, itself or by one of the parts that all hold."""
    several = schema.get("allOf")
    parts = [schema, *(several if isinstance(several, list) else [])]
    items, entries = here.items, here.entries
    for part in parts:
        if not isinstance(part, Mapping):
            continue
        items = _least(items, part.get("maxItems"))
        entries = _least(entries, part.get("maxProperties"))
    if (items, entries) == (here.items, here.entries):
        return here
    return replace(here, items=items, entries=entries)


def _least(one: int | None, other: object) -> int | None:
    if isinstance(other, bool) or not isinstance(other, int | float) or not 0 <= other < 1e15:
        return one
    return int(other) if one is None else min(one, int(other))


def _is_kind(schema: Mapping[str, Any], kind: str, keywords: tuple[str, ...]) -> bool:
    said = schema.get("type")
    if isinstance(said, str):
        return said == kind
    if isinstance(said, list):
        return kind in said
    return any(keyword in schema for keyword in keywords)


def _is_null(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "null"


def _bounds(part: object) -> bool:
    """Tell whether a part says no more than how much there may be, or what must be there."""
    said = ("maxItems", "minItems", "maxProperties", "minProperties", "required", "description")
    return isinstance(part, Mapping) and all(key in said for key in part)


def _reference(schema: Mapping[str, Any]) -> str | None:
    refs = (schema.get(keyword) for keyword in ("$ref", "$dynamicRef", "$recursiveRef"))
    return next((ref for ref in refs if isinstance(ref, str)), None)


def _parts(schema: Mapping[str, Any]) -> list[object]:
    """Return what a value may be besides, or instead: the parts that hold together, of which one holds, or under a condition."""
    parts: list[object] = []
    for keyword in ("allOf", "anyOf", "oneOf"):
        several = schema.get(keyword)
        parts += several if isinstance(several, list) else []
    for keyword in ("else", "if", "then"):
        parts += [schema[keyword]] if isinstance(schema.get(keyword), Mapping) else []
    for keyword in ("dependentSchemas", "dependencies"):
        several = schema.get(keyword)
        values = several.values() if isinstance(several, Mapping) else ()
        parts += [part for part in values if isinstance(part, Mapping)]
    return parts


def _named_parts(root: Mapping[str, Any]) -> dict[str, object]:
    """Return the parts of a schema that references find by a name: an anchor or an id."""
    found: dict[str, object] = {}
    waiting: list[object] = [root]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, Mapping):
            for keyword in ("$anchor", "$dynamicAnchor", "$id"):
                name = part.get(keyword)
                if isinstance(name, str):
                    found.setdefault(name.removesuffix("#"), part)
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return found


def _decoded(signs: re.Match[str]) -> str:
    return bytes.fromhex(signs[0].replace("%", "")).decode("utf-8", "replace")


def _pointed(pointer: str, root: object) -> object:
    """Return what a JSON pointer leads to, None where that is nothing."""
    here = root
    for name in steps_of(pointer):
        if isinstance(here, Mapping):
            here = here.get(name, here.get(_ENCODED.sub(_decoded, name)))
        elif isinstance(here, list) and (row := row_at(name, here)) is not None:
            here = here[row]
        else:
            return None
    return here
