"""`econome` alone, `econome demo` and `econome watch`: the overview."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from econome.cli.commands import watch
from econome.demo.tree import DemoTree
from econome.usage.asking import ask
from econome.usage.watched import places
from tests.builders import Tree, assistant
from tests.cli.conftest import TODAY
from tests.door import run
from tests.requirements import requirement


def _overview(*options: str) -> dict[str, Any]:
    ran = run("--json", *options)
    assert (ran.code, ran.err) == (0, "")
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def test_its_figures_are_those_of_the_usage_reports(demo: DemoTree) -> None:
    answer = _overview()
    assert [(row["days"], row["since"], row["until"]) for row in answer["periods"]] == [
        (1, "2026-10-17", "2026-10-17"),
        (7, "2026-10-11", "2026-10-17"),
        (30, "2026-09-18", "2026-10-17"),
    ]
    for row in answer["periods"]:
        since = ("--since", row["since"], "--until", row["until"])
        total = json.loads(run("usage", "--json", *since).out)["total"]
        assert {name: row[name] for name in total} == total
    for by in ("model", "project", "agent"):
        report = json.loads(run("usage", "--json", "--days", "30", "--by", by).out)
        assert answer[f"{by}s"] == report["rows"]
        assert (answer["unpriced"], answer["coverage"]) == (report["unpriced"], report["coverage"])


def test_its_tokens_are_those_the_demo_was_written_with(demo: DemoTree) -> None:
    first_ms = (TODAY - 29) * 86_400_000
    month = [spent for spent in demo.responses if spent.at_ms and spent.at_ms >= first_ms]
    total = _overview()["periods"][-1]
    assert (total["responses"], total["sessions"]) == (
        len(month),
        len({spent.session for spent in month}),
    )
    assert total["input_tokens"] == sum(spent.input for spent in month)
    assert total["output_tokens"] == sum(spent.output for spent in month)
    assert total["cache_read_tokens"] == sum(spent.cache_read for spent in month)
    assert total["cache_write_5m_tokens"] == sum(spent.write_5m for spent in month)
    assert total["cache_write_1h_tokens"] == sum(spent.write_1h for spent in month)
    assert total["output_incomplete"] == sum(spent.incomplete for spent in month)


@requirement("F10")
def test_sub_agents_are_all_but_the_main_thread(demo: DemoTree) -> None:
    answer = _overview()
    others = [row for row in answer["agents"] if row["agent"] != "main"]
    assert answer["sub_agents"]["responses"] == sum(row["responses"] for row in others)
    assert "sub-agents  30 days, 7% of the cost" in run().out


@requirement("F6")
def test_refused_attempts_stand_apart(demo: DemoTree) -> None:
    answer = _overview()
    assert sum(entry["attempts"] for entry in answer["refused"]) == 1
    assert "Refused: 1 attempt with 20,015 tokens, in no total" in run().out


@requirement("P4", "P8", "P9")
def test_the_page_names_what_has_no_price_and_what_prices_are(demo: DemoTree) -> None:
    page = " ".join(run().out.split())
    assert "No price for claude-example-9 (560,173 tokens)" in page
    assert (
        "API list prices (table 2026.10.17, checked 2026-10-17), not what a subscription paid."
        in page
    )
    assert "some calls never reach a transcript" in page


def test_days_are_those_of_the_zone_that_is_asked_for(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-10-17T03:00:00Z"))
    here = _overview()["periods"][0]["responses"]
    there = _overview("--timezone", "America/Los_Angeles")
    assert (here, there["today"], there["periods"][0]["responses"]) == (1, "2026-10-17", 0)


def test_after_a_quiet_month_it_says_when_the_last_response_was(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-05-05T10:00:00Z"))
    page = " ".join(run().out.split())
    assert "the last response is of 2026-05-05" in page
    assert "Dearest" not in page


def test_the_demo_is_the_overview_of_its_tree(demo: DemoTree) -> None:
    shown = json.loads(run("demo", "--json").out)
    own = _overview()
    assert shown["coverage"].pop("roots") == ["demo/claude", "demo/codex"]
    del own["coverage"]["roots"]
    assert shown == own


def test_the_demo_reads_and_writes_nothing_of_the_user(home: Path) -> None:
    (home / "config" / "econome").mkdir()
    (home / "config" / "econome" / "config.toml").write_text("broken", encoding="utf-8")
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    assert list((home / "cache").iterdir()) == []


def test_a_watched_page_is_drawn_again_when_a_transcript_grows(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.main("s1", assistant("a", time="2026-10-17T03:00:00Z"))
    console = Console(file=io.StringIO(), width=80, height=50)
    asked = ask({})

    def figures() -> list[str]:
        lines = [str(line) for line in watch.frame(asked, console).renderables]
        (row,) = (line for line in lines if line.startswith("responses"))
        return row.split()[1:]

    assert figures() == ["1", "1", "1"]
    tree.main("s2", assistant("b", time="2026-10-17T04:00:00Z"))
    assert figures() == ["2", "2", "2"]


def test_it_watches_the_directories_where_transcripts_grow(
    tree: Tree, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[str] = []

    def changes(*paths: str, **_: object) -> Iterator[set[object]]:
        watched.extend(paths)
        return iter([set()])

    monkeypatch.setattr("watchfiles.watch", changes)
    assert len(list(watch._changes(places([str(home / "claude"), str(home / "gone")])))) == 1
    assert watched == [str(home / "claude" / "projects")]


def test_a_watched_page_never_scrolls(demo: DemoTree) -> None:
    console = Console(file=io.StringIO(), width=80, height=12)
    assert len(watch.frame(ask({}), console).renderables) == 12


def _terminal(monkeypatch: pytest.MonkeyPatch) -> Console:
    console = Console(file=io.StringIO(), width=80, height=50, force_terminal=True)
    monkeypatch.setattr(watch, "Console", lambda **_: console)
    return console


@requirement("R1")
def test_where_nothing_can_be_watched_it_says_where_it_looked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = _terminal(monkeypatch)
    ran = run("watch")
    assert (ran.code, ran.err) == (0, "")
    assert isinstance(console.file, io.StringIO)
    assert str(home / "claude" / "projects") in console.file.getvalue()
    assert run("watch", "--root", str(home / "gone")).code == 1


def test_a_watched_page_is_drawn_again_when_the_terminal_changes_its_size(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.main("s1", assistant("a"))
    console = _terminal(monkeypatch)
    widths: list[int] = []
    whole = watch.frame

    def frame(*arguments: Any, **more: Any) -> Any:
        widths.append(console.width)
        return whole(*arguments, **more)

    def changes(_: object) -> Iterator[set[Any]]:
        yield set()
        console.width = 60
        yield set()
        yield set()

    monkeypatch.setattr(watch, "frame", frame)
    monkeypatch.setattr(watch, "_changes", changes)
    assert run("watch").code == 0
    assert widths == [80, 60]
