"""The static class of a tool: told by types, moved by limits and caps, and never a reason to fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.static import (
    CLASSES,
    FieldsProfile,
    StaticClass,
    classify,
    fields_profile,
    risk_of,
    server_advice,
    server_class,
    static_class,
)
from econome.lean.limits import limited
from tests.contract.shaped import TEXT, Schema, answering, record, rows
from tests.requirements import requirement

_NAMES = ("id", "name", "email", "address")
_LIMIT = "set a limit: nothing bounds the rows of an answer"


@requirement("L14", "LC18")
@pytest.mark.parametrize(
    ("unbounded", "fields", "name"),
    [
        (True, 11, "critical"),
        (True, 10, "high"),
        (False, 21, "medium"),
        (False, 20, "low"),
        (True, 0, "high"),
        (False, 0, "low"),
    ],
)
def test_the_class_changes_at_these_edges(unbounded: bool, fields: int, name: str) -> None:
    assert classify(unbounded, fields) == name


@requirement("L14", "LC17")
@pytest.mark.parametrize(
    ("limit", "max_bytes", "profile"),
    [
        (50, None, FieldsProfile(30, 50, 1_550, True, "medium", ())),
        (None, None, FieldsProfile(30, 50, 3_000, False, "medium", (_LIMIT,))),
        (50, 10_000, FieldsProfile(30, 50, 1_550, True, "medium", ())),
        (100, 10_000, FieldsProfile(30, 50, 2_858, True, "medium", ())),
    ],
)
def test_four_fields_are_estimated_so(
    limit: int | None, max_bytes: int | None, profile: FieldsProfile
) -> None:
    assert fields_profile(_NAMES, limit, max_bytes) == profile


@requirement("LC17")
def test_advice_comes_in_one_order_and_knows_collections_from_its_caller() -> None:
    names = [f"field_{at}" for at in range(16)]
    assert fields_profile(names, collections=("field_3",)).advice == (
        _LIMIT,
        "cap the bytes of an answer",
        "field_3 may flood the context: give it a limit",
        "answer with fewer fields, or offer a selection: there are 16",
    )
    assert fields_profile(["tags", "list"], 10).advice == ()


@requirement("L14")
@pytest.mark.parametrize(
    ("tokens", "risk"),
    [(1_000, "low"), (1_001, "medium"), (4_000, "medium"), (4_001, "high"), (8_001, "critical")],
)
def test_a_threshold_is_the_most_that_its_class_holds(tokens: int, risk: str) -> None:
    assert risk_of(tokens) == risk


@requirement("L14", "LC18")
def test_a_limit_moves_a_list_of_eleven_fields_from_critical_to_low_and_so_does_a_cap() -> None:
    tool = answering(rows(record(11)))
    assert static_class(tool) == StaticClass(
        name="critical",
        fields=11,
        collections=("",),
        bounded=False,
        reason="a list of records with 11 fields and no limit",
        min_tokens=97,
        max_tokens=7_700,
        advice=(_LIMIT, "cap the bytes of an answer"),
    )
    assert static_class(tool, limit=50) == StaticClass(
        "low", 11, (), True, "a list of records with 11 fields, at most 50 of them", 97, 3_900
    )
    capped = static_class(tool, max_bytes=2_000)
    assert (capped.name, capped.max_tokens) == ("low", 572)
    assert static_class(tool, limit=50, max_bytes=2_000).max_tokens == 572


@requirement("L14", "LC17")
@pytest.mark.parametrize(
    ("properties", "collections"),
    [
        ({"tags": TEXT, "specialist": TEXT, "class": TEXT, "status": TEXT}, ()),
        ({"tags": rows(TEXT)}, ("/tags",)),
        ({"thing": rows(record(2))}, ("/thing",)),
        ({"thing": {"type": ["array", "null"], "items": TEXT}}, ("/thing",)),
        ({"thing": {"anyOf": [{"type": "null"}, rows(TEXT)]}}, ("/thing",)),
        ({"thing": {"allOf": [rows(TEXT), {"maxItems": 3}]}}, ()),
        ({"thing": {"$ref": "#/$defs/Rows", "maxItems": 3}}, ()),
        ({"thing": {"$ref": "#/$defs/Rows"}}, ("/thing",)),
        ({"thing": {"$ref": "#/$defs/none"}}, ()),
        ({"thing": rows(TEXT, maxItems=9)}, ()),
        ({"thing": {"items": TEXT}}, ("/thing",)),
        ({"thing": {"type": "array"}}, ("/thing",)),
        ({"pair": {"type": "array", "prefixItems": [TEXT, TEXT]}}, ()),
        ({"pair": {"type": "array", "prefixItems": [TEXT], "items": False}}, ()),
        ({"pair": {"type": "array", "prefixItems": [TEXT], "items": TEXT}}, ("/pair",)),
        ({"pair": {"type": "array", "items": [TEXT, TEXT]}}, ()),
        ({"by": {"type": "object", "additionalProperties": record(2)}}, ("/by",)),
        ({"by": {"type": "object", "patternProperties": {"^a": record(2)}}}, ("/by",)),
        ({"by": {"additionalProperties": record(2), "maxProperties": 4}}, ()),
        ({"by": {"type": "object", "additionalProperties": TEXT}}, ()),
        ({"by": {"type": "object", "additionalProperties": rows(TEXT)}}, ("/by/*",)),
        ({"a/b": rows(record(1, kids=rows(TEXT)))}, ("/a~1b", "/a~1b/*/kids")),
        ({"days": rows({"enum": ["mo", "tu"]}, uniqueItems=True)}, ()),
        ({"fixed": {"type": "array", "const": [1, 2]}}, ()),
        ({"thing": {"$ref": "#rows"}}, ("/thing",)),
        ({"thing": {"$dynamicRef": "#rows"}}, ("/thing",)),
        ({"thing": {"$ref": "urn:rows"}}, ("/thing",)),
        ({"thing": {"$ref": "urn:rows#/items"}}, ()),
        ({"thing": {"$ref": "#/%24defs/Rows"}}, ("/thing",)),
        ({"thing": {"$ref": "#/$defs/all%20of%2Fit%C3%A9"}}, ("/thing",)),
        ({"thing": {"$ref": "#/$defs/all%20of~1it%C3%A9"}}, ("/thing",)),
        ({"thing": {"$ref": "#%2F$defs%2FRows"}}, ("/thing",)),
        ({"thing": {"$ref": "#/allOf/" + "9" * 5_000}}, ()),
        ({"thing": {"unevaluatedItems": TEXT}}, ("/thing",)),
        ({"thing": {"contains": TEXT}}, ("/thing",)),
        ({"pair": {"prefixItems": [TEXT], "unevaluatedItems": False}}, ()),
        ({"by": {"type": "object", "unevaluatedProperties": record(2)}}, ("/by",)),
        ({"by": {"dependentSchemas": {"a": record(1, thing=rows(TEXT))}}}, ("/by/thing",)),
        ({"by": {"dependencies": {"a": record(1, thing=rows(TEXT)), "b": ["a"]}}}, ("/by/thing",)),
        ({"by": {"if": record(1), "then": record(1, a=rows(TEXT)), "else": rows(TEXT)}}, ("/by", "/by/a")),
        ({"by": {"if": record(1, a=rows(TEXT)), "then": True}}, ("/by/a",)),
        ({"by": rows({"then": record(1)})}, ("/by",)),
    ],
)  # fmt: skip
def test_types_and_not_names_say_what_is_a_collection(
    properties: Schema, collections: tuple[str, ...]
) -> None:
    named = {"$anchor": "rows", "$dynamicAnchor": "rows", "$id": "urn:rows"}
    parts = {"Rows": rows(TEXT), "all of/ité": rows(TEXT), "named": {**rows(TEXT), **named}}
    schema = {"type": "object", "properties": properties, "$defs": parts}
    assert static_class(answering(schema)).collections == collections


@requirement("L14")
@pytest.mark.parametrize(
    ("schema", "fields"),
    [
        (record(3), 3),
        (rows(record(3)), 3),
        ({"type": "object", "properties": {"result": rows(record(3))}}, 3),
        ({"type": "object", "properties": {"items": rows(record(3))}}, 3),
        (record(1, client=record(2)), 3),
        (record(1, tags=rows(TEXT)), 2),
        ({"anyOf": [record(2), record(3)]}, 3),
        ({"type": "object", "additionalProperties": record(2)}, 2),
        (record(0, same={"anyOf": [TEXT, record(2)]}), 2),
        ({"$ref": "#/$defs/Node", "$defs": {"Node": record(1, kids=rows({"$ref": "#/$defs/Node"}))}}, 2),
        (record(1, kids=rows({"$ref": "#"})), 2),
        ({"type": "object"}, 0),
        (rows(TEXT), 0),
    ],
)  # fmt: skip
def test_fields_are_the_named_ones_that_hold_values(schema: Schema, fields: int) -> None:
    assert static_class(answering(schema)).fields == fields


@requirement("L14")
def test_of_a_tool_without_an_output_schema_nothing_is_known() -> None:
    unknown = StaticClass(
        "low",
        0,
        (),
        True,
        "no output schema, so nothing is known of its answers: profile recorded calls to see what they weigh",
        None,
        None,
    )
    assert static_class({"name": "get"}) == unknown
    assert static_class({"name": "get", "outputSchema": None}, limit=5) == unknown
    vague = static_class(answering({"type": "object"}))
    assert (vague.name, vague.min_tokens, vague.max_tokens) == ("low", None, None)
    assert "names no fields" in vague.reason


@requirement("L14")
def test_a_limit_bounds_what_it_would_cut_and_leaves_the_rest_unbounded() -> None:
    page = record(0, items=rows(record(3)), tags=rows(TEXT), owner=record(1, books=rows(record(1))))
    assert static_class(answering(page), limit=9).collections == ("/tags",)
    assert static_class(answering(page), limit=9, rows="tags").collections == (
        "/items",
        "/owner/books",
    )
    assert static_class(answering(page), limit=9, rows="none").collections == (
        "/items",
        "/owner/books",
        "/tags",
    )
    nested = record(0, result=rows(record(1, tags=rows(TEXT))))
    assert static_class(answering(nested), limit=9).collections == ("/result/*/tags",)
    assert static_class(answering(record(1, tags=rows(TEXT))), limit=9).collections == ()


_PARTS = st.recursive(
    st.sampled_from([TEXT, {"type": "integer"}]),
    lambda inner: st.one_of(
        st.builds(rows, inner),
        st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=3).map(
            lambda fields: {"type": "object", "properties": fields}
        ),
    ),
    max_leaves=8,
)


def _answer(schema: Schema, many: int) -> Any:
    """Return an answer of that schema whose lists have *many* rows each."""
    if schema["type"] == "array":
        return [_answer(schema["items"], many)] * many
    if schema["type"] == "object":
        return {name: _answer(part, many) for name, part in schema["properties"].items()}
    return "x"


def _longest(value: Any, place: str = "") -> dict[str, int]:
    found: dict[str, int] = {}
    if isinstance(value, list):
        found[place] = len(value)
        for row in value[:1]:
            found |= _longest(row, f"{place}/*")
    if isinstance(value, dict):
        for name, part in value.items():
            found |= _longest(part, f"{place}/{name}")
    return found


@requirement("L14")
@given(_PARTS)
def test_what_counts_as_bounded_is_cut_by_the_limit(schema: Schema) -> None:
    cut, _ = limited(_answer(schema, 7), 3)
    free = set(static_class(answering(schema), limit=3).collections)
    over = {place for place, many in _longest(cut).items() if many > 3}
    assert over <= free


@requirement("L14")
@given(_PARTS)
def test_a_limit_or_a_cap_never_makes_a_class_worse(schema: Schema) -> None:
    tool = answering(schema)
    bare, limit, cap = (
        static_class(tool),
        static_class(tool, limit=3),
        static_class(tool, max_bytes=9),
    )
    ranks = [CLASSES.index(one.name) for one in (bare, limit, cap)]
    assert ranks == [ranks[0], min(ranks[:2]), min(ranks[0], ranks[2])]
    assert cap.bounded
    assert cap.collections == ()


_ODD = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4),
        st.sampled_from(["array", "object", "#", "#/$defs/a", "#/properties/a", "#//", "http://x", "#a", "a#/a", "#%2F%FF"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["type", "items", "properties", "$ref", "$defs", "a", "anyOf", "allOf", "enum", "maxItems",
                 "prefixItems", "additionalProperties", "$anchor", "$id", "if", "dependentSchemas", "contains",
                 "unevaluatedItems", "unevaluatedProperties", "patternProperties", "then", "maxProperties", "uniqueItems"]
            ),
            inner, max_size=5,
        ),
    ),
    max_leaves=25,
)  # fmt: skip


@requirement("L14")
@given(_ODD)
def test_no_schema_is_too_odd_to_be_classed(schema: Any) -> None:
    one = static_class(answering(schema), limit=2, rows="a.b")
    assert one.name in CLASSES
    assert one.reason
    assert one.bounded is not bool(one.collections)
    assert (one.min_tokens or 0) <= (one.max_tokens or 0)


@requirement("L14")
def test_a_schema_that_unfolds_without_end_or_very_deep_is_looked_through_in_part() -> None:
    deep: Schema = TEXT
    for _ in range(3_000):
        deep = {"allOf": [deep]}
    assert static_class(answering(deep)).name == "low"
    doubling = {
        f"D{at}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/D{at + 1}"} for side in "ab"}}
        for at in range(30)
    }  # fmt: skip
    wide = static_class(answering({"$ref": "#/$defs/D0", "$defs": doubling}))
    assert wide.name == "medium"
    assert wide.reason.endswith(", as far as it was looked through")


@requirement("L14")
@given(_PARTS, st.randoms())
def test_the_order_of_a_schema_changes_nothing(schema: Schema, dice: Any) -> None:
    def shuffled(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        keys = list(value)
        dice.shuffle(keys)
        return {key: shuffled(value[key]) for key in keys}

    assert static_class(answering(shuffled(schema))) == static_class(answering(schema))
    assert static_class(json.loads(json.dumps(answering(schema)))) == static_class(
        answering(schema)
    )


@requirement("L14")
def test_a_server_is_as_bad_as_its_worst_tool_and_is_advised_on_that_first() -> None:
    tools = {
        "all": static_class(answering(rows(record(11)))),
        "few": static_class(answering(rows(record(2)))),
        "wide": static_class(answering(record(21))),
    }
    assert server_class(tools.values()) == "critical"
    assert server_class([tools["few"], tools["wide"]]) == "high"
    assert server_class([tools["wide"]]) == "medium"
    assert server_class([]) == "low"
    assert server_advice(tools) == (
        f"[all] {_LIMIT}",
        "[all] cap the bytes of an answer",
        f"[few] {_LIMIT}",
        "[few] cap the bytes of an answer",
    )
