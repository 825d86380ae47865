"""The balance on ledgers small enough to add up by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from econome.clock import zone
from econome.savings.question import NO_PRESET, By, Question
from econome.times import read_day
from tests.requirements import requirement
from tests.savings.builders import EXAMPLE, Payload, correction, delegation, request_id, steering
from tests.savings.ledgers import Written, ended

NOTHING = {
    "delegations": 0,
    "avoided": 0,
    "steering": 0,
    "corrections": 0,
    "net": 0,
    "rework_rate": None,
}
ONE, TWO, THREE = map(request_id, (1, 2, 3))


def _client(*events: Payload, journal: list[Payload] | None = None, **asked: Any) -> dict[str, Any]:
    """Return the only client of the balance of some events."""
    (client,) = Written(list(events), journal=journal or []).report(Question(**asked))["clients"]
    found: dict[str, Any] = client
    return found


def _steering_by_request(*events: Payload, journal: list[Payload] | None = None) -> dict[Any, int]:
    """Return what each request bears of the steering."""
    rows = _client(*events, journal=journal, by="delegation")["rows"]
    return {row["delegation"]: row["steering"] for row in rows if row["steering"]}


@requirement("S7", "C-M52", "C-M49", "C-N19")
def test_the_contracts_own_example_avoids_4900_for_2000_and_nets_2900() -> None:
    assert _client(*json.loads(EXAMPLE)["evenements"]) == {
        "client": "claude-code",
        "delegations": 1,
        "avoided": 4900,
        "steering": 2000,
        "corrections": 0,
        "net": 2900,
        "rework_rate": 0.0,
        "unattached": 0,
        "conflicts": 0,
    }


@requirement("S7", "C-N20")
def test_without_any_file_the_client_of_the_contract_has_nothing() -> None:
    report = Written().report()
    whole = {**NOTHING, "unattached": 0, "conflicts": 0}
    assert report["clients"] == [{"client": "claude-code", **whole}]
    assert report["total"] == whole
    assert Written().report(Question(by="preset"))["clients"] == [
        {"client": "claude-code", **whole, "rows": []}
    ]


@requirement("S7")
def test_every_key_of_a_report_is_there_without_any_file() -> None:
    assert Written().report() == {
        "schema": "econome.balance/1",
        "by": None,
        "today": "2026-10-16",
        "period": {"since": None, "until": None},
        "filters": {"client": None, "preset": None},
        "total": {**NOTHING, "unattached": 0, "conflicts": 0},
        "clients": [{"client": "claude-code", **NOTHING, "unattached": 0, "conflicts": 0}],
        "local": {
            "requests": 0, "by_status": {}, "tokens_in": 0, "tokens_out": 0, "duration_s": 0.0,
        },
        "ledger": {"events": 0, "bytes": 0, "malformed": 0, "duplicates": 0},
        "conflicts": {"lines": 0, "bytes": 0, "malformed": 0},
        "journal": {"lines": 0, "bytes": 0, "malformed": 0},
    }  # fmt: skip


@requirement("S7", "C-N23", "C-M33", "C-I6")
def test_a_steering_received_before_its_delegation_counts_as_after_it() -> None:
    after = _client(delegation(1), steering(1), by="delegation")
    assert _client(steering(1), delegation(1), by="delegation") == after
    assert after["unattached"] == 0


@requirement("S7", "C-N19", "C-M50")
@pytest.mark.parametrize(("avoided", "rate"), [(0, None), (-5, None), (1200, 0.25), (100, 3.0)])
def test_the_rework_rate_is_unknown_where_nothing_was_avoided(
    avoided: int, rate: float | None
) -> None:
    client = _client(delegation(1, estimation__evites=avoided), correction(1))
    assert (client["corrections"], client["rework_rate"]) == (300, rate)
    assert client["net"] == avoided - 300


@requirement("S7", "C-I5", "C-M50")
def test_a_delegation_may_have_several_corrections() -> None:
    uses = [correction(1, tool_use_id=f"toolu_{use}", cout=use) for use in (100, 200, 500)]
    (row,) = _client(delegation(1), *uses, by="delegation")["rows"]
    assert row == {
        "delegation": ONE,
        "delegations": 1,
        "avoided": 4000,
        "steering": 0,
        "corrections": 800,
        "net": 3200,
        "rework_rate": 0.2,
    }


@requirement("S7", "C-I4")
def test_a_steering_is_shared_by_what_its_delegations_avoided() -> None:
    events = [delegation(1, estimation__evites=6000), delegation(2, estimation__evites=2000)]
    turn = steering(demande_ids=[ONE, TWO], cout=1001)
    assert _steering_by_request(*events, turn) == {ONE: 751, TWO: 250}


@requirement("S7")
def test_what_avoided_nothing_bears_nothing_of_a_shared_steering() -> None:
    events = [delegation(1, estimation__evites=-900), delegation(2, estimation__evites=10)]
    turn = steering(demande_ids=[ONE, TWO], cout=1001)
    assert _steering_by_request(*events, turn) == {TWO: 1001}


@requirement("S7")
def test_the_weight_of_a_request_is_all_that_its_delegations_avoided() -> None:
    again = delegation(1, client="other", id="other:1", estimation__evites=5000)
    events = [delegation(1, estimation__evites=1000), again, delegation(2, estimation__evites=2000)]
    report = Written([*events, steering(demande_ids=[ONE, TWO], cout=400)]).report(
        Question(client="claude-code", by="delegation")
    )
    rows = report["clients"][0]["rows"]
    assert {row["delegation"]: row["steering"] for row in rows} == {ONE: 300, TWO: 100}


@requirement("S7")
def test_where_none_avoided_anything_a_steering_is_shared_equally_the_first_bearing_the_rest() -> (
    None
):
    events = [delegation(n, estimation__evites=0) for n in (1, 2, 3)]
    turn = steering(demande_ids=[TWO, THREE, ONE], cout=11)
    assert _steering_by_request(*events, turn) == {TWO: 4, THREE: 4, ONE: 3}


@requirement("S7")
def test_of_equal_remainders_the_first_in_the_list_of_requests_wins() -> None:
    events = [delegation(1), delegation(2)]
    assert _steering_by_request(*events, steering(demande_ids=[TWO, ONE], cout=3)) == {
        TWO: 2,
        ONE: 1,
    }


@requirement("S7")
def test_an_unknown_request_bears_nothing_beside_a_known_one() -> None:
    turn = steering(demande_ids=[THREE, ONE], cout=7)
    client = _client(delegation(1, estimation__evites=0), turn, by="delegation")
    assert [(row["delegation"], row["steering"]) for row in client["rows"]] == [(ONE, 7)]
    assert client["unattached"] == 0


@requirement("S7", "C-I6")
def test_an_event_that_names_no_known_request_is_unattached_and_in_a_row_without_a_name() -> None:
    turn = steering(demande_ids=[TWO, THREE], cout=70)
    client = _client(delegation(1), turn, correction(2), correction(1), by="delegation")
    assert client["unattached"] == 2
    nameless = client["rows"][-1]
    assert (nameless["delegation"], nameless["steering"], nameless["corrections"]) == (
        None,
        70,
        300,
    )


@requirement("S7", "C-I3")
def test_a_request_that_only_the_journal_knows_is_known() -> None:
    client = _client(steering(2), journal=[ended(TWO)], by="delegation")
    assert client["unattached"] == 0
    assert [row["delegation"] for row in client["rows"]] == [TWO]


@requirement("S7")
def test_a_request_named_twice_counts_once() -> None:
    turn = steering(demande_ids=[ONE, TWO, ONE, ONE], cout=100)
    assert _steering_by_request(delegation(1), delegation(2), turn) == {ONE: 50, TWO: 50}


@requirement("S7")
def test_weights_are_those_of_the_whole_ledger_whatever_is_asked() -> None:
    early = delegation(1, estimation__evites=3000, date="2026-10-01T08:00:00Z")
    late = delegation(2, estimation__evites=1000)
    turn = steering(demande_ids=[ONE, TWO], cout=400, client="other")
    day = read_day("2026-10-30")
    report = Written([early, late, turn]).report(
        Question(since=day, until=day, client="other", by="delegation")
    )
    (client,) = report["clients"]
    assert {row["delegation"]: row["steering"] for row in client["rows"]} == {ONE: 300, TWO: 100}


@requirement("S7", "C-N21", "C-I3")
@pytest.mark.parametrize(
    ("by", "names"),
    [("preset", ("small", "large")), ("format", ("json", "text")), ("model", ("m1", "m2"))],
)
def test_the_journal_gives_the_preset_format_and_model_of_a_request(
    by: By, names: tuple[str, str]
) -> None:
    journal = [
        ended(ONE, preset="small", format="json", modele="m1"),
        ended(TWO, preset="large", format="text", modele="m2"),
    ]
    events = [delegation(1, estimation__evites=10), delegation(2, estimation__evites=30)]
    turn = steering(demande_ids=[ONE, TWO, THREE], cout=8)
    rows = _client(*events, turn, correction(3, cout=5), journal=journal, by=by)["rows"]
    assert rows == [
        {by: names[1], **NOTHING, "delegations": 1, "avoided": 30, "steering": 6, "net": 24,
         "rework_rate": 0.0},
        {by: names[0], **NOTHING, "delegations": 1, "avoided": 10, "steering": 2, "net": 8,
         "rework_rate": 0.0},
        {by: None, **NOTHING, "corrections": 5, "net": -5},
    ]  # fmt: skip


@requirement("S7", "C-I3")
def test_the_first_line_of_a_request_in_the_journal_is_the_one_that_joins() -> None:
    journal = [ended(ONE, preset="first"), ended(ONE, preset="second")]
    (row,) = _client(delegation(1), journal=journal, by="preset")["rows"]
    assert row["preset"] == "first"


@requirement("S7")
def test_a_preset_asked_for_leaves_its_part_of_a_shared_steering() -> None:
    journal = [ended(ONE, preset="small"), ended(TWO, preset=None)]
    events = [
        delegation(1, estimation__evites=30),
        delegation(2, estimation__evites=10),
        steering(demande_ids=[ONE, TWO], cout=100),
    ]
    small = _client(*events, journal=journal, preset="small")
    none = _client(*events, journal=journal, preset=NO_PRESET)
    assert (small["avoided"], small["steering"]) == (30, 75)
    assert (none["avoided"], none["steering"]) == (10, 25)


@requirement("S7")
def test_a_period_and_a_preset_leave_what_passes_both() -> None:
    journal = [ended(ONE, preset="small"), ended(TWO, preset="large")]
    early = "2026-10-01T08:00:00Z"
    events = [
        delegation(2, id="1", date=early, estimation__evites=1),
        delegation(1, id="2", estimation__evites=20),
        delegation(1, id="3", date=early, estimation__evites=300),
        delegation(2, id="4", estimation__evites=4000),
    ]
    since = read_day("2026-10-30")
    assert _client(*events, journal=journal, since=since, preset="small")["avoided"] == 20
    assert _client(*events, journal=journal, until=since - 1, preset="large")["avoided"] == 1


@requirement("S7")
def test_an_empty_word_of_the_journal_is_no_preset_of_that_name() -> None:
    journal = [ended(ONE, preset=None, statut=""), ended(TWO, preset="", format="", modele="")]
    events = [delegation(1), delegation(2)]
    assert _client(*events, journal=journal, preset=NO_PRESET)["delegations"] == 2
    (row,) = _client(*events, journal=journal, by="format", preset=NO_PRESET)["rows"][1:]
    assert row["format"] is None


@requirement("S7")
def test_days_are_those_of_the_zone_on_both_sides_of_a_change_of_the_clock() -> None:
    dates = [
        "2026-03-28T22:59:59Z",  # 23:59:59 in Paris, winter time
        "2026-03-28T23:00:00Z",  # midnight
        "2026-03-29T21:59:59Z",  # 23:59:59, summer time: a day of 23 hours
        "2026-03-29T22:00:00Z",
        "2026-10-24T22:00:00Z",  # midnight, summer time
        "2026-10-25T22:59:59Z",  # 23:59:59, winter time: a day of 25 hours
        "2026-10-25T23:00:00Z",
    ]
    events = [delegation(at, date=date, estimation__evites=10**at) for at, date in enumerate(dates)]
    report = Written(events).report(Question(by="day"), zone("Europe/Paris"))
    rows = {row["day"]: row["avoided"] for row in report["clients"][0]["rows"]}
    assert rows == {
        "2026-03-28": 1,
        "2026-03-29": 110,
        "2026-03-30": 1000,
        "2026-10-25": 110_000,
        "2026-10-26": 1_000_000,
    }
    day = read_day("2026-10-25")
    asked = Question(since=day, until=day)
    assert Written(events).report(asked, zone("Europe/Paris"))["total"]["avoided"] == 110_000


@requirement("S7")
def test_each_event_counts_on_its_own_day() -> None:
    day = read_day("2026-10-31")
    events = [delegation(1), correction(1, date="2026-10-31T00:00:00Z")]
    client = _client(*events, since=day)
    assert client == {
        "client": "claude-code", **NOTHING, "corrections": 300, "net": -300, "unattached": 0,
        "conflicts": 0,
    }  # fmt: skip


@requirement("S7", "S6")
def test_a_conflict_is_counted_for_its_client_and_changes_no_other_figure() -> None:
    stored, other = delegation(1), delegation(1, estimation__evites=9)
    with_conflict = Written([stored], [other, steering(1, client="new", id="x")]).report()
    plain = Written([stored]).report()["clients"][0]
    nobody = {**NOTHING, "unattached": 0, "conflicts": 1}
    assert with_conflict["clients"] == [
        {**plain, "conflicts": 1},
        {"client": "new", **nobody},
    ]
    assert with_conflict["total"]["conflicts"] == 2


@requirement("S7")
def test_clients_stand_side_by_side_and_the_total_is_their_sum() -> None:
    events = [
        delegation(1),
        steering(1, client="zed", cout=10),
        correction(1, client="another", cout=30),
    ]
    report = Written(events).report()
    assert [client["client"] for client in report["clients"]] == ["another", "claude-code", "zed"]
    assert report["total"] == {
        "delegations": 1, "avoided": 4000, "steering": 10, "corrections": 30, "net": 3960,
        "rework_rate": 30 / 4000, "unattached": 0, "conflicts": 0,
    }  # fmt: skip


@requirement("S7")
def test_a_client_nobody_knows_has_nothing() -> None:
    report = Written([delegation(1)]).report(Question(client="nobody"))
    whole = {**NOTHING, "unattached": 0, "conflicts": 0}
    assert report["clients"] == [{"client": "nobody", **whole}]
    assert report["total"] == whole


@requirement("S4", "C-M19")
def test_a_stored_figure_counts_as_it_stands() -> None:
    wrong = delegation(1, estimation__evites=-7, par_subagent=True)
    client = _client(wrong, steering(1, cout=1))
    assert (client["avoided"], client["steering"], client["net"]) == (-7, 1, -8)


@requirement("S7")
def test_sums_beyond_64_bits_are_exact() -> None:
    events = [delegation(at, estimation__evites=2**53) for at in range(1100)]
    assert _client(*events)["avoided"] == 1100 * 2**53


@requirement("S7", "D4")
def test_the_local_models_own_totals_are_those_of_the_journal() -> None:
    journal = [
        ended(ONE, duree_s=0.1),
        ended(TWO, statut="echec", tokens_entree=None, tokens_sortie=None, duree_s=0.2),
        ended(None, statut="refusee", tokens_entree=None, tokens_sortie=None, duree_s=None),
        ended(THREE, date="no date", duree_s=0.3, preset=None),
    ]
    written = Written([delegation(1)], journal=journal)
    assert written.report()["local"] == {
        "requests": 4, "by_status": {"echec": 1, "refusee": 1, "terminee": 2}, "tokens_in": 8400,
        "tokens_out": 1800, "duration_s": 0.6,
    }  # fmt: skip
    filters = [
        Question(client="claude-code"),
        Question(since=read_day("2026-10-30")),
        Question(until=read_day("2026-10-30")),
        Question(preset="small"),
        Question(preset=NO_PRESET),
    ]
    counts = [written.report(asked)["local"]["requests"] for asked in filters]
    assert counts == [1, 3, 3, 3, 1]


@requirement("S7")
def test_a_damaged_duration_breaks_no_sum() -> None:
    journal = [ended(ONE, duree_s=1e308), ended(TWO, duree_s=1e308), ended(THREE, duree_s=2)]
    assert Written(journal=journal).report()["local"]["duration_s"] == 2.0
