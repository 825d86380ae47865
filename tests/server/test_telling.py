"""How texts and figures are said in each language, and which language is spoken."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.server.telling import language_of, telling
from tests.requirements import requirement


@requirement("P2", "P4")
@pytest.mark.parametrize(
    "amount, english, french",
    [
        ("12.345", "$12.34", "12,34\u00a0$US"),
        ("1234.5", "$1,234.50", "1\u202f234,50\u00a0$US"),
        ("0", "$0.00", "0,00\u00a0$US"),
        ("0.0012", "$0.0012", "0,0012\u00a0$US"),
        ("0.00001", "< $0.0001", "< 0,0001\u00a0$US"),
        ("-3.5", "-$3.50", "-3,50\u00a0$US"),
        (None, "n/a", "n/a"),
    ],
)
def test_an_amount_is_said_as_each_language_does(
    amount: str | None, english: str, french: str
) -> None:
    assert (telling("en").usd(amount), telling("fr").usd(amount)) == (english, french)


@given(st.integers(-(10**60), 10**60))
def test_any_figure_can_be_said(value: int) -> None:
    for language in ("en", "fr"):
        told = telling(language)
        digits = "".join(letter for letter in told.count(value) if letter.isdigit())
        assert int(digits) == abs(value)
        assert told.brief(value)
        assert told.usd(Decimal(value))
        assert told.number(Decimal(value) / 7)


@pytest.mark.parametrize(
    "chosen, accepted, spoken",
    [
        (None, "", "en"),
        (None, "fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        (None, "de,en;q=0.5,fr;q=0.7", "fr"),
        (None, "fr;q=0", "en"),
        (None, "fr;q=x, en-GB", "en"),
        (None, "FR", "fr"),
        ("fr", "en", "fr"),
        ("de", "fr", "fr"),
        ("<script>", "", "en"),
    ],
)
def test_the_language_is_the_one_chosen_else_the_one_liked_best(
    chosen: str | None, accepted: str, spoken: str
) -> None:
    assert language_of(chosen, accepted) == spoken
