"""The calls that are made between two schemas: at each edge of either, with each part in turn, and the same every time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from econome.contract.accepts import Judge, Work
from econome.contract.arguments import Maker, Side
from econome.contract.cases import Cases
from econome.contract.made import weight_of
from econome.contract.readings import read
from econome.contract.sameness import Sameness
from tests.contract.drawn import Schema, base_schemas
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")


def _maker(old: Schema, new: Schema) -> Maker:
    readings = [read(old), read(new)]
    sides = [Side(one, Judge(one, Work(200_000)), Cases(one)) for one in readings]
    sameness = Sameness(readings[0], readings[1], [side.cases for side in sides])
    return Maker(sides[0], sides[1], sameness)


def _calls(old: Schema, new: Schema) -> list[dict[str, Any]]:
    return list(_maker(old, new).calls())


def _values(old: Schema, new: Schema) -> list[Any]:
    """Return what the one field `a` was given."""
    calls = _calls({"properties": {"a": old}}, {"properties": {"a": new}})
    return [call["a"] for call in calls if "a" in call]


def test_the_least_call_and_the_fullest_come_first() -> None:
    old = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}},
        "required": ["a"],
    }
    least, full, *_ = _calls(old, {**old, "required": ["a", "b"]})
    assert (sorted(least), sorted(full)) == (["a"], ["a", "b"])


def test_numbers_are_tried_at_the_bounds_of_both_and_beside_them() -> None:
    values = _values({"type": "integer", "maximum": 100}, {"type": "integer", "maximum": 50})
    assert {49, 50, 51, 99, 100} <= set(values)
    assert max(values) == 100


def test_lengths_are_tried_at_the_bounds_of_both_and_beside_them() -> None:
    lengths = map(len, _values({"type": "string", "maxLength": 70}, {"maxLength": 60}))
    assert {0, 59, 60, 61, 69, 70} <= set(lengths)
    counts = map(len, _values({"type": "array", "maxItems": 7}, {"type": "array", "maxItems": 5}))
    assert {0, 1, 4, 5, 6, 7} <= set(counts)


def test_every_listed_value_and_every_branch_is_tried() -> None:
    old = {"anyOf": [{"enum": ["x", 2, None]}, {"type": "boolean"}, {"const": [1]}]}
    values = _values(old, {"type": "string"})
    assert all(one in values for one in ("x", 2, None, True, False, [1]))


def test_every_type_is_tried_where_none_is_told() -> None:
    kinds = {type(value) for value in _values({}, {"type": "string"})}
    assert kinds == {str, int, float, bool, type(None), list, dict}


def test_a_value_of_a_pattern_and_of_a_format_is_made() -> None:
    assert "aa-0" in _values({"type": "string", "pattern": "^[a-z]{2}-[0-9]$"}, {"const": 1})
    assert "2026-01-02" in _values({"type": "string", "format": "date"}, {"const": 1})


def test_an_argument_that_only_the_other_side_names_is_left_alone() -> None:
    new = {"type": "object", "properties": {"a": {"type": "integer"}}}
    assert all("a" not in call for call in _calls({"type": "object"}, new))
    invited = {"type": "object", "additionalProperties": {"type": "string"}}
    assert any("a" in call for call in _calls(invited, new))


def test_a_place_that_differs_and_has_no_value_is_kept_in_mind() -> None:
    maker = _maker(
        {"properties": {"a": {"type": "string", "pattern": "^(?!)"}}},
        {"properties": {"a": {"type": "string"}}},
    )
    assert all("a" not in call for call in maker.calls())
    assert list(maker.unmade) == ["/a"]


def test_only_what_differs_is_varied() -> None:
    fields = {f"f{nth}": {"type": "integer"} for nth in range(50)}
    old = {"type": "object", "properties": fields}
    new = {**old, "properties": {**fields, "f7": {"type": "integer", "minimum": 3}}}
    calls = _calls(old, new)
    assert len(calls) < 60
    assert {call["f7"] for call in calls if "f7" in call} >= {2, 3, 4}
    assert len({call["f8"] for call in calls if "f8" in call}) == 1


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(base_schemas(), base_schemas())
def test_calls_are_the_same_every_time_and_never_heavy(old: Schema, new: Schema) -> None:
    calls = _calls(old, new)
    assert calls == _calls(old, new)
    assert all(weight_of(call) < 40_000 for call in calls)
