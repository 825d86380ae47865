"""P: what responses cost, as a report shows it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.builders import MODEL, Row, Tree, assistant, counts, without
from tests.door import Answer, figures, run, split, usage
from tests.requirements import requirement

MILLION = 1_000_000
NOTHING = {"fresh": 0, "output": 0, "read": 0, "write": 0}


def tokens(**numbers: Any) -> Row:
    """A usage object with only *numbers* in it."""
    return counts(**{**NOTHING, **numbers})


def cost(tree: Tree, *rows: Row) -> Any:
    """What a tree of *rows* costs."""
    tree.main("s1", *rows)
    answer: Answer = usage(tree.root)
    return answer["total"]["cost_usd"]


def one(tree: Tree, model: str = MODEL, day: str = "2026-01-05", **numbers: Any) -> Any:
    """What one response of *numbers* costs."""
    return cost(tree, assistant("a", model=model, time=f"{day}T12:00:00Z", usage=tokens(**numbers)))


@requirement("P1", "P5")
@pytest.mark.parametrize(
    ("numbers", "usd"),
    [
        ({"fresh": MILLION}, "1"),
        ({"output": MILLION}, "5"),
        ({"read": MILLION}, "0.1"),
        ({"write": MILLION}, "1.25"),
        ({"write": MILLION, "w1h": MILLION}, "2"),
        ({"write": MILLION, "w5m": 400_000, "w1h": 600_000}, "1.7"),
        ({"searches": 3}, "0.03"),
        ({"fresh": 1}, "0.000001"),
        ({"read": 1}, "0.0000001"),
        ({"read": 3, "write": 1, "fresh": 1, "output": 1}, "0.00000755"),
        ({}, "0"),
    ],
)
def test_each_counter_has_its_price(tree: Tree, numbers: dict[str, Any], usd: str) -> None:
    assert one(tree, **numbers) == usd


@requirement("P5")
@pytest.mark.parametrize(
    ("write", "w5m", "w1h", "five", "hour"),
    [
        (200, 150, 50, 150, 50),
        (200, 0, 0, 200, 0),
        (200, 0, 50, 150, 50),
        (200, 0, 500, 0, 200),
        (200, 999, 50, 150, 50),
        (None, 150, 50, 150, 50),
        (None, 0, 50, 0, 50),
        (0, 150, 50, 0, 0),
    ],
)
def test_the_split_of_writes_is_clamped_to_their_total(
    tree: Tree, write: int | None, w5m: int, w1h: int, five: int, hour: int
) -> None:
    tree.main("s1", assistant("a", usage=tokens(write=write, w5m=w5m, w1h=w1h)))
    found = usage(tree.root)["total"]
    assert (found["cache_write_5m_tokens"], found["cache_write_1h_tokens"]) == (five, hour)
    assert Decimal(found["cost_usd"]) == Decimal(five * 125 + hour * 200) / 10**8


@requirement("P5")
def test_an_absent_write_counter_is_the_sum_of_its_split(tree: Tree) -> None:
    given = tokens(w5m=150, w1h=50)
    del given["cache_creation_input_tokens"]
    tree.main("s1", assistant("a", usage=given))
    found = figures(usage(tree.root)["total"])
    assert (found["cache_write_5m_tokens"], found["cache_write_1h_tokens"]) == (150, 50)


@requirement("P1")
def test_responses_are_priced_one_by_one_and_not_by_their_average(tree: Tree) -> None:
    model = "claude-sonnet-4-5-20250929"
    rows = [
        assistant("a", model=model, usage=tokens(fresh=200_001)),
        assistant("b", model=model, usage=tokens(fresh=199_999)),
    ]
    assert cost(tree, *rows) == str(Decimal(200_001 * 6 + 199_999 * 3) / MILLION)


@requirement("P2")
def test_sums_are_exact(tree: Tree) -> None:
    rows = [assistant(f"a{n}", usage=tokens(read=1)) for n in range(1_000)]
    assert cost(tree, *rows) == "0.0001"
    answer = usage(tree.root, "--by", "session")
    assert [row["cost_usd"] for row in answer["rows"]] == ["0.0001"]


@requirement("P2")
def test_great_sums_are_exact_too(tree: Tree) -> None:
    most = 2**53
    rows = [assistant(f"a{n}", usage=tokens(read=most, output=1)) for n in range(10)]
    assert cost(tree, *rows) == "9007199254.741042"


@requirement("P3")
@pytest.mark.parametrize(
    "model",
    [
        "claude-haiku-4-5",
        "claude-haiku-4-5@20251001",
        "anthropic/claude-haiku-4.5",
        "Claude-Haiku-4-5",
        "claude-haiku-4-5-latest",
        "claude-haiku-4-5[1m]",
        "global.anthropic.claude-haiku-4-5-20251001-v1:0",
    ],
)
def test_the_ways_to_write_an_id_have_one_price(tree: Tree, model: str) -> None:
    assert one(tree, model, fresh=MILLION) == "1"
    assert split(tree.root, "model") == {model: 1}


@requirement("P3", "P4")
@pytest.mark.parametrize(
    "model", ["claude-haiku-4-5-5", "claude-haiku", "claude-haiku-4-5-fast", "x"]
)
def test_a_model_without_a_price_costs_nothing_known(tree: Tree, model: str) -> None:
    tree.main(
        "s1",
        assistant("a", model=model, usage=tokens(fresh=MILLION)),
        assistant("b", usage=tokens(fresh=MILLION)),
    )
    answer = usage(tree.root, "--by", "model")
    rows = {row["model"]: row for row in answer["rows"]}
    assert (rows[model]["cost_usd"], rows[model]["partial"]) == (None, True)
    assert (rows[MODEL]["cost_usd"], rows[MODEL]["partial"]) == ("1", False)
    assert (answer["total"]["cost_usd"], answer["total"]["partial"]) == ("1", True)
    assert answer["total"]["input_tokens"] == 2 * MILLION
    assert model in str(answer["unpriced"])
    assert "1000000" in str(answer["unpriced"])


@requirement("P4")
def test_a_tree_without_any_price_has_no_cost_and_not_zero(tree: Tree) -> None:
    tree.main("s1", assistant("a", model="x", usage=tokens(fresh=5)))
    found = usage(tree.root)["total"]
    assert (found["cost_usd"], found["partial"], found["input_tokens"]) == (None, True, 5)
    shown = run("usage", "--root", str(tree.root), "--days", "all", "--by", "model").out
    assert "n/a" in shown


@requirement("P4")
def test_a_day_before_the_price_of_a_model_has_none(tree: Tree) -> None:
    assert one(tree, "claude-opus-5-5", "2026-09-21", fresh=MILLION) is None
    assert one(tree, "claude-opus-5-5", "2026-09-22", fresh=MILLION) == "4"


@requirement("P6")
@pytest.mark.parametrize(
    ("numbers", "usd"),
    [
        ({"fresh": 200_000}, "0.6"),
        ({"fresh": 200_001}, "1.200006"),
        ({"fresh": 100_000, "read": 60_000, "write": 40_000}, "0.468"),
        ({"fresh": 100_000, "read": 60_000, "write": 40_001}, "0.9360075"),
        ({"fresh": 200_001, "output": MILLION}, "23.700006"),
        ({"fresh": 200_000, "output": MILLION}, "15.6"),
    ],
)
def test_a_long_prompt_moves_the_whole_request(
    tree: Tree, numbers: dict[str, Any], usd: str
) -> None:
    assert one(tree, "claude-sonnet-4-5-20250929", **numbers) == usd


@requirement("P6", "P8")
def test_a_long_price_ends_on_its_day(tree: Tree) -> None:
    assert one(tree, "claude-opus-4-6", "2026-03-01", fresh=MILLION) == "10"
    assert one(tree, "claude-opus-4-6", "2026-03-20", fresh=MILLION) == "5"


@requirement("P6")
def test_the_length_of_a_prompt_is_that_of_the_folded_response(tree: Tree) -> None:
    model = "claude-haiku-5-5"
    time = "2026-10-10T12:00:00Z"
    lines = [
        assistant("a", model=model, time=time, usage=tokens(fresh=60_000)),
        assistant("a", model=model, time=time, usage=tokens(read=60_000)),
    ]
    assert cost(tree, *lines) == str(Decimal("0.033"))
    assert cost(tree, lines[0], {**lines[1], "requestId": "req_2"}) == str(Decimal("0.0066"))


@requirement("P7")
@pytest.mark.parametrize(
    ("model", "more", "usd"),
    [
        ("claude-opus-4-8", {}, "5"),
        ("claude-opus-4-8", {"speed": "standard"}, "5"),
        ("claude-opus-4-8", {"speed": "fast"}, "10"),
        ("claude-opus-4-7", {"speed": "fast"}, "30"),
        ("claude-haiku-4-5", {"speed": "fast"}, None),
        ("claude-opus-4-8", {"inference_geo": "us"}, "5.5"),
        ("claude-opus-4-8", {"inference_geo": "global"}, "5"),
        ("claude-opus-4-8", {"inference_geo": "not_available"}, "5"),
        ("claude-opus-4-8", {"service_tier": "batch"}, "2.5"),
        ("claude-opus-4-8", {"service_tier": "priority"}, "5"),
        ("claude-opus-4-8", {"service_tier": None}, "5"),
        (
            "claude-opus-4-8",
            {"speed": "fast", "inference_geo": "us", "service_tier": "batch"},
            "5.5",
        ),
        ("us.anthropic.claude-opus-4-8-v1:0", {}, "5.5"),
        ("eu.anthropic.claude-opus-4-8", {}, "5.5"),
    ],
)
def test_speed_region_and_tier_multiply(
    tree: Tree, model: str, more: dict[str, Any], usd: str | None
) -> None:
    assert one(tree, model, "2026-09-01", fresh=MILLION, **more) == usd


@requirement("P7")
def test_searches_are_added_after_the_factors(tree: Tree) -> None:
    found = one(tree, "claude-opus-4-8", "2026-09-01", searches=1_000, service_tier="batch")
    assert found == "10"


@requirement("P8")
def test_the_past_keeps_its_price(tree: Tree) -> None:
    assert one(tree, "claude-sonnet-5-5", "2026-10-06", read=MILLION) == "0.2"
    assert one(tree, "claude-sonnet-5-5", "2026-10-07", read=MILLION) == "0.1"


@requirement("P8")
def test_the_table_says_its_version_and_when_it_was_checked(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    prices = usage(tree.root)["prices"]
    assert prices["version"]
    assert len(prices["checked"]) == len("2026-10-17")


@requirement("P8")
def test_a_price_in_the_settings_applies_to_indexed_trees_too(tree: Tree, home: Path) -> None:
    rows = [
        assistant("a", model="own/large", usage=tokens(fresh=MILLION)),
        assistant("b", usage=tokens(fresh=MILLION)),
    ]
    assert cost(tree, *rows) == "1"
    path = home / "config" / "econome" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        '[prices."own/large"]\ninput = 2.5\noutput = 10\n[prices.claude-haiku-4-5]\ninput = 7\noutput = 8\n',
        encoding="utf-8",
    )
    answer = usage(tree.root)
    assert (answer["total"]["cost_usd"], answer["total"]["partial"]) == ("9.5", False)
    assert answer["unpriced"] == []
    path.unlink()
    assert usage(tree.root)["total"]["cost_usd"] == "1"


@requirement("P9")
@pytest.mark.parametrize("command", [(), ("usage",)])
def test_what_the_money_is_not_is_always_said(tree: Tree, command: tuple[str, ...]) -> None:
    tree.main("s1", assistant("a", time="2026-10-17T01:00:00Z"))
    ran = run(*command, "--root", str(tree.root))
    said = " ".join((ran.out + ran.err).split())
    assert ran.code == 0
    assert "list price" in said
    assert "lower bound" in said


@requirement("P10")
def test_a_cost_written_in_a_log_is_never_mixed_in(tree: Tree) -> None:
    row = assistant("a", usage=tokens(fresh=MILLION), costUSD=99.5)
    row["message"]["costUSD"] = 99.5
    assert cost(tree, row) == "1"
    assert "99.5" not in json.dumps(usage(tree.root))


@requirement("P4")
def test_without_cost_no_money_is_shown(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", model="x"))
    plain, bare = usage(tree.root), usage(tree.root, "--no-cost")
    assert figures(bare["total"]) == figures(plain["total"])
    assert bare["total"].get("cost_usd") is None
    assert bare["unpriced"] == plain["unpriced"] != []


@requirement("P5")
def test_writes_that_no_split_vouches_for_are_said(tree: Tree) -> None:
    split = {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 50}
    short = assistant(
        "a", usage={**tokens(), "cache_creation_input_tokens": 400, "cache_creation": split}
    )
    bare = assistant(
        "b", usage=without({**tokens(), "cache_creation_input_tokens": 30}, "cache_creation")
    )
    tree.main("s1", short, bare)
    assert usage(tree.root)["unsplit_write_tokens"] == 250 + 30
    page = run("usage", "--root", str(tree.root), "--timezone", "UTC").out
    assert "280 tokens" in " ".join(page.split())
