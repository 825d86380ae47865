"""The balance in money: each class of tokens at its own list price, and nothing where there is no price."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from econome.prices.table import load
from econome.savings.money import METHOD, Money
from econome.savings.question import BY, By, Question
from tests.requirements import requirement
from tests.savings.builders import Payload, correction, delegation, request_id, steering
from tests.savings.ledgers import Written, ledgers, questions

PRICES = load()
MAIN = "claude-opus-4-8"  # 5 and 25 dollars per million tokens
SMALL = "claude-haiku-4-5"  # 1 and 5 dollars; 0.10 to read from the cache, 1.25 to write to it
NOWHERE = "claude-nobody-9"
ONE, TWO = map(request_id, (1, 2))


def _report(*events: Payload, model: str | None = MAIN, **asked: Any) -> dict[str, Any]:
    """Return the report of some events whose sessions all have one main-thread model."""
    sessions = {event["session_id"] for event in events}
    models = {} if model is None else dict.fromkeys(sessions, model)
    money = Money(PRICES, models, asked.pop("reference_model", None))
    return Written(list(events)).report(Question(**asked), money=money)


def _usd(*events: Payload, model: str | None = MAIN, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = _report(*events, model=model, **asked)["clients"][0]["usd"]
    return found


def _spared(**changes: int) -> Payload:
    """Return a sub-agent's delegation that spared nothing but for *changes*."""
    nothing = dict.fromkeys(("lus", "ecrits", "consigne", "rendus", "evites"), 0)
    named = {f"estimation__{name}": value for name, value in {**nothing, **changes}.items()}
    return delegation(1, par_subagent=True, agent_id="a1", **named)


def _used(**changes: int) -> Payload:
    names = (
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    )
    usage = dict.fromkeys(names, 0) | changes
    return steering(1, modele=SMALL, **{f"usage__{name}": value for name, value in usage.items()})  # fmt: skip


@requirement("S9")
@pytest.mark.parametrize(
    ("event", "figure", "amount"),
    [
        (_spared(lus=1_000_000), "avoided", "5"),
        (_spared(ecrits=1_000_000), "avoided", "25"),
        (_spared(consigne=1_000_000, rendus=1_000_000), "avoided", "0"),
        (_used(input_tokens=1_000_000), "steering", "1"),
        (_used(output_tokens=1_000_000), "steering", "5"),
        (_used(cache_read_input_tokens=1_000_000), "steering", "0.1"),
        (_used(cache_creation_input_tokens=1_000_000), "steering", "1.25"),
        (correction(1, tokens_lus=1_000_000, tokens_ecrits=0), "corrections", "5"),
        (correction(1, tokens_lus=0, tokens_ecrits=1_000_000), "corrections", "25"),
    ],
)
def test_each_class_of_tokens_has_its_own_price(event: Payload, figure: str, amount: str) -> None:
    assert _usd(event)[figure] == amount


@requirement("S9")
def test_the_main_agent_wrote_the_brief_and_read_the_answer_itself() -> None:
    counts = {
        "estimation__lus": 1_000_000,
        "estimation__ecrits": 100_000,
        "estimation__consigne": 10_000,
        "estimation__rendus": 20_000,
    }
    own = delegation(1, par_subagent=False, **counts)
    # 5 to read and 2.50 to write, less 0.25 for the brief it wrote and 0.10 for the answer it read
    assert _usd(own)["avoided"] == "7.15"
    assert _usd(delegation(1, par_subagent=True, **counts))["avoided"] == "7.5"


@requirement("S9")
def test_net_is_what_was_avoided_less_what_it_cost() -> None:
    events = [
        _spared(lus=1_000_000),
        _used(input_tokens=1_000_000),
        correction(1, tokens_lus=100_000),
    ]
    assert _usd(*events) == {
        "avoided": "5",
        "steering": "1",
        "corrections": "0.5",
        "net": "3.5",
        "partial": False,
    }


@requirement("S9", "C-M29")
def test_a_followed_request_costs_at_the_model_of_its_session() -> None:
    followed = {**_used(output_tokens=1_000_000), "modele": "opencode"}
    assert _usd(followed)["steering"] == "25"


@requirement("S9")
def test_a_session_without_transcript_has_the_price_of_the_model_of_reference() -> None:
    usd = _usd(_spared(lus=1_000_000), model=None, reference_model=SMALL)
    assert (usd["avoided"], usd["partial"]) == ("1", False)


@requirement("S9", "P4")
def test_without_a_model_an_amount_is_unknown_and_its_session_is_named() -> None:
    report = _report(_spared(lus=1_000_000), _used(input_tokens=1_000_000), model=None)
    assert report["clients"][0]["usd"] == {
        "avoided": None,
        "steering": "1",
        "corrections": "0",
        "net": None,
        "partial": True,
    }
    session = delegation(1)["session_id"]
    assert report["money"]["unpriced"] == [{"model": None, "events": 1, "sessions": [session]}]
    assert report["money"]["models"] == [{"model": SMALL, "events": 1}]


@requirement("S9", "P4")
def test_a_model_without_a_price_is_named_and_no_other_models_price_stands_for_it() -> None:
    turn = {**_used(input_tokens=1_000_000), "modele": NOWHERE}
    report = _report(_spared(lus=1_000_000), turn, reference_model=SMALL)
    usd = report["clients"][0]["usd"]
    assert (usd["avoided"], usd["steering"], usd["net"]) == ("5", None, None)
    assert [entry["model"] for entry in report["money"]["unpriced"]] == [NOWHERE]
    unknown = _usd(_spared(lus=1_000_000), model=NOWHERE, reference_model=SMALL)
    assert unknown["avoided"] is None


@requirement("S9", "P4")
def test_what_has_a_price_beside_what_has_none_is_a_sum_marked_as_partial() -> None:
    priced = _spared(lus=1_000_000)
    strange = {**priced, "id": "x", "session_id": "elsewhere"}
    money = Money(PRICES, {priced["session_id"]: MAIN})
    (client,) = Written([priced, strange]).report(money=money)["clients"]
    assert client["usd"] == {
        "avoided": "5",
        "steering": "0",
        "corrections": "0",
        "net": "5",
        "partial": True,
    }


@requirement("S9", "P1")
def test_the_price_is_that_of_the_utc_day_of_the_event() -> None:
    first = {"input": 1, "output": 1, "until": "2026-10-31"}
    later = {"input": 2, "output": 1, "from": "2026-10-31"}
    prices = load({"m": [first, later]})
    events = [
        {**_spared(lus=1_000_000), "id": str(at), "date": date}
        for at, date in enumerate(("2026-10-30T23:59:59Z", "2026-10-31T00:30:00+02:00"))
    ]
    money = Money(prices, {}, "m")
    assert Written(events).report(money=money)["total"]["usd"]["avoided"] == "2"
    after = [{**event, "date": "2026-10-31T00:00:00Z"} for event in events]
    assert Written(after).report(money=money)["total"]["usd"]["avoided"] == "4"


@requirement("S9", "S7")
def test_the_money_of_a_shared_steering_is_shared_by_the_same_weights_to_the_last_attodollar() -> (
    None
):
    events = [delegation(1, estimation__evites=2), delegation(2, estimation__evites=1)]
    turn = {**_used(input_tokens=1), "demande_ids": [TWO, ONE]}
    (client,) = _report(*events, turn, by="delegation")["clients"]
    parts = {row["delegation"]: row["usd"]["steering"] for row in client["rows"]}
    assert parts == {ONE: "0.000000666666666667", TWO: "0.000000333333333333"}
    assert client["usd"]["steering"] == "0.000001"


@requirement("S9", "P4")
@pytest.mark.parametrize(("avoided", "bearing"), [((5, 0), [ONE]), ((0, 0), [ONE, TWO])])
def test_a_shared_steering_without_a_price_is_missing_where_it_is_borne(
    avoided: tuple[int, int], bearing: list[str]
) -> None:
    events = [delegation(at + 1, estimation__evites=value) for at, value in enumerate(avoided)]
    turn = {**_used(input_tokens=1), "modele": NOWHERE, "demande_ids": [ONE, TWO]}
    (client,) = _report(*events, turn, by="delegation")["clients"]
    missing = [row["delegation"] for row in client["rows"] if row["usd"]["steering"] is None]
    assert sorted(missing) == bearing
    assert [row["usd"]["partial"] for row in client["rows"]].count(True) == len(bearing)


@requirement("S9")
@pytest.mark.parametrize("by", BY)
@given(ledgers(), questions)
def test_rows_add_up_in_money_too(by: By, written: Written, question: Question) -> None:
    money = Money(PRICES, {"s1": MAIN, "s2": NOWHERE})
    report = written.report(replace(question, by=by, limit=None), money=money)
    for client in report["clients"]:
        for name in ("avoided", "steering", "corrections"):
            known = [row["usd"][name] for row in client["rows"]]
            total = client["usd"][name]
            added = sum(Decimal(amount) for amount in known if amount is not None)
            assert added == (0 if total is None else Decimal(total))
        assert client["usd"]["partial"] == any(row["usd"]["partial"] for row in client["rows"])
    plain = written.report(replace(question, by=by, limit=None))
    for with_money, without in zip(report["clients"], plain["clients"], strict=True):
        rows = [_without(row) for row in with_money["rows"]]
        assert {**_without(with_money), "rows": rows} == without


def _without(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "usd"}


@requirement("S9")
def test_the_answer_names_its_method_and_its_prices() -> None:
    money = _report(_spared(lus=1), reference_model=SMALL)["money"]
    assert money == {
        "method": METHOD,
        "prices": PRICES.label(),
        "reference_model": SMALL,
        "models": [{"model": MAIN, "events": 1}],
        "unpriced": [],
    }


@requirement("S9")
def test_events_that_a_filter_leaves_out_are_in_no_count_of_prices() -> None:
    report = _report(_spared(lus=1), correction(1), steering(1), client="nobody")
    assert (report["money"]["models"], report["money"]["unpriced"]) == ([], [])
    assert report["total"]["usd"]["net"] == "0"
