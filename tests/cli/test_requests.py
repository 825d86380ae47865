"""`econome requests` without a server: what the register, the journal and the kept answers tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.answers import Answers
from econome.delegation.keeping import LEFT_WAITING
from econome.delegation.register import Accepted, Moved, Register
from econome.delegation.wire import DONE, RUNNING, TO_REVIEW
from tests.delegation.builders import journal_line
from tests.door import run


@pytest.fixture
def data(home: Path) -> Path:
    """Return the data directory, which is not there yet."""
    return home / "data" / "econome"


def _journal(data: Path, *lines: bytes) -> None:
    place = data / "logs" / "mcp"
    place.mkdir(parents=True, exist_ok=True)
    place.joinpath("delegations.jsonl").write_bytes(b"".join(lines))


def _register(data: Path, *lines: Accepted | Moved) -> None:
    register = Register(str(data / "logs" / "mcp" / "requests.jsonl"))
    register.write(lines)
    register.close()


def _accepted(number: int, **more: Any) -> Accepted:
    return Accepted(f"dem-{number:010x}", f"2026-10-30T10:0{number}:00.000Z", "big", **more)


def _row(**changes: Any) -> dict[str, Any]:
    """Return the row of `payload`."""
    return {
        "request_id": "dem-9c8a4d0189",
        "status": "terminee",
        "date": "2026-10-30T09:12:04.000Z",
        "client": None,
        "session": "c009a419-e17b-4036-9531-ac29eaa481d4",
        "tool_use_id": "toolu_01",
        "backend": None,
        "preset": "resume",
        "format": "text",
        "model": "qwen3:8b",
        "tokens_in": 4100,
        "tokens_out": 900,
        "tokens_estimated": False,
        "cut": False,
        "duration_s": 12.5,
        "reply": "complet",
        "output": "docs/notes.md",
        "error": None,
        **changes,
    }


def test_without_anything_there_is_nothing(data: Path) -> None:
    ran = run("requests")
    assert (ran.code, ran.out, ran.err) == (0, "No request yet.\n", "")
    assert json.loads(run("requests", "--json").out) == {
        "schema": "econome.requests/1",
        "open": [],
        "ended": [],
        "held_by": None,
    }
    assert not data.exists()


def test_the_open_ones_and_the_last_that_ended_are_listed(data: Path) -> None:
    refused = {"demande_id": None, "statut": "refusee", "erreur": "no", "duree_s": None}
    _journal(
        data,
        journal_line(demande_id="dem-0000000007"),
        journal_line(),
        b"damaged\n",
        journal_line(**refused, tokens_entree=None, tokens_estimes=True, modele=None),
    )
    gone = Accepted("dem-9c8a4d0189", "2026-10-30T09:00:00.000Z", "big")
    first, second = _accepted(1, client="claude-code", preset="code"), _accepted(2)
    marks = Moved(first.id, RUNNING), Moved(first.id, TO_REVIEW)
    _register(data, gone, first, second, _accepted(3), Moved("dem-0000000003", DONE), *marks)
    report = json.loads(run("requests", "--limit", "3", "--json").out)
    nothing = dict.fromkeys(
        ["session", "tool_use_id", "format", "model", "tokens_in", "tokens_out", "duration_s"]
    )
    opened = {**_row(reply=None, output=None, backend="big", preset=None), **nothing}
    assert report == {
        "schema": "econome.requests/1",
        "open": [
            {
                **opened,
                "request_id": "dem-0000000001",
                "status": "a_valider",
                "date": "2026-10-30T10:01:00.000Z",
                "client": "claude-code",
                "preset": "code",
            },
            {
                **opened,
                "request_id": "dem-0000000002",
                "status": "en_file",
                "date": "2026-10-30T10:02:00.000Z",
            },
        ],
        "ended": [
            _row(
                request_id=None,
                status="refusee",
                error="no",
                tokens_in=None,
                tokens_estimated=True,
                model=None,
                duration_s=None,
            ),
            _row(),
        ],
        "held_by": None,
    }
    shown = run("requests")
    assert shown.err == ""
    assert [line.split()[:5] for line in shown.out.splitlines()[1:6]] == [
        ["2026-10-30", "10:01", "dem-0000000001", "needs", "you"],
        ["2026-10-30", "10:02", "dem-0000000002", "queued", "-"],
        ["2026-10-30", "09:12", "-", "refused", "resume"],
        ["2026-10-30", "09:12", "dem-9c8a4d0189", "done", "resume"],
        ["2026-10-30", "09:12", "dem-0000000007", "done", "resume"],
    ]
    assert "~900" in shown.out
    assert "No server runs: what is open was left" in shown.out


def test_one_that_ended_is_shown_with_its_answer(data: Path) -> None:
    _journal(data, journal_line(statut="echec", demande_id="dem-1"), journal_line(sortie=None))
    path = Answers(str(data / "answers"), 7).keep("dem-9c8a4d0189", "First\nsecond\n")
    ran = run("requests", "show", "dem-9c8a4d0189")
    assert (ran.code, ran.err) == (0, "")
    head, _, answer = ran.out.partition("\n\n")
    assert head.splitlines()[0] == "dem-9c8a4d0189: done"
    assert path in head
    assert answer == "First\nsecond\n"
    assert json.loads(run("requests", "show", "dem-9c8a4d0189", "--json").out) == {
        "schema": "econome.request/1",
        "open": False,
        "request": _row(output=None),
        "answer": "First\nsecond\n",
        "answer_path": path,
        "question": None,
        "changes": None,
        "diff": None,
    }


def test_an_answer_that_was_cut_is_shown_as_such(data: Path) -> None:
    _journal(data, journal_line(tronquee=True))
    told = "The answer is not whole: it was cut at the limit of tokens."
    assert told in run("requests", "show", "dem-9c8a4d0189").out.splitlines()
    _journal(data, journal_line())
    assert told not in run("requests", "show", "dem-9c8a4d0189").out


def test_what_steers_a_terminal_is_not_printed_as_it_stands(data: Path) -> None:
    _journal(data, journal_line(preset="a\x1b[2Jb", statut="echec", erreur="no\x1b[1mway"))
    for words in (("requests",), ("requests", "show", "dem-9c8a4d0189")):
        ran = run(*words)
        assert ran.code == 0
        assert "\x1b" not in ran.out


def test_one_that_nobody_knows_is_refused_in_one_line(data: Path) -> None:
    for request_id in ("dem-0123456789", "", "../../x"):
        ran = run("requests", "show", request_id)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == f"econome: {request_id}: no such request is known here\n"


def test_one_that_a_killed_process_left_is_shown_and_ended_by_whoever_comes_next(
    data: Path,
) -> None:
    _register(data, _accepted(1))
    assert run("requests", "show", "dem-0000000001").out.startswith("dem-0000000001: queued\n")
    ran = run("requests", "cancel", "dem-0000000001")
    assert (ran.code, ran.out, ran.err) == (0, "dem-0000000001: failed\n", "")
    assert LEFT_WAITING in run("requests", "show", "dem-0000000001").out
    assert json.loads(run("requests", "--json").out)["open"] == []


@pytest.mark.parametrize("verb", ["allow", "apply", "reject"])
def test_what_has_ended_waits_for_nobody(data: Path, verb: str) -> None:
    _journal(data, journal_line())
    ran = run("requests", verb, "dem-9c8a4d0189")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "econome: dem-9c8a4d0189 is done: it has ended\n"


def test_an_option_before_the_command_says_where_it_belongs(data: Path) -> None:
    ran = run("requests", "--json", "show", "dem-9c8a4d0189")
    assert (ran.code, ran.out) == (2, "")
    assert "write it after 'show'" in ran.err


def test_the_beginning_of_an_id_is_enough_where_only_one_begins_so(data: Path) -> None:
    _journal(data, journal_line(), journal_line(demande_id="dem-9c00000000"))
    _register(data, _accepted(1))
    assert run("requests", "show", "dem-9c8").out.startswith("dem-9c8a4d0189: done\n")
    assert run("requests", "show", "dem-0").out.startswith("dem-0000000001: queued\n")
    ran = run("requests", "show", "dem-9c")
    assert (ran.code, ran.out) == (2, "")
    assert "2 requests begin so: dem-9c00000000, dem-9c8a4d0189" in ran.err
    ran = run("requests", "show", "dem-8")
    assert (ran.code, ran.err) == (1, "econome: dem-8: no such request is known here\n")


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_at_every_width_the_whole_reason_is_there(
    data: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    reason = "it was not done within 900 s; ask for less, or give it longer (deadline_s)"
    told = reason.replace("deadline_s", "--deadline")
    _journal(data, journal_line(statut="expiree", erreur=reason), journal_line(demande_id="dem-1"))
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("requests").out
    assert told in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= width
