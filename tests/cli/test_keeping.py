"""`econome profile` and `econome lock` keep what they came to, and nothing of it changes what they print or end with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from econome.contract.kept import kept
from econome.contract.measured import Known
from tests.cli.locked import check, config, lock, server
from tests.contract.listed import command, entry
from tests.door import Ran, run
from tests.requirements import requirement

pytestmark = [requirement("L15", "L16"), pytest.mark.usefixtures("here")]

MARK = "hidden-9f3"


def _kept() -> dict[str, Known]:
    directory = os.path.join(os.environ["XDG_DATA_HOME"], "econome")
    return {one.server: one for one in kept(directory)}


def _files() -> Iterator[Path]:
    return (path for path in Path(os.environ["XDG_DATA_HOME"]).rglob("*") if path.is_file())


def test_a_profile_is_kept_with_the_figures_that_were_printed(here: Path) -> None:
    words = command(here.parent, tools=[entry("find"), entry("read", description="long " * 50)])
    ran = run("profile", "--json", "--name", "shop", "--", *words)
    (printed,) = json.loads(ran.out)["servers"]
    found = _kept()["shop"].measured
    assert found is not None
    assert (found.at, found.reached, found.tokenizer) == ("2026-10-17T12:00:00Z", "stdio", "features-v1")  # fmt: skip
    assert (found.per_turn, found.deferred) == (printed["menu"]["per_turn"], printed["menu"]["deferred"])  # fmt: skip
    assert {one.tool: one.tokens for one in found.largest} == {
        tool["tool"]: tool["tokens"] for tool in printed["menu"]["tools"]
    }
    assert {(row.economy, row.what, row.saves) for row in found.economies} == {
        (row["economy"], row["what"], _saves(row)) for row in printed["economies"]
    }


def _saves(row: dict[str, Any]) -> int | None:
    known = None not in (row["tokens_before"], row["tokens_after"])
    return row["tokens_before"] - row["tokens_after"] if known else None


def test_every_server_of_a_configuration_is_kept(here: Path) -> None:
    shop, desk = server(here), command(here.parent, "desk", tools=[entry("a")])
    ran = run("profile", "--config", config(here, shop=shop, desk=desk, away=("false",)), "--yes")
    assert ran.code == 0
    assert {name: one.measured and one.measured.reached for name, one in _kept().items()} == {
        "shop": "config",
        "desk": "config",
    }


def test_recorded_answers_stay_when_a_server_is_profiled_without_them(here: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list"}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": MARK}]}}
    (here / "log").write_text(f"{json.dumps(call)}\n{json.dumps(answer)}\n", encoding="utf-8")
    words = ("--name", "shop", "--", *server(here))
    ran = run("profile", "--json", "--log", "log", *words)
    printed = json.loads(ran.out)["servers"][0]["answers"]["list"]
    run("profile", *words)
    found = _kept()["shop"].answered
    assert found is not None
    (one,) = found.tools
    assert (one.tool, one.calls, one.p95, one.max) == ("list", 1, printed["p95"], printed["max"])


def test_a_lock_and_each_check_are_kept(here: Path) -> None:
    assert lock(here).code == 0
    (state,) = _kept()["shop"].locks
    assert (state.lock, state.outcome) == (str(here / "econome.lock"), "locked")
    assert check(here).code == 0
    (state,) = _kept()["shop"].locks
    assert (state.outcome, state.checked and state.checked.severities) == ("holds", {})
    ran = check(here, "--json", tools=[entry("search", description="Otherwise."), entry("more")])
    printed = json.loads(ran.out)["findings"]
    (state,) = _kept()["shop"].locks
    assert (ran.code, state.outcome) == (1, "fails")
    assert state.checked is not None
    assert [(one.severity, one.kind, one.subject, one.name) for one in state.checked.findings] == [
        (one["severity"], one["kind"], one["subject"], one["name"]) for one in printed
    ]
    lock(here)
    assert _kept()["shop"].locks[0].outcome == "locked"


def test_what_does_not_count_fails_no_check_that_is_kept(here: Path) -> None:
    lock(here)
    changed = [entry("search", description="Reads otherwise."), entry("list")]
    assert check(here, "--fail-on", "risky", tools=changed).code == 0
    checked = _kept()["shop"].locks[0].checked
    assert checked is not None
    assert (checked.outcome, checked.severities) == ("holds", {"COSMETIC": 1})


def test_a_budget_that_does_not_hold_is_kept(here: Path) -> None:
    lock(here)
    (here / "econome.toml").write_text("[budgets.shop]\nmenu_tokens = 1\n", encoding="utf-8")
    assert check(here).code == 1
    checked = _kept()["shop"].locks[0].checked
    assert checked is not None
    (over,) = checked.budget
    assert (checked.outcome, over.scope, over.level, over.ceiling) == ("fails", "server", "fail", 1)


def test_a_check_that_could_not_be_made_is_kept_with_why(here: Path) -> None:
    lock(here)
    assert check(here, die="initialize").code == 2
    checked = _kept()["shop"].locks[0].checked
    assert checked is not None
    assert (checked.outcome, checked.why) == ("unchecked", "away")
    (here / "econome.lock").write_text("{}", encoding="utf-8")
    assert check(here).code == 2
    checked = _kept()["shop"].locks[0].checked
    assert checked is not None
    assert (checked.outcome, checked.why) == ("unchecked", "lock")


def test_of_a_question_that_was_wrong_nothing_is_kept(here: Path) -> None:
    lock(here)
    assert run("lock", "--check", "--name", "mistyped", "--", *server(here)).code == 2
    assert run("profile", "--config", config(here, shop=server(here))).code == 2
    assert set(_kept()) == {"shop"}


def test_no_text_argument_or_variable_is_in_what_is_kept(here: Path) -> None:
    schema = {"type": "object", "properties": {MARK: {"type": "string", "description": MARK}}}
    tools = [entry("find", description=MARK, inputSchema=schema, outputSchema=schema, title=MARK)]
    words = command(here.parent, tools=tools, instructions=MARK)
    entries = {"shop": {"command": words[0], "args": [*words[1:], MARK], "env": {MARK: MARK}}}
    (here / "mcp.json").write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    for line in (("profile",), ("lock",), ("lock", "--check")):
        assert run(*line, "--config", "mcp.json", "--yes").code == 0
    tools[0]["description"] = f"{MARK}. You must call it first."
    command(here.parent, tools=tools, instructions=MARK)
    assert run("lock", "--check", "--config", "mcp.json", "--yes").code == 1
    files = list(_files())
    assert len(files) == 3
    assert [path for path in files if MARK.encode() in path.read_bytes()] == []


def _all(here: Path) -> list[Ran]:
    words = ("--name", "shop", "--", *server(here))
    (here / "econome.lock").unlink(missing_ok=True)
    lines = (("profile",), ("lock",), ("lock", "--check"), ("profile", "--json"))
    return [run(*line, *words) for line in lines]


def test_a_data_directory_that_takes_nothing_changes_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _all(here)
    assert [ran.code for ran in before] == [0, 0, 0, 0]
    (here.parent / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_DATA_HOME", str(here.parent / "file"))
    assert _all(here) == before
