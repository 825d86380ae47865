"""The schema diet: what is left accepts exactly the same, says the same, and is never larger."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, SchemaError
from jsonschema.validators import validator_for

from econome.lean.schemas import compact, diet, same_dialect, says_nothing
from tests.lean.notation_reader import normal
from tests.lean.schemas import arguments_for, count, schemas, values
from tests.requirements import requirement

pytestmark = requirement("L3")

Schema = dict[str, Any]

_DIALECTS = [
    None,
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
]
_BOUND: list[Schema] = [
    {"items": [{"type": "string"}], "additionalItems": False},
    {"prefixItems": [{"type": "string"}], "items": False},
    {"dependencies": {"a": ["b"], "b": {"required": ["c"]}}},
    {"dependentRequired": {"a": ["b"]}},
    {"exclusiveMinimum": True, "minimum": 1},
    {"contains": {"type": "string"}, "minContains": 2},
    {"unevaluatedProperties": False},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
    {"$ref": "#/$defs/Kept", "maxProperties": 1},
    {"const": "x"},
    {"propertyNames": {"maxLength": 1}},
]
"""What dialects read differently, or not at all."""


def _accepts(schema: Schema, arguments: object) -> bool:
    judge = validator_for(schema, default=Draft202012Validator)
    return bool(judge(schema).is_valid(arguments))


def _is_schema(schema: Schema) -> bool:
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError:
        return False
    return True


@given(st.data())
def test_a_diet_accepts_exactly_the_same_calls(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    thin = diet(schema, name="a_tool", count=count)
    for _ in range(3):
        arguments = data.draw(arguments_for(schema))
        assert _accepts(thin, arguments) == _accepts(schema, arguments)


@given(st.data())
def test_a_diet_keeps_what_dialects_read_differently(data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(_BOUND))
    inner: Schema = {
        "properties": {"a": {"type": "string", "title": "A"}, "b": part},
        "additionalProperties": data.draw(st.sampled_from([True, False, {}])),
    }
    schema: Schema = {"type": "object", **data.draw(st.sampled_from([inner, {**inner, **part}]))}
    schema["$defs"] = {"Kept": {"minProperties": 1, "additionalProperties": True}}
    dialect = data.draw(st.sampled_from(_DIALECTS))
    if dialect is not None:
        schema["$schema"] = dialect
    assume(_is_schema(schema))
    thin = diet(schema, name="a_tool", count=count)
    fields = st.dictionaries(st.sampled_from(["a", "b", "c", "dd"]), values, max_size=3)
    for _ in range(3):
        arguments = data.draw(fields)
        assert _accepts(thin, arguments) == _accepts(schema, arguments)


@given(schemas())
def test_a_diet_says_the_same_and_is_never_larger(schema: Schema) -> None:
    thin = diet(schema, name="a_tool")
    before = normal(schema, "a_tool")
    if "$schema" not in thin:
        before.pop("$schema", None)
    assert normal(thin, "a_tool") == before
    assert len(compact(thin)) <= len(compact(schema))


def test_what_says_nothing_goes_and_what_says_something_stays() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "get_invoiceArguments",
        "type": "object",
        "properties": {
            "invoice_id": {"title": "Invoice Id", "type": "string"},
            "mode": {"title": "How to round", "type": "string", "default": "up"},
            "title": {
                "title": "Title",
                "type": "object",
                "additionalProperties": True,
                "required": [],
            },
            "data": {"default": {"title": "Data"}, "enum": [{"title": "Data"}]},
        },
        "required": ["invoice_id"],
        "additionalProperties": False,
    }
    assert diet(schema, name="get_invoice") == {
        "type": "object",
        "properties": {
            "invoice_id": {"type": "string"},
            "mode": {"title": "How to round", "type": "string", "default": "up"},
            "title": {"type": "object"},
            "data": {"default": {"title": "Data"}, "enum": [{"title": "Data"}]},
        },
        "required": ["invoice_id"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "part, says",
    [
        ({"type": ["integer", "null"], "default": None}, False),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, False),
        ({"type": "integer", "default": None}, True),
        ({"default": None}, True),
        ({"type": ["integer", "null"], "default": 0}, True),
        ({"type": "boolean", "default": False}, True),
        ({"type": "string", "default": ""}, True),
        ({"type": "array", "default": []}, True),
    ],
)
def test_only_a_default_of_null_where_null_may_be_given_says_nothing(
    part: Schema, says: bool
) -> None:
    silent = {key: value for key, value in part.items() if key != "default"}
    schema = {"type": "object", "properties": {"a": part, "b": {"items": part}}}
    kept = part if says else silent
    assert diet(schema) == {"type": "object", "properties": {"a": kept, "b": {"items": kept}}}


def test_a_part_that_stands_several_times_is_written_once() -> None:
    address = {
        "type": "object",
        "properties": {
            "street": {"type": "string", "description": "Street and number"},
            "city": {"type": "string"},
        },
        "required": ["street"],
    }
    schema = {
        "type": "object",
        "properties": {
            "from": address,
            "to": address,
            "others": {"type": "array", "items": address},
        },
    }
    assert diet(schema, count=count) == {
        "type": "object",
        "properties": {
            "from": {"$ref": "#/$defs/d1"},
            "to": {"$ref": "#/$defs/d1"},
            "others": {"type": "array", "items": {"$ref": "#/$defs/d1"}},
        },
        "$defs": {"d1": address},
    }


@pytest.mark.parametrize(
    "pointer", ["#/properties/from/properties/street", "other.json", "#street"]
)
def test_nothing_moves_from_under_a_reference(pointer: str) -> None:
    street = {"type": "string", "description": "Street and number, as the post office has them"}
    part = {"type": "object", "properties": {"street": street}, "required": ["street"]}
    fields: Schema = {"from": part, "to": part, "by": part}
    assert "$defs" in diet({"type": "object", "properties": fields}, count=count)
    schema = {"type": "object", "properties": {**fields, "again": {"$ref": pointer}}}
    assert diet(schema, count=count) == schema


def test_what_marks_a_field_as_seen_stays_where_unseen_ones_are_judged() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "additionalProperties": True, "unevaluatedProperties": False}
        },
    }
    assert diet(schema) == schema


def test_a_dialect_goes_only_where_it_changes_nothing() -> None:
    draft7 = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}
    assert same_dialect(draft7)
    assert not same_dialect({**draft7, "properties": {"a": {"items": [{}]}}})
    assert not same_dialect({**draft7, "properties": {"a": {"$ref": "#/definitions/a"}}})
    assert not same_dialect({**draft7, "$schema": "http://json-schema.org/draft-04/schema#"})
    assert not same_dialect({"type": "object"})


@pytest.mark.parametrize(
    "title, name, nothing",
    [
        ("Repo Path", "repo_path", True),
        ("statusArguments", "git_status", True),
        ("A path", "path", False),
        ("Unit price in cents", "price", False),
        (3, "path", False),
        ("", "", True),
    ],
)
def test_a_title_that_repeats_the_name_says_nothing(
    title: object, name: str, nothing: bool
) -> None:
    assert says_nothing(title, name) is nothing
