"""Schemas made to be slow, deep, endless or nonsense: a verdict comes all the same, and soon."""

from __future__ import annotations

import time
from typing import Any

import pytest

from econome.contract.witness import Verdict, compare
from tests.contract.drawn import Schema
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")


def _nested(levels: int) -> Schema:
    schema: Schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


def _doubling(longest: int) -> Schema:
    names = {f"d{nth}": {"allOf": [{"$ref": f"#/$defs/d{nth + 1}"}] * 2} for nth in range(30)}
    last: Schema = {"type": "string", "maxLength": longest}
    return {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {**names, "d30": last},
    }


def _field(**rules: Any) -> Schema:
    return {"type": "object", "properties": {"a": rules}, "required": ["a"]}


_ENDLESS = "9" * 5000

_HOSTILE: list[tuple[object, object]] = [
    (None, 3),
    ("type", {"type": 7}),
    ({"properties": ["a"]}, {"required": "a"}),
    ({"type": "object", "$schema": []}, {"type": "object", "$ref": 3}),
    (_nested(30), _nested(31)),
    (_nested(900), _nested(901)),
    (_doubling(5), _doubling(4)),
    ({"$ref": "#"}, {"$ref": "#", "type": "object"}),
    (_field(**{"$ref": "#"}), {**_field(**{"$ref": "#"}), "minProperties": 2}),
    (_field(type="string", minLength=10**9), _field(type="string", minLength=10**9 + 1)),
    (_field(type="array", minItems=10**9), _field(type="array", minItems=10**9 + 1)),
    ({"minProperties": 10**9}, {"minProperties": 10**9 + 1}),
    (_field(pattern="^(a+)+$"), _field(pattern="^(a+)+b$")),
    (_field(pattern="(x+x+)+y"), _field(pattern="(.*.*.*.*.*.*)*z")),
    (_field(pattern="a?" * 200 + "a" * 200), _field(pattern="b?" * 200)),
    (_field(pattern="(" * 900 + ")" * 900), _field(pattern="[")),
    ({"patternProperties": {"^(a+)+$": {}}}, {"patternProperties": {"^(a+)+$": False}}),
    (_field(maximum=10**4000), _field(maximum=float("inf"))),
    (_field(multipleOf=1e-300, maximum=1e308), _field(multipleOf=1e-300, maximum=1e307)),
    (_field(enum=list(range(4000))), _field(enum=list(range(3999)))),
    ({"properties": {"\ud800": {}}}, {"properties": {"\ud800": False}}),
    ({**_field(**{"$ref": f"#/allOf/{_ENDLESS}"}), "allOf": [{}]}, _field(type="string")),
    (
        _field(type=["array", "object"], properties={_ENDLESS: {"type": "string"}}),
        _field(type=["array", "object"], properties={_ENDLESS: {"type": "integer"}}),
    ),
    (
        {"properties": {f"f{n}": {"$ref": "#"} for n in range(20)}},
        {"properties": {f"f{n}": {"$ref": "#"} for n in range(20)}, "maxProperties": 19},
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("old, new", _HOSTILE, ids=range(len(_HOSTILE)))
def test_a_hostile_schema_neither_raises_nor_takes_long(old: object, new: object) -> None:
    begun = time.process_time()
    there, back = compare(old, new), compare(new, old)
    assert time.process_time() - begun < 30
    assert [there, back] == [compare(old, new), compare(new, old)]


_NO_SCHEMA: list[object] = [["a"], 3, "x", None, True, {"a": 3}, {"a": ["b", 3]}]
_RULES = (
    *("properties", "required", "patternProperties", "additionalProperties", "propertyNames"),
    *("dependencies", "dependentRequired", "minProperties", "type", "enum", "$ref", "anyOf", "if"),
    *("items", "prefixItems", "contains", "minItems", "pattern", "format", "minLength", "not"),
)


@pytest.mark.parametrize("rule", _RULES)
def test_what_a_reference_leads_to_in_data_may_be_anything(rule: str) -> None:
    plain = _field(type="string")
    for held in _NO_SCHEMA:
        for kept in ({"x-kept": {"B": {rule: held}}}, {"x-kept": {"B": {}, rule: {rule: held}}}):
            steps = [{"$ref": f"#/x-kept/{name}"} for name in kept["x-kept"]]
            odd = {**_field(allOf=steps), **kept}
            for old, new in ((odd, plain), (plain, odd)):
                assert isinstance(compare(old, new), Verdict)
