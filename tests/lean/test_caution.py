"""A text is sent in place of another only where no usual vocabulary makes it dearer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.caution import cheaper, pieces
from econome.lean.exact import compact
from econome.lean.forms import encode
from econome.tokenizers import tokenizer
from tests.lean.values import records
from tests.requirements import requirement

pytestmark = requirement("L5")


def test_marks_of_json_that_come_together_are_one_piece() -> None:
    assert pieces('","') == pytest.approx(1.1)
    assert pieces('{"name":"Ann","age":31}') == pytest.approx(9.1)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_cheaper_of_two_is_never_the_longer(text: str, other: str) -> None:
    if cheaper(text, other, 0.9):
        assert len(text.encode()) < len(other.encode())
        assert not cheaper(other, text, 1.0)


def test_the_pieces_are_near_what_o200k_counts() -> None:
    pytest.importorskip("quicktok")
    count = tokenizer("o200k").count
    rows = [
        {"id": at, "title": f"issue {at}", "url": f"https://example.org/{at}"} for at in range(50)
    ]
    for text in (compact(rows), encode(rows, count).text, "Plain words of a sentence.\n" * 9):
        assert pieces(text) == pytest.approx(count(text), rel=0.15)


@given(records())
def test_what_is_chosen_by_the_default_estimate_is_hardly_ever_dearer_by_o200k(rows: Any) -> None:
    pytest.importorskip("quicktok")
    own = tokenizer("o200k").count
    chosen = encode(rows, tokenizer().count)
    assert own(chosen.text) <= own(compact(rows)) * 1.03 + 2
