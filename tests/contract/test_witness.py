"""Worked cases: what a change of a tool's schema means for its callers, told with the call that shows it."""

from __future__ import annotations

from typing import Any

import pytest

from econome.contract.witness import Verdict, compare
from tests.contract.drawn import Schema, accepts
from tests.contract.worked import ORDERS, REVIEW, changed
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

_NAME = "properties/filter/properties/name"
_TAGS = "properties/filter/properties/tags"
_FIRST = "properties/comments/items/anyOf"


@pytest.mark.parametrize(
    "schema, path, value, refused, where, reason",
    [
        (ORDERS, "required", ["id", "status"], {"status": "draft"}, "/id", "`id` is now required"),
        (
            ORDERS,
            "properties/status/enum",
            ["open", "paid"],
            {"status": "draft"},
            "/status",
            '`status` no longer takes "draft"',
        ),
        (
            ORDERS,
            "properties/limit/maximum",
            50,
            {"status": "draft", "limit": 51},
            "/limit",
            "`limit` may no longer be above 50",
        ),
        (
            ORDERS,
            "properties/limit/minimum",
            2,
            {"status": "draft", "limit": 1},
            "/limit",
            "`limit` may no longer be below 2",
        ),
        (
            ORDERS,
            "properties/limit/multipleOf",
            10,
            {"status": "draft", "limit": 1},
            "/limit",
            "`limit` must now be a multiple of 10",
        ),
        (
            ORDERS,
            "properties/id/type",
            "integer",
            {"status": "draft", "id": "a"},
            "/id",
            "`id` must be an integer, not a string",
        ),
        (
            ORDERS,
            "properties/id/pattern",
            "^ord_[0-9]+$",
            {"status": "draft", "id": "a"},
            "/id",
            "`id` must now match `^ord_[0-9]+$`",
        ),
        (
            ORDERS,
            "properties/id/const",
            "x",
            {"status": "draft", "id": "a"},
            "/id",
            '`id` no longer takes "a"',
        ),
        (
            ORDERS,
            "properties/since/anyOf/1",
            None,
            {"status": "draft", "since": None},
            "/since",
            "`since` must be a string, not null",
        ),
        (
            ORDERS,
            "additionalProperties",
            False,
            {"status": "draft", "note": "a"},
            "/note",
            "arguments it does not name are refused now: `note`",
        ),
        (
            ORDERS,
            "properties/filter/additionalProperties",
            False,
            {"status": "draft", "filter": {"note": "a"}},
            "/filter/note",
            "`filter` refuses fields it does not name now: `note`",
        ),
        (
            ORDERS,
            "properties/filter/required",
            ["name"],
            {"status": "draft", "filter": {}},
            "/filter/name",
            "`filter.name` is now required",
        ),
        (
            ORDERS,
            f"{_NAME}/maxLength",
            3,
            {"status": "draft", "filter": {"name": "aaaa"}},
            "/filter/name",
            "`filter.name` may no longer be longer than 3 characters",
        ),
        (
            ORDERS,
            f"{_TAGS}/maxItems",
            1,
            {"status": "draft", "filter": {"tags": ["a", "a"]}},
            "/filter/tags",
            "`filter.tags` may no longer have more than 1 item",
        ),
        (
            ORDERS,
            f"{_TAGS}/uniqueItems",
            True,
            {"status": "draft", "filter": {"tags": ["a", "a"]}},
            "/filter/tags",
            "`filter.tags` may no longer repeat an item",
        ),
        (
            ORDERS,
            f"{_TAGS}/items/minLength",
            1,
            {"status": "draft", "filter": {"tags": [""]}},
            "/filter/tags/0",
            "`filter.tags[0]` may no longer be shorter than 1 character",
        ),
        (
            ORDERS,
            "dependentRequired",
            {"id": ["limit"]},
            {"status": "draft", "id": "a"},
            "/limit",
            "`limit` is now required beside `id`",
        ),
        (
            ORDERS,
            "minProperties",
            2,
            {"status": "draft"},
            "",
            "the call must now have at least 2 fields",
        ),
        (
            REVIEW,
            f"{_FIRST}/1",
            None,
            {"pull_number": 1, "event": "APPROVE", "comments": [{"path": "a", "line": 1}]},
            "/comments/0",
            '`comments[0]` no longer takes {"line": 1, "path": "a"}',
        ),
        (
            REVIEW,
            f"{_FIRST}/0/required",
            ["path", "position", "side"],
            {"pull_number": 1, "event": "APPROVE", "comments": [{"path": "a", "position": 1}]},
            "/comments/0/side",
            "`comments[0].side` is now required",
        ),
        (
            REVIEW,
            "properties/pull_number/type",
            "integer",
            {"pull_number": 0.5, "event": "APPROVE"},
            "/pull_number",
            "`pull_number` must be an integer, not 0.5",
        ),
        (
            REVIEW,
            "properties/comments",
            None,
            {"pull_number": 1, "event": "APPROVE", "comments": []},
            "/comments",
            "`comments` is no longer taken",
        ),
    ],
)
def test_a_breaking_change_is_told_with_the_smallest_call(
    schema: Schema, path: str, value: Any, refused: Any, where: str, reason: str
) -> None:
    new = changed(schema, path, value)
    verdict = compare(schema, new)
    assert (verdict.refused, verdict.where, verdict.reason) == (refused, where, reason)
    assert (accepts(schema, refused), accepts(new, refused)) == (True, False)
    assert (verdict.proven, verdict.unproven) == (True, "")
    back = compare(new, schema)
    if back.refused is None:
        assert (accepts(schema, back.wider), accepts(new, back.wider)) == (True, False)


@pytest.mark.parametrize(
    "path, value, wider",
    [
        ("properties/limit/maximum", 5000, {"status": "draft", "limit": 101}),
        ("properties/status/enum", ["draft", "open", "paid", "void"], {"status": "void"}),
        ("required", [], {}),
        (
            "properties/since/anyOf/1",
            {"type": ["null", "integer"]},
            {"status": "draft", "since": 1},
        ),
        (f"{_NAME}/maxLength", 11, {"status": "draft", "filter": {"name": "a" * 11}}),
    ],
)
def test_a_widening_change_is_told_with_a_call_that_is_new(
    path: str, value: Any, wider: Any
) -> None:
    verdict = compare(ORDERS, changed(ORDERS, path, value))
    assert verdict == Verdict(wider=wider, tried=verdict.tried)
    assert verdict.tried > 0


def test_a_new_optional_field_breaks_no_call_and_is_listed() -> None:
    new = changed(ORDERS, "properties/cursor", {"type": "integer"})
    verdict = compare(ORDERS, new)
    assert verdict == Verdict(tried=verdict.tried, added=("/cursor",))
    back = compare(new, ORDERS)
    assert back == Verdict(tried=back.tried, dropped=("/cursor",))


def test_a_field_of_a_name_that_was_invited_can_break_calls() -> None:
    old = {"type": "object", "additionalProperties": {"type": "string"}}
    new = {**old, "properties": {"level": {"type": "integer"}}}
    assert compare(old, new).refused == {"level": "a"}


@pytest.mark.parametrize(
    "path, value",
    [
        ("description", "Reworded"),
        ("properties/limit/title", "Limit"),
        ("properties/limit/default", 20),
        ("properties/id/examples", ["ord_1"]),
        ("properties/id/deprecated", True),
        ("properties/filter/x-order", 3),
        ("properties/limit/maximum", 100.0),
        ("properties/status/enum", ["paid", "draft", "open"]),
        ("properties/since/anyOf", [{"type": "null"}, {"type": "string"}]),
        ("properties/filter/required", []),
        ("properties/id/type", ["string"]),
    ],
)
def test_what_rules_the_same_needs_no_call(path: str, value: Any) -> None:
    assert compare(ORDERS, changed(ORDERS, path, value)) == Verdict()


def test_a_part_that_moves_behind_a_reference_is_the_same_part() -> None:
    moved = changed(ORDERS, "properties/filter", {"$ref": "#/$defs/Filter"})
    moved["$defs"] = {"Filter": ORDERS["properties"]["filter"]}
    verdict = compare(ORDERS, moved)
    assert verdict == Verdict(tried=verdict.tried)
    assert verdict.tried > 0
    moved["$defs"]["Filter"] = changed(moved["$defs"]["Filter"], "properties/name/maxLength", 9)
    assert compare(ORDERS, moved).reason == (
        "`filter.name` may no longer be longer than 9 characters"
    )


def test_a_reference_to_itself_is_followed_as_far_as_it_tells_something() -> None:
    old = {
        "type": "object",
        "properties": {"node": {"$ref": "#/definitions/Node"}},
        "definitions": {
            "Node": {
                "type": "object",
                "properties": {
                    "value": {"type": "integer"},
                    "next": {"$ref": "#/definitions/Node"},
                },
            }
        },
    }
    new = changed(old, "definitions/Node/properties/value/minimum", 0)
    assert compare(old, new).refused == {"node": {"value": -1}}


def test_a_change_far_back_among_a_hundred_fields_is_found() -> None:
    fields = {f"field_{nth}": {"type": "string"} for nth in range(100)}
    old = {"type": "object", "properties": fields}
    new = changed(old, "properties/field_99/maxLength", 5)
    assert compare(old, new).refused == {"field_99": "aaaaaa"}
    every = {"type": "object", "properties": {name: {"maxLength": 9} for name in fields}}
    assert compare(every, changed(every, "properties/field_99/maxLength", 5)).where == "/field_99"


@pytest.mark.parametrize(
    "path, value, unproven",
    [
        ("properties/id/format", "uri", "`format` at /id"),
        (
            "properties/id/pattern",
            r"^\p{L}+$",
            "/properties/id/pattern, which no validator can read",
        ),
        ("properties/limit/$ref", "https://example.com/limit.json", "`$ref` at /limit"),
        ("properties/id/maxLength", 10**9, "`maxLength` at /id"),
        ("properties/id/not", {"minLength": 10**9}, "`not` at /id"),
        ("properties/limit/type", "int", "/properties/limit/type, which no validator can read"),
    ],
)
def test_what_no_call_can_settle_is_named(path: str, value: Any, unproven: str) -> None:
    verdict = compare(ORDERS, changed(ORDERS, path, value))
    assert (verdict.refused, verdict.proven, verdict.unproven) == (None, False, unproven)


@pytest.mark.parametrize("keyword", ["format", "pattern"])
def test_a_rule_that_is_gone_refuses_nothing(keyword: str) -> None:
    old = changed(ORDERS, f"properties/id/{keyword}", {"format": "uri", "pattern": "^a"}[keyword])
    verdict = compare(old, ORDERS)
    assert (verdict.refused, verdict.proven) == (None, True)


def test_a_witness_is_told_even_where_something_else_is_unsettled() -> None:
    new = changed(changed(ORDERS, "properties/id/format", "uri"), "properties/limit/maximum", 99)
    verdict = compare(ORDERS, new)
    assert (verdict.where, verdict.proven, verdict.unproven) == ("/limit", True, "")


def test_dialects_are_read_as_they_are_named() -> None:
    items = {"type": "array", "items": [{"type": "string"}], "additionalItems": False}
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"pair": items}}
    new = changed(old, "properties/pair/items/0/type", "integer")
    assert compare(old, new).refused == {"pair": ["a"]}
    own = {**ORDERS, "$schema": "https://example.com/of-our-own"}
    verdict = compare(own, changed(own, "properties/limit/maximum", 101))
    assert (verdict.proven, verdict.unproven) == (False, "`$schema`, whose dialect is not known")


def test_a_schema_that_refuses_all_calls_has_none_to_break() -> None:
    nothing = compare(False, {"type": "object"})
    assert nothing == Verdict(wider={}, tried=nothing.tried)
    assert compare(True, False).refused == {}
    nothing = compare({"type": "string"}, {"type": "integer"})
    assert (nothing.refused, nothing.proven) == (None, False)
