"""The demo tree: deterministic, small, and holding what it was meant to hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from econome.demo import tree as demo
from econome.demo.ledger import Spent
from econome.usage.occurrences import LEAD, OWN, TIME, Groups, merge_groups
from econome.usage.readers import codex
from tests import door
from tests.reference import slow_reader

TODAY = 20_742  # 2026-10-16
COUNTERS = ("input", "output", "cache_read", "write_5m", "write_1h", "web_searches")
COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "web_searches",
    "output_incomplete",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> demo.DemoTree:
    return demo.write(tmp_path_factory.mktemp("demo"), TODAY)


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return bytes and time of every file below *folder*, by path."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def undamaged(tree: demo.DemoTree) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the records of the files that hold nothing but JSON lines."""
    for path in sorted(tree.claude.rglob("*.jsonl")):
        try:
            records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        except ValueError:
            continue
        yield from ((path, record) for record in records)


def as_spent(response: slow_reader.Response) -> Spent:
    """Return what the reference found, in the words of the maker."""
    sums = slow_reader.totals([response])
    return Spent(
        source="claude",
        session=response.owner.session,
        agent=response.agent,
        model=response.model,
        at_ms=None if response.time is None else response.time // 1_000_000,
        input=sums["input_tokens"],
        output=sums["output_tokens"],
        cache_read=sums["cache_read_tokens"],
        write_5m=sums["cache_write_5m_tokens"],
        write_1h=sums["cache_write_1h_tokens"],
        web_searches=sums["web_searches"],
        incomplete=response.incomplete,
    )


def totals(responses: tuple[Spent, ...]) -> list[int]:
    return [sum(getattr(spent, name) for spent in responses) for name in COUNTERS]


def test_the_same_arguments_write_the_same_bytes_and_file_times(tmp_path: Path) -> None:
    for name in ("one", "two"):
        demo.write(tmp_path / name, TODAY)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_another_seed_writes_another_tree(tmp_path: Path, tree: demo.DemoTree) -> None:
    other = demo.write(tmp_path, TODAY, seed=2)
    assert totals(other.responses) != totals(tree.responses)


def test_another_day_moves_the_dates_and_nothing_else(tmp_path: Path, tree: demo.DemoTree) -> None:
    later = demo.write(tmp_path, TODAY + 45)
    assert totals(later.responses) == totals(tree.responses)
    moved = [spent.at_ms for spent in later.responses if spent.at_ms is not None]
    before = [spent.at_ms for spent in tree.responses if spent.at_ms is not None]
    assert moved == [at_ms + 45 * 86_400_000 for at_ms in before]


def test_it_stays_small(tree: demo.DemoTree) -> None:
    size = sum(path.stat().st_size for root in tree.roots for path in root.rglob("*.jsonl"))
    assert 1_000_000 < size < 8_000_000


def test_it_spans_forty_five_days_and_leaves_the_evening_of_the_last_one_empty(
    tree: demo.DemoTree,
) -> None:
    times = [spent.at_ms for spent in tree.responses if spent.at_ms is not None]
    day_ms = 86_400_000
    assert (min(times) // day_ms, max(times) // day_ms) == (TODAY - 44, TODAY)
    assert max(at_ms % day_ms for at_ms in times) < 16 * 3_600_000


@pytest.mark.parametrize(
    "model",
    [
        "claude-opus-4-8",
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-haiku-4-5-20251001",
        "claude-haiku-5-5",
        "claude-example-9",
        "gpt-5.1-codex",
    ],
)
def test_a_model_is_used(tree: demo.DemoTree, model: str) -> None:
    assert any(spent.model == model for spent in tree.responses)


@pytest.mark.parametrize(
    "model, first_day",
    [("claude-opus-5-5", 20_718), ("claude-haiku-5-5", 20_733)],  # 2026-09-22, 2026-10-07
)
def test_a_model_is_not_used_before_it_has_a_price(
    tree: demo.DemoTree, model: str, first_day: int
) -> None:
    used = [spent.at_ms for spent in tree.responses if spent.model == model and spent.at_ms]
    assert min(used) >= first_day * 86_400_000


@pytest.mark.parametrize(
    "agent",
    [
        "main",
        "Explore",
        "quay:reviewer",
        "compaction",
        "suggestion",
        "side question",
        "advisor",
        "unknown",
    ],
)
def test_an_agent_type_spends_something(tree: demo.DemoTree, agent: str) -> None:
    assert any(spent.agent == agent and spent.output for spent in tree.responses)


def test_the_reference_reader_finds_exactly_what_was_meant(tree: demo.DemoTree) -> None:
    account = slow_reader.read([tree.claude])
    found = sorted(repr(as_spent(response)) for response in account.responses)
    assert found == sorted(repr(s) for s in tree.responses if s.source == "claude")
    assert account.rejected == 1


@pytest.mark.parametrize("by", ["session", "agent", "model", "source"])
def test_the_command_reports_exactly_what_was_meant(tree: demo.DemoTree, by: str) -> None:
    meant: dict[str, list[Spent]] = {}
    for spent in tree.responses:
        meant.setdefault(getattr(spent, by), []).append(spent)
    answer = door.usage(tree.claude, "--by", by, also=(tree.codex,))
    found = {
        row[by]: [row["responses"], *(row[name] for name in COLUMNS)] for row in answer["rows"]
    }
    assert found == {
        label: [len(group), *totals(tuple(group)), sum(spent.incomplete for spent in group)]
        for label, group in meant.items()
    }
    assert [one["model"] for one in answer["unpriced"]] == ["claude-example-9"]


def test_a_fork_repeats_lines_of_another_file(tree: demo.DemoTree) -> None:
    holders: dict[str, set[Path]] = {}
    rewritten: dict[str, set[str]] = {}
    for path, record in undamaged(tree):
        if record["type"] == "assistant" and not record["isSidechain"]:
            holders.setdefault(record["uuid"], set()).add(path)
            rewritten.setdefault(record["uuid"], set()).add(record["sessionId"])
    copied = [uuid for uuid, paths in holders.items() if len(paths) > 1]
    assert copied
    assert {len(rewritten[uuid]) for uuid in copied} == {1, 2}  # a resume, and two forks


def test_one_file_is_damaged_in_every_way(tree: demo.DemoTree) -> None:
    sane = {path for path, _ in undamaged(tree)}
    (path,) = set(tree.claude.rglob("*.jsonl")) - sane
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert {b"\r\n" in data, b"\0" in data, b"NaN" in data, b"}{" in data} == {True}
    assert not data.endswith(b"\n")
    (session,) = {spent.session for spent in tree.responses if spent.session == path.stem}
    counted = [spent for spent in tree.responses if spent.session == session]
    assert [len(counted), sum(spent.at_ms is None for spent in counted)] == [8, 1]


def test_rollouts_keep_running_totals_that_repeat(tree: demo.DemoTree) -> None:
    runs = sorted((tree.codex / "sessions").glob("*/*/*/rollout-*.jsonl"))
    assert len(runs) == 11
    repeats = 0
    for path in runs:
        previous = -1
        for line in path.read_text("utf-8").splitlines():
            payload = json.loads(line)["payload"]
            if payload.get("type") == "token_count" and payload["info"]:
                total = payload["info"]["total_token_usage"]["total_tokens"]
                assert total >= previous
                repeats += total == previous
                previous = total
    assert repeats > 5


def test_the_codex_reader_finds_exactly_what_was_meant(tree: demo.DemoTree) -> None:
    groups: Groups = {}
    for path in sorted((tree.codex / "sessions").glob("*/*/*/rollout-*.jsonl")):
        reader = codex.parser("", path.stem, path.stem, None)
        reader.feed(path.read_bytes(), 0)
        merge_groups(groups, reader.fold.groups())
    found = [
        Spent(
            source="codex",
            session=one[OWN][0],
            agent=one[OWN][3] or "main",
            model=one[LEAD][0],
            at_ms=one[TIME] // 1_000_000,
            input=one[0],
            output=one[1],
            cache_read=one[2],
            write_5m=one[4],
            write_1h=one[5],
        )
        for group in groups.values()
        for one in group
    ]
    meant = sorted(repr(spent) for spent in tree.responses if spent.source == "codex")
    assert sorted(map(repr, found)) == meant


def test_nothing_is_written_outside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    demo.write(tmp_path / "in", TODAY)
    assert os.listdir(tmp_path) == ["in"]
