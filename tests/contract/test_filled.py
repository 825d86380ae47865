"""A field that is required and has a default breaks no call of a server that fills it in, and anything else still does."""

from __future__ import annotations

from typing import Any

import pytest

from econome.contract.drift import drift
from econome.contract.filled import filled_in, loosened
from econome.contract.lockfile import Lock
from tests.contract.bodies import of_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

OLD: dict[str, Any] = {"properties": {"l": {"enum": ["a"]}, "m": {"enum": [1, 2]}}}


def new(**said: Any) -> dict[str, Any]:
    return {"properties": {**OLD["properties"], "l": {"enum": ["a"], "default": "a"}, **said}}


@pytest.mark.parametrize(
    "schema, expected",
    [
        ({**new(), "required": ["l"]}, [("RISKY", {})]),
        ({**new(m={"enum": [1]}), "required": ["l"]}, [("BREAKING", {"m": 2}), ("RISKY", {})]),
        ({**new(l={"enum": ["a"], "default": "b"}), "required": ["l"]}, [("BREAKING", {})]),
        ({**new(), "required": ["l", "m"]}, [("BREAKING", {}), ("BREAKING", {})]),
        ({**new(m={"enum": [1, 2], "default": 2}), "required": ["l", "m"]}, [("RISKY", {})]),
        ({**new(m={"enum": [1, 2, False], "default": False}), "required": ["m"]},
         [("RISKY", {}), ("SAFE", {"m": False})]),
        ({"$defs": {"L": {"enum": ["a"], "default": "a"}}, **new(l={"$ref": "#/$defs/L"}), "required": ["l"]},
         [("RISKY", {})]),
    ],
)  # fmt: skip
def test_a_call_without_a_field_that_has_a_default_is_unproven_and_no_more(
    schema: dict[str, Any], expected: list[tuple[str, Any]]
) -> None:
    before, after = (Lock("t", {"s": of_tools({"t": tool(one)})}) for one in (OLD, schema))
    found = [one for one in drift(before, after).findings if one.witness is not None]
    assert [(one.severity, one.witness) for one in found] == expected


def test_the_reason_names_every_field_that_a_server_would_have_to_fill_in() -> None:
    schema = {**new(m={"enum": [1, 2], "default": 2}), "required": ["l", "m"]}
    before, after = (Lock("t", {"s": of_tools({"t": tool(one)})}) for one in (OLD, schema))
    found = drift(before, after).findings[0]
    assert (found.kind, found.where, found.text) == (
        "call-unproven",
        "/inputSchema/properties/l",
        "`l`, `m` are now required and have defaults, which the server may fill in.",
    )


def test_defaults_are_filled_in_inside_fields_and_items_and_behind_references() -> None:
    inner = {"properties": {"l": {"default": 3}}, "required": ["l"]}
    schema = {
        "$defs": {"O": inner},
        "properties": {"o": {"$ref": "#/$defs/O"}, "p": {"items": {"allOf": [inner]}}},
    }
    assert filled_in(schema, {"o": {}, "p": [{"l": 1}, {}]}) == ("/o/l", "/p/1/l")
    assert filled_in(schema, {"o": {"l": 1}}) == ()
    loose = loosened(schema)
    assert loose["$defs"]["O"]["required"] == []
    assert loose["properties"]["p"]["items"]["allOf"][0]["required"] == []


@pytest.mark.parametrize("odd", [None, 1, [], {"required": 1}, {"required": [1, {}]}, {"$ref": "#"}])  # fmt: skip
def test_an_odd_schema_has_nothing_to_fill_in(odd: Any) -> None:
    assert filled_in(odd, {}) == ()
    assert loosened(loosened(odd)) == loosened(odd)
