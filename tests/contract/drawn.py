"""Schemas, changes of one of them, and calls drawn from one at random: an oracle that shares no code with the search."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

__all__ = ["BREAKING", "WIDENING", "Schema", "accepts", "base_schemas", "calls_of", "places"]

Schema = dict[str, Any]

_NAMES = ("amount", "cursor", "filter", "label", "order", "path")


def accepts(schema: object, call: object) -> bool:
    """Return whether the library alone accepts a call."""
    judge = validator_for(schema, default=Draft202012Validator)
    return bool(judge(schema).is_valid(call))


# Schemas.


def _leaves() -> st.SearchStrategy[Schema]:
    whole = st.integers(0, 20).flatmap(
        lambda low: st.sampled_from(
            [
                {"type": "integer", "minimum": low, "maximum": low + 9},
                {"type": "integer", "minimum": low},
                {"type": "number", "exclusiveMinimum": low, "maximum": low + 1},
                {"type": "integer", "multipleOf": low + 1},
            ]
        )
    )
    texts = st.sampled_from(
        [
            {"type": "string"},
            {"type": "string", "minLength": 2, "maxLength": 5},
            {"type": "string", "maxLength": 300},
            {"type": "string", "pattern": "^[a-z]{2,4}(-[0-9]+)?$"},
            {"type": "string", "format": "date"},
        ]
    )
    listed = st.lists(
        st.sampled_from(["asc", "desc", "none", 1, 2, None, True]), min_size=2, unique_by=repr
    ).map(lambda members: {"enum": members})
    return st.one_of(
        whole, texts, listed, st.sampled_from([{"type": "boolean"}, {"type": ["string", "null"]}])
    )


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4, unique=True))
    schema: Schema = {"type": "object", "properties": {name: draw(inner) for name in names}}
    required = draw(st.lists(st.sampled_from(names), unique=True))
    if required:
        schema["required"] = required
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    return schema


def _deeper(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    arrays = st.builds(
        lambda items, more: {"type": "array", "items": items, **more},
        inner,
        st.sampled_from([{}, {"minItems": 1}, {"maxItems": 3}, {"minItems": 2, "maxItems": 4}]),
    )
    unions = st.lists(inner, min_size=2, max_size=3, unique_by=repr).map(
        lambda parts: {"anyOf": parts}
    )
    return st.one_of(arrays, unions, _objects(inner))


@st.composite
def base_schemas(draw: st.DrawFn) -> Schema:
    """Draw the schema of a tool's arguments; some of its parts stand behind references."""
    inner = st.recursive(_leaves(), _deeper, max_leaves=4)
    schema = draw(_objects(inner))
    moved: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        if draw(st.integers(0, 3)) == 0:
            moved[f"Of_{name}"] = part
            schema["properties"][name] = {"$ref": f"#/$defs/Of_{name}"}
    return {**schema, "$defs": moved} if moved else schema


def places(schema: Schema) -> Iterator[Schema]:
    """Yield every part of a schema, itself first."""
    yield schema
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    parts += [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]
    for part in parts:
        yield from places(part)


# Changes: each takes one part of a copy and says whether it applied.


def _enum_member_gone(part: Schema) -> bool:
    return len(part.get("enum", [])) > 1 and bool(part["enum"].pop() or True)


def _field_required(part: Schema) -> bool:
    free = [name for name in part.get("properties", {}) if name not in part.get("required", [])]
    part["required"] = [*part.get("required", []), *free[:1]]
    return bool(free)


def _unknown_field_required(part: Schema) -> bool:
    if part.get("type") == "object" and "additionalProperties" not in part:
        part["required"] = [*part.get("required", []), "tenant"]
        part["properties"] = {**part["properties"], "tenant": {"type": "string"}}
        return True
    return False


def _closed(part: Schema) -> bool:
    if part.get("type") == "object" and "additionalProperties" not in part:
        part["additionalProperties"] = False
        return True
    return False


def _type_narrowed(part: Schema) -> bool:
    if part.get("type") == ["string", "null"]:
        part["type"] = "string"
        return True
    return False


def _type_changed(part: Schema) -> bool:
    if part.get("type") == "boolean":
        part["type"] = "string"
        return True
    return False


def _maximum_lowered(part: Schema) -> bool:
    if part.get("type") == "integer" and "maximum" in part:
        part["maximum"] -= 1
        return True
    return False


def _minimum_raised(part: Schema) -> bool:
    if part.get("type") == "integer" and "minimum" in part:
        part["minimum"] += 1
        return True
    return False


def _length_cut(part: Schema) -> bool:
    if "maxLength" in part:
        part["maxLength"] -= 1
        return True
    return False


def _items_fewer(part: Schema) -> bool:
    if part.get("maxItems", 0) > part.get("minItems", 0):
        part["maxItems"] -= 1
        return True
    return False


def _branch_gone(part: Schema) -> bool:
    return len(part.get("anyOf", [])) > 1 and bool(part["anyOf"].pop())


def _one_value_left(part: Schema) -> bool:
    if part in ({"type": "string"}, {"type": "boolean"}):
        part["const"] = "asc" if part["type"] == "string" else True
        return True
    return False


def _multiple_only(part: Schema) -> bool:
    if part.get("type") == "integer" and "multipleOf" not in part:
        part["multipleOf"] = 5
        return True
    return False


def _pattern_tighter(part: Schema) -> bool:
    if "pattern" in part:
        part["pattern"] = "^[a-z]{2,3}(-[0-9]+)?$"
        return True
    return False


def _field_gone(part: Schema) -> bool:
    if part.get("additionalProperties") is False and part["properties"]:
        gone = sorted(part["properties"])[0]
        del part["properties"][gone]
        part["required"] = [name for name in part.get("required", []) if name != gone]
        return True
    return False


BREAKING: dict[str, Callable[[Schema], bool]] = {
    "branch gone": _branch_gone,
    "closed": _closed,
    "enum member gone": _enum_member_gone,
    "field gone from a closed object": _field_gone,
    "field required": _field_required,
    "items fewer": _items_fewer,
    "length cut": _length_cut,
    "maximum lowered": _maximum_lowered,
    "minimum raised": _minimum_raised,
    "multiples only": _multiple_only,
    "one value left": _one_value_left,
    "pattern tighter": _pattern_tighter,
    "type changed": _type_changed,
    "type narrowed": _type_narrowed,
    "unknown field required": _unknown_field_required,
}
"""Changes after which, wherever they apply and can be seen, some call is refused."""


def _enum_member_new(part: Schema) -> bool:
    if "enum" in part:
        part["enum"] = [*part["enum"], "brand-new"]
    return "enum" in part


def _required_no_more(part: Schema) -> bool:
    return bool(part.pop("required", None))


def _opened(part: Schema) -> bool:
    return part.pop("additionalProperties", None) is False


def _null_too(part: Schema) -> bool:
    if part.get("type") in ("boolean", "integer", "string") and "enum" not in part:
        part["type"] = [part["type"], "null"]
        return True
    return False


def _maximum_raised(part: Schema) -> bool:
    if "maximum" in part:
        part["maximum"] += 7
    return "maximum" in part


def _longer(part: Schema) -> bool:
    if "maxLength" in part:
        part["maxLength"] += 3
    return "maxLength" in part


def _branch_new(part: Schema) -> bool:
    if "anyOf" in part:
        part["anyOf"] = [*part["anyOf"], {"const": "brand-new"}]
    return "anyOf" in part


WIDENING: dict[str, Callable[[Schema], bool]] = {
    "branch new": _branch_new,
    "enum member new": _enum_member_new,
    "longer": _longer,
    "maximum raised": _maximum_raised,
    "null too": _null_too,
    "opened": _opened,
    "required no more": _required_no_more,
}
"""Changes after which every call that was accepted still is."""


# Calls, drawn along a schema by nothing but hypothesis.

_ANYTHING = st.one_of(st.none(), st.booleans(), st.integers(-3, 30), st.text(max_size=4))


def calls_of(schema: Schema) -> st.SearchStrategy[Any]:
    """Draw calls that are mostly of *schema*; what is not must be left out by who draws."""
    return _drawn(copy.deepcopy(schema), schema)


def _drawn(part: Any, root: Schema) -> st.SearchStrategy[Any]:
    if part is True or part == {}:
        return _ANYTHING
    if "$ref" in part:
        return _drawn(root["$defs"][part["$ref"].rpartition("/")[2]], root)
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if "const" in part:
        return st.just(part["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in part:
            return st.one_of([_drawn(one, root) for one in part[keyword]])
    kinds = part.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return st.one_of([_of_kind(kind, part, root) for kind in kinds])


def _of_kind(kind: str, part: Schema, root: Schema) -> st.SearchStrategy[Any]:
    if kind == "object":
        fields = {name: _drawn(held, root) for name, held in part.get("properties", {}).items()}
        needed = part.get("required", [])
        known = st.fixed_dictionaries(
            {name: held for name, held in fields.items() if name in needed},
            optional={name: held for name, held in fields.items() if name not in needed},
        )
        if part.get("additionalProperties") is False:
            return known
        extra = st.dictionaries(st.sampled_from(["zz1", "zz2"]), _ANYTHING, max_size=1)
        return st.builds(lambda some, more: {**more, **some}, known, extra)
    if kind == "array":
        low = part.get("minItems", 0)
        items = _drawn(part.get("items", {}), root)
        return st.lists(items, min_size=low, max_size=part.get("maxItems", low + 3))
    if kind == "string":
        if "pattern" in part:
            return st.from_regex(part["pattern"], fullmatch=True)
        if "format" in part:
            return st.dates().map(str)
        low = part.get("minLength", 0)
        longest = part.get("maxLength", low + 6)
        edges = st.sampled_from(["x" * low, "x" * longest])
        return st.one_of(edges, st.text(min_size=low, max_size=min(longest, low + 6)))
    if kind == "integer":
        step = int(part.get("multipleOf", 1))
        low = part.get("minimum", -30)
        whole = st.integers(low, part.get("maximum", low + 60))
        return whole if step == 1 else whole.map(lambda one: one * step)
    if kind == "number":
        low = float(part.get("exclusiveMinimum", -9))
        return st.floats(low, part.get("maximum", low + 9), exclude_min=True)
    return st.booleans() if kind == "boolean" else st.none()
