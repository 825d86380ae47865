"""The report of `econome profile` is calm: what it leaves out it says, and what it says of one thing fits together."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main
from econome.cli.render.profile_rows import (
    advised,
    basis,
    deferred,
    failures,
    saved,
    steps,
)
from tests.cli.test_profile import LIST
from tests.contract.listed import command, entry

PICTURE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def _row(economy: str = "limit", **more: Any) -> dict[str, Any]:
    return {
        "economy": economy,
        "order": 3,
        "what": "find",
        "tokens_before": 2300,
        "tokens_after": 1200,
        "per": "answer",
        "basis": "estimated",
        "note": "",
    } | more


def _out(capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["profile", *words]) == 0
    return capfd.readouterr().out.splitlines()


def _log(path: Path, *answers: dict[str, Any] | None) -> str:
    """Write a recording of calls of one tool, with the answers that came."""
    lines: list[dict[str, Any]] = []
    for at, answer in enumerate(answers):
        lines.append({"id": at, "method": "tools/call", "params": {"name": "find"}})
        lines += [] if answer is None else [{"id": at, "result": {"content": [answer]}}]
    path.write_text("\n".join(json.dumps({"jsonrpc": "2.0", **line}) for line in lines), "utf-8")
    return str(path)


def test_a_usual_server_takes_one_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    tools = [entry(f"tool{at}", outputSchema=LIST) for at in range(9)]
    out = _out(capfd, "--", *command(tmp_path, tools=tools, instructions="Be kind.", prompts=[]))
    assert len(out) <= 40
    assert len(out) - out.index("Next") == 3
    advice = out[out.index("Advice") + 1 :]
    assert advice.index("") == 3
    assert advice[2] == "and 7 more, see --html or --json"
    assert sum(line.startswith("Left out: ") for line in out) == 1
    assert any(line.endswith("more, see --json.") for line in out)


@pytest.mark.parametrize("width", [40, 50, 60, 80, 140])
def test_at_any_width_each_saving_says_what_it_is(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    tools = [entry(f"tool{at}", outputSchema=LIST) for at in range(30)]
    out = _out(capfd, "--", *command(tmp_path, tools=tools))
    said = [line for line in out if re.search(r"\d (?:a turn|an answer)", line)]
    assert len([line for line in said if re.search(r"counted|measured|estimated", line)]) >= 4
    assert [
        line for line in said if "−" in line and not re.search("counted|measured|estimated", line)
    ] == []


def test_terminal_table_and_drawing_have_the_order_of_the_profile(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    tools = [
        entry("dear", description="Much. " * 90),
        entry("list", outputSchema=LIST),
        entry("one", outputSchema={"type": "object", "properties": {"a": {"type": "string"}}}),
    ]
    words = ("--name", "shop", "--", *command(tmp_path, tools=tools))
    (report,) = json.loads("\n".join(_out(capfd, "--json", *words)))["servers"]
    order = [tool["tool"] for tool in report["menu"]["tools"]]
    out = _out(capfd, "--html", str(page), *words)
    at = out.index("Tools, the worst first") + 2
    assert [line.split()[0] for line in out[at : at + 3]] == order
    text = page.read_text(encoding="utf-8")
    names = "|".join(order)
    assert re.findall(rf'<text x="0" y="\d+">({names})<', text) == order
    assert re.findall(rf'<td data-title="tool"><span>({names})<', text) == order


def test_a_recording_of_pictures_has_no_empty_table(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    out = _out(capfd, "--html", str(page), "--log", _log(tmp_path / "shop.log", PICTURE))
    assert [line for line in out if line.startswith("What would make it cheaper")] == []
    text = page.read_text(encoding="utf-8")
    assert "What would make it cheaper" not in text
    assert re.findall(r"<tbody>\s*</tbody>", text) == []


def test_calls_without_an_answer_are_told_by_themselves(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    out = _out(capfd, "--html", str(page), "--log", _log(tmp_path / "a.log", PICTURE, None))
    at = out.index("Answers as recorded, in tokens")
    assert out[at + 1].split()[:4] == ["tool", "calls", "failed", "unanswered"]
    assert out[at + 2].split()[:4] == ["find", "2", "0", "1"]
    out = _out(capfd, "--html", str(page), "--log", _log(tmp_path / "a.log", None))
    at = out.index("Answers as recorded, in tokens")
    assert out[at + 2].split()[:5] == ["find", "1", "n/a", "1", "n/a"]
    assert 'role="img"' not in page.read_text(encoding="utf-8")


def test_where_no_call_was_answered_nobody_knows_how_many_failed() -> None:
    found = [
        failures({"calls": calls, "unanswered": open_, "errors": 0}, "errors")
        for calls, open_ in ((2, 0), (2, 1), (2, 2))
    ]
    assert found == ["0", "0", "n/a"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (_row(), "−1,100 an answer"),
        (_row("table", tokens_before=100, tokens_after=118, per="turn"), "costs 18 a turn"),
        (_row(tokens_after=2300), "0 an answer"),
        (_row(tokens_after=None), "n/a"),
        (_row("lock", tokens_before=None, tokens_after=None, basis=None), ""),
    ],
)
def test_what_saves_and_what_costs_is_said_in_words(row: dict[str, Any], told: str) -> None:
    assert saved(row) == told
    assert bool(basis(row)) == bool(told)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([1390], "1,390 once it is found."),
        ([20, 20], "20 for each one found."),
        ([20, 1390], "20 to 1,390 for each one found."),
    ],
)
def test_a_tool_that_is_found_costs_once(found: list[int], told: str) -> None:
    menu = {"deferred": 7, "listed": [], "tools": [{"found": each} for each in found]}
    assert deferred(menu) == f"Where a client searches for tools: 7 a turn for names, and {told}"


def test_a_step_has_all_its_rows_and_the_best_first() -> None:
    unknown = _row(what="unknown", tokens_after=None, basis=None)
    worse, same = _row(what="worse", tokens_after=2400), _row(what="same", tokens_after=2300)
    guess, little = _row(what="guess"), _row(what="little", tokens_after=2299, basis="measured")
    (step,) = steps([unknown, worse, same, guess, little])
    assert [row["what"] for row in step.rows] == ["little", "guess", "same", "worse", "unknown"]


def test_a_menu_that_loses_nothing_goes_before_one_that_is_looked_up() -> None:
    lazy = _row("group", what="menu as lazy", tokens_after=1, basis="counted")
    flat = _row("group", what="menu as grouped", tokens_after=2000, basis="counted")
    (step,) = steps([lazy, flat])
    assert [row["what"] for row in step.rows] == ["menu as grouped", "menu as lazy"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (_row(), ["[find] set a limit: nothing bounds /a; cap the bytes of an answer"]),
        (_row(tokens_after=2300, basis="measured", note="limit 50: nothing to cut in any of 3"),
         ["[find] cap the bytes of an answer"]),
        (_row(tokens_after=None, basis=None, note="a limit of 50 does not bound /a: cap its bytes"),
         ["[find] a limit of 50 does not bound /a; cap the bytes of an answer"]),
    ],
)  # fmt: skip
def test_advice_does_not_contradict_the_steps(row: dict[str, Any], told: list[str]) -> None:
    says = ["[find] set a limit: nothing bounds /a", "[find] cap the bytes of an answer"]
    assert advised({"economies": [row], "advisories": says}) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2 tools were never called, at 12345 tokens a turn", "2 tools were never called, at 12,345 tokens a turn"),
        ("[2024] more than 1234567.", "[2024] more than 1,234,567"),
        ("[a] nothing bounds /2024/b or c-2024 or 1234.5 or 8,000", "[a] nothing bounds /2024/b or c-2024 or 1234.5 or 8,000"),
    ],
)  # fmt: skip
def test_numbers_in_advice_are_as_in_tables(text: str, told: str) -> None:
    assert advised({"economies": [], "advisories": [text]}) == [told]


@pytest.mark.parametrize(
    ("command_", "told"),
    [
        ("profile", "--data-dir stands before the command; write it after 'profile'"),
        ("lock", "--data-dir is no option of 'lock'"),
    ],
)
def test_nobody_is_sent_to_an_option_that_is_not_there(
    command_: str, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data-dir", "d", command_, "--", "true"]) == 2
    assert capfd.readouterr().err == f"econome: {told} (see econome --help)\n"


def test_a_recording_of_several_servers_is_told_server_by_server(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines: list[dict[str, Any]] = []
    for at, server in enumerate(("shop", "desk")):
        asked = {"id": at, "method": "tools/call", "params": {"name": server}}
        answered = {"id": at, "result": {"content": [PICTURE]}}
        lines += [{"server": server, "message": {"jsonrpc": "2.0", **one}} for one in (asked, answered)]  # fmt: skip
    log = tmp_path / "both.log"
    log.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = json.loads("\n".join(_out(capfd, "--json", "--log", str(log))))["servers"]
    assert [(one["server"], list(one["answers"])) for one in found] == [("shop", ["shop"]), ("desk", ["desk"])]  # fmt: skip
    out = _out(capfd, "--html", str(tmp_path / "report.html"), "--log", str(log))
    assert out[0] == "2 servers: n/a tokens in every turn"
    (one,) = json.loads("\n".join(_out(capfd, "--json", "--name", "desk", "--log", str(log))))["servers"]  # fmt: skip
    assert (one["server"], list(one["answers"])) == ("desk", ["desk"])
