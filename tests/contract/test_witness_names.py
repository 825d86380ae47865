"""Names that no schema lists as a field and that calls may give all the same: a changed rule for one is found, or said to be open."""

from __future__ import annotations

from typing import Any, Final

import pytest

from econome.contract.about import About
from econome.contract.drift_schemas import input_drift
from econome.contract.patterns import denied, matching
from econome.contract.witness import compare
from tests.contract.drawn import accepts
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}
EITHER: Final = {"type": ["integer", "string"]}
YES: Final = {"type": "boolean"}
MAP: Final = {"type": "object"}
MODEL: Final = {"type": "object", "properties": {"a": WHOLE}}
B: Final = {"properties": {"b": TEXT}}
THREE: Final = {"properties": {"a": YES, "b": YES, "c": YES}}
NOT_THESE: Final = {
    "properties": {"a": {"const": True}, "b": {"const": False}, "c": {"const": True}}
}


def under_x(schema: Any) -> dict[str, Any]:
    return {"properties": {"x": schema}}


@pytest.mark.parametrize(
    "rest", [{}, {"additionalProperties": TEXT}, {"additionalProperties": True}]
)
@pytest.mark.parametrize(
    "more",
    [
        {"dependentRequired": {"a": ["b"]}},
        {"dependentSchemas": {"a": {"required": ["b"]}}},
        {"not": {"required": ["a"]}},
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
        {"patternProperties": {"^a": WHOLE}},
    ],
)
def test_a_name_that_a_new_rule_mentions_is_tried(more: Any, rest: Any) -> None:
    refused({**B, **rest}, {**B, **rest, **more})


@pytest.mark.parametrize(
    "old, new",
    [
        (MAP, MODEL),
        ({**MAP, "additionalProperties": True}, MODEL),
        ({}, {"properties": {"a": WHOLE}}),
        ({"type": "array", "items": MAP}, {"type": "array", "items": MODEL}),
        ({"anyOf": [MAP, {"type": "null"}]}, {"anyOf": [MODEL, {"type": "null"}]}),
    ],
)
def test_a_map_of_anything_that_becomes_a_model_refuses_calls(old: Any, new: Any) -> None:
    refused(under_x(old), under_x(new))


@pytest.mark.parametrize(
    "old, name, part",
    [
        ({"propertyNames": {"enum": ["a", "b"]}}, "a", WHOLE),
        ({"patternProperties": {"^x-": {}}, "additionalProperties": False}, "x-id", WHOLE),
        ({"propertyNames": {"pattern": "^[ab]"}}, "b", WHOLE),
        ({"minProperties": 1}, "a", WHOLE),
        ({"dependentRequired": {"a": ["b"]}}, "b", WHOLE),
        ({**B, "additionalProperties": True}, "a", WHOLE),
        ({**B, "unevaluatedProperties": {}}, "a", WHOLE),
        (B, "a", False),
        (MAP, "a", False),
    ],
)
def test_a_field_that_was_admitted_by_name_or_expressly_is_not_told_as_added(
    old: Any, name: str, part: Any
) -> None:
    refused(old, {**old, "properties": {**old.get("properties", {}), name: part}})


@pytest.mark.parametrize(
    "old",
    [B, MAP, {"properties": {}}, {**B, "additionalProperties": False}, {**B, "required": ["b"]}],
)
def test_an_optional_field_beside_others_or_for_a_tool_without_arguments_breaks_nothing(
    old: Any,
) -> None:
    new = {**old, "properties": {**old.get("properties", {}), "a": WHOLE}}
    assert [compare(old, new), compare(under_x({**B, **old}), under_x({**B, **new}))] == [
        verdict_of_added(old, new, "/a"),
        verdict_of_added(under_x({**B, **old}), under_x({**B, **new}), "/x/a"),
    ]


@pytest.mark.parametrize(
    "old, new",
    [
        ({"^(?=b)[a-z]*z$": EITHER}, {"^(?=b)[a-z]*z$": TEXT}),
        ({"^a": EITHER}, {"^a": TEXT}),
        ({"^[0-9]+$": EITHER, "^b": TEXT}, {"^[0-9]+$": TEXT, "^b": TEXT}),
    ],
)
def test_names_that_a_pattern_matches_are_tried_beside_one_that_is_forbidden(
    old: Any, new: Any
) -> None:
    none = {"properties": {"a": False}}
    refused({**none, "patternProperties": old}, {**none, "patternProperties": new})


def test_a_changed_rule_for_names_that_none_is_found_of_is_not_told_as_the_same() -> None:
    pattern = "^(?=[^q]*q)(?=[^z]*z)[a-z]{2}$"
    assert matching(pattern) == ()
    found = compare(
        {"patternProperties": {pattern: EITHER}}, {"patternProperties": {pattern: TEXT}}
    )
    assert (found.refused, found.proven) == (None, False)
    assert pattern in found.unproven


def test_a_change_where_no_valid_call_comes_is_not_told_as_the_same() -> None:
    never = {"not": {"required": ["a"]}}
    found = compare(
        {"properties": {"a": EITHER, "b": TEXT}, **never},
        {"properties": {"a": TEXT, "b": TEXT}, **never},
    )
    assert (found.refused, found.proven) == (None, False)
    assert "/a" in found.unproven


@pytest.mark.parametrize(
    "old, more",
    [
        (THREE, {"not": {**NOT_THESE, "required": ["a", "b", "c"]}}),
        ({**THREE, "required": ["a", "b", "c"]}, {"not": NOT_THESE}),
        ({"properties": {"a": TEXT, "b": TEXT, "c": TEXT}, "maxProperties": 2}, {"not": {"required": ["b", "c"]}}),
    ],
)  # fmt: skip
def test_one_forbidden_combination_of_few_values_is_found(old: Any, more: Any) -> None:
    refused(old, {**old, **more})


@pytest.mark.parametrize(
    "old, value",
    [
        ({}, {"const": "ab"}),
        (TEXT, {"pattern": "^adm"}),
        (WHOLE, {"minimum": 77, "maximum": 77}),
    ],
)
def test_a_value_that_is_newly_denied_or_no_longer_is_found(old: Any, value: Any) -> None:
    refused(under_x(old), under_x({**old, "not": value}))
    assert compare(under_x({**old, "not": value}), under_x(old)).wider is not None


@pytest.mark.parametrize(
    "old", [{}, {"contains": {"const": "z"}, "maxContains": 3}, {"items": TEXT, "minItems": 2}]
)
def test_one_item_more_than_may_be_held_now_is_tried(old: Any) -> None:
    new = {"contains": {"const": "z"}, "minContains": 0, "maxContains": 2}
    old = {"type": "array", **old}
    refused(under_x(old), under_x({**old, **new}))


@pytest.mark.parametrize(
    "old, new", [("", "^(?!admin)"), ("^[a-z]+$", "^(?!admin|root)[a-z]+$"), ("", "(?<!x)y$")]
)
def test_what_a_pattern_newly_denies_is_tried(old: str, new: str) -> None:
    assert denied(new)
    refused(under_x({**TEXT, "pattern": old}), under_x({**TEXT, "pattern": new}))


def test_where_nothing_is_proven_nothing_is_told_to_go_on_as_before() -> None:
    old = under_x({**TEXT, "format": "date"})
    for new in (
        under_x({"type": ["string", "null"], "format": "time"}),
        {"properties": {"x": {**TEXT, "format": "time"}, "y": TEXT}},
    ):
        told = list(input_drift(About("s", "tool", "t"), old, new))
        assert [one.kind for one in told] == ["call-unproven"]
        assert "as before" not in told[0].text


@pytest.mark.parametrize(
    "old, more, where, reason",
    [
        ({"additionalProperties": TEXT}, {"propertyNames": {"maxLength": 3}}, "", 'a name of a field may no longer be longer than 3 characters: "note"'),
        (B, {"unevaluatedProperties": WHOLE}, "/note", '`note`, which it does not name, no longer takes "a"'),
        (B, {"unevaluatedProperties": False}, "/note", "arguments it does not name are refused now: `note`"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_name_is_about_the_name(
    old: Any, more: Any, where: str, reason: str
) -> None:
    found = compare(old, {**old, **more})
    assert (found.where, found.reason) == (where, reason)


@pytest.mark.parametrize(
    "keyword, how", [("Minimum", "must now be above 0"), ("Maximum", "must now be below 0")]
)
def test_a_bound_that_an_older_dialect_calls_exclusive_is_told_as_one(
    keyword: str, how: str
) -> None:
    dialect: Any = {"$schema": "http://json-schema.org/draft-04/schema#"}
    bound: Any = {**WHOLE, keyword.lower(): 0}
    found = compare(
        {**dialect, **under_x(bound)},
        {**dialect, **under_x({**bound, f"exclusive{keyword}": True})},
    )
    assert (found.refused, found.reason) == ({"x": 0}, f"`x` {how}")


def refused(old: Any, new: Any) -> None:
    found = compare(old, new)
    assert found.refused is not None
    assert accepts(old, found.refused)
    assert not accepts(new, found.refused)


def verdict_of_added(old: Any, new: Any, field: str) -> Any:
    found = compare(old, new)
    assert (found.refused, found.proven, found.added) == (None, True, (field,))
    return found


def test_a_part_that_is_inside_itself_adds_no_field_where_it_is_written_out_once() -> None:
    part: Any = {"type": "object", "properties": {"c": {"$ref": "#/$defs/n"}}}
    defs: Any = {"$defs": {"n": part}}
    old = {**under_x({"$ref": "#/$defs/n"}), **defs}
    new = {**under_x(part), **defs}
    for some, others in ((old, new), (new, old)):
        found = compare(some, others)
        assert (found.added, found.dropped, found.proven) == ((), (), True)
    added = {**old, "$defs": {"n": {"properties": {**part["properties"], "d": TEXT}}}}
    assert compare(old, added).added == ("/x/d",)
