"""The group of commands: help, failures and what stays quiet."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import econome
from econome.cli import opening
from econome.cli.texts import COMMANDS
from econome.demo.tree import DemoTree
from econome.unseen import seen
from tests.builders import Tree, assistant
from tests.door import run
from tests.requirements import requirement

JSON_COMMANDS = (
    ("econome.overview/1", ("--json",)),
    ("econome.usage/1", ("usage", "--json")),
    ("econome.usage/1", ("usage", "--by", "model", "--by", "agent", "--json")),
    ("econome.sessions/1", ("session", "--json")),
    ("econome.blocks/1", ("blocks", "--json")),
    ("econome.balance/1", ("balance", "--json", "--usd")),
    ("econome.diagnosis/1", ("diagnosis", "--json", "--days", "all")),
    ("econome.doctor/1", ("doctor", "--json")),
    ("econome.overview/1", ("demo", "--json")),
)
TEXT_COMMANDS = ((), ("usage",), ("diagnosis",), ("session",), ("blocks",), ("doctor",), ("demo",))


def test_the_help_page_names_every_command_and_what_it_is_for() -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    listed = dict(re.findall(r"^  ([a-z]+)  +(\S.*)$", ran.out, flags=re.MULTILINE))
    assert listed == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_page(command: str) -> None:
    ran = run(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: econome {command}")


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").out == f"econome {econome.__version__}\n"


@pytest.mark.parametrize(
    "line",
    [
        ("usage", "--no-such"),
        ("usage", "--json", "--days", "8"),
        ("usage", "--json", "stray"),
        ("usage", "--by"),
        ("usage", "--json", "--csv"),
        ("usage", "--json", "--limit", "0"),
        ("nothing",),
        ("--no-such",),
        ("--json", "usage"),
        ("--root", "x", "statusline"),
        ("session", "a", "b"),
        ("prices", "--json", "explain", "m"),
        ("prices", "--all", "explain", "m"),
        ("prices", "explain", ""),
        ("watch",),  # standard output is no terminal here
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(line: tuple[str, ...]) -> None:
    ran = run(*line)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"econome[^\n]+\n", ran.err)


@requirement("R1")
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_a_missing_root_is_named_in_one_line(tmp_path: Path, form: tuple[str, ...]) -> None:
    missing = tmp_path / "nowhere"
    ran = run("usage", "--root", str(missing), *form)
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(rf"econome: {re.escape(str(missing))}[^\n]+\n", ran.err)


@requirement("F8")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_unknown_zone_is_named_in_one_line(form: tuple[str, ...]) -> None:
    ran = run("usage", "--timezone", "Mars/Olympus", *form)
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"econome: [^\n]*Mars/Olympus[^\n]*\n", ran.err)


@pytest.mark.parametrize(("schema", "line"), JSON_COMMANDS)
def test_with_json_nothing_but_json_is_printed(
    demo: DemoTree, schema: str, line: tuple[str, ...]
) -> None:
    ran = run(*line)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.isascii()
    assert json.loads(ran.out)["schema"] == schema


@pytest.mark.parametrize(("schema", "line"), JSON_COMMANDS)
def test_offline_and_a_second_run_change_no_byte(
    demo: DemoTree, schema: str, line: tuple[str, ...]
) -> None:
    first = run(*line)
    again = run(
        *line,
        *(("--offline",) if line[0] not in ("--json", "demo", "balance", "diagnosis") else ()),
    )
    without_size = (re.sub(r'"bytes": \d+|[\d,]+ bytes', "", ran.out) for ran in (first, again))
    assert len(set(without_size)) == 1


@pytest.mark.parametrize("line", TEXT_COMMANDS)
def test_without_a_terminal_there_is_no_colour_and_no_bar(
    demo: DemoTree, line: tuple[str, ...]
) -> None:
    ran = run(*line)
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out


@requirement("R1")
@pytest.mark.parametrize("line", [(), ("usage",), ("session",), ("blocks",)])
def test_without_transcripts_it_says_where_it_looked_and_offers_the_demo(
    home: Path, line: tuple[str, ...]
) -> None:
    ran = run(*line)
    assert (ran.code, ran.err) == (0, "")
    assert str(home / "claude" / "projects") in ran.out
    assert str(home / "codex" / "sessions") in ran.out
    assert "econome demo" in ran.out


@requirement("R1")
def test_without_transcripts_json_is_an_empty_report() -> None:
    answer = json.loads(run("usage", "--json").out)
    assert (answer["rows"], answer["total"]["responses"], answer["total"]["cost_usd"]) == (
        [],
        0,
        "0",
    )


@requirement("R4", "P4")
def test_what_a_terminal_would_obey_is_never_printed(tree: Tree) -> None:
    evil = "\x1b[2J\x1b]0;title\x07[red]x"
    row = assistant(model=f"m{evil}", cwd=f"/p{evil}", attributionAgent=f"a{evil}")
    tree.main("s1", row)
    tree.agent("s1", "a1", assistant("b", model=f"m{evil}", attributionAgent=f"a{evil}"))
    for line in ((), ("usage", "--by", "model"), ("usage", "--by", "project"), ("session", "s1")):
        printed = run(*line).out
        assert "\x1b" not in printed
        assert "\x07" not in printed
    assert "[red]x" in run("usage", "--by", "model").out


@pytest.mark.parametrize("line", [("usage", "--json"), ("usage",), ("--help",)])
def test_a_reader_that_goes_away_ends_it_quietly(demo: DemoTree, line: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "econome", *line],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.close()
        said = process.stderr.read()
        code = process.wait(timeout=60)
    assert (code, said) == (141, b"")


@pytest.mark.parametrize("line", [("usage", "--json"), ("usage",), ("session",), ()])
def test_ctrl_c_ends_it_with_130(
    demo: DemoTree, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(opening, "read_tree", interrupt)
    ran = run(*line)
    assert (ran.code, ran.out, ran.err.strip()) == (130, "", "")


def test_an_option_without_its_value_is_told_with_the_page_that_explains_it() -> None:
    assert run("usage", "--since").err.endswith("(see econome usage --help)\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk needs /dev/full")
@pytest.mark.parametrize("line", [("usage", "--json"), ("usage",), ("usage", "--csv"), ("prices",)])
def test_a_full_disk_is_told_in_one_line(demo: DemoTree, line: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "econome", *line],
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, encoding="utf-8",
            check=False,
        )  # fmt: skip
    assert ran.returncode == 1
    assert re.fullmatch(r"econome: standard output: [^\n]+\n", ran.stderr)


@pytest.mark.parametrize(
    "line",
    [
        ("lock", "--lock", "\x1b]0;owned\x07\u3164", "--check", "--", "true"),
        ("lock", "\x1b]0;owned\x07\u3164"),
        ("usage", "--root", "\x1b]0;owned\x07\u3164"),
        ("\x1b]0;owned\x07\u3164",),
    ],
)
def test_no_error_steers_a_terminal_or_hides_what_it_names(line: tuple[str, ...]) -> None:
    ran = run(*line)
    assert (ran.code != 0, ran.out, ran.err.count("\n")) == (True, "", 1)
    assert all(map(seen, ran.err.rstrip("\n")))
    assert "owned" in ran.err


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("usage --json", 1),
        ("usage", 1),
        ("--help", 1),
        ("statusline </dev/null", 0),
        ("lock --check -- true", 2),
        ("lock diff a b", 2),
    ],
)
def test_a_closed_output_is_told_in_one_line(demo: DemoTree, line: str, code: int) -> None:
    command = f"'{sys.executable}' -m econome {line} >&-"
    ran = subprocess.run(
        ["sh", "-c", command], stderr=subprocess.PIPE, encoding="utf-8", check=False
    )
    assert (ran.returncode, ran.stderr.count("\n")) == (code, 1)
    assert ran.stderr.startswith("econome: standard output is closed")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes streams")
def test_a_failure_with_standard_error_closed_prints_nothing(home: Path) -> None:
    command = f"'{sys.executable}' -m econome usage --no-such 2>&-"
    ran = subprocess.run(
        ["sh", "-c", command], stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
