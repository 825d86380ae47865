"""A schema on a diet: what says nothing is left out, what stands twice is said once, and it accepts exactly the same.

It knows the keywords of JSON Schema from draft 4 to 2020-12. It never touches what stands in data (`enum`, `const`,
`default`, `examples`) or under a keyword that it does not know, and leaves alone what it is not sure of.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from econome.lean.counting import Count

__all__ = [
    "SCHEMA_LISTS",
    "SCHEMA_MAPS",
    "SCHEMA_PLACES",
    "compact",
    "diet",
    "is_plain_null",
    "is_regular",
    "same_dialect",
    "says_nothing",
]

SCHEMA_PLACES = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords that hold one schema."""

SCHEMA_LISTS = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
"""Keywords that hold a list of schemas."""

SCHEMA_MAPS = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
"""Keywords that hold schemas by name."""

_OWN_PLACE = frozenset({"$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "id"})
_BOUND_TO_DIALECT = frozenset(
    {
        "$anchor",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$recursiveAnchor",
        "$recursiveRef",
        "$ref",
        "$vocabulary",
        "additionalItems",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "divisibleBy",
        "disallow",
        "else",
        "extends",
        "id",
        "if",
        "maxContains",
        "minContains",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords that not all dialects know, or that they read differently."""

_MODERN = re.compile(
    r"https?://json-schema\.org/(draft-0[67]|draft/2019-09|draft/2020-12)/schema#?"
)
_LOCAL = re.compile(r"#(/(\$defs|definitions)/[^/]+)?")
_ENDINGS = ("arguments", "args", "input", "inputs", "params", "parameters", "request", "schema")


def compact(value: object) -> str:
    """Return what a tool declares as JSON without spaces; a default that is no number passes, unlike in an answer."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def diet(
    schema: Mapping[str, Any], *, name: str = "", count: Count | None = None
) -> dict[str, Any]:
    """Return a schema that accepts exactly what *schema* accepts and is no larger.

    *name* is the tool's, to tell titles that repeat it. Repeated parts move to `$defs` where *count* says that it
    pays; without *count* they stay.
    """
    keys = Counter(_keys(schema))
    thin = _thin(
        _untitled(schema), name, careful=any(key.startswith("unevaluated") for key in keys)
    )
    if same_dialect(schema):
        thin.pop("$schema", None)
    if schema.get("properties") == {}:  # clients expect an object's schema to say its properties
        thin["properties"] = {}
    if count is None or keys.keys() & _OWN_PLACE or not _refs_are_local(schema):
        return thin
    return _hoisted(thin, count)


def _untitled(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *schema* without a title of the whole: it is the name of a class or a function, and the tool has its own."""
    return {key: value for key, value in schema.items() if key != "title"}


def says_nothing(title: object, name: str) -> bool:
    """Tell whether a title only repeats the name of the field or tool it stands at."""
    if not isinstance(title, str):
        return False
    said, named = _letters(title), _letters(name)
    endings = [said.removesuffix(ending) for ending in _ENDINGS if said.endswith(ending)]
    return said == named or any(stem and named.endswith(stem) for stem in endings)


def is_plain_null(schema: Mapping[str, Any]) -> bool:
    """Tell whether a default says nothing: that a field which may be null is null where it is not given.

    Any other default, `false`, "" and an empty list among them, says what happens without the field, and stays.
    """
    if "default" not in schema or schema["default"] is not None:
        return False
    kind, several = schema.get("type"), schema.get("anyOf")
    return (isinstance(kind, list) and "null" in kind) or (
        isinstance(several, list) and {"type": "null"} in several
    )


def is_regular(schema: Mapping[str, Any]) -> bool:
    """Tell whether the fields of an object schema stand in it as they should, so that they can be written."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    return (
        isinstance(properties, Mapping)
        and all(isinstance(part, Mapping | bool) for part in properties.values())
        and isinstance(required, list)
        and all(isinstance(name, str) for name in required)
        and isinstance(schema.get("additionalProperties", True), Mapping | bool)
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _keys(value: object) -> Iterator[str]:
    """Yield every key of every object in *value*, wherever it stands."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield key
            yield from _keys(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _keys(entry)


def same_dialect(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema means the same in the dialect it names and in the one that holds where none is named."""
    dialect = schema.get("$schema")
    if not isinstance(dialect, str) or not _MODERN.fullmatch(dialect):
        return False
    return _BOUND_TO_DIALECT.isdisjoint(_keys(schema)) and not _has_item_lists(schema)


def _has_item_lists(value: object) -> bool:
    if isinstance(value, Mapping):
        return isinstance(value.get("items"), list) or any(map(_has_item_lists, value.values()))
    return isinstance(value, list) and any(map(_has_item_lists, value))


def _refs_are_local(value: object) -> bool:
    """Tell whether every reference leads to a whole definition, so that no other part may be moved from under it."""
    if isinstance(value, Mapping):
        refs = [entry for key, entry in value.items() if key in ("$ref", "$dynamicRef")]
        whole = all(isinstance(ref, str) and _LOCAL.fullmatch(ref) for ref in refs)
        return whole and all(map(_refs_are_local, value.values()))
    return not isinstance(value, list) or all(map(_refs_are_local, value))


def _thin(schema: Mapping[str, Any], name: str, *, careful: bool) -> dict[str, Any]:
    """Return *schema* without what says nothing; a *careful* one keeps what may mark a field as seen."""
    thin: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and says_nothing(value, name):
            continue
        if (key == "required" and value == []) or (key == "default" and is_plain_null(schema)):
            continue
        if key == "additionalProperties" and value in (True, {}) and not careful:
            if value is not False and isinstance(value, bool | dict):
                continue
        thin[key] = _thin_value(key, value, careful)
    return thin


def _thin_value(key: str, value: Any, careful: bool) -> Any:
    if key in SCHEMA_MAPS and isinstance(value, Mapping):
        return {
            entry: _thin(part, entry, careful=careful) if isinstance(part, Mapping) else part
            for entry, part in value.items()
        }
    if key in SCHEMA_LISTS and isinstance(value, list):
        return [
            _thin(part, "", careful=careful) if isinstance(part, Mapping) else part
            for part in value
        ]
    if key in SCHEMA_PLACES and isinstance(value, Mapping):
        return _thin(value, "", careful=careful)
    return value


def _hoisted(schema: dict[str, Any], count: Count) -> dict[str, Any]:
    """Return *schema* with its repeated parts in `$defs`, as long as that makes it smaller."""
    seen: Counter[str] = Counter()
    for part in _parts(schema):
        if len(part) > 1 or "properties" in part:
            seen[compact(part)] += 1
    worth = sorted(
        (text for text, times in seen.items() if times > 1 and len(text) > 40),
        key=len,
        reverse=True,
    )
    for text in worth[:8]:
        moved = _moved(schema, text)
        if moved is not None and _smaller(moved, schema, count):
            schema = moved
    return schema


def _smaller(one: object, other: object, count: Count) -> bool:
    first, second = compact(one), compact(other)
    return len(first) < len(second) and count(first) < count(second)


def _parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every schema inside *schema*, itself left out."""
    for key, value in schema.items():
        inside: list[Any] = []
        if key in SCHEMA_MAPS and isinstance(value, Mapping):
            inside.extend(value.values())
        elif key in SCHEMA_LISTS and isinstance(value, list):
            inside.extend(value)
        elif key in SCHEMA_PLACES:
            inside.append(value)
        for part in inside:
            if isinstance(part, Mapping):
                yield part
                yield from _parts(part)


def _moved(schema: dict[str, Any], text: str) -> dict[str, Any] | None:
    """Return *schema* with each part whose JSON is *text* replaced by a reference; None where none is left."""
    known = schema.get("$defs", {})
    if not isinstance(known, dict):
        return None
    name = next(f"d{number}" for number in range(1, 1000) if f"d{number}" not in known)
    replaced = _replaced(schema, text, {"$ref": f"#/$defs/{name}"})
    if compact(replaced).count(f'"#/$defs/{name}"') < 2:
        return None
    defs = replaced.pop("$defs", {})
    return {**replaced, "$defs": {**defs, name: json.loads(text)}}


def _replaced(schema: Mapping[str, Any], text: str, ref: dict[str, str]) -> dict[str, Any]:
    def turned(part: Any) -> Any:
        if not isinstance(part, Mapping):
            return part
        return dict(ref) if compact(part) == text else _replaced(part, text, ref)

    thin: dict[str, Any] = {}
    for key, value in schema.items():
        if key in SCHEMA_MAPS and isinstance(value, Mapping):
            thin[key] = {entry: turned(part) for entry, part in value.items()}
        elif key in SCHEMA_LISTS and isinstance(value, list):
            thin[key] = [turned(part) for part in value]
        elif key in SCHEMA_PLACES:
            thin[key] = turned(value)
        else:
            thin[key] = value
    return thin
