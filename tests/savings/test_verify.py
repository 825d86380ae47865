"""Every balance is derived twice, and stored events are held to the contract's arithmetic."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.journal import JOURNAL
from econome.savings.account import instant, read_account
from econome.savings.question import BY, NO_PRESET, Question
from econome.savings.reading import CONFLICTS, LEDGER, Shelf
from econome.savings.report import questions_to_verify, verify
from econome.savings.verify import compare
from econome.savings.wire import epoch_seconds
from tests.requirements import requirement
from tests.savings.builders import (
    EXAMPLE,
    Payload,
    correction,
    delegation,
    ledger_line,
    steering,
)
from tests.savings.ledgers import TODAY, UTC, Written, ended, ledgers


def _write(directory: Path, written: Written) -> Shelf:
    for name, lines in (
        (LEDGER, written.ledger_lines()),
        (CONFLICTS, written.conflict_lines()),
        (JOURNAL, written.journal_lines()),
    ):
        (directory / name).write_bytes(b"".join(lines))
    return Shelf(str(directory))


def _contradictions(*events: Payload) -> list[str]:
    return read_account(map(ledger_line, events)).contradictions


@requirement("S11", "C-M52")
def test_the_contracts_own_example_verifies(tmp_path: Path) -> None:
    events = json.loads(EXAMPLE)["evenements"]
    shelf = _write(tmp_path, Written(events, journal=[ended("dem-9c8a4d0189")]))
    verdict = verify(shelf, Question(), UTC, TODAY)
    assert (verdict.events, verdict.journal_lines, verdict.malformed) == (2, 1, 0)
    assert (verdict.differences, verdict.contradictions, verdict.faults) == ([], [], 0)


@requirement("S11")
def test_an_empty_ledger_verifies(tmp_path: Path) -> None:
    verdict = verify(Shelf(str(tmp_path)), Question(), UTC, TODAY)
    assert (verdict.events, verdict.faults) == (0, 0)


@requirement("S11")
def test_every_kind_of_row_is_verified_for_all_there_is_and_for_what_is_asked() -> None:
    every = [Question(by=by) for by in (None, *BY)]
    assert questions_to_verify(Question(by="day", limit=3)) == every
    asked = [Question(client="x", preset=NO_PRESET, by=by) for by in (None, *BY)]
    assert questions_to_verify(Question(client="x", preset=NO_PRESET)) == [*every, *asked]


def _figures(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all numbers and names in a report but the day it was asked on."""
    if isinstance(value, dict):
        return [
            place
            for name, entry in value.items()
            if name != "today"
            for place in _figures(entry, (*path, name))
        ]
    if isinstance(value, list):
        return [place for at, entry in enumerate(value) for place in _figures(entry, (*path, at))]
    return [path]


@requirement("S11")
@given(ledgers(), st.sampled_from((None, *BY)), st.data())
def test_a_report_with_any_one_value_changed_differs_in_that_place(
    written: Written, by: Any, data: st.DataObject
) -> None:
    question = Question(by=by)
    report = written.report(question)
    *outer, last = data.draw(st.sampled_from(_figures(report)))
    wrong = copy.deepcopy(report)
    place: Any = wrong
    for step in outer:
        place = place[step]
    place[last] = "wrong"
    (difference,) = compare(written.account(), UTC, [(question, wrong)])
    assert "'wrong' reported" in difference
    assert str(last) in difference


@requirement("S11")
def test_a_row_too_many_is_a_difference() -> None:
    written, question = Written([delegation(1)]), Question(by="delegation")
    report = written.report(question)
    report["clients"][0]["rows"] *= 2
    (difference,) = compare(written.account(), UTC, [(question, report)])
    assert "clients[0].rows: 2 entries reported, 1 entries derived anew" in difference


@requirement("S11")
def test_another_answer_is_held_to_the_bytes_that_it_covers(tmp_path: Path) -> None:
    events = [delegation(at) for at in range(4)]
    question = Question(by="delegation")
    earlier = Written(events[:2]).report(question)
    shelf = _write(tmp_path, Written(events))
    others = [(question, earlier)]
    assert verify(shelf, Question(), UTC, TODAY, others).differences == []
    earlier["total"]["avoided"] += 1
    verdict = verify(shelf, Question(), UTC, TODAY, others)
    assert verdict.differences == [
        "balance by delegation: total.avoided: 8001 reported, 8000 derived anew"
    ]
    assert verdict.reports == len(questions_to_verify(Question())) + 1


@requirement("S11")
def test_an_answer_on_more_bytes_than_there_are_is_a_difference(tmp_path: Path) -> None:
    question = Question()
    later = Written([delegation(1), delegation(2)]).report(question)
    shelf = _write(tmp_path, Written([delegation(1)]))
    differences = verify(shelf, question, UTC, TODAY, [(question, later)]).differences
    assert any("ledger.bytes" in difference for difference in differences)


@requirement("S11")
def test_a_torn_tail_takes_no_part(tmp_path: Path) -> None:
    shelf = _write(tmp_path, Written([delegation(1), delegation(2)]))
    with (tmp_path / LEDGER).open("ab") as file:
        file.write(ledger_line(delegation(3))[:-1])
    verdict = verify(shelf, Question(), UTC, TODAY)
    assert (verdict.events, verdict.malformed, verdict.faults) == (2, 0, 0)


@requirement("S11")
def test_a_damaged_line_is_counted_and_is_no_difference(tmp_path: Path) -> None:
    written = Written([delegation(1)], journal=[ended("x")], damage={0: b"{\n"})
    shelf = _write(tmp_path, written)
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(b"[]\n")
    verdict = verify(shelf, Question(), UTC, TODAY)
    assert (verdict.malformed, verdict.faults) == (2, 0)


@requirement("S4", "S11", "C-M3", "C-M9", "C-M22", "C-M36", "C-I1")
@pytest.mark.parametrize(
    ("event", "said"),
    [
        (delegation(1, par_subagent=True), ["par_subagent is True", "evites is 4000"]),
        (delegation(1, agent_id="a1"), ["par_subagent is False"]),
        (delegation(1, estimation__rendus=0), ["rendus is 0", "evites is 4000"]),
        (delegation(1, estimation__evites=4001), ["evites is 4001"]),
        (delegation(1, estimation__lus=4101), ["evites is 4000"]),
        (delegation(1, id="claude-code:other"), ["id is 'claude-code:other'"]),
        (steering(1, cout=2001), ["cout is 2001"]),
        (steering(1, usage__cache_creation_input_tokens=1), ["cout is 2000"]),
        (steering(1, usage__cache_read_input_tokens=10_005), ["cout is 2000"]),
        (steering(1, id="claude-code:x:a1:t1"), ["id is 'claude-code:x:a1:t1'"]),
        (correction(1, tokens_ecrits=1), ["cout is 300"]),
        (correction(1, cout=0), ["cout is 0"]),
        (correction(1, id="toolu_1"), ["id is 'toolu_1'"]),
    ],
)
def test_a_stored_value_that_does_not_follow_is_named(event: Payload, said: list[str]) -> None:
    found = _contradictions(event)
    assert len(found) == len(said)
    for text, words in zip(found, said, strict=True):
        assert text.startswith(f"line 1: {event['id']}: {words}, ")


@requirement("S4", "S11")
@pytest.mark.parametrize(
    "event",
    [
        delegation(1),
        delegation(1, agent_id="a1", par_subagent=True, estimation__evites=5000),
        delegation(1, retour="apercu", estimation__rendus=40, estimation__evites=4860),
        delegation(1, estimation__consigne=9000, estimation__evites=-4900),
        steering(1),
        steering(1, usage__cache_read_input_tokens=10_004),
        steering(1, usage__cache_read_input_tokens=9995),  # 999.5 becomes 1,000
        correction(1),
        correction(1, client="other", id="of its own form"),
    ],
)
def test_a_stored_value_that_follows_is_in_no_list(event: Payload) -> None:
    assert _contradictions(event) == []


@requirement("S6", "S11")
def test_an_id_that_stands_there_twice_is_named() -> None:
    (found,) = _contradictions(delegation(1), delegation(2), delegation(1))
    assert found.startswith("line 3: claude-code:dem-0000000001: ")


@requirement("S4", "S11")
def test_a_contradiction_is_a_fault_and_no_difference(tmp_path: Path) -> None:
    shelf = _write(tmp_path, Written([correction(1, cout=7)]))
    verdict = verify(shelf, Question(), UTC, TODAY)
    assert (verdict.differences, len(verdict.contradictions), verdict.faults) == ([], 1, 1)


@requirement("S11")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", True), ("schema", 1.0), ("schema", 2), ("id", ""), ("id", None), ("client", 7),
        ("session_id", "x" * 513), ("date", "2026-10-30"), ("date", 0), ("demande_id", ["a"]), ("agent_id", ""),
        ("par_subagent", 0), ("retour", "tout"), ("tokens_entree", -1), ("tokens_sortie", 1.0),
        ("tokens_sortie", 2**53 + 1), ("estimation", None), ("estimation", {}), ("estimation__evites", -(2**53) - 1),
        ("estimation__lus", "4"), ("estimation__methode", ""), ("type", "correction"), ("type", []),
    ],
)  # fmt: skip
def test_both_readers_refuse_the_same_lines(field: str, value: object) -> None:
    written = Written([delegation(1, **{field: value}), delegation(2)])
    assert written.account().ledger_file.malformed == 1
    assert written.books().malformed == 1


@requirement("S11")
@pytest.mark.parametrize(
    "line",
    [
        ledger_line(delegation(1, note=float("nan"))),
        ledger_line(delegation(1)).replace(b"claude-code", rb"\ud800"),
        ledger_line(delegation(1, note="\x01")).replace(rb"\u0001", b"\x01"),
        ledger_line(delegation(1, note="@")).replace(b"@", b"\xff"),
        b"\xef\xbb\xbf" + ledger_line(delegation(1)),
        ledger_line(delegation(1))[:-1] + b"{}\n",
        ledger_line(delegation(1))[:-1] + ledger_line(delegation(2)),
        b"[" * 100_000 + b"\n",
        b"null\n",
    ],
)
def test_both_readers_refuse_what_is_no_json_text(line: bytes) -> None:
    books = Written().books()
    books.add_lines(line)
    assert (books.events, books.malformed) == (0, 1)
    account = read_account([line])
    assert (account.events, account.ledger_file.malformed) == ([], 1)


@requirement("S11")
def test_both_readers_refuse_an_event_over_two_lines() -> None:
    lines = [b" " + ledger_line(delegation(1)).replace(b",", b",\n", 1), ledger_line(delegation(2))]
    books = Written().books()
    books.add_lines(b"".join(lines))
    assert (books.events, books.malformed) == (1, 2)
    account = read_account(b"".join(lines).splitlines(keepends=True))
    assert (len(account.events), account.ledger_file.malformed) == (1, 2)


@requirement("S11")
@pytest.mark.parametrize(
    "line",
    [
        ledger_line(delegation(1, note="@")).replace(b'"@"', b"9" * 5000),
        ledger_line(delegation(1, note={"a": [1e300, None, "é\U0001f600"]})),
        b" " + ledger_line(delegation(1))[:-1] + b"\r\n",
    ],
)
def test_both_readers_take_what_is_unusual_and_sound(line: bytes) -> None:
    books = Written().books()
    books.add_lines(line)
    assert (books.events, books.malformed) == (1, 0)
    assert len(read_account([line]).events) == 1


@requirement("S11")
@pytest.mark.parametrize(
    ("duration", "malformed"),
    [("9" * 25, 0), ("9" * 308, 0), ("9" * 400, 1), ("9" * 5000, 1), ("1e308", 0), ("1e309", 1), ("-1", 1)],
)  # fmt: skip
def test_both_readers_take_a_duration_of_any_length_that_is_a_number(
    duration: str, malformed: int
) -> None:
    line = json.dumps(ended("dem-1", duree_s="@")).replace('"@"', duration).encode() + b"\n"
    books = Written().books()
    books.endings.add_lines(line)
    account = read_account([], [], [line])
    assert (books.endings.malformed, account.journal_file.malformed) == (malformed, malformed)
    assert [one.duration_s for one in account.journal] == [float(duration)] * (1 - malformed)


_digits = st.sampled_from(("00", "01", "12", "23", "24", "28", "29", "30", "31", "59", "60", "61"))
_ends = st.sampled_from(
    ("Z", "z", "+00:00", "-23:59", "+24:00", "+01:60", "+0100", "", ".5Z", ".Z", ",5Z", " Z", ".123456789-03:30")
)  # fmt: skip


@requirement("S11", "C-M4")
@given(
    st.sampled_from(("0000", "0001", "1970", "2024", "2026", "9999", "999")),
    st.lists(_digits, min_size=5, max_size=5),
    st.sampled_from("Tt "),
    _ends,
)
def test_both_readers_of_dates_agree(year: str, parts: list[str], between: str, end: str) -> None:
    month, day, hour, minute, second = parts
    text = f"{year}-{month}-{day}{between}{hour}:{minute}:{second}{end}"
    assert instant(text) == epoch_seconds(text)


@requirement("S11")
def test_days_at_the_ends_of_the_calendar_are_the_same_twice() -> None:
    dates = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:60Z", "9999-12-31T23:00:00-12:00")
    written = Written([delegation(at, date=date) for at, date in enumerate(dates)])
    report = written.report(Question(by="day"))
    assert [row["day"] for row in report["clients"][0]["rows"]] == ["0000-12-31", "10000-01-01"]
    assert compare(written.account(), UTC, [(Question(by="day"), report)]) == []
