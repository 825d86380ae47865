"""Figures and names as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.cli.render.figures import (
    length,
    model_labels,
    money,
    plain,
    project_labels,
    share,
    short,
)
from tests.requirements import requirement


@requirement("P4")
def test_a_missing_price_is_never_shown_as_zero() -> None:
    assert money(None) == "n/a"
    assert money("0") == "$0.00"


@requirement("P2")
@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("1234.565", "$1,234.57"),
        ("0.005", "$0.01"),
        ("0.0049999", "<$0.01"),
        ("-3.5", "-$3.50"),
        ("123456789012345678.994999", "$123,456,789,012,345,678.99"),
    ],
)
def test_money_is_rounded_once_and_half_up(exact: str, shown: str) -> None:
    assert money(exact) == shown


@requirement("P4")
def test_a_partial_amount_is_marked() -> None:
    assert money("12.3", partial=True) == "≥$12.30"
    assert money("0.001", partial=True) == "≥$0.00"


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"), (999, "999"), (1000, "1.00k"), (9_994, "9.99k"), (9_995, "10.0k"),
        (99_950, "100k"), (999_499, "999k"), (999_500, "1.00M"), (9_758_086_019, "9.76G"),
        (10**12, "1.00T"), (10**16, "10000T"),
    ],
)  # fmt: skip
def test_a_short_count_keeps_three_digits(count: int, shown: str) -> None:
    assert short(count) == shown


@given(st.integers(0, 999_499_999_999_999))
def test_a_short_count_takes_at_most_five_cells(count: int) -> None:
    assert len(short(count)) <= 5


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        ("1", "3", "33%"), (0, 5, "0%"), ("0.001", "9", "<1%"), ("9.99", "10", ">99%"),
        (5, 5, "100%"), (None, "1", "n/a"), ("1", None, "n/a"), ("0", "0", "n/a"),
    ],
)  # fmt: skip
def test_a_share_is_a_whole_percentage(
    part: str | int | None, whole: str | int | None, shown: str
) -> None:
    assert share(part, whole) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(5, "5s"), (60, "1m"), (3599, "59m"), (3900, "1h 05m"), (187_200, "2d 4h")],
)
def test_a_span_of_time_has_at_most_two_units(seconds: int, shown: str) -> None:
    assert length(seconds) == shown


def test_a_model_id_is_shortened() -> None:
    ids = ["claude-haiku-4-5-20251001", "claude-opus-5-5", "gpt-5.4", "unknown", "claude-"]
    assert model_labels(ids) == {
        "claude-haiku-4-5-20251001": "haiku-4-5",
        "claude-opus-5-5": "opus-5-5",
        "gpt-5.4": "gpt-5.4",
        "unknown": "unknown",
        "claude-": "claude-",
    }


def test_two_models_that_would_look_alike_keep_their_ids() -> None:
    ids = ["claude-haiku-4-5", "claude-haiku-4-5-20251001"]
    assert model_labels(ids) == {each: each for each in ids}


@requirement("F9")
def test_a_project_is_named_by_the_shortest_tail_that_is_its_own() -> None:
    paths = ["/home/ada/work/api", "/home/ada/archive/api", "/home/ada/work/web", "", "/"]
    assert project_labels(paths) == {
        "/home/ada/work/api": "work/api",
        "/home/ada/archive/api": "archive/api",
        "/home/ada/work/web": "web",
        "": "(none)",
        "/": "/",
    }


@requirement("F9")
@given(st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), max_size=8))
def test_two_projects_never_share_a_name(paths: set[str]) -> None:
    labels = project_labels(["/" + path for path in paths])
    assert len(set(labels.values())) == len(paths)


def test_what_a_terminal_would_obey_is_replaced() -> None:
    assert plain("a\x1b[31mb\nc\ud800\u202e") == "a\ufffd[31mb\ufffdc\ufffd\ufffd"
