"""A preset's own checks: what an answer falls short of."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.checks import failures, read_check
from tests.requirements import requirement

pytestmark = requirement("D6")


@pytest.mark.parametrize(
    "asked, answer, reasons",
    [
        ({"contains": ["Tuesday", "42"]}, "on TUESDAY, 42", []),
        ({"contains": ["Tuesday", "42"]}, "on Monday", ["lacks 'Tuesday'", "lacks '42'"]),
        ({"lacks": "def f("}, "def g(", []),
        ({"lacks": "def f("}, "Def F(", ["holds 'def f('"]),
        ({"regex": "^b$"}, "a\nb", ["does not match '^b$'"]),
        ({"regex": "(?m)^b$"}, "a\nb", []),
        ({"max_words": 2}, "one two", []),
        ({"max_words": 2, "min_words": 9}, "one two three", ["3 words; at most 2", "3 words; at least 9"]),
        ({"json_equal": {"a": [1, 2.5]}}, '{"a":[1.0,2.5]}', []),
        ({"json_equal": True}, "1", ["is not the JSON value that was expected"]),
        ({"json_equal": 1}, "true", ["is not the JSON value that was expected"]),
        ({"json_equal": [1, 2]}, "[2,1]", ["is not the JSON value that was expected"]),
        ({"json_equal": []}, "nothing", ["is not JSON"]),
        ({"json_has": {"a": 1, "b": "x", "c": 0}}, '{"a":1,"b":"y"}', ["'b' is not 'x'", "has no 'c'"]),
        ({"json_has": {"a": 1}}, "[1]", ["has no 'a'"]),
    ],
)  # fmt: skip
def test_an_answer_is_held_to_what_is_asked(
    asked: dict[str, Any], answer: str, reasons: list[str]
) -> None:
    assert failures(read_check({"brief": "b", **asked}), answer) == reasons


@given(st.text())
def test_any_answer_is_judged_and_none_is_quoted(answer: str) -> None:
    check = read_check(
        {
            "brief": "b",
            "contains": ["\0never"],
            "json_has": {"n": 1},
            "max_words": 3,
            "regex": "z{9}",
        }
    )
    told = " ".join(failures(check, f"qqqxqqq {answer}"))
    assert "lacks" in told
    assert "qqqxqqq" not in told
