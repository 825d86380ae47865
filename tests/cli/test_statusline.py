"""`econome statusline`: one line, always, from what the index holds."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from econome import clock
from econome.cli import refresh, statusline
from econome.clock import wall
from econome.demo.tree import DemoTree
from tests.builders import Tree, assistant, counts
from tests.door import Ran, run

MILLION = counts(1_000_000, 0, 0, 0)


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Start no process; return the command lines of those that would have been."""
    commands: list[list[str]] = []
    monkeypatch.setattr(refresh, "_start", commands.append)
    return commands


def _told(given: object, *options: str) -> Ran:
    """Run the command with *given*, as JSON unless it is bytes, on standard input."""
    data = given if isinstance(given, bytes) else json.dumps(given).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        return run("statusline", *options)


def _line(given: object, *options: str) -> str:
    ran = _told(given, *options)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    return ran.out.rstrip("\n")


def _indexed(tree: Tree) -> None:
    """Write and index two sessions of a million tokens, a dollar, a response."""
    times = {
        "s1": ("2026-10-17T11:10:00Z", "2026-10-10T11:00:00Z"),
        "s2": ("2026-10-17T06:00:00Z",),
    }
    for session, of_session in times.items():
        rows = (
            assistant(f"{session}{at}", time=time, usage=MILLION, model="claude-haiku-4-5")
            for at, time in enumerate(of_session)
        )
        tree.main(session, *rows)
    run("usage", "--json")


def test_it_tells_of_today_the_session_the_block_and_the_context(tree: Tree) -> None:
    _indexed(tree)
    status = {"session_id": "s1", "context_window": {"used_percentage": 41.6}}
    assert _line(status) == ("today $2.00 | session $2.00 | block $1.00, 4h00 left | context 42%")


def test_a_session_without_a_response_yet_has_cost_nothing(tree: Tree) -> None:
    _indexed(tree)
    assert _line({"session_id": "new"}) == "today $2.00 | session $0.00 | block $1.00, 4h00 left"


def test_a_model_without_a_price_makes_it_a_lower_bound_or_not_available(tree: Tree) -> None:
    priced = assistant("a", time="2026-10-17T01:00:00Z", model="claude-haiku-4-5")
    tree.main("s1", priced, assistant("b", time="2026-10-17T02:00:00Z", model="nobody-9"))
    tree.main("s2", assistant("c", time="2026-10-17T02:00:00Z", model="nobody-9"))
    run("usage", "--json")
    assert _line({"session_id": "s2"}) == "today $0.00+ | session n/a"


@pytest.mark.parametrize(
    "given",
    [
        b"", b"\xff\xfe", b"[1, 2]", b"null", b"{", b"\xef\xbb\xbf{}", b'"' + b"[" * 9, b"[" * 100_000,
        b'{"session_id": 5, "context_window": {"used_percentage": "x"}, "transcript_path": []}',
        b'{"session_id": "\\ud800", "transcript_path": "\\u0000"}',
        b'{"context_window": {"used_percentage": NaN}}',
        b'{"context_window": [1]}',
    ],
)  # fmt: skip
def test_whatever_it_is_told_it_prints_what_it_knows(tree: Tree, given: bytes) -> None:
    _indexed(tree)
    assert _line(given).startswith("today $2.00")


def test_without_an_index_it_says_so_and_has_it_made(tree: Tree, started: list[list[str]]) -> None:
    tree.main("s1", assistant("a"))
    line = _line({"session_id": "s1", "context_window": {"used_percentage": 7}})
    assert line == "econome reads the transcripts for the first time | context 7%"
    assert started == [[sys.executable, "-P", "-m", "econome", "usage", "--json", "--limit", "1"]]


def test_where_no_index_can_be_kept_it_does_not_read_again_and_again(
    tree: Tree, home: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.main("s1", assistant("a"))
    (home / "cache" / "econome" / "usage.sqlite").mkdir(parents=True)
    assert ["first time" in _line({}) for _ in range(3)] == [True, True, True]
    assert len(started) == 1
    later = wall() + 30
    monkeypatch.setattr(clock, "wall", lambda: later)
    _line({})
    assert len(started) == 2


def test_where_nothing_can_be_written_it_says_what_to_do(
    tree: Tree, home: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.main("s1", assistant("a"))
    (home / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "file"))
    assert _line({}) == "econome: no index yet, run econome once or see econome doctor"
    assert started == []


def test_what_it_has_made_it_can_read(tree: Tree, started: list[list[str]]) -> None:
    _indexed(tree)
    other = Tree(tree.root.parent / "other")
    other.main("s9", assistant("z", time="2026-10-17T02:00:00Z", model="claude-haiku-4-5"))
    options = ("--root", str(other.root))
    assert "first time" in _line({}, *options)
    assert run(*started[0][4:]).code == 0
    assert _line({}, *options) == "today $0.00"


def test_no_transcript_is_opened(demo: DemoTree, monkeypatch: pytest.MonkeyPatch) -> None:
    run("usage", "--json")
    opened: list[str] = []

    def note(event: str, args: tuple[Any, ...]) -> None:
        if event in ("open", "os.scandir") and str(args[0]).startswith(str(demo.claude)):
            opened.append(str(args[0]))

    sys.addaudithook(note)
    _line({"session_id": "x"})
    assert opened == []


@pytest.mark.parametrize("options", [("--no-such",), ("--root",), ("stray",), ("--json",)])
def test_wrong_options_are_a_line_too(options: tuple[str, ...]) -> None:
    assert _line({}, *options) == "econome: wrong options, see econome statusline --help"


def test_an_expected_failure_is_a_short_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ("gone" * 20)))
    line = _line({})
    assert line.startswith("econome: ")
    assert len(line) <= 80


def test_broken_settings_are_told_by_the_files_name_so_that_the_reason_fits(home: Path) -> None:
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("histroy = true\n", encoding="utf-8")
    assert _line({}).startswith("econome: config.toml: histroy: unknown setting")


def test_any_other_failure_is_a_short_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a long story\nof two lines")

    monkeypatch.setattr(statusline, "_line", fail)
    assert _line({}) == "econome: RuntimeError"


@pytest.mark.parametrize(
    ("age", "grown", "refreshes"),
    [(2, True, 0), (30, True, 1), (2, False, 0), (30, False, 0), (90, False, 1), (-90, False, 1)],
)
def test_an_old_index_is_refreshed_but_not_too_often(
    tree: Tree,
    home: Path,
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    age: float,
    grown: bool,
    refreshes: int,
) -> None:
    _indexed(tree)
    then = wall()
    transcript = home / "claude" / "projects" / "-home-dev-shop" / "s1.jsonl"
    changed = then + 1 if grown else then - 3600
    os.utime(transcript, (changed, changed))
    monkeypatch.setattr(clock, "wall", lambda: then + age)
    _line({"transcript_path": str(transcript)})
    assert len(started) == refreshes


def test_the_time_of_the_last_refresh_counts_though_it_found_nothing_new(
    tree: Tree, home: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _indexed(tree)
    later = wall() + 3600
    monkeypatch.setattr(clock, "wall", lambda: later)
    _line({})
    lock = home / "cache" / "econome" / "refresh.lock"
    os.utime(lock, (later - 2, later - 2))
    _line({})
    assert len(started) == 1


def test_only_one_refresh_runs_at_a_time(home: Path, started: list[list[str]]) -> None:
    from fcntl import LOCK_EX, LOCK_UN, flock

    cache = str(home / "cache" / "econome")
    assert refresh.begin(cache)
    with (home / "cache" / "econome" / "refresh.lock").open("r+") as held:
        flock(held, LOCK_EX)  # as the process that refreshes holds it
        assert not refresh.begin(cache)
        flock(held, LOCK_UN)
    assert refresh.begin(cache)
    assert len(started) == 2


def test_the_lock_is_held_by_the_process_that_was_started(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = home / "cache" / "econome"
    waiting, go_on = os.pipe()
    os.set_inheritable(waiting, True)
    code = f"import os; os.read({waiting}, 1)"
    children: list[int] = []

    def start(_: list[str]) -> None:
        command = [sys.executable, "-c", code]
        children.append(os.posix_spawn(command[0], command, os.environ))

    monkeypatch.setattr(refresh, "_start", start)
    try:
        assert refresh.begin(str(cache))
        assert not refresh.begin(str(cache))
    finally:
        os.close(go_on)
        for child in children:
            os.waitpid(child, 0)
        os.close(waiting)
    monkeypatch.setattr(refresh, "_start", lambda _: None)
    assert refresh.begin(str(cache))
