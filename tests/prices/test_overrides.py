"""Prices of the user's settings add or replace a model for every report, exactly or not at all."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import SettingsError
from econome.prices.table import PriceTable, load
from tests.prices.builders import bundled, million
from tests.requirements import requirement


def table_of(text: str) -> PriceTable:
    """Return the table of a settings file that holds *text*."""
    return load(tomllib.loads(text)["prices"], None, "config.toml")


def priced(**keys: Any) -> PriceTable:
    """Return the table with an own model at 1 in and 5 out, changed by *keys*; ``None`` leaves out."""
    row = {"input": 1, "output": 5, **keys}
    row = {key: value for key, value in row.items() if value is not None}
    return load({"my-model": row})


@requirement("P8")
def test_an_own_model_is_priced_as_written() -> None:
    table = table_of("""
        [prices."my-model"]
        input = "1.5"
        output = "6"
        cache_read = "0.15"
        write_5m = 2
        write_1h = 2.5
        from = "2026-01-01"
        until = "2026-07-01"
        long = {above = 150000, input = 3, output = 12, cache_read = 0.4}
    """)
    assert million(table, "My-Model", on="2026-01-01") == tuple(
        map(Decimal, ("1.5", "2", "2.5", "0.15", "6"))
    )
    assert million(table, "my-model", on="2026-06-30", prompt=150_001) == tuple(
        map(Decimal, ("3", "3.75", "6", "0.4", "12"))
    )
    assert million(table, "my-model", on="2025-12-31") is None
    assert million(table, "my-model", on="2026-07-01") is None
    assert table.overridden == ("my-model",)
    assert 150_000 in table.thresholds


@requirement("P5", "P8")
def test_what_a_row_leaves_out_follows_from_its_input() -> None:
    assert million(priced(input="0.3"), "my-model") == tuple(
        map(Decimal, ("0.3", "0.375", "0.6", "0.03", "5"))
    )


@requirement("P7", "P8")
def test_a_replaced_claude_model_keeps_its_factors_in_all_its_spellings() -> None:
    table = load({"Claude-Opus-4.8": {"input": 4, "output": 20}})
    found = million(
        table, "eu.anthropic.claude-opus-4-8-v1:0", speed="fast", geo="us", tier="batch"
    )
    factor = 2 * Decimal("1.1") * Decimal("1.1") / 2
    assert found == tuple(price * factor for price in map(Decimal, ("4", "5", "8", "0.4", "20")))


@requirement("P8")
def test_a_replaced_model_leaves_the_others_alone() -> None:
    table = load({"claude-opus-5": {"input": 4, "output": 20}})
    for model in bundled().names():
        if model != "claude-opus-5":
            assert million(table, model) == million(bundled(), model)


@requirement("P8")
def test_another_vendors_model_can_be_replaced() -> None:
    table = load({"GPT-5": {"input": 1, "output": 2}})
    assert million(table, "gpt-5") == tuple(map(Decimal, ("1", "1.25", "2", "0.1", "2")))


@requirement("P8")
def test_several_entries_give_a_model_a_history() -> None:
    table = table_of("""
        [[prices.mine]]
        from = 2026-05-01
        input = 2
        output = 4
        [[prices.mine]]
        until = 2026-05-01
        input = 1
        output = 2
    """)
    prices = [million(table, "mine", on=on) for on in ("2026-04-30", "2026-05-01")]
    assert [price and price[0] for price in prices] == [1, 2]
    assert million(table, "mine", on=None) == million(table, "mine", on="2026-05-01")


@requirement("P4", "P7", "P8")
def test_an_own_model_has_fast_mode_and_searches_only_as_stated() -> None:
    assert million(priced(), "my-model", speed="fast") is None
    fast = million(priced(fast=2.5), "my-model", speed="fast")
    assert fast is not None
    assert fast[0] == Decimal("2.5")
    rates = priced(web_search="12.5").rates("my-model", 20_000, 0, "", "", "")
    assert rates is not None
    assert rates[5] == Decimal("0.0125") * 10**18


@requirement("P2", "P8")
@given(st.floats(min_value=1e-6, max_value=10**6).map(lambda number: round(number, 6)))
def test_a_number_is_the_decimal_that_is_written(number: float) -> None:
    price = million(priced(input=number), "my-model")
    assert price is not None
    assert price[0] == Decimal(repr(number))


@requirement("P2", "P8")
def test_a_whole_number_with_an_exponent_is_read() -> None:
    price = million(priced(input=1e-05), "my-model")
    assert price is not None
    assert price[0] == Decimal("0.00001")


WRONG: list[tuple[Any, str]] = [
    (3, ""),
    ([], ""),
    ([3], ""),
    ({}, ".input"),
    ({"input": 1}, ".output"),
    ({"input": "x", "output": 1}, ".input"),
    ({"input": "", "output": 1}, ".input"),
    ({"input": -1, "output": 1}, ".input"),
    ({"input": -1e-9, "output": 1}, ".input"),
    ({"input": True, "output": 1}, ".input"),
    ({"input": None, "output": 1}, ".input"),
    ({"input": float("nan"), "output": 1}, ".input"),
    ({"input": float("inf"), "output": 1}, ".input"),
    ({"input": 1e300, "output": 1}, ".input"),
    ({"input": 1e-300, "output": 1}, ".input"),
    ({"input": "1e-3", "output": 1}, ".input"),
    ({"input": 0.1 + 0.2, "output": 1}, ".input"),
    ({"input": "0.0000000001", "output": 1}, ".input"),
    ({"input": "0.000000001", "output": 1}, ".cache_read"),
    ({"input": 1, "output": 1, "cache_read": []}, ".cache_read"),
    ({"input": 1, "output": 1, "price": 2}, ".price"),
    ({"input": 1, "output": 1, "from": "2026-02-30"}, ".from"),
    ({"input": 1, "output": 1, "from": 2026}, ".from"),
    ({"input": 1, "output": 1, "until": "tomorrow"}, ".until"),
    ({"input": 1, "output": 1, "from": "2026-02-01", "until": "2026-02-01"}, ".until"),
    ({"input": 1, "output": 1, "long": 3}, ".long"),
    ({"input": 1, "output": 1, "long": {"input": 1, "output": 2}}, ".long.above"),
    ({"input": 1, "output": 1, "long": {"above": 0, "input": 1, "output": 2}}, ".long.above"),
    ({"input": 1, "output": 1, "long": {"above": True, "input": 1, "output": 2}}, ".long.above"),
    ({"input": 1, "output": 1, "long": {"above": 9, "input": 1}}, ".long.output"),
    ({"input": 1, "output": 1, "long": {"above": 9, "input": 1, "output": 2, "from": 1}}, ".long.from"),
    ({"input": 1, "output": 1, "fast": "0.0000001"}, ".fast"),
    ({"input": 1, "output": 1, "fast": "two"}, ".fast"),
    ({"input": 1, "output": 1, "web_search": "many"}, ".web_search"),
    ([{"input": 1, "output": 1}, {"input": 1}], ".2.output"),
    ([{"input": 1, "output": 1}, {"input": 1, "output": 1, "from": "2026-01-01"}], ""),
]  # fmt: skip


@requirement("P8")
@pytest.mark.parametrize("value, where", WRONG)
def test_a_wrong_override_is_refused_by_its_key(value: Any, where: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load({"m": value}, None, "the-settings.toml")
    assert (caught.value.path, caught.value.where) == ("the-settings.toml", f'prices."m"{where}')


@requirement("P3", "P8")
@pytest.mark.parametrize("name", ["", " ", "us.anthropic.claude-opus-5-v1:0"])
def test_an_override_names_a_model(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load({name: {"input": 1, "output": 1}})
    assert caught.value.where == f'prices."{name}"'


@requirement("P3", "P8")
def test_two_overrides_of_one_model_are_refused() -> None:
    row = {"input": 1, "output": 1}
    with pytest.raises(SettingsError, match="claude-opus-5 once more"):
        load({"claude-opus-5": row, "Claude-Opus-5-latest": row})


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["input", "output", "long", "above", "from", "until", "fast", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@requirement("P8")
@given(st.text(max_size=10), JUNK)
def test_an_override_is_taken_or_refused_and_nothing_else(name: str, value: Any) -> None:
    refused: list[str] = []
    try:
        load({name: value})
    except SettingsError as error:
        refused.append(error.where)
    assert all(where.startswith(f'prices."{name}"') for where in refused)


@requirement("P2", "P8")
@given(
    st.fractions(0, 1000, max_denominator=10**6),
    st.sampled_from(["", "fast"]),
    st.sampled_from(["", "batch"]),
)
def test_a_price_that_is_taken_is_multiplied_exactly(fraction: Any, speed: str, tier: str) -> None:
    number = Decimal(round(fraction * 10**6)).scaleb(-6)
    table = priced(input=f"{number:f}", fast="1.5")
    price = million(table, "my-model", speed=speed, tier=tier)
    factor = (Decimal("1.5") if speed else 1) * (Decimal("0.5") if tier else Decimal(1))
    assert price is not None
    assert price == tuple(
        part * factor for part in (number, number * 5 / 4, number * 2, number / 10, Decimal(5))
    )
