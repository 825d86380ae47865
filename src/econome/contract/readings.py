"""A schema as it is judged: the rules alone, sorted, without what is no rule and without what no validator could read.

It knows the keywords of JSON Schema from draft 3 to 2020-12. It never raises for what a server declares, and it never
guesses what a broken rule was meant to say: such a rule is left out, and where it stood is kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from econome.contract.patterns import longest_judged
from econome.lean.pointers import below, steps_of
from econome.lean.schemas import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMA_PLACES

__all__ = [
    "Reading",
    "Schema",
    "key_of",
    "read",
    "reread",
]

Schema = dict[str, Any] | bool
"""One schema: its rules by keyword, or whether everything is taken."""

_HOLDS_ONE = SCHEMA_PLACES - {"contentSchema"}
"""Keywords that hold one schema that says what is taken."""

_HOLDS_LIST = SCHEMA_LISTS - {"items"}
"""Keywords that hold a list of schemas; in drafts before 2020-12, `items` may."""

_BEFORE_CONST = frozenset({"draft-03", "draft-04"})
"""The drafts in which an exclusive bound is a yes or a no."""

_DIALECTS = {
    "http://json-schema.org/draft-03/schema": "draft-03",
    "http://json-schema.org/draft-04/schema": "draft-04",
    "http://json-schema.org/draft-06/schema": "draft-06",
    "http://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
}
_DEFAULT = "2020-12"
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_SETS = frozenset({"anyOf", "oneOf", "allOf", "enum", "required", "type"})
_EMPTY: dict[str, Any] = {"required": [], "uniqueItems": False, "minLength": 0, "minItems": 0}
"""Rules that say nothing with this value."""
_DEEPEST = 100
_LARGEST = 100_000
_LONGEST_NUMBER = 4_096
"""Bits."""
_LONGEST_NAME = 40
"""Characters that any pattern for names must be able to judge quickly."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is left of one schema to judge by.

    *left_out* has, by the pointer of a rule that no validator could read, that rule as text. *flaw* says in a few words why
    nothing could be read, empty where something could; *schema* then takes everything. *size* counts values in it, and
    *aimed* are the steps that its references take.
    """

    schema: Schema
    dialect: str = _DEFAULT
    known: bool = True
    left_out: Mapping[str, str] = field(default_factory=dict)
    flaw: str = ""
    size: int = 1
    aimed: frozenset[str] = field(default=frozenset(), compare=False)


def read(schema: object) -> Reading:
    """Return what is judged of *schema*, whatever it is."""
    if not isinstance(schema, dict | bool):
        return Reading(True, flaw="it is no schema")
    depth, size = _measured(schema)
    if depth > _DEEPEST or size > _LARGEST:
        return Reading(True, flaw="it is too deep" if depth > _DEEPEST else "it is too large")
    if isinstance(schema, bool):
        return Reading(schema)
    named = schema.get("$schema")
    dialect = _DIALECTS.get(named.rstrip("#")) if isinstance(named, str) else None
    aimed = frozenset(_aimed_at(schema))
    reader = _Reader(dialect or _DEFAULT, aimed)
    plain = reader.node(schema, "")
    known = dialect is not None or named is None
    return Reading(plain, reader.dialect, known, reader.left_out, "", size, aimed)


def reread(part: Schema, reading: Reading) -> Schema:
    """Return a part that a reference of a schema leads to as it is judged: what stands in data was not read with the rest."""
    if isinstance(part, bool):
        return part
    plain = _Reader(reading.dialect, reading.aimed).node(part, "")
    return part if plain == part else plain


def key_of(value: object) -> str:
    """Return a text that two values share exactly where JSON Schema takes them for the same."""
    return json.dumps(_leveled(value), sort_keys=True, separators=(",", ":"))


def _measured(value: object) -> tuple[int, int]:
    """Return how deep a value is and how many values it holds, without going deeper than is read."""
    deepest, size, open_values = 0, 0, [(value, 1)]
    while open_values:
        one, depth = open_values.pop()
        deepest, size = max(deepest, depth), size + 1
        if isinstance(one, int) and one.bit_length() > _LONGEST_NUMBER:
            size = _LARGEST + 1
        if deepest > _DEEPEST or size > _LARGEST:
            break
        if isinstance(one, dict):
            open_values.extend((held, depth + 1) for held in one.values())
        elif isinstance(one, list):
            open_values.extend((held, depth + 1) for held in one)
    return deepest, size


def _aimed_at(value: object) -> Iterator[str]:
    """Yield the steps that references take: what stands there is moved nowhere and left out nowhere."""
    if isinstance(value, dict):
        for name, held in value.items():
            if name == "$ref" and isinstance(held, str) and "#/" in held:
                yield from steps_of("/" + held.partition("#/")[2])
            yield from _aimed_at(held)
    elif isinstance(value, list):
        for held in value:
            yield from _aimed_at(held)


def _leveled(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(name): _leveled(held) for name, held in value.items()}
    return [_leveled(held) for held in value] if isinstance(value, list) else value


class _Reader:
    """Reads one schema, and keeps what it leaves out."""

    def __init__(self, dialect: str, aimed: frozenset[str]) -> None:
        self.dialect, self._aimed = dialect, aimed
        self.left_out: dict[str, str] = {}

    def node(self, value: object, where: str) -> Schema:
        if isinstance(value, bool):
            return value
        if not isinstance(value, dict):
            self._leave_out(where, value)
            return True
        plain: dict[str, Any] = {}
        for keyword in sorted(name for name in value if isinstance(name, str)):
            held, place = value[keyword], below(where, keyword)
            if keyword not in _RULES:
                if keyword in self._aimed and keyword != "$schema":
                    plain[keyword] = held
            elif not _RULES[keyword](held, self.dialect):
                self._leave_out(place, held)
            elif keyword not in _EMPTY or key_of(held) != key_of(_EMPTY[keyword]):
                plain[keyword] = self._rule(keyword, held, place)
        return plain

    def _rule(self, keyword: str, held: Any, place: str) -> Any:
        if keyword in SCHEMA_MAPS:
            return self._named(keyword, held, place)
        if keyword in _HOLDS_LIST or (keyword == "items" and isinstance(held, list)):
            held = [self.node(one, below(place, nth)) for nth, one in enumerate(held)]
        elif keyword in _HOLDS_ONE:
            return self.node(held, place)
        elif keyword == "dependentRequired":
            return {name: sorted(set(held[name])) for name in sorted(held)}
        held = _leveled(held)
        if keyword in _SETS and isinstance(held, list) and keyword not in self._aimed:
            held = sorted(held, key=key_of)
            if keyword != "oneOf":  # there, what stands twice is never fit by one alone
                held = list({key_of(one): one for one in held}.values())
            if keyword == "type" and len(held) == 1:
                return held[0]
        return held

    def _named(self, keyword: str, held: Mapping[str, Any], place: str) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for name in sorted(held):
            one, where = held[name], below(place, name)
            if keyword == "patternProperties" and longest_judged(name) < _LONGEST_NAME:
                self._leave_out(where, one)
            elif keyword == "dependencies" and isinstance(one, list):
                plain[name] = sorted({entry for entry in one if isinstance(entry, str)})
            else:
                plain[name] = self.node(one, where)
        return plain

    def _leave_out(self, where: str, value: object) -> None:
        self.left_out[where] = json.dumps(value, sort_keys=True, default=str)


def _is_number(value: object, _: str = "") -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object, _: str) -> bool:
    return _is_number(value) and isinstance(value, int | float) and value >= 0 and value % 1 == 0


def _is_step(value: object, _: str) -> bool:
    return _is_number(value) and isinstance(value, int | float) and value > 0


def _is_edge(value: object, dialect: str) -> bool:
    return isinstance(value, bool) if dialect in _BEFORE_CONST else _is_number(value)


def _is_yes_or_no(value: object, _: str) -> bool:
    return isinstance(value, bool)


def _is_text(value: object, _: str) -> bool:
    return isinstance(value, str)


def _is_pattern(value: object, _: str) -> bool:
    return isinstance(value, str) and longest_judged(value) > 0


def _are_names(value: object, _: str) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _are_types(value: object, _: str) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(one, str) and one in _TYPES for one in names)


def _is_list(value: object, _: str) -> bool:
    return isinstance(value, list)


def _are_schemas(value: object, _: str) -> bool:
    return isinstance(value, list) and bool(value)


def _is_schema(value: object, _: str) -> bool:
    return isinstance(value, dict | bool)


def _are_items(value: object, dialect: str) -> bool:
    return isinstance(value, dict | bool) or (isinstance(value, list) and dialect != "2020-12")


def _is_map(value: object, _: str) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _are_named_lists(value: object, dialect: str) -> bool:
    return isinstance(value, dict) and all(_are_names(one, dialect) for one in value.values())


def _is_anything(_: object, __: str) -> bool:
    return True


_RULES: dict[str, Callable[[object, str], bool]] = {
    **dict.fromkeys(_HOLDS_ONE, _is_schema),
    **dict.fromkeys(_HOLDS_LIST, _are_schemas),
    **dict.fromkeys(SCHEMA_MAPS, _is_map),
    "$anchor": _is_text,
    "$dynamicAnchor": _is_text,
    "$dynamicRef": _is_text,
    "$id": _is_text,
    "$recursiveAnchor": _is_yes_or_no,
    "$recursiveRef": _is_text,
    "$ref": _is_text,
    "const": _is_anything,
    "dependentRequired": _are_named_lists,
    "enum": _is_list,
    "exclusiveMaximum": _is_edge,
    "exclusiveMinimum": _is_edge,
    "format": _is_text,
    "items": _are_items,
    "maxContains": _is_count,
    "maxItems": _is_count,
    "maxLength": _is_count,
    "maxProperties": _is_count,
    "maximum": _is_number,
    "minContains": _is_count,
    "minItems": _is_count,
    "minLength": _is_count,
    "minProperties": _is_count,
    "minimum": _is_number,
    "multipleOf": _is_step,
    "pattern": _is_pattern,
    "required": _are_names,
    "type": _are_types,
    "uniqueItems": _is_yes_or_no,
}
"""The keywords that rule, and what a validator can read under each. Whatever else stands in a schema says nothing."""
