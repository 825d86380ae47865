"""`econome proxy` reads its command line the same with click and without, and begins with the rules that it finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from econome.__main__ import main
from econome.cli.quick_proxy import read
from econome.lean.ledger import Reading, lean_dir
from econome.lean.policies import defers
from econome.lean.proxy.opening import Wishes, named_after, opened
from econome.lean.rules import Budget, ToolRules
from econome.settings import load
from tests.lean.connections import PATIENCE_S, PLAIN, Session, proxied


def test_a_plain_command_line_is_read_without_click() -> None:
    words = "--name shop --limit=20 --max-bytes 900 --menu lean --select --pass -- server --limit 3"
    found = read(words.split())
    assert found is not None
    command, values = found
    assert command == ("server", "--limit", "3")
    assert values == {
        "name": "shop", "menu": "lean", "limit": 20, "max_bytes": 900, "client": None, "tokenizer": None, "rules": None,
        "url": None, "data_dir": None, "listen": None, "select": True, "passing": True, "dry_run": False, "json": False,
        "text": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "", "--", "install x", "--dry-run -- server", "--limit 0 -- server", "--limit x -- server", "--menu tiny -- server",
        "--name -- server", "server", "--url http://a -- server", "--listen 7801 --url http://a", "--help", "--nam x -- server",
    ],
)  # fmt: skip
def test_what_is_unusual_is_left_to_click(words: str) -> None:
    assert read(words.split()) is None


@pytest.mark.parametrize(
    "words, told",
    [
        ([], "give --url, or what starts the server behind --"),
        (
            ["server", "--x"],
            "behind --, and options of the proxy before it: econome proxy -- server --x",
        ),
        (["my server", "--dry-run"], "econome proxy --dry-run -- 'my server'"),
        (
            ["--menu", "lean", "npx", "-y", "x", "--limit", "3", "--name=y"],
            "econome proxy --menu lean --limit 3 --name=y -- npx -y x",
        ),
        (["server", "--limit"], "econome proxy --limit -- server"),
        (["--json", "--", "server"], "--json goes with --dry-run"),
        (["--text", "--", "server"], "--text goes with --dry-run"),
        (["--url", "http://127.0.0.1:1", "--", "server"], "give either --url or what starts"),
        (["--limit", "0", "--", "server"], "'--limit': 0 is not in the range"),
        (["--name", "x", "list"], "options of the proxy do not go with list"),
    ],
)
def test_a_wrong_command_line_says_what_to_do(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["proxy", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_subcommand_keeps_its_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["proxy", "list", "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), dict)


@pytest.mark.parametrize(
    "command, name",
    [
        ("npx -y @modelcontextprotocol/server-github", "github"),
        ("npx -y @scope/server-github@1.2.3 --flag", "github"),
        ("uvx mcp-server-git --repository .", "git"),
        ("/opt/bin/mcp-server-time", "time"),
        ("python -m my_server", "my_server"),
        ("node /opt/a/weather-mcp/index.mjs", "index"),
        ("docker run --rm -i ghcr.io/x/y", "docker"),
        ("---", "server"),
    ],
)
def test_a_server_is_named_after_what_starts_it(command: str, name: str) -> None:
    assert named_after(command.split()) == name


def test_a_server_at_an_address_is_named_after_its_host() -> None:
    assert named_after((), "https://user@mcp.example.com:8443/mcp") == "example_com"


@pytest.mark.parametrize(
    "said, deferring",
    [
        (None, True),
        ("true", True),
        ("false", False),
        ("0", False),
        ("auto", False),
        ("auto:5", False),
    ],
)
def test_the_environment_tells_whether_claude_code_defers_tools(
    said: str | None, deferring: bool
) -> None:
    assert defers(said) is deferring


def _toml(home: Path, text: str) -> Path:
    path = home / "config" / "econome" / "econome.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_command_line_stands_above_the_rules(home: Path) -> None:
    _toml(home, "[servers.shop]\nmenu = 'lean'\nlimit = 5\ntokenizer = 'chars/4'\n")
    found = opened(load(), Wishes("shop", menu="grouped"))
    assert found.lean.policy("claude-code").menu == "grouped"
    assert (found.lean.rule("any").limit, found.lean.tokenizer) == (5, "chars/4")


@pytest.mark.parametrize(
    ("name", "real"), [("features-v1", False), ("chars/4", False), ("o200k", True)]
)
def test_a_real_vocabulary_that_is_chosen_has_the_last_word(name: str, real: bool) -> None:
    if real:
        pytest.importorskip("quicktok")
    lean = opened(load(), Wishes("shop", tokenizer=name)).lean
    assert lean.last is (lean.measure if real else None)


def test_the_command_line_stands_above_the_rules_of_a_tool_too(home: Path) -> None:
    _toml(
        home,
        "[servers.shop.tools.rows]\nlimit = 1\nmax_bytes = 9\nselect = false\nrows = 'items'\n"
        "[servers.'*'.tools.big]\nlimit = 2\n",
    )
    found = opened(load(), Wishes("shop", answers=ToolRules(limit=3, select=True)))
    assert found.rules.tool("rows") == ToolRules(3, "items", 9, True)
    assert found.rules.tool("big") == found.rules.tool("another") == ToolRules(3, select=True)


def test_of_the_user_s_budget_and_the_working_directory_s_the_smaller_holds(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _toml(home, "[budgets.shop]\nmenu_tokens = 100\nanswer_tokens = 7\n[budgets.'*']\nmenu_tokens = 3\n")  # fmt: skip
    here = (
        "[budgets.'*']\nmenu_tokens = 50\nanswer_tokens = 9\n[budgets.other]\nanswer_tokens = 1\n"
    )
    (tmp_path / "econome.toml").write_text(here, encoding="utf-8")
    assert opened(load(), Wishes("shop")).budget == Budget(50, 7)
    assert opened(load(), Wishes("other")).budget == Budget(3, 1)
    assert opened(load(), Wishes("third")).budget == Budget(3, 9)


def test_a_file_in_the_working_directory_that_is_named_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "econome.toml").write_text(
        "[servers.shop]\nlimit = 4\n[budgets.shop]\nmenu_tokens = 5\n", encoding="utf-8"
    )
    found = opened(load(), Wishes("shop", rules=str(tmp_path / "econome.toml")))
    assert (found.rules.tool("any").limit, found.budget) == (4, Budget(5))


def test_what_is_wrong_in_a_file_of_rules_is_told_with_its_line_and_its_value(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _toml(home, "# mine\n[servers.shop]\nlimit = 0\n")
    assert main(["proxy", "--dry-run", "--", *PLAIN]) == 1
    told = "line 3: servers.shop.limit: expected a whole number of at least 1, not 0"
    assert capsys.readouterr().err == f"econome: {path}: {told}\n"


@pytest.mark.parametrize(
    "text, client, menu",
    [
        ("", "claude-code", "flat"),
        ("", "another", "flat"),
        ("[servers.shop]\nmenu = 'grouped'", "claude-code", "grouped"),
        ("[servers.shop]\nmenu = 'grouped'", "another", "grouped"),
        ("[servers.shop]\nmenu = 'grouped'\n[clients.another]\nmenu = 'lean'", "another-one", "lean"),
        ("[clients.claude-code]\nmenu = 'auto'", "claude-code", "auto"),
    ],
)  # fmt: skip
def test_what_was_said_of_the_client_stands_above_what_was_said_of_the_server(
    home: Path, text: str, client: str, menu: str
) -> None:
    _toml(home, text)
    assert opened(load(), Wishes("shop")).lean.policy(client).menu == menu


def test_claude_code_gets_the_cheapest_menu_where_it_shows_every_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ENABLE_TOOL_SEARCH", "false")
    assert opened(load(), Wishes("shop")).lean.policy("claude-code").menu == "auto"


@pytest.mark.parametrize(
    "text, told",
    [
        (b"[servers.x]\nlimit = 1\n", "line 1: servers: an econome.toml here may hold"),
        (b"[budgets.shop]\nmenu_tokens = 3\n[servers.shop]\nlimit = 1\n", "line 3: servers: an"),
        (b"[budgets.shop]\nevil = 3\n", "line 2: budgets.shop.evil: unknown"),
        (b"garbage = [", "Invalid"),
        (b"\xef\xbb\xbf[budgets.shop]\nmenu_tokens = 3\n", "Invalid"),
        (b"x = '" + b"y" * 1024 * 1024 + b"'\n", "expected a file of at most 1,048,576 bytes"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_a_wrong_file_in_the_working_directory_is_left_out_with_one_line(
    text: bytes,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "econome.toml").write_bytes(text)
    found = opened(load(), Wishes("shop"))
    assert (found.budget, found.rules.tool("any").limit) == (Budget(), None)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"econome: econome.toml: {told}")
    assert line.endswith("; nothing of this file is used")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_of_that_name_in_the_working_directory_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "econome.toml")
    assert opened(load(), Wishes("shop")).budget == Budget()
    assert "expected a file of at most" in capsys.readouterr().err


WHY = "run it by itself to see why"


def test_a_program_that_says_no_message_ends_the_proxy(capfd: pytest.CaptureFixture[str]) -> None:
    with Session(proxied("--", "sh", "-c", "read a; echo hello")) as session:
        session.say(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
        assert session.line() == b"hello"
        assert "never started" in session.line().decode()
        assert session.process.wait(PATIENCE_S) == 1
        assert session.process.stderr is not None
        assert session.process.stderr.read().decode() == (
            f"econome: sh ended with exit status 0 before it answered anything; {WHY}\n"
        )


def test_a_proxy_that_listens_for_no_program_ends_at_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["proxy", "--listen", "0", "--", "nosuchprogram"]) == 1
    told = "nosuchprogram: no such program; it is started as it is given, without a shell"
    assert capfd.readouterr() == ("", f"econome: {told}\n")


def test_a_proxy_that_listens_says_where_by_what_token_and_for_whom() -> None:
    with Session(proxied("--listen", "0", "--", *PLAIN)) as session:
        told = session.line().decode()
        session.process.terminate()
    assert told.startswith("The proxy listens on http://127.0.0.1:")
    assert told.endswith(
        "/mcp; `econome token show` prints its token. "
        "Rules and the ledger call the server plain; --name calls it otherwise."
    )


HEAVY = {
    "click",
    "httpx2",
    "jsonschema",
    "mcp",
    "pydantic",
    "rich",
    "starlette",
    "toon_format",
    "uvicorn",
}


def test_a_proxy_starts_without_what_it_does_not_need() -> None:
    words = [sys.executable, "-X", "importtime", *proxied("--", *PLAIN)[1:]]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert "asyncio" in loaded
    assert loaded & HEAVY == set()


def test_an_answer_over_its_budget_is_told_once(home: Path) -> None:
    _toml(home, "[budgets.shop]\nanswer_tokens = 2\n")
    with Session(proxied("--name", "shop", "--", *PLAIN)) as session:
        session.greet()
        session.ask(1, "tools/list")
        for _ in range(2):
            session.text("echo", text="five words are too many")
        assert session.process.stdin is not None
        session.process.stdin.close()
        assert session.process.wait(PATIENCE_S) == 0
        assert session.process.stderr is not None
        (line,) = session.process.stderr.read().decode().splitlines()
    assert line.startswith("econome: shop: an answer of echo is ")
    assert line.endswith(" tokens, over the budget of 2")


@pytest.mark.parametrize("options", [(), ("--pass",)])
def test_rules_for_a_tool_that_is_not_there_are_told_once(
    home: Path, options: tuple[str, ...]
) -> None:
    _toml(home, "[servers.shop.tools.rows]\nlimit = 2\n[servers.shop.tools.'r.w']\nlimit = 2\n")
    with Session(proxied(*options, "--name", "shop", "--", *PLAIN, "--pages")) as session:
        session.greet()
        for identity in (2, 3):
            session.ask(identity, "tools/list")
        assert session.process.stdin is not None
        session.process.stdin.close()
        assert session.process.wait(PATIENCE_S) == 0
        assert session.process.stderr is not None
        told = session.process.stderr.read().decode().splitlines()
    line = 'econome: [servers.shop.tools."r.w"] names no tool of this server'
    assert told == ([] if options else [line])


def test_what_went_through_is_in_the_ledger(home: Path) -> None:
    with Session(proxied("--name", "shop", "--menu", "grouped", "--", *PLAIN)) as session:
        session.greet()
        session.ask(2, "tools/list")
        session.text("rows", count=20)
    reading = Reading(lean_dir(load().data_dir))
    menu, rows = reading.records()
    assert (menu.kind, menu.server, menu.client, menu.form) == (
        "menu",
        "shop",
        "claude-code",
        "grouped",
    )
    assert (rows.kind, rows.tool, rows.method) == ("answer", "rows", "features-v1")
    assert 0 < rows.after < rows.before
