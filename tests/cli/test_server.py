"""The server's commands without a server: the token, wrong usage, and what is said where none runs."""

from __future__ import annotations

import re
import shlex
import stat
import sys
from pathlib import Path

import pytest

from econome.cli.addresses import program
from tests.door import run
from tests.requirements import requirement


@pytest.fixture
def token(home: Path) -> Path:
    """Return where this user's token lies, which is not there yet."""
    return home / "data" / "econome" / "token"


def test_token_show_makes_the_token_and_prints_it_alone(token: Path) -> None:
    ran = run("token", "show")
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}\n", ran.out)
    assert run("token", "show").out == ran.out
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(token.parent.stat().st_mode) == 0o700


def test_token_show_and_the_directory_it_is_given(token: Path, tmp_path: Path) -> None:
    ran = run("token", "show", "--data-dir", str(tmp_path / "own"))
    assert (tmp_path / "own" / "token").read_text(encoding="ascii") == ran.out
    assert not token.exists()


@requirement("C-T1")
def test_token_rotate_replaces_the_token_and_prints_none(token: Path) -> None:
    old = run("token", "show").out
    ran = run("token", "rotate")
    new = run("token", "show").out
    assert (ran.code, ran.out, old == new) == (0, "", False)
    assert str(token) in ran.err
    assert (
        "  claude mcp remove --scope user econome\n"
        "  claude mcp add --scope user --transport http econome http://127.0.0.1:8090/mcp --header "
        f'"Authorization: Bearer $({program()} token show)"\n' in ran.err
    )
    assert not any(secret.strip() in ran.err for secret in (old, new))


def test_a_token_that_others_may_read_is_refused_in_one_line(token: Path) -> None:
    run("token", "show")
    token.chmod(0o644)
    ran = run("token", "show")
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(rf"econome: {re.escape(str(token))}: [^\n]+\n", ran.err)


@pytest.mark.parametrize("line", [("open",), ("open", "--print")])
def test_where_no_server_runs_it_says_how_to_start_one(home: Path, line: tuple[str, ...]) -> None:
    ran = run(*line)
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"econome: [^\n]*econome serve[^\n]*\n", ran.err)
    assert not (home / "data" / "econome").exists()


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        (("serve", "--host", "0.0.0.0"), "--tls-cert"),
        (("serve", "--host", "::"), "--behind-proxy"),
        (("serve", "--host", "10.1.2.3"), "--behind-proxy"),
        (("serve", "--tls-cert", "x"), "--tls-key"),
        (("serve", "--tls-key", "x"), "--tls-cert"),
        (("serve", "--tls-key", "nowhere", "--tls-cert", "nowhere"), "nowhere"),
        (("serve", "--port", "65536"), "65535"),
        (("serve", "stray"), "stray"),
        (("events", "import"), "FILE"),
        (("events", "tail", "-n", "-1"), "-1"),
        (("token", "show", "--data-dir", ""), "empty"),
    ],
)
def test_wrong_usage_says_what_is_needed_and_serves_nothing(
    home: Path, line: tuple[str, ...], needed: str
) -> None:
    ran = run(*line)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"econome[^\n]+\n", ran.err)
    assert needed in ran.err
    assert not (home / "data" / "econome").exists()


def test_the_line_for_claude_code_names_the_program_as_it_can_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    started = tmp_path / "own place" / "econome"
    monkeypatch.setattr("sys.argv", [str(started), "serve"])
    assert program() == f"'{started}'"
    monkeypatch.setattr("sys.argv", ["/somewhere/econome/__main__.py", "serve"])
    assert program() == f"{shlex.quote(sys.executable)} -m econome"
    (tmp_path / "econome").touch(mode=0o755)
    assert program() == "econome"


@pytest.mark.parametrize("group", ["events", "token"])
def test_a_group_without_its_command_says_that_one_is_missing(group: str) -> None:
    ran = run(group)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"econome {group}: Missing command (see econome {group} --help)\n"
