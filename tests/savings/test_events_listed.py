"""The events listed for a figure are those that make it up: what counts of them adds up to it, whatever the ledger."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.delegation.journal import JOURNAL
from econome.errors import LedgerBroken
from econome.savings.events import events_report
from econome.savings.question import BY, KINDS, By, Question, Selection
from econome.savings.reading import CONFLICTS, LEDGER, Shelf
from econome.savings.selecting import Chosen
from econome.times import read_day
from tests.requirements import requirement
from tests.savings.builders import correction, delegation, request_id, steering
from tests.savings.ledgers import TODAY, UTC, Written, ended, ledgers, questions, zones

if TYPE_CHECKING:
    from econome.clock import Zone

SUMS = ("delegations", "avoided", "steering", "corrections", "net")


def _listed(
    written: Written, selection: Selection, zone: Zone = UTC, *, limit: int = 500, page: int = 1
) -> dict[str, Any]:
    """Return the page of a selection, from files."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / LEDGER).write_bytes(b"".join(written.ledger_lines()))
        (place / CONFLICTS).write_bytes(b"".join(written.conflict_lines()))
        (place / JOURNAL).write_bytes(b"".join(written.journal_lines()))
        return events_report(Shelf(name), selection, zone, TODAY, limit=limit, page=page)


def _added(report: dict[str, Any]) -> dict[str, int]:
    """Return the figures that the listed events come to, by what counts of each."""
    found = dict.fromkeys(SUMS, 0)
    for row in report["events"]:
        found["delegations"] += row["kind"] == "delegation"
        name = {"delegation": "avoided", "steering": "steering", "correction": "corrections"}
        found[name[row["kind"]]] += row["counted"]
    found["net"] = found["avoided"] - found["steering"] - found["corrections"]
    return found


def _sums(row: dict[str, Any]) -> dict[str, int]:
    return {name: row[name] for name in SUMS}


def _narrowed(selection: Selection, by: By, name: str | None) -> Selection:
    """Return the selection of a row's events."""
    if by == "day":
        day = read_day(name or "")
        return replace(selection, question=replace(selection.question, since=day, until=day))
    if by == "preset":
        return replace(selection, question=replace(selection.question, preset=name or ""))
    if by == "delegation":
        return replace(selection, request=name, attached=None if name else False)
    if by == "format":
        return replace(selection, format=name or "")
    return replace(selection, model=name or "")


@requirement("S7", "S10")
@settings(max_examples=80, deadline=None)
@given(ledgers(damaged=True), questions, zones)
def test_the_events_of_a_question_add_up_to_its_balance(
    written: Written, question: Question, zone: Zone
) -> None:
    report = _listed(written, Selection(question), zone)
    balance = written.report(replace(question, by=None), zone)
    assert _added(report) == _sums(balance["total"])
    assert {name: report["figures"][name] for name in SUMS} == _added(report)
    assert report["figures"]["events"] == len(report["events"])
    assert sum(not row["attached"] for row in report["events"]) == balance["total"]["unattached"]


@requirement("S7")
@pytest.mark.parametrize("by", BY)
@settings(max_examples=25, deadline=None)
@given(ledgers(damaged=True), questions, zones)
def test_the_events_of_a_row_add_up_to_the_row(
    by: By, written: Written, question: Question, zone: Zone
) -> None:
    if by == "preset":
        question = replace(question, preset=None)
    for client in written.report(replace(question, by=by, limit=None), zone)["clients"]:
        asked = Selection(replace(question, client=client["client"]))
        for row in client["rows"]:
            report = _listed(written, _narrowed(asked, by, row[by]), zone)
            assert _added(report) == _sums(row), (by, row)


@requirement("S7", "S6")
@settings(max_examples=30, deadline=None)
@given(ledgers(damaged=True), questions)
def test_conflicts_and_unattached_events_are_as_many_as_the_balance_says(
    written: Written, question: Question
) -> None:
    total = written.report(replace(question, by=None))["total"]
    conflicts = _listed(written, Selection(question, kind="conflict"))
    assert conflicts["figures"]["events"] == len(conflicts["events"]) == total["conflicts"]
    assert _added(conflicts) == {
        **dict.fromkeys(SUMS, 0),
        "delegations": sum(row["kind"] == "delegation" for row in conflicts["events"]),
    }
    assert all(row["conflict"] for row in conflicts["events"])
    unattached = _listed(written, Selection(question, attached=False))
    assert unattached["figures"]["events"] == total["unattached"]


@requirement("S7")
@settings(max_examples=30, deadline=None)
@given(ledgers(damaged=True), questions)
def test_kinds_and_attachment_part_the_events(written: Written, question: Question) -> None:
    whole = {row["id"] for row in _listed(written, Selection(question))["events"]}
    kinds = [
        row["id"]
        for kind in KINDS
        if kind != "conflict"
        for row in _listed(written, Selection(question, kind=kind))["events"]
    ]
    sides = [
        row["id"]
        for attached in (True, False)
        for row in _listed(written, Selection(question, attached=attached))["events"]
    ]
    assert len(kinds) == len(sides) == len(whole)
    assert set(kinds) == set(sides) == whole


@requirement("S10")
@settings(max_examples=25, deadline=None)
@given(ledgers(damaged=True), questions, st.integers(1, 4))
def test_pages_are_the_whole_in_order_of_date(
    written: Written, question: Question, limit: int
) -> None:
    whole = _listed(written, Selection(question))["events"]
    first = _listed(written, Selection(question), limit=limit)
    pages = [
        _listed(written, Selection(question), limit=limit, page=page)
        for page in range(1, first["page"]["pages"] + 2)
    ]
    assert [row for page in pages for row in page["events"]] == whole
    assert pages[-1]["events"] == []
    instants = [event.seconds for event in written.account().events]
    seconds = dict(zip((event["id"] for event in written.events), instants, strict=True))
    found = [seconds[row["id"]] for row in whole]
    assert found == sorted(found, reverse=True)


@requirement("S7")
def test_what_is_told_of_an_event_is_what_came() -> None:
    written = Written(
        [
            delegation(1),
            delegation(2, estimation__evites=1000),
            steering(1, demande_ids=[request_id(1), request_id(2), "unknown"], cout=2000),
            correction(1),
        ],
        journal=[ended(request_id(1))],
    )
    report = _listed(written, Selection(request=request_id(1)))
    rows = {row["kind"]: row for row in report["events"]}
    assert rows["steering"] == {
        "kind": "steering",
        "conflict": False,
        "id": written.events[2]["id"],
        "date": written.events[2]["date"],
        "at": "2026-10-30T09:12:09Z",
        "received_at": "2026-10-30T09:12:10.000Z",
        "client": "claude-code",
        "session": written.events[2]["session_id"],
        "requests": [request_id(1), request_id(2), "unknown"],
        "request_count": 3,
        "attached": True,
        "preset": "small",
        "format": "text",
        "model": "qwen-3",
        "by": written.events[2]["modele"],
        "tool": None,
        "tokens": 2000,
        "counted": 1600,
        "read": 10800,
        "written": 200,
    }
    assert rows["delegation"]["counted"] == rows["delegation"]["tokens"] == 4000
    assert rows["correction"]["tool"] == written.events[3]["outil"]
    assert len(rows) == len(report["events"]) == 3


@requirement("S7")
def test_a_steering_over_very_many_requests_names_the_first_of_them() -> None:
    written = Written([steering(1, demande_ids=[f"r{number}" for number in range(300)])])
    (row,) = _listed(written, Selection())["events"]
    assert (len(row["requests"]), row["request_count"]) == (20, 300)


@requirement("S10", "S5")
def test_only_the_lines_of_the_page_are_read_and_what_changed_below_is_told(tmp_path: Path) -> None:
    written = Written([delegation(number) for number in range(1, 9)])
    lines = written.ledger_lines()
    (tmp_path / LEDGER).write_bytes(b"".join(lines))
    shelf = Shelf(str(tmp_path))
    chosen = Chosen(shelf.catch_up(), Selection(), UTC)
    assert [place.offset for place in chosen.newest(0, 2)] == [
        sum(map(len, lines[:7])),
        sum(map(len, lines[:6])),
    ]
    damaged = b"".join([b"x" * (len(lines[0]) - 1) + b"\n", *lines[1:]])
    with open(tmp_path / LEDGER, "r+b") as file:  # behind the back of the books
        file.write(damaged)
    assert events_report(shelf, Selection(), UTC, TODAY, limit=7)["figures"]["events"] == 8
    with pytest.raises(LedgerBroken):
        events_report(shelf, Selection(), UTC, TODAY, limit=8)


@requirement("S5")
def test_without_a_ledger_there_are_no_events(tmp_path: Path) -> None:
    report = events_report(Shelf(str(tmp_path / "nothing")), Selection(), UTC, TODAY)
    assert report["events"] == []
    assert report["figures"] == dict.fromkeys(("events", *SUMS), 0)
