"""Money and days are whole numbers: nothing is rounded on the way in or out."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.prices.amounts import atto_per_search, atto_per_token, scaled, usd
from econome.times import day_text, read_day
from tests.requirements import requirement

EPOCH = date(1970, 1, 1)


@requirement("P2")
@given(st.integers(-(10**30), 10**30))
def test_an_amount_is_shown_exactly(atto: int) -> None:
    assert Fraction(usd(atto)) * 10**18 == atto


@requirement("P2")
@given(st.integers(-(10**30), 10**30))
def test_an_amount_is_shown_plainly(atto: int) -> None:
    text = usd(atto)
    whole, point, part = text.partition(".")
    assert set(text) <= set("-0123456789.")
    assert str(int(whole)) == whole or whole == "-0"
    assert not part.endswith("0")
    assert bool(part) == bool(point)


@requirement("P2")
@pytest.mark.parametrize(
    "atto, shown",
    [
        (0, "0"),
        (1, "0.000000000000000001"),
        (10**18, "1"),
        (15 * 10**17, "1.5"),
        (-25 * 10**16, "-0.25"),
        (123456789 * 10**18, "123456789"),
    ],
)
def test_an_amount_reads_as_dollars(atto: int, shown: str) -> None:
    assert usd(atto) == shown


@requirement("P2")
@given(st.integers(0, 10**12), st.integers(0, 12))
def test_a_price_is_held_exactly(digits: int, places: int) -> None:
    price = Decimal(digits).scaleb(-places)
    assert Decimal(atto_per_token(f"{price:f}")) == price * 10**12


@requirement("P2")
def test_a_search_costs_the_thousandth_part_of_a_thousand() -> None:
    assert atto_per_search("10") == 10**16


@requirement("P2")
@pytest.mark.parametrize("text", ["", ".", ".5", "1.", "-1", "+1", "1e3", "1 ", "٣", "nan", "1,5"])
def test_what_is_no_plain_decimal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="plain decimal"):
        scaled(text, 12)


@requirement("P2")
def test_a_decimal_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 12 decimals"):
        atto_per_token("0.0000000000001")


@requirement("P8")
@given(st.dates())
def test_a_date_is_its_days_since_1970(when: date) -> None:
    assert read_day(when.isoformat()) == (when - EPOCH).days
    assert day_text((when - EPOCH).days) == when.isoformat()


@requirement("P8")
def test_every_day_of_two_leap_cycles_is_the_calendars() -> None:
    first = date(1896, 1, 1)
    for count in range(366 * 8):
        when = first + timedelta(days=count)
        assert day_text(read_day(when.isoformat())) == when.isoformat()


@requirement("P8")
@pytest.mark.parametrize(
    "text",
    ["2026-02-29", "2026-00-01", "2026-13-01", "2026-04-31", "2026-1-1", "0000-01-01", "20261001",
     "2026-10-00", "", "2026-10-07T00:00:00", "２０２６-10-07"],
)  # fmt: skip
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"date|no such day"):
        read_day(text)
