"""A JSON pointer says where a value is, and leads there or nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.pointers import below, followed, pointer_to, row_at, steps_of, value_at
from tests.requirements import requirement

pytestmark = requirement("L6")

_VALUE = {"a/b": [{"~": 1}, None], "": {"0": "zero"}}


@given(st.lists(st.text()))
def test_a_pointer_is_read_back_as_the_path_it_was_written_from(steps: list[str]) -> None:
    assert steps_of(pointer_to(*steps)) == tuple(steps)


def test_a_pointer_escapes_what_stands_between_steps() -> None:
    assert pointer_to("a/b", 0, "~") == "/a~1b/0/~0"
    assert below("/a", "b/c", 1) == "/a/b~1c/1"


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("/a~1b/0/~0", 1), ("/a~1b/2", None), ("//0", "zero"), ("/a~1b/-1", None), ("/x/y", None)],
)
def test_a_pointer_leads_to_the_value_or_to_nothing(pointer: str, value: object) -> None:
    assert value_at(_VALUE, steps_of(pointer)) == value


@pytest.mark.parametrize(
    ("step", "row"), [("0", 0), ("2", 2), ("3", None), ("-1", None), ("", None), ("9" * 5000, None)]
)
def test_a_step_leads_to_a_row_that_is_there_and_to_no_other(step: str, row: int | None) -> None:
    assert row_at(step, "abc") == row


def test_a_reference_is_followed_by_keys_of_its_own_schema_only() -> None:
    schema = {"$defs": {"a/b": {"type": "string"}, "c": [{}]}}
    assert followed("#/$defs/a~1b", schema) == {"type": "string"}
    assert followed("#", schema) == schema
    assert followed("#/$defs/c/0", schema) is None
    assert followed("other.json#/$defs/c", schema) is None
