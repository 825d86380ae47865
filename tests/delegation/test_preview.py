"""A preview is the beginning, the size and the place of the whole, in few tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.preview import PREVIEW_CHARACTERS, PREVIEW_LINES, preview
from econome.tokens import estimate_tokens
from tests.requirements import requirement

pytestmark = requirement("D8")

WHERE = "/home/ana/code/shop/docs/notes/summary-of-the-day.md"


def test_a_long_answer_shows_its_first_lines_its_size_and_where_it_is() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 341))
    first = "\n".join(f"line {number}" for number in range(1, 13))
    assert (
        preview(text, WHERE)
        == f"{first}\n[… of 340 lines, 2952 characters; the whole is in {WHERE}]"
    )


def test_one_long_line_is_cut() -> None:
    assert preview("x" * 5000, None) == (
        "x" * PREVIEW_CHARACTERS + "\n[… of 1 line, 5000 characters; the rest is not kept]"
    )


@given(st.text(max_size=PREVIEW_CHARACTERS))
def test_a_short_answer_stays_whole(text: str) -> None:
    if len(text.splitlines()) <= PREVIEW_LINES:
        assert preview(text, WHERE) == text


@given(st.lists(st.text(max_size=80), max_size=60).map("\n".join), st.sampled_from([None, WHERE]))
def test_a_preview_is_a_beginning_and_never_costs_more_than_the_answer(
    text: str, where: str | None
) -> None:
    shown = preview(text, where)
    assert len(shown) <= len(text)
    if shown != text:
        begun, _, note = shown.rpartition("\n")
        assert "\n".join(text.splitlines()).startswith(begun)
        assert len(begun) <= PREVIEW_CHARACTERS
        assert estimate_tokens(note) <= 60
