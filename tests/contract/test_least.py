"""The least call of a schema is accepted by it and has nothing that need not be there; where none was found, none is given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from econome.contract.least import least_call, least_use
from tests.brief import examples
from tests.contract.drawn import base_schemas
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")


@pytest.mark.parametrize(
    "schema, call",
    [
        (None, {}),
        ({"type": "object"}, {}),
        ({"type": "object", "properties": {"q": {"type": "string"}}}, {}),
        ({"properties": {"q": {"type": "string"}}, "required": ["q"]}, {"q": "a"}),
        ({"properties": {"n": {"minimum": 3, "type": "integer"}}, "required": ["n"]}, {"n": 3}),
        ({"properties": {"m": {"enum": ["x", "y"]}, "k": {}}, "required": ["m"]}, {"m": "x"}),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": "a"}),
        (False, None),
        ({"type": "array"}, None),
        ("no schema", None),
        ({"required": ["q"], "properties": {"q": False}}, None),
    ],
)
def test_the_least_call_of_a_schema_is_made(schema: Any, call: dict[str, Any] | None) -> None:
    assert least_call(schema) == call


@pytest.mark.slow
@given(base_schemas())
@settings(max_examples=examples(60))
def test_whatever_the_schema_its_least_call_is_accepted(schema: dict[str, Any]) -> None:
    call = least_call(schema)
    assert call is None or Draft202012Validator(schema).is_valid(call)


@pytest.mark.parametrize(
    "subject, name, entry, use",
    [
        ("resource", "file:///a", {}, {"uri": "file:///a"}),
        ("template", "file:///{dir}/{+path}", {}, {"uri": "file:///a/a"}),
        ("prompt", "p", {}, {}),
        (
            "prompt",
            "p",
            {"arguments": [{"name": "x", "required": True}, {"name": "y"}]},
            {"x": "a"},
        ),
        ("prompt", "p", {"arguments": [7, {"required": True}]}, {}),
        ("prompt", "p", {"arguments": "x"}, None),
    ],
)
def test_the_least_use_of_what_is_no_tool_is_what_has_to_be_given(
    subject: str, name: str, entry: Any, use: dict[str, Any] | None
) -> None:
    assert least_use(subject, name, entry) == use
