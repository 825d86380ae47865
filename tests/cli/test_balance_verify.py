"""`econome balance --verify`: what it checks, what it finds, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from econome.cli import verifying
from econome.cli.verifying import ServerAnswers
from econome.clock import zone
from econome.savings.asking import ask_balance
from econome.savings.question import BY, NO_PRESET, Question
from econome.savings.report import Answered, questions_to_verify
from econome.server.queries import BALANCE_PARAMETERS, read_query
from tests.cli.conftest import Fill
from tests.door import Ran, run
from tests.requirements import requirement
from tests.savings.builders import (
    EXAMPLE,
    SESSION,
    Payload,
    correction,
    delegation,
)
from tests.savings.ledgers import Written, ended


def _example() -> list[Payload]:
    events: list[Payload] = json.loads(EXAMPLE)["evenements"]
    return events


def _lines(*args: str) -> list[str]:
    ran = run("balance", *args)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.splitlines()


def _differing(ran: Ran, *parts: str) -> None:
    assert ran.code == 1
    assert re.fullmatch(r"econome: the ledger does not verify: \d+ differences[^\n]*\n", ran.err)
    assert [part for part in parts if part not in ran.out] == []


@requirement("S11", "C-M52")
def test_a_sound_ledger_verifies_and_says_what_was_checked(fill: Fill) -> None:
    fill(*_example(), journal=[ended("dem-9c8a4d0189")])
    assert _lines("--verify") == [
        "Derived twice: 6 reports of 2 events, 0 conflicts and 1 line of the journal.",
        "Everything agrees.",
    ]
    assert _lines("--verify", "--client", "claude-code")[0].startswith("Derived twice: 12 reports")


@requirement("S11")
def test_an_empty_directory_verifies(home: Path) -> None:
    assert _lines("--verify")[-1] == "Everything agrees."


@requirement("S11", "S4")
def test_an_event_that_contradicts_itself_is_named_and_exit_is_1(fill: Fill) -> None:
    fill(delegation(1), correction(1, cout=7))
    _differing(run("balance", "--verify"), f"line 2: claude-code:{SESSION}:toolu_1: cout is 7")


@requirement("S11")
def test_a_damaged_line_is_told_and_no_difference(fill: Fill) -> None:
    fill(delegation(1), damage={0: b"{\n"})
    assert "Not counted: 1 damaged line." in _lines("--verify")


def _serving(monkeypatch: pytest.MonkeyPatch, answers: list[Answered], **more: Any) -> None:
    """Let the command meet a server that gives these answers."""
    met = ServerAnswers(zone("UTC"), answers, **more)
    monkeypatch.setattr(verifying, "answers_of_the_server", lambda *_: met)


@requirement("S11")
def test_a_running_servers_answers_are_held_to_the_bytes_they_cover(
    fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = [delegation(at) for at in range(3)]
    fill(*events)
    answers = [
        (question, Written(events[:2]).report(question))
        for question in questions_to_verify(Question())
    ]
    url = "http://127.0.0.1:8090"
    _serving(monkeypatch, answers, url=url)
    assert _lines("--verify")[1:] == [
        f"6 reports of the server at {url} on the same bytes compared with them.",
        "Everything agrees.",
    ]
    answers[0][1]["total"]["net"] += 1
    _differing(run("balance", "--verify"), "total.net: 8001 reported, 8000 derived anew")


@requirement("S11")
def test_days_of_a_server_in_another_zone_are_no_difference(
    fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = [delegation(1, date="2026-10-30T23:30:00Z")]
    fill(*events)
    question = Question(by="day")
    _serving(monkeypatch, [(question, Written(events).report(question))], url="u")
    assert _lines("--verify", "--timezone", "Europe/Paris")[-1] == "Everything agrees."


@requirement("S11")
def test_a_server_that_does_not_answer_is_told(fill: Fill, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(delegation(1))
    _serving(monkeypatch, [], silent="http://127.0.0.1:8090: connection refused")
    text = " ".join(_lines("--verify"))
    assert "does not answer: http://127.0.0.1:8090: connection refused" in text


@requirement("S11", "S7")
@pytest.mark.parametrize("by", [None, *BY])
@pytest.mark.parametrize("preset", [None, "small", NO_PRESET])
def test_what_a_server_is_asked_is_the_question(by: Any, preset: str | None) -> None:
    question = Question(20_000, 20_001, "a client & co", preset, by, 3)
    values = read_query(BALANCE_PARAMETERS, parse_qsl(verifying.query_of(question)))
    asked = ask_balance(values)
    assert asked.question(0) == question
    assert asked.shared.timezone == "UTC"
