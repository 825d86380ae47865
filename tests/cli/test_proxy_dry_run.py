"""A dry run of `econome proxy` says what a menu comes to, and in one plain sentence why it cannot."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from econome.__main__ import main
from tests.http.proxied import Reply, upstream
from tests.lean.connections import PLAIN


def _toml(home: Path, text: str) -> Path:
    path = home / "config" / "econome" / "econome.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_dry_run_tells_what_the_menu_costs_in_each_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "econome.toml").write_text("[budgets.shop]\nmenu_tokens = 10\n", encoding="utf-8")
    words = ["--dry-run", "--name", "shop", "--menu", "grouped", "--json", "--", *PLAIN, "--pages"]
    assert main(["proxy", *words]) == 0
    report = json.loads(capfd.readouterr().out)
    assert (report["server"], report["client"], report["tokenizer"]) == (
        "shop",
        "claude-code",
        "features-v1",
    )
    assert (report["asked"], report["form"], report["estimate"]) == ("grouped", "grouped", True)
    assert (report["budget_tokens"], report["over_budget"]) == (10, True)
    assert [row["tool"] for row in report["before"]][:2] == ["echo", "rows"]
    assert report["tokens_before"] == sum(row["tokens"] for row in report["before"])
    assert (
        report["tokens_after"]
        == sum(row["tokens"] for row in report["after"])
        < report["tokens_before"]
    )
    assert {row["form"] for row in report["forms"]} == {
        "flat", "grouped", "signatures", "lean", "lazy", "untouched",
    }  # fmt: skip
    assert [tool["name"] for tool in report["menu_after"]] == ["shop"]


def _tried(capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["proxy", "--dry-run", *words, "--", *PLAIN]) == 0
    return capfd.readouterr().out.splitlines()


def test_a_dry_run_says_what_it_comes_to_before_all_else(
    capfd: pytest.CaptureFixture[str],
) -> None:
    shown = _tried(capfd, "--name", "shop", "--menu", "signatures")
    assert re.fullmatch(
        r"\d+% less: \d+ tokens instead of \d+ for the menu of shop, as claude-code is shown it \(signatures\)",
        shown[0],
    )
    assert shown[1:4] == [
        "Estimated with features-v1, which is no provider's count.",
        "Rules and the ledger call this server shop; --name calls it otherwise.",
        "",
    ]
    assert shown[-1] == "--text prints the menu itself, before and after."


def test_a_dry_run_has_one_table_of_tools_and_one_of_forms(
    capfd: pytest.CaptureFixture[str],
) -> None:
    shown = _tried(capfd, "--menu", "untouched", "--limit", "3")
    rows = [line.split() for line in shown]
    tools = rows[rows.index(["tool", "before", "after", "less"]) + 1 :]
    assert [row[0] for row in tools[:9]] == [
        "echo", "rows", "big", "die", "wait", "child", "pid", "ask", "more",
    ]  # fmt: skip
    assert all(int(before) - int(after) == int(less) for _, before, after, less in tools[:8])
    assert (tools[8][1], tools[8][3], tools[10][0]) == ("-", "-", "total")
    assert sum(row[0] == "echo" for row in rows if row) == 1
    assert ["untouched", "←", tools[10][2]] in rows
    assert (
        "What a limit cuts of an answer can be read on with more, which the menu has in addition."
        in shown
    )
    assert not any(line.startswith(("  ", "{")) for line in shown)


def test_a_dry_run_says_why_a_form_is_not_had(capfd: pytest.CaptureFixture[str]) -> None:
    shown = _tried(capfd, "--menu", "flat")
    assert shown[0].startswith("Nothing less: ")
    assert shown[0].endswith(" (untouched)")
    (row,) = (line for line in shown if line.startswith("flat "))
    reason = row.partition("n/a")[2].strip()
    assert re.fullmatch(r"not surely smaller \(\d+ tokens, the tools as they are \d+\)", reason)
    assert f"Not in the form flat: {reason}." in shown


def test_a_dry_run_prints_the_menu_itself_where_it_is_asked_to(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    shown = _tried(capfd, "--text", "--name", "shop", "--menu", "grouped")
    before, after = shown.index("The menu before"), shown.index("The menu after")
    assert "echo" in shown[before:after]
    assert "  Say a text again." in shown[before:after]
    assert shown[after + 1] == "shop"
    assert max(map(len, shown[before:])) <= 50
    same = _tried(capfd, "--text", "--menu", "untouched")
    assert same[-2:] == ["The menu after", "It is the same as before."]


def test_a_dry_run_says_why_no_fields_can_be_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    told = (
        "_select is not offered for echo, rows, big, die, wait, child, pid, ask: "
        "it declares no output schema."
    )
    assert told in " ".join(_tried(capfd, "--select"))


def test_a_dry_run_points_out_rules_for_what_is_not_there(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = _toml(
        home, "[servers.plain.tools.rwos]\nlimit = 1\n[servers.plain.tools.x]\nlimit = 1\n"
    )
    shown = _tried(capfd)
    assert "[servers.plain.tools.rwos] names no tool of this server; there is rows." in shown
    assert "[servers.plain.tools.x] names no tool of this server." in shown
    told = f"{path} has no table for plane, but [servers.plain]."
    assert told in " ".join(_tried(capfd, "--name", "plane"))


WHY = "run it by itself to see why"


@pytest.mark.parametrize(
    "status, body, told",
    [
        (404, b"", "{origin}: answered with status 404"),
        (200, b'{"jsonrpc":"2.0","id":0,"error":{"message":"no"}}', "the server refused initialize: no"),
    ],
)  # fmt: skip
def test_a_dry_run_of_a_server_at_an_address_that_fails_is_one_plain_sentence(
    status: int, body: bytes, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with upstream(lambda asked: Reply.json(body, status)) as there:
        assert main(["proxy", "--dry-run", "--url", there.url]) == 1
    assert capfd.readouterr() == ("", f"econome: {told.format(origin=there.origin)}\n")


def test_a_dry_run_of_an_address_where_nobody_answers_is_one_plain_sentence(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with upstream(lambda asked: Reply()) as there:
        pass
    assert main(["proxy", "--dry-run", "--url", there.url]) == 1
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"econome: {there.origin}: cannot be reached")


@pytest.mark.parametrize(
    "command, told",
    [
        (["false"], f"false ended with exit status 1 before it answered anything; {WHY}"),
        (["echo", "hello"], f"echo ended with exit status 0 before it answered anything; {WHY}"),
        ([*PLAIN, "--mute"], f"{PLAIN[0]} ended with exit status 4 before it answered anything; {WHY}"),
        (["sh", "-c", "read a; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}'; read a; exit 5"],
         f"sh ended with exit status 5 before it answered all that it was asked; {WHY}"),
        (["sh", "-c", "read a; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"message\":\"no\"}}'; read a"],
         "the server refused initialize: no"),
        (["nosuchprogram"], "nosuchprogram: no such program; it is started as it is given, without a shell"),
    ],
)  # fmt: skip
def test_a_dry_run_of_a_server_that_fails_is_one_plain_sentence(
    command: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["proxy", "--dry-run", "--", *command]) == 1
    assert capfd.readouterr() == ("", f"econome: {told}\n")
