"""What a verdict leaves open and what it does not, which fields it lists, and which of two complaints it tells."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from econome.contract import patterns
from econome.contract.complaints import complaint
from econome.contract.readings import read
from econome.contract.witness import Verdict, compare
from tests.contract.drawn import Schema
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")


def _fields(**fields: Schema) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def _here_or_elsewhere(kinds: list[str]) -> Schema:
    there = {"$ref": "https://elsewhere.example/s"}
    return {
        **_fields(q={"anyOf": [{"$ref": "#/$defs/here"}, there]}),
        "$defs": {"here": {"type": kinds}},
    }


def test_calls_that_the_new_schema_cannot_be_asked_about_leave_it_open() -> None:
    found = compare(_here_or_elsewhere(["integer", "string"]), _here_or_elsewhere(["string"]))
    assert (found.refused, found.proven) == (None, False)
    number, _, told = found.unproven.partition(" ")
    assert int(number) > 0
    assert told == "calls, which the new schema cannot be asked about"


def _nested(levels: int, **more: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", **more}
    for _ in range(levels):
        schema = {"properties": {"a": schema}, "type": "object"}
    return schema


def _reordered(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {name: _reordered(one) for name, one in held.items()} if key == "properties" else held
        for key, held in reversed(schema.items())
    }


def test_a_schema_that_nothing_can_be_judged_of_is_the_same_while_it_is_written_alike() -> None:
    deep = _nested(120)
    assert compare(deep, _reordered(deep)) == Verdict()
    assert compare(7, 7) == Verdict()
    assert compare(7, 8).proven is False
    assert compare(deep, _nested(120, maxLength=3)).unproven == (
        "of the old schema nothing could be judged: it is too deep; "
        "of the new schema nothing could be judged: it is too deep"
    )


def test_what_is_inside_a_field_that_only_one_schema_names_is_not_listed_again() -> None:
    plain = _fields(name={"type": "string"})
    inside = _fields(b={"type": "string"}, c=_fields(d={"type": "integer"}))
    named = _fields(name={"type": "string"}, a=inside, ab={"type": "string"})
    assert (compare(plain, named).added, compare(named, plain).dropped) == (("/a", "/ab"),) * 2


@pytest.mark.parametrize("step", [0, -2, True, "2"])
def test_a_step_that_is_none_is_left_out_of_what_is_judged(step: object) -> None:
    told = read(_fields(n={"type": "integer", "multipleOf": step}))
    assert told.schema == _fields(n={"type": "integer"})
    assert list(told.left_out) == ["/properties/n/multipleOf"]
    assert read({"multipleOf": 0.5}).left_out == {}
    found = compare(_fields(n={"type": "integer"}), _fields(n={"type": "integer", "multipleOf": step}))  # fmt: skip
    assert (found.refused, found.unproven) == (
        None,
        "/properties/n/multipleOf, which no validator can read",
    )


@pytest.mark.parametrize(
    "old, new, proven",
    [
        (10**9, 10**9 - 1, False),
        (10**9 - 1, 10**9, True),
        (None, 10**9, False),
        (10**9, None, True),
    ],
)
def test_a_bound_out_of_reach_that_falls_is_open_and_one_that_rises_is_not(
    old: int | None, new: int | None, proven: bool
) -> None:
    for keyword, kind in (("maxLength", "string"), ("maxItems", "array")):
        found = compare(*(
            _fields(q={"type": kind} if bound is None else {"type": kind, keyword: bound})
            for bound in (old, new)
        ))  # fmt: skip
        assert (found.refused, found.proven) == (None, proven)
        assert found.unproven == ("" if proven else f"`{keyword}` at /q")


def test_a_complaint_of_a_new_rule_is_told_before_one_that_the_old_schema_had() -> None:
    schema = {
        "properties": {"a": {"type": "integer"}, "b": {"maximum": 3}},
        "required": ["c"],
    }
    errors = list(Draft202012Validator(schema).iter_errors({"a": "x", "b": 4}))
    assert len(errors) == 3
    rules = {
        ("", "required", '["c"]'): ("/c", "`c` is now required"),
        ("/a", "type", '"integer"'): ("/a", "`a` must be an integer, not a string"),
        ("/b", "maximum", "3"): ("/b", "`b` may no longer be above 3"),
    }
    for rule, told in rules.items():
        for order in (errors, errors[::-1]):
            assert complaint(order, said=rules.keys() - {rule}) == told


def test_a_witness_that_breaks_an_old_rule_of_another_branch_tells_the_new_one() -> None:
    def schema(most: int) -> Schema:
        number = {"type": "number", "maximum": most}
        return _fields(q={"anyOf": [{"type": "boolean"}, number]})

    found = compare(schema(100), schema(50))
    assert (found.where, found.reason) == ("/q", "`q` may no longer be above 50")


def test_where_re_has_no_parser_of_its_own_patterns_are_left_unproven(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for reading in (patterns.longest_judged, patterns.matching, patterns.denied):
        reading.cache_clear()
    monkeypatch.setattr(patterns, "_parser", None)
    old, new = ({"properties": {"q": {"type": "string", "pattern": one}}} for one in ("^a", "^b"))
    found = compare(old, new)
    for reading in (patterns.longest_judged, patterns.matching, patterns.denied):
        reading.cache_clear()
    assert (found.refused, found.proven) == (None, False)


@pytest.mark.parametrize("step", [2, 5, 7, 10, 100])
def test_a_step_is_told_though_another_branch_takes_the_plain_numbers_below_it(step: int) -> None:
    plain = {"enum": ["asc", 1, 2]}
    old, new = (
        {"properties": {"n": {"anyOf": [plain, {"type": "integer", "minimum": 0, **more}]}}}
        for more in ({}, {"multipleOf": step})
    )
    found = compare(old, new).refused
    assert found is not None
    assert found["n"] % step
