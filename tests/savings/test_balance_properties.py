"""What holds of every balance: order is nothing, parts add up, and a slow second derivation agrees."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.savings.balance import balance_report
from econome.savings.books import Books
from econome.savings.question import BY, NO_PRESET, By, Question
from econome.savings.verify import compare, derive
from econome.times import read_day
from tests.brief import examples
from tests.requirements import requirement
from tests.savings.builders import ledger_line
from tests.savings.ledgers import CLIENTS, TODAY, UTC, Written, ledgers, questions, zones

if TYPE_CHECKING:
    from econome.clock import Zone

SUMS = ("delegations", "avoided", "steering", "corrections", "net")
WHOLE = (*SUMS, "unattached", "conflicts")


def _sums(row: dict[str, Any], names: tuple[str, ...] = WHOLE) -> dict[str, int]:
    return {name: row[name] for name in names}


def _added(rows: list[dict[str, Any]], names: tuple[str, ...] = WHOLE) -> dict[str, int]:
    return {name: sum(row[name] for row in rows) for name in names}


def _by_client(report: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return the figures of each client that has any."""
    found = {entry["client"]: _sums(entry) for entry in report["clients"]}
    return {name: sums for name, sums in found.items() if any(sums.values())}


@pytest.mark.slow
@requirement("S11", "S7")
@settings(max_examples=examples(300))
@given(ledgers(damaged=True), questions, zones)
def test_the_slow_derivation_agrees(written: Written, question: Question, zone: Zone) -> None:
    report = written.report(question, zone)
    derived = derive(written.account(), question, zone)
    assert {name: report[name] for name in derived} == derived
    assert report.keys() - derived.keys() == {"today"}
    assert compare(written.account(), zone, [(question, report)]) == []


@requirement("S7", "C-I6", "C-M33")
@given(ledgers(), questions, zones, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(
    written: Written, question: Question, zone: Zone, rng: random.Random
) -> None:
    assert written.shuffled(rng).report(question, zone) == written.report(question, zone)


@requirement("S7", "S6")
@given(ledgers(), questions, st.data())
def test_a_repeated_line_is_counted_as_one_and_changes_no_figure(
    written: Written, question: Question, data: st.DataObject
) -> None:
    again = data.draw(st.lists(st.sampled_from(written.events)) if written.events else st.just([]))
    report = written.report(question)
    repeated = replace(written, events=[*written.events, *again]).report(question)
    size = sum(len(ledger_line(event)) for event in again)
    ledger = report["ledger"]
    grown = {**ledger, "bytes": ledger["bytes"] + size, "duplicates": len(again)}
    assert repeated == {**report, "ledger": grown}


@requirement("S7")
@given(ledgers(damaged=True), questions, st.lists(st.integers(0, 20), max_size=4))
def test_lines_may_be_read_in_any_blocks(
    written: Written, question: Question, cuts: list[int]
) -> None:
    lines = written.ledger_lines()
    books, begun = Books(), 0
    for cut in sorted(min(cut, len(lines)) for cut in [*cuts, len(lines)]):
        books.add_lines(b"".join(lines[begun:cut]))
        begun = cut
    books.conflicts.add_lines(b"".join(written.conflict_lines()))
    for line in written.journal_lines():
        books.endings.add_lines(line)
    report = balance_report(books, question, UTC, TODAY)
    assert report == written.report(question)


@requirement("S7", "C-N21")
@pytest.mark.parametrize("by", BY)
@given(ledgers(), questions, zones)
def test_rows_add_up_to_the_client_and_clients_to_the_total(
    by: By, written: Written, question: Question, zone: Zone
) -> None:
    report = written.report(replace(question, by=by, limit=None), zone)
    for client in report["clients"]:
        assert _added(client["rows"], SUMS) == _sums(client, SUMS)
        names = [row[by] for row in client["rows"]]
        assert len(set(names)) == len(names)
    assert _added(report["clients"]) == _sums(report["total"])
    plain = written.report(replace(question, by=None, limit=None), zone)
    assert [_sums(client) for client in plain["clients"]] == [
        _sums(client) for client in report["clients"]
    ]


@requirement("S7", "C-M49", "C-N19")
@given(ledgers(), questions)
def test_net_and_rework_rate_follow_from_the_other_figures(
    written: Written, question: Question
) -> None:
    report = written.report(question)
    rows = [row for client in report["clients"] for row in client.get("rows", ())]
    for row in (report["total"], *report["clients"], *rows):
        assert row["net"] == row["avoided"] - row["steering"] - row["corrections"]
        rate = row["corrections"] / row["avoided"] if row["avoided"] > 0 else None
        assert row["rework_rate"] == rate


@requirement("S7")
@given(ledgers(), questions, zones)
def test_presets_part_the_whole(written: Written, question: Question, zone: Zone) -> None:
    whole = written.report(replace(question, preset=None, by=None), zone)
    parts = [
        written.report(replace(question, preset=preset, by=None), zone)
        for preset in ("small", "large", NO_PRESET)
    ]
    for at, client in enumerate(whole["clients"]):
        assert _added([part["clients"][at] for part in parts]) == _sums(client)
    for name in ("requests", "tokens_in", "tokens_out"):
        assert sum(part["local"][name] for part in parts) == whole["local"][name]


@requirement("S7")
@given(ledgers(), questions, zones)
def test_days_part_the_whole(written: Written, question: Question, zone: Zone) -> None:
    days = sorted(
        {
            (seconds + zone.offset(seconds)) // 86400
            for events in (written.account().events, written.account().conflicts)
            for seconds in (event.seconds for event in events)
        }
    )
    open_question = replace(question, since=None, until=None, by=None)
    whole = written.report(open_question, zone)
    parts = [written.report(replace(open_question, since=day, until=day), zone) for day in days]
    for at, client in enumerate(whole["clients"]):
        assert _added([part["clients"][at] for part in parts]) == _sums(client)


@requirement("S7")
@given(ledgers(), questions, zones)
def test_a_row_of_a_day_is_the_balance_of_that_day(
    written: Written, question: Question, zone: Zone
) -> None:
    by_day = written.report(replace(question, by="day", limit=None), zone)
    for client in by_day["clients"]:
        for row in client["rows"]:
            day = read_day(row["day"])
            asked = replace(question, since=day, until=day, by=None, client=client["client"])
            (alone,) = written.report(asked, zone)["clients"]
            assert _sums(alone, SUMS) == _sums(row, SUMS)


@requirement("S7")
@given(ledgers(), questions)
def test_a_client_alone_is_that_client_among_all(written: Written, question: Question) -> None:
    together = _by_client(written.report(replace(question, client=None, by=None)))
    alone: dict[str, dict[str, int]] = {}
    for name in CLIENTS:
        alone |= _by_client(written.report(replace(question, client=name, by=None)))
    assert alone == together


@requirement("S7", "C-M50")
@given(ledgers())
def test_a_row_of_a_delegation_counts_its_own_corrections(written: Written) -> None:
    known = {event["demande_id"] for event in written.events if event["type"] == "delegation"}
    known |= {line["demande_id"] for line in written.journal}
    corrections: dict[tuple[str, str | None], int] = {}
    for event in written.events:
        if event["type"] == "correction":
            request = event["demande_id"] if event["demande_id"] in known else None
            key = event["client"], request
            corrections[key] = corrections.get(key, 0) + event["cout"]
    report = written.report(Question(by="delegation"))
    found = {
        (client["client"], row["delegation"]): row["corrections"]
        for client in report["clients"]
        for row in client["rows"]
        if row["corrections"]
    }
    assert found == {key: cost for key, cost in corrections.items() if cost}


@requirement("S7")
@given(ledgers(), questions)
def test_a_limit_keeps_the_first_rows_and_all_figures(written: Written, question: Question) -> None:
    if question.by is None:
        return
    cut = written.report(replace(question, limit=2))
    whole = written.report(replace(question, limit=None))
    assert cut["total"] == whole["total"]
    for shown, client in zip(cut["clients"], whole["clients"], strict=True):
        assert shown == {**client, "rows": client["rows"][:2]}
