"""`econome profile --transcripts` weighs what answers were by their sizes, and joins that with a menu where one is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main
from tests.contract.listed import command, entry
from tests.usage.details import Place, call, result

SECRET = "what nobody may read here"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return transcripts with three calls of two servers' tools."""
    place = Place(tmp_path)
    lines: list[Any] = []
    for at, (name, text) in enumerate(
        (
            ("mcp__shop__find", SECRET * 10),
            ("mcp__shop__find", "x"),
            ("mcp__desk__sit", "ok"),
            ("Read", "y" * 5000),
        )
    ):
        identity = f"toolu_{at:024}"
        lines += [call(identity, name, minutes=at), result(identity, text, minutes=at + 0.5)]
    place.write(*lines)
    return place


def _run(capfd: pytest.CaptureFixture[str], place: Place, *words: str) -> str:
    assert main(["profile", "--transcripts", "--root", str(place.root), *words]) == 0
    return capfd.readouterr().out


def test_transcripts_alone_list_the_tools_by_what_they_weighed(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    out = _run(capfd, place)
    heading, head, first, second, *_ = out.splitlines()
    assert heading == "Answers of MCP tools in 1 session, the heaviest first"
    assert head.split()[:2] == ["tool", "calls"]
    assert first.split()[:3] == ["shop", "find", "2"]
    assert second.split()[:3] == ["desk", "sit", "1"]
    assert "chars/3.5, which is no count" in " ".join(out.split())


def test_nothing_of_an_answer_is_told(
    place: Place, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    told = _run(capfd, place, "--html", str(page)) + _run(capfd, place, "--json")
    assert SECRET not in told + page.read_text(encoding="utf-8")


def test_a_server_is_joined_with_what_its_tools_weighed(
    place: Place, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("--name", "shop", "--", *command(tmp_path, tools=[entry("find"), entry("buy")]))
    (server,) = json.loads(_run(capfd, place, "--json", *words))["servers"]
    assert {tool: own["calls"] for tool, own in server["transcripts"].items()} == {"find": 2}
    assert server["transcripts"]["find"]["characters"]["max"] == len(SECRET * 10)
    assert [row["tool"] for row in server["never_called"]["tools"]] == ["buy"]
    out = _run(capfd, place, *words)
    assert "Answers in transcripts, in characters; tokens are a guess by chars/3.5" in out
    assert f"Never called: 1 tool of 2, {server['never_called']['tokens']} tokens in every turn" in out  # fmt: skip


def test_a_server_that_transcripts_do_not_know_is_not_said_to_be_idle(
    place: Place, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("--name", "other", "--", *command(tmp_path, tools=[entry("find")]))
    out = _run(capfd, place, *words)
    assert "Never called" not in out
    assert "No transcript holds a call of its tools" in out


def test_a_name_chooses_one_server_of_the_transcripts(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    weighed = json.loads(_run(capfd, place, "--json", "--name", "desk"))["weighed"]
    assert {name: list(tools) for name, tools in weighed["servers"].items()} == {"desk": ["sit"]}


def test_without_a_call_that_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = _run(capfd, Place(tmp_path))
    assert out.splitlines()[0] == "No transcript holds a call of an MCP tool."


def test_what_was_read_is_remembered_where_that_is_asked_for(
    place: Place, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    _run(capfd, place, "--data-dir", str(kept))
    assert (kept / "detail.sqlite").is_file()


def test_a_root_that_is_what_lies_in_one_is_told_so(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    inside = place.root / "projects"
    assert main(["profile", "--transcripts", "--root", str(inside)]) == 0
    assert capfd.readouterr().err.endswith(f"give {place.root}\n")
    _run(capfd, place)
    assert capfd.readouterr().err == ""


def test_a_root_that_is_not_there_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = str(tmp_path / "gone")
    assert main(["profile", "--transcripts", "--root", gone]) == 1
    assert gone in capfd.readouterr().err
