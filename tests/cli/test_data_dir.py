"""`--data-dir`: every command that keeps or reads what lies in the data directory does so where it was told."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from econome.cli import refresh
from tests.builders import Tree, assistant
from tests.door import run

REPORTS = (
    ("usage", "--json"),
    ("usage",),
    ("usage", "--csv"),
    ("session",),
    ("session", "s1", "--json"),
    ("blocks", "--json"),
    ("doctor",),
    (),
)


@pytest.fixture
def kept(home: Path, tree: Tree) -> Path:
    """Set history to be kept, write one session; return a directory that is not there yet."""
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("history = true\n", encoding="utf-8")
    tree.main("s1", assistant("a"))
    return home / "elsewhere"


@pytest.mark.parametrize("line", REPORTS)
def test_a_report_keeps_its_history_in_the_directory_it_was_given(
    kept: Path, home: Path, line: tuple[str, ...]
) -> None:
    ran = run(*line, "--data-dir", str(kept))
    assert (ran.code, ran.err) == (0, "")
    assert [path.name for path in kept.iterdir()] == ["history.sqlite"]
    assert not (home / "data" / "econome").exists()


def test_a_relative_directory_is_that_of_the_working_directory(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kept.parent)
    assert run("usage", "--json", f"--data-dir={kept.name}").code == 0
    assert (kept / "history.sqlite").is_file()


def test_the_status_line_has_the_index_made_with_the_history_it_was_given(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(refresh, "_start", commands.append)
    monkeypatch.setattr(sys, "stdin", io.StringIO("{}"))
    assert run("statusline", "--data-dir", str(kept)).code == 0
    assert [command[-2:] for command in commands] == [["--data-dir", str(kept)]]


def test_the_live_view_keeps_its_history_there_too(kept: Path) -> None:
    from econome.cli.commands.watch import frame
    from econome.usage.asking import ask

    frame(ask({"data_dir": str(kept)}), Console(file=io.StringIO(), width=80, height=50))
    assert (kept / "history.sqlite").is_file()


@pytest.mark.parametrize("line", [("usage", "--json"), ("usage",), ("doctor",)])
def test_an_empty_name_is_wrong_usage(line: tuple[str, ...]) -> None:
    assert run(*line, "--data-dir", "").code == 2
