"""`econome presets` and `presets test`: what there is, how each check went, and a score that is kept for the balance."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from econome import clock, settings
from econome.delegation.scores import Score, keep_score, read_scores
from econome.delegation.shipped import shipped_presets
from econome.savings.question import Question
from econome.savings.reading import Shelf
from econome.savings.report import verify
from tests.cli.conftest import Fill, fill  # noqa: F401
from tests.delegation.openai_server import MODEL, Failure, Reply, Scripted, scripted
from tests.door import run
from tests.requirements import requirement
from tests.savings.builders import delegation, request_id
from tests.savings.ledgers import ended

pytestmark = requirement("D6")

OWN = """
[greet]
description = "a greeting"
system = "Greet."
max_tokens = 50

[[greet.checks]]
brief = "Greet Ana."
contains = "Ana"
[greet.checks.files]
"who.txt" = "Ana of Porto"

[[greet.checks]]
brief = "Greet nobody."
max_words = 2
lacks = "Ana"
"""


@pytest.fixture
def config(home: Path) -> Path:
    """Return the directory of the settings, with one preset of one's own in it."""
    directory = home / "config" / "econome"
    directory.mkdir()
    (directory / "presets.toml").write_text(OWN, encoding="utf-8")
    return directory


@pytest.fixture
def server(config: Path) -> Iterator[Scripted]:
    """Return a model that greets Ana whatever it is asked, and is the only one there is."""
    with scripted(Reply("Hello ", "Ana, dear", usage=(20, 4))) as server:
        (config / "config.toml").write_text(
            f'[delegation]\ndetect = false\n[backends.own]\nurl = "{server.url}"\n',
            encoding="utf-8",
        )
        yield server


@pytest.fixture
def kept(home: Path) -> Path:
    return home / "data" / "econome" / "scores.json"


def _presets(*args: str) -> dict[str, dict[str, Any]]:
    ran = run("presets", "--json", *args)
    assert (ran.code, ran.err) == (0, "")
    return {row["name"]: row for row in json.loads(ran.out)["presets"]}


def test_the_shipped_presets_and_ones_own_are_listed(config: Path) -> None:
    rows = _presets()
    assert {name: row["own"] for name, row in rows.items()} == {
        **dict.fromkeys(shipped_presets(), False),
        "greet": True,
    }
    assert rows["greet"] == {
        "name": "greet",
        "description": "a greeting",
        "own": True,
        "backend": None,
        "model": None,
        "format": "text",
        "checks": 2,
        "score": None,
    }
    ran = run("presets")
    assert (ran.code, ran.err) == (0, "")
    assert f"Your own presets: {config / 'presets.toml'}" in ran.out
    assert [line.split()[0] for line in ran.out.splitlines()[1:6]] == list(rows)


def test_each_check_is_told_in_a_line_and_the_score_is_no_failure(
    server: Scripted, kept: Path
) -> None:
    ran = run("presets", "test", "greet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "greet on own",
        "held    Greet Ana.",
        "missed  Greet nobody. — holds 'Ana'; 3 words; at most 2",
        f"greet: 1 of 2 on own ({MODEL})",
    ]
    (score,) = read_scores(str(kept))
    assert (score.preset, score.backend, score.model) == ("greet", "own", MODEL)
    assert (score.passed, score.total, score.date) == (1, 2, "2026-10-17T12:00:00Z")


def test_a_check_is_asked_as_any_request_with_its_texts(server: Scripted) -> None:
    run("presets", "test", "greet")
    first, second = server.requests
    assert first["messages"][0] == {"role": "system", "content": "Greet."}
    assert "Ana of Porto\n" in first["messages"][1]["content"]
    assert second["messages"][1] == {"role": "user", "content": "Greet nobody."}
    assert first["max_tokens"] == 50


def test_the_json_of_a_test_holds_no_answer(server: Scripted) -> None:
    ran = run("presets", "test", "greet", "--json")
    assert json.loads(ran.out) == {
        "schema": "econome.trials/1",
        "trials": [
            {
                "preset": "greet",
                "backend": "own",
                "model": MODEL,
                "passed": 1,
                "total": 2,
                "checks": [
                    {"brief": "Greet Ana.", "held": True, "reasons": [], "tokens_in": 20, "tokens_out": 4},
                    {
                        "brief": "Greet nobody.",
                        "held": False,
                        "reasons": ["holds 'Ana'", "3 words; at most 2"],
                        "tokens_in": 20,
                        "tokens_out": 4,
                    },
                ],
            }
        ],
    }  # fmt: skip


def test_without_a_name_all_presets_with_checks_are_tried(server: Scripted, kept: Path) -> None:
    ran = run("presets", "test")
    assert ran.code == 0
    tried = ["summarise", "extract-json", "code", "greet"]
    assert [score.preset for score in read_scores(str(kept))] == tried
    assert "— not of the format json: not JSON" in ran.out


def test_a_score_is_outdated_once_the_preset_is_another(server: Scripted, config: Path) -> None:
    run("presets", "test", "greet")
    assert _presets()["greet"]["score"] == {
        "passed": 1,
        "total": 2,
        "backend": "own",
        "model": MODEL,
        "date": "2026-10-17T12:00:00Z",
        "current": True,
    }
    (config / "presets.toml").write_text(OWN.replace("Greet.", "Meet."), encoding="utf-8")
    assert _presets()["greet"]["score"]["current"] is False
    assert "1 of 2, outdated" in run("presets").out


def test_a_model_that_breaks_off_misses_the_check(server: Scripted, kept: Path) -> None:
    server.script = [Failure(500), Reply("Hi")]
    ran = run("presets", "test", "greet")
    assert ran.code == 0
    assert ran.out.splitlines()[1].startswith("missed  Greet Ana. — no answer: ")
    assert [score.passed for score in read_scores(str(kept))] == [1]


def test_where_nothing_answers_no_score_is_kept(server: Scripted, kept: Path) -> None:
    server.script = Failure(500)
    ran = run("presets", "test", "greet")
    assert ran.code == 0
    assert ran.out.splitlines()[3] == "greet: no answer from own; no score is kept"
    assert not kept.exists()


def test_without_any_model_it_says_what_to_do(config: Path, kept: Path) -> None:
    (config / "config.toml").write_text("[delegation]\ndetect = false\n", encoding="utf-8")
    ran = run("presets", "test", "greet")
    assert (ran.code, ran.out) == (1, "")
    assert "econome local setup" in ran.err
    assert not kept.exists()


@pytest.mark.parametrize(
    "args, reason",
    [
        (["test", "grete"], "grete: no such preset; there are code, edit, extract-json, greet, summarise"),
        (["test", "edit"], "edit has no checks"),
        (["--json", "test"], "--json stands before the command; write it after 'test'"),
    ],
)  # fmt: skip
def test_what_cannot_be_tried_is_said_before_anything_is_asked(
    server: Scripted, args: list[str], reason: str
) -> None:
    ran = run("presets", *args)
    assert (ran.code, ran.out, server.requests) == (2, "", [])
    assert reason in ran.err


def test_a_presets_file_that_is_wrong_is_one_line(config: Path) -> None:
    (config / "presets.toml").write_text("[greet]\nsytem = ''", encoding="utf-8")
    ran = run("presets")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "greet.sytem: unknown" in ran.err


@pytest.fixture
def scored(kept: Path) -> None:
    digest = shipped_presets()["code"].digest
    facts = {"backend": "own", "model": "m", "total": 3, "date": "2026-10-17T12:00:00Z"}
    for preset, mark, passed in (("code", digest, 2), ("summarise", "old", 1)):
        keep_score(str(kept), Score(preset=preset, digest=mark, passed=passed, **facts))  # type: ignore[arg-type]


@pytest.mark.usefixtures("scored")
@requirement("S7", "S11")
def test_the_balance_by_preset_shows_the_score_and_still_verifies(
    fill: Fill,  # noqa: F811
) -> None:
    requests = [request_id(number) for number in (1, 2, 3)]
    journal = [
        ended(request, preset=preset)
        for request, preset in zip(requests, ("code", "summarise", "own"), strict=True)
    ]
    fill(*(delegation(number) for number in (1, 2, 3)), journal=journal)
    report = json.loads(run("balance", "--by", "preset", "--json").out)
    scores = {row["preset"]: row["score"] for row in report["clients"][0]["rows"]}
    facts = {"backend": "own", "model": "m", "total": 3, "date": "2026-10-17T12:00:00Z"}
    assert scores == {
        "code": {"passed": 2, "current": True, **facts},
        "summarise": {"passed": 1, "current": False, **facts},
        "own": None,
    }
    shown = {
        line.split()[0]: line for line in run("balance", "--by", "preset").out.splitlines() if line
    }
    assert "2 of 3" in shown["code"]
    assert "1 of 3, outdated" in shown["summarise"]
    assert shown["own"].rstrip().endswith("-")
    rows = run("balance", "--by", "preset", "--csv").out.splitlines()
    assert rows[0].endswith(",score_passed,score_total")
    assert sorted(row.rsplit(",", 2)[1:] for row in rows[1:]) == [["", ""], ["1", "3"], ["2", "3"]]
    verified = run("balance", "--verify")
    assert (verified.code, verified.err) == (0, "")
    shelf, zone = Shelf(settings.load().ledger_dir()), clock.zone("UTC")
    theirs = [(Question(by="preset"), report)]
    assert verify(shelf, Question(), zone, 0, theirs, zone).differences == []
    report["clients"][0]["rows"][0]["net"] += 1
    assert len(verify(shelf, Question(), zone, 0, theirs, zone).differences) == 1
    for by in ("format", "model", "day"):
        rows = json.loads(run("balance", "--by", by, "--json").out)["clients"][0]["rows"]
        assert all("score" not in row for row in rows)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_at_every_width_what_a_preset_is_for_is_told_whole(
    config: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("presets").out
    words = " ".join(shown.split())
    assert all(row["description"] in words for row in _presets().values())
    table = shown.partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= width


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_test_quietly(server: Scripted, kept: Path, number: int) -> None:
    server.script = Reply("Hello", threading.Event())
    words = [sys.executable, "-m", "econome", "presets", "test", "greet"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as process:
        assert server.wait_for_requests()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"greet on own\n", b"")
    assert server.wait_for_hang_ups()
    assert not kept.exists()


def test_a_bound_is_said_in_digits(config: Path) -> None:
    (config / "presets.toml").write_text("[mine]\nmax_tokens = 0\n", encoding="utf-8")
    assert "expected a whole number from 1 to 1,000,000" in run("presets").err
    (config / "config.toml").write_text("[delegation]\ndeadline_s = 0\n", encoding="utf-8")
    assert "expected a number from 1 to 31,536,000" in run("delegate", "x").err
