"""Sentences on a terminal: broken at blanks where they do not fit, and whole wherever a program reads them."""

from __future__ import annotations

import io

import pytest

from econome.cli import failures
from econome.cli.questions import wrapped
from econome.errors import EconomeError

LONG = "one two three four five six seven eight nine ten " + "x" * 50


@pytest.mark.parametrize("width", [30, 44, 200])
def test_a_sentence_is_broken_between_words_only(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    stream = io.StringIO()
    assert wrapped(LONG, stream) == LONG
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = wrapped(LONG, stream).split("\n")
    assert " ".join(lines) == LONG
    assert all(len(line) < width for line in lines[:-1])


def test_a_failure_is_one_line_in_a_pipe_and_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "60")
    error = EconomeError("one two three " * 8 + "end")
    assert failures.report(error) == 1
    monkeypatch.setattr(stream, "isatty", lambda: True)
    failures.report(error)
    first, *others = stream.getvalue().splitlines()
    assert first == f"econome: {error}"
    assert " ".join(others) == first
    assert max(map(len, others)) < 60
