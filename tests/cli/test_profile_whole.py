"""A profile cuts nothing away and says what is too little to tell, on a terminal, in a pipe and on its page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main
from econome.cli.render.profile_rows import is_worth_it
from tests.cli.test_profile import LIST
from tests.contract.listed import command, entry
from tests.usage.details import Place, call, result

LONG = "a_tool_with_a_name_of_more_than_one_word_which_goes_on_and_on"


def _words(path: Path) -> list[str]:
    return ["--", *command(path, tools=[entry(LONG, outputSchema=LIST), entry("read")])]


def _log(path: Path, servers: dict[str, str]) -> list[str]:
    """Write a recording of a call of each server, with its list where it is to have one."""
    lines: list[dict[str, Any]] = []
    for at, (server, tool) in enumerate(servers.items()):
        text = [{"type": "text", "text": "hello " * 20}]
        exchange = [
            {"id": at, "method": "tools/call", "params": {"name": tool}},
            {"id": at, "result": {"content": text}},
        ]
        lines += [{"server": server, "message": {"jsonrpc": "2.0", **one}} for one in exchange]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return ["--log", str(path)]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_at_any_width_all_is_there(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["profile", *_words(tmp_path)]) == 0
    out = capfd.readouterr().out.partition("\nNext\n")[0]
    assert "…" not in out
    told = "".join(out.split())
    for text in (LONG, "alistofrecordsat/rowswithoutalimit,inanswersof11fields", "arekept;classcriticalbecomeslow"):  # fmt: skip
        assert text in told or width < 100
    assert "Limittherows" in told or width < 100
    assert max(map(len, out.splitlines())) <= width


def test_without_a_terminal_each_row_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["profile", *_words(tmp_path)]) == 0
    out = capfd.readouterr().out
    (row,) = [line for line in out.splitlines() if line.startswith(LONG)]
    assert row.endswith("a list of records at /rows without a limit, in answers of 11 fields")
    (step,) = [line for line in out.splitlines() if line.startswith("3 Limit the rows")]
    assert step.endswith("class critical becomes low")


@pytest.mark.parametrize(
    ("before", "after", "worth"),
    [
        (1000, 990, True),
        (1000, 991, False),
        (100, 95, True),
        (100, 96, False),
        (100, 118, True),
        (9, 9, False),
        (None, None, True),
        (5, None, True),
    ],
)
def test_less_than_five_tokens_or_one_in_a_hundred_is_not_worth_telling(
    before: int | None, after: int | None, worth: bool
) -> None:
    assert is_worth_it({"tokens_before": before, "tokens_after": after}) is worth


def test_savings_of_next_to_nothing_are_told_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    words = ["--html", str(page), "--", *command(tmp_path, tools=[entry("find"), entry("read")])]
    assert main(["profile", *words]) == 0
    out = capfd.readouterr().out
    assert out.count("Nothing worth telling in ") == 1
    told = out + page.read_text(encoding="utf-8")
    assert re.findall(r"(?<![\d,])0 (?:a turn|an answer)|−[1-4] (?:a turn|an answer)", told) == []


def test_four_servers_take_one_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ("shop", "desk", "bank", "post")
    entries = {}
    for many, name in enumerate(names, 1):
        tools = [entry(f"{name}{at}", outputSchema=LIST) for at in range(9 * many)]
        words = command(tmp_path, name, tools=tools)
        entries[name] = {"command": words[0], "args": words[1:]}
    monkeypatch.chdir(tmp_path)  # so that no line names a long place
    config, page = Path("mcp.json"), Path("report.html")
    config.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    assert main(["profile", "--config", str(config), "--yes", "--html", str(page)]) == 0
    out = capfd.readouterr().out.splitlines()
    assert len(out) <= 40
    headings = [line.split(":")[0] for line in out if line.endswith(" tools")]
    assert headings == list(reversed(names))
    text = page.read_text(encoding="utf-8")
    assert re.findall(r'<a href="#(server-\d)">(\w+)</a>', text) == re.findall(
        r'<h2 id="(server-\d)">(\w+)</h2>', text
    )
    assert re.findall(r"<h2 id=[^>]*>(\w+)<", text) == list(reversed(names))
    for told in (text, "\n".join(out)):
        assert "deferred: a turn with names alone" in told


def test_recorded_servers_without_lists_have_no_figure_anywhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    words = ["--html", str(page), *_log(tmp_path / "a.log", {"shop": "find", "desk": "sit"})]
    assert main(["profile", *words]) == 0
    told = capfd.readouterr().out
    assert told.splitlines()[0] == "2 servers: n/a tokens in every turn"
    text = page.read_text(encoding="utf-8")
    assert "2 servers: n/a tokens in every turn" in text
    assert "0 tokens" not in text + told
    assert re.findall(r'data-title="kind"[^>]*><span>(\w+)<', text) == ["text", "text"]


def test_what_transcripts_leave_out_is_on_the_page_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place, page = Place(tmp_path), tmp_path / "report.html"
    lines: list[Any] = []
    for at, name in enumerate(("mcp__shop__find", "mcp__noend", "mcp__a b.c__d e")):
        identity = f"toolu_{at:024}"
        lines += [call(identity, name, minutes=at), result(identity, "x", minutes=at + 0.5)]
    place.write(*lines)
    beside = ["--name", "shop", *_words(tmp_path)]
    for more in ([], beside):
        words = ["profile", "--transcripts", "--root", str(place.root), "--html", str(page), *more]
        assert main(words) == 0
        for told in (" ".join(capfd.readouterr().out.split()), page.read_text(encoding="utf-8")):
            assert "Left out: 1 call by names of MCP tools that tell no server and tool." in told
            assert "Left out: 1 call by names with odd signs" in told


def test_what_is_not_known_is_not_available_on_terminal_and_page(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    words = ["--html", str(page), "--", *command(tmp_path, tools=[entry("read")])]
    assert main(["profile", *words]) == 0
    (row,) = [line for line in capfd.readouterr().out.splitlines() if line.startswith("read ")]
    assert row.split()[-1] == "n/a"
    text = page.read_text(encoding="utf-8")
    assert re.findall(r'data-title="(class|why)"[^>]*><span>([^<]*)<', text) == [("class", "n/a"), ("why", "n/a")]  # fmt: skip
