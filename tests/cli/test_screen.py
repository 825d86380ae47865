"""The terminal, and the progress of a scan."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from econome.__main__ import main
from econome.cli import opening, progress
from econome.cli.opening import look
from econome.cli.render.screen import Screen
from econome.demo.tree import DemoTree
from tests.builders import Tree, assistant
from tests.door import run


class _Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_has_colours_unless_they_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for refused in (False, True):
        if refused:
            monkeypatch.setenv("NO_COLOR", "1")
        written = io.StringIO()
        Screen(Console(file=written, force_terminal=True, width=40)).line("12", style="cyan")
        assert ("36m" in written.getvalue()) is not refused


def test_where_a_sign_cannot_be_written_an_ascii_one_stands_for_it() -> None:
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii", write_through=True), width=40)
    Screen(console).line("≥$1.00 · a–b ━━━ ├ └ …")
    assert raw.getvalue() == b">$1.00 - a-b === | ` ~\n"


def test_a_report_on_an_ascii_terminal_does_not_fail(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = assistant("a", time="2026-10-17T10:00:00Z", cwd="/home/é/日本", model="modèle")
    tree.main("s1", row)
    for line in (("usage", "--by", "project"), (), ("session",), ("blocks",), ("doctor",)):
        raw = io.BytesIO()
        to_ascii = io.TextIOWrapper(raw, encoding="ascii", errors="strict", write_through=True)
        monkeypatch.setattr(sys, "stdout", to_ascii)
        assert main(list(line)) == 0
        assert raw.getvalue().isascii()
    assert main(["usage", "--by", "model", "--csv"]) == 0
    assert "modèle,1,1," in raw.getvalue().decode()


def test_prose_breaks_between_words_and_facts_between_facts() -> None:
    written = io.StringIO()
    screen = Screen(Console(file=written, width=40))
    screen.prose("one two three four five six seven eight nine ten")
    screen.facts(["cache write 5m 184k", "cache write 1h 0k", "out 5"])
    assert written.getvalue().splitlines() == [
        "one two three four five six seven eight",
        "nine ten",
        "cache write 5m 184k · cache write 1h 0k",
        "out 5",
    ]


def test_a_scan_in_a_pipe_shows_no_progress(
    demo: DemoTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    for line in (("usage", "--json"), ("usage",)):
        assert run(*line, "--no-index").err == ""


@pytest.mark.parametrize(("patience", "drawn"), [(0.0, True), (3600.0, False)])
def test_a_long_scan_on_a_terminal_shows_its_progress_and_takes_it_away(
    demo: DemoTree, monkeypatch: pytest.MonkeyPatch, patience: float, drawn: bool
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", patience)
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with look(None) as world:
        world.open(None, index=False)
    assert ("Reading transcripts" in terminal.getvalue()) is drawn
    if drawn:
        assert terminal.getvalue().endswith("\x1b[2K")


def test_progress_ends_with_the_scan_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)

    def fail(*args: object) -> None:
        args[-1](1, 2)  # type: ignore[operator]
        raise RuntimeError("torn")

    monkeypatch.setattr(opening, "read_tree", fail)
    with pytest.raises(RuntimeError, match="torn"), look(None) as world:
        world.open(None)
    assert terminal.getvalue().endswith("\x1b[2K")
