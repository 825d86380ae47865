"""A selection gives the fields that were asked for, or says which there are."""

from __future__ import annotations

from typing import Any

import pytest

from econome.lean.selecting import UnknownField, asked, narrowed
from tests.requirements import requirement

pytestmark = requirement("L8")

INVOICE = {"id": "i1", "status": "paid", "amount": 500, "client": {"name": "Ann", "city": "Oslo"}}


@requirement("LC6")
@pytest.mark.parametrize(
    ("names", "narrow"),
    [
        (["status"], {"status": "paid"}),
        (["client"], {"client": {"name": "Ann", "city": "Oslo"}}),
        (["client.name"], {"client": {"name": "Ann"}}),
        (["client.name", "client"], {"client": {"name": "Ann", "city": "Oslo"}}),
        (["status", "id"], {"status": "paid", "id": "i1"}),
    ],
)
def test_only_the_named_fields_are_given_in_the_order_asked_for(names: Any, narrow: Any) -> None:
    assert list(narrowed(INVOICE, names).items()) == list(narrow.items())


@requirement("LC6")
@pytest.mark.parametrize("selection", [None, [], "status", ["status", 1], {"status": True}, 5])
def test_what_is_no_selection_asks_for_everything(selection: object) -> None:
    assert asked(selection) is None


@requirement("LC6", "L11")
@pytest.mark.parametrize("name", ["nope", "client.nope", "status.x", ""])
def test_an_unknown_field_is_answered_with_those_there_are(name: str) -> None:
    with pytest.raises(UnknownField) as caught:
        narrowed(INVOICE, ["status", name])
    assert str(caught.value) == f"no such field: {name}; choose from: id, status, amount, client"


@requirement("LC6")
def test_a_declared_field_that_a_record_lacks_is_no_fault_and_another_is_not_told() -> None:
    declared = ("id", "status", "note")
    assert narrowed({"id": 1, "secret": 2}, ["id", "note"], known=declared) == {"id": 1}
    with pytest.raises(UnknownField) as caught:
        narrowed({"id": 1, "secret": 2}, ["secret"], known=declared)
    assert caught.value.valid == declared


def test_each_row_of_a_list_is_narrowed() -> None:
    rows = [{"id": 1, "a": {"b": 1, "c": 2}}, {"id": 2}, None]
    assert narrowed(rows, ["id", "a.b"]) == [{"id": 1, "a": {"b": 1}}, {"id": 2}, None]


def test_fields_of_the_rows_of_an_object_are_found_where_the_rows_lie() -> None:
    value = {"total": 2, "items": [{"id": 1, "x": 2}, {"id": 2, "x": 3}]}
    assert narrowed(value, ["id"]) == {"items": [{"id": 1}, {"id": 2}]}
    assert narrowed(value, ["total"]) == {"total": 2}
    assert narrowed(value, ["total", "items.x"]) == {"total": 2, "items": [{"x": 2}, {"x": 3}]}


def test_a_key_with_dots_is_found_by_its_name() -> None:
    assert narrowed({"a.b": {"c.d": 1, "e": 2}}, ["a.b.c.d"]) == {"a.b": {"c.d": 1}}


@pytest.mark.parametrize("value", [[1, 2], [], {}])
def test_data_without_fields_says_so(value: Any) -> None:
    with pytest.raises(UnknownField) as caught:
        narrowed(value, ["a"])
    assert "has none" in str(caught.value)
