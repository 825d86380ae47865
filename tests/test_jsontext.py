"""JSON as the command line prints it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.jsontext import dumps

anything = st.text(st.characters(exclude_categories=()))
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars | anything,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(anything, inner, max_size=5),
    max_leaves=30,
)


def _sound(value: Any) -> Any:
    """Return *value* as a strict reader would see it: lone surrogates replaced, pairs joined."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_sound(entry) for entry in value]
    if isinstance(value, dict):
        return {_sound(key): _sound(entry) for key, entry in value.items()}
    return value


@given(values)
def test_what_is_written_reads_back_as_the_value(value: Any) -> None:
    assert json.loads(dumps(value)) == _sound(value)


@given(values)
def test_only_ascii_is_written(value: Any) -> None:
    assert dumps(value).isascii()


@given(st.text())
def test_a_string_is_written_as_the_standard_library_does(text: str) -> None:
    if "\x7f" not in text:
        assert dumps(text) == json.dumps(text)


@given(values)
def test_the_same_value_gives_the_same_bytes(value: Any) -> None:
    assert dumps(value) == dumps(json.loads(json.dumps(_sound(value))))


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert dumps("a\ud83db") == '"a\\ufffdb"'


def test_a_surrogate_pair_becomes_its_character() -> None:
    assert json.loads(dumps("\ud83d\ude00")) == "😀"


def test_each_row_stands_on_a_line_of_its_own() -> None:
    answer = {
        "schema": "s/1",
        "rows": [{"day": "2026-10-17", "n": 1}, {"day": None, "n": 2}],
        "by": ["day", "model"],
        "e": [],
    }
    assert dumps(answer) == (
        '{\n  "schema": "s/1",\n  "rows": [\n    {"day": "2026-10-17", "n": 1},\n'
        '    {"day": null, "n": 2}\n  ],\n  "by": ["day", "model"],\n  "e": []\n}'
    )


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="no JSON number"):
        dumps([number])


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, {1: "key"}, object()])
def test_what_has_no_json_form_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no JSON"):
        dumps([value])
