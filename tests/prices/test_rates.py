"""Each row of the published table, its dates, its long prompts and what changes it."""

from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.prices.builders import MODELS, TODAY, bundled, cost, day, million
from tests.requirements import requirement

ROWS = [
    (word, tuple(map(Decimal, line.split()[-5:])))
    for line in MODELS.strip().split("\n")
    for word in line.split()[:-5]
]
FAST = {
    "claude-opus-4-8": 2,
    "claude-opus-5": 2,
    "claude-opus-5-5": 2,
    "claude-opus-4-6": 6,
    "claude-opus-4-7": 6,
}
BEFORE_4_6 = [
    "claude-opus-4-5", "claude-opus-4-1", "claude-opus-4", "claude-sonnet-4-5", "claude-sonnet-4",
    "claude-3-7-sonnet", "claude-3-5-sonnet", "claude-haiku-4-5", "claude-3-5-haiku", "claude-3-haiku",
]  # fmt: skip
SONNET_LONG = tuple(map(Decimal, ("6", "7.50", "12", "0.60", "22.50")))
OPUS_LONG = tuple(map(Decimal, ("10", "12.50", "20", "1", "37.50")))
HAIKU_LONG = tuple(map(Decimal, ("0.50", "0.625", "1", "0.05", "2.50")))
SONNET, OPUS = dict(ROWS)["claude-sonnet-4-5"], dict(ROWS)["claude-opus-4-6"]
MODELS_BY_NAME = dict(ROWS)


def times(prices: tuple[Decimal, ...], factor: str | int | Decimal) -> tuple[Decimal, ...]:
    return tuple(price * Decimal(factor) for price in prices)


@requirement("P1", "P5")
@pytest.mark.parametrize("model, prices", ROWS)
def test_a_model_has_its_published_price(model: str, prices: tuple[Decimal, ...]) -> None:
    assert million(bundled(), model) == prices


@requirement("P8")
@pytest.mark.parametrize(
    "model, last, first, before, after",
    [
        ("claude-opus-5-5", "2026-09-21", "2026-09-22", None, "0.20"),
        ("claude-haiku-5-5", "2026-10-06", "2026-10-07", None, "0.01"),
        ("claude-sonnet-5-5", "2026-10-06", "2026-10-07", "0.20", "0.10"),
    ],
)
def test_a_price_changes_with_the_utc_day(
    model: str, last: str, first: str, before: str | None, after: str
) -> None:
    table = bundled()
    old, new = million(table, model, on=last), million(table, model, on=first)
    assert (old and old[3]) == (before and Decimal(before))
    assert new is not None
    assert new[3] == Decimal(after)


@requirement("P4", "P8")
def test_outside_its_dates_a_model_has_no_price() -> None:
    assert million(bundled(), "claude-opus-5-5", on="2026-01-01") is None


@requirement("P8")
@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-4-6"])
def test_an_undated_response_has_the_latest_price(model: str) -> None:
    table = bundled()
    assert million(table, model, on=None) == million(table, model, on=TODAY)
    assert table.rates(model, -(1 << 40), 0, "", "", "") == table.rates(model, None, 0, "", "", "")


@requirement("P4", "P8")
def test_a_day_before_1970_is_a_day() -> None:
    assert million(bundled(), "claude-opus-5-5", on="1969-12-31") is None
    assert million(bundled(), "claude-opus-5", on="1969-12-31") is not None


@requirement("P6")
@pytest.mark.parametrize(
    "model, on, limit, short, long",
    [
        ("claude-sonnet-4-5", TODAY, 200_000, SONNET, SONNET_LONG),
        ("claude-sonnet-4", TODAY, 200_000, SONNET, SONNET_LONG),
        ("claude-sonnet-4-6", "2026-03-12", 200_000, SONNET, SONNET_LONG),
        ("claude-opus-4-6", "2026-03-12", 200_000, OPUS, OPUS_LONG),
        ("claude-sonnet-4-6", "2026-03-13", 200_000, SONNET, SONNET),
        ("claude-opus-4-6", "2026-03-13", 200_000, OPUS, OPUS),
        ("claude-haiku-5-5", TODAY, 100_000, MODELS_BY_NAME["claude-haiku-5-5"], HAIKU_LONG),
        ("claude-opus-4-5", TODAY, 200_000, OPUS, OPUS),
        ("claude-sonnet-5", TODAY, 200_000, *[MODELS_BY_NAME["claude-sonnet-5"]] * 2),
    ],
)
def test_a_prompt_above_the_limit_moves_the_whole_request(
    model: str, on: str, limit: int, short: tuple[Decimal, ...], long: tuple[Decimal, ...]
) -> None:
    table = bundled()
    found = [million(table, model, on=on, prompt=limit + more) for more in (-1, 0, 1, 10**6)]
    assert found == [short, short, long, long]


@requirement("P7")
@pytest.mark.parametrize("model", [model for model, _ in ROWS])
def test_fast_mode_has_a_factor_or_no_price(model: str) -> None:
    table = bundled()
    fast = million(table, model, speed="fast")
    factor = FAST.get(model)
    assert fast == (None if factor is None else times(MODELS_BY_NAME[model], factor))


@requirement("P7")
@pytest.mark.parametrize("model", [model for model, _ in ROWS])
def test_us_only_inference_raises_models_from_4_6_on(model: str) -> None:
    factor = 1 if model in BEFORE_4_6 else "1.1"
    assert million(bundled(), model, geo="us") == times(MODELS_BY_NAME[model], factor)


@requirement("P7")
@pytest.mark.parametrize("geo", ["", "global", "not_available", "eu"])
def test_no_other_region_of_inference_changes_the_price(geo: str) -> None:
    assert million(bundled(), "claude-opus-5", geo=geo) == MODELS_BY_NAME["claude-opus-5"]


@requirement("P7")
@pytest.mark.parametrize("model", [model for model, _ in ROWS])
@pytest.mark.parametrize(
    "region, factor",
    [("us", "1.1"), ("eu", "1.1"), ("au", "1.1"), ("jp", "1.1"), ("global", "1"), ("apac", "1")],
)
def test_a_bedrock_region_raises_the_price(model: str, region: str, factor: str) -> None:
    found = million(bundled(), f"{region}.anthropic.{model}-v1:0")
    assert found == times(MODELS_BY_NAME[model], factor)


@requirement("P7")
@pytest.mark.parametrize("model", [model for model, _ in ROWS])
def test_a_batch_costs_half(model: str) -> None:
    assert million(bundled(), model, tier="batch") == times(MODELS_BY_NAME[model], "0.5")


@requirement("P7")
@pytest.mark.parametrize("tier", ["", "standard", "priority", "default", "auto", "Standard"])
def test_the_standard_and_the_priority_tier_cost_the_list_price(tier: str) -> None:
    assert million(bundled(), "claude-opus-5", tier=tier) == MODELS_BY_NAME["claude-opus-5"]


@requirement("P4", "P7")
def test_an_unknown_tier_or_speed_has_no_price() -> None:
    table = bundled()
    assert million(table, "claude-opus-5", tier="flex") is None
    assert million(table, "claude-opus-5", speed="turbo") is None


@requirement("P2", "P6", "P7")
def test_all_factors_multiply_exactly() -> None:
    found = million(
        bundled(),
        "us.anthropic.claude-opus-4-6-v1:0",
        on="2026-03-12",
        prompt=200_001,
        speed="fast",
        tier="batch",
        geo="us",
    )
    assert found == times(OPUS_LONG, Decimal(6) * Decimal("1.1") * Decimal("1.1") / 2)
    assert found == tuple(map(Decimal, ("36.3", "45.375", "72.6", "3.63", "136.125")))


@requirement("P2", "P7")
@given(
    st.sampled_from([model for model, _ in ROWS]),
    st.sampled_from(["", "us.anthropic.", "global.anthropic."]),
    st.sampled_from(["", "fast"]),
    st.sampled_from(["", "batch", "priority"]),
    st.sampled_from(["", "us"]),
    st.sampled_from([1, 100_001, 200_001]),
)
def test_no_product_of_factors_is_ever_rounded(
    model: str, prefix: str, speed: str, tier: str, geo: str, prompt: int
) -> None:
    table = bundled()
    base = million(table, model, prompt=prompt)
    found = million(table, prefix + model, prompt=prompt, speed=speed, tier=tier, geo=geo)
    if speed and model not in FAST:
        assert found is None
        return
    assert base is not None
    factor = Decimal(FAST[model] if speed else 1)
    factor *= Decimal("1.1") if geo and model not in BEFORE_4_6 else 1
    factor *= Decimal("1.1") if prefix.startswith("us") else 1
    assert found == times(base, factor / 2 if tier == "batch" else factor)


@requirement("P7")
@pytest.mark.parametrize("speed, tier, geo", [("", "", ""), ("fast", "batch", "us")])
def test_a_web_search_costs_a_cent_whatever_multiplies_the_tokens(
    speed: str, tier: str, geo: str
) -> None:
    rates = bundled().rates("us.anthropic.claude-opus-5-v1:0", day(TODAY), 9, speed, tier, geo)
    assert rates is not None
    assert rates[5] == 10**16


@requirement("P1", "P5")
def test_a_one_hour_write_costs_twice_the_input_and_a_five_minute_write_a_quarter_more() -> None:
    rates = bundled().rates("claude-opus-5", day(TODAY), 0, "", "", "")
    assert rates is not None
    # 1,000 in, 2,000 out, 30,000 read, 400 written for 5 minutes, 500 for an hour, 3 searches
    found = cost((1000, 2000, 30_000, 400, 500, 3), rates)
    expected = (
        Decimal(1000 * 5 + 2000 * 25 + 400 * Decimal("6.25") + 500 * 10) / 10**6
        + Decimal(30_000) * Decimal("0.5") / 10**6
        + Decimal("0.03")
    )
    assert Decimal(found) == expected * 10**18


@requirement("P5")
def test_the_published_price_of_a_write_or_read_wins_over_the_multiple() -> None:
    table = bundled()
    models = ("claude-3-haiku", "claude-fable-5-1", "claude-opus-5-5")
    haiku, fable, opus = (million(table, model) or () for model in models)
    ratios = (haiku[1] / haiku[0], fable[3] / fable[0], opus[3] / opus[0])
    assert ratios == (Decimal("1.2"), Decimal("0.025"), Decimal("0.05"))


@requirement("P4")
def test_an_unknown_model_has_no_price_rather_than_none_to_pay() -> None:
    assert bundled().rates("claude-unheard-of", day(TODAY), 0, "", "", "") is None


@requirement("P6")
@given(st.integers(0, 2_000_000))
def test_a_bucket_says_which_limits_a_prompt_exceeds(prompt: int) -> None:
    limits = bundled().thresholds
    bucket = bisect_left(limits, prompt)
    assert [limit for limit in limits if prompt > limit] == list(limits[:bucket])
