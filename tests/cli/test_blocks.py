"""`econome blocks`: the 5-hour windows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.demo.tree import DemoTree
from econome.prices.table import load
from econome.times import instant_text
from econome.usage.blocks import blocks, latest_block
from econome.usage.cells import UNDATED_DAY
from econome.usage.tree import Tree as ReadTree
from tests.builders import Tree, assistant
from tests.door import run

HOUR = 3600
PRICES = load()


def _starts(tree: Tree, *times: str) -> list[tuple[str, str, int]]:
    """Return (start, end, responses) of the blocks of one session with responses at *times*."""
    rows = [assistant(f"r{at}", time=time) for at, time in enumerate(times)]
    tree.main("s1", *rows)
    answer = json.loads(run("blocks", "--json").out)
    return [(row["start"], row["end"], row["responses"]) for row in reversed(answer["blocks"])]


def test_a_block_begins_at_the_full_hour_and_lasts_five(tree: Tree) -> None:
    found = _starts(tree, "2026-10-16T09:47:12Z", "2026-10-16T13:59:59.999Z")
    assert found == [("2026-10-16T09:00:00Z", "2026-10-16T14:00:00Z", 2)]


def test_the_next_block_begins_with_the_first_response_at_its_end(tree: Tree) -> None:
    found = _starts(tree, "2026-10-16T09:47:12Z", "2026-10-16T14:00:00Z", "2026-10-16T23:30:00Z")
    assert found == [
        ("2026-10-16T09:00:00Z", "2026-10-16T14:00:00Z", 1),
        ("2026-10-16T14:00:00Z", "2026-10-16T19:00:00Z", 1),
        ("2026-10-16T23:00:00Z", "2026-10-17T04:00:00Z", 1),
    ]


def test_an_undated_response_is_in_no_block(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-10-16T09:47:12Z"), assistant("b", time=None))
    assert json.loads(run("blocks", "--json").out)["total"]["responses"] == 1


def test_the_answer_as_a_whole(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-10-17T08:10:00Z", model="claude-haiku-4-5"))
    answer = json.loads(run("blocks", "--json").out)
    figures = {
        "responses": 1, "sessions": 1, "input_tokens": 3, "output_tokens": 50,
        "cache_read_tokens": 1000, "cache_write_5m_tokens": 200, "cache_write_1h_tokens": 0,
        "web_searches": 0, "cost_usd": "0.000603", "partial": False, "output_incomplete": 0,
    }  # fmt: skip
    del answer["coverage"], answer["prices"]
    assert answer == {
        "schema": "econome.blocks/1",
        "estimate": True,
        "hours": 5,
        "source": "claude",
        "blocks": [
            {
                "start": "2026-10-17T08:00:00Z",
                "end": "2026-10-17T13:00:00Z",
                "last": "2026-10-17T08:00:00Z",
                "active": True,
                "models": ["claude-haiku-4-5"],
                **figures,
            }
        ],
        "total": figures,
        "unpriced": [],
    }


def test_only_the_block_of_now_is_active(demo: DemoTree, monkeypatch: pytest.MonkeyPatch) -> None:
    for now, active in (("06:59:59", []), ("07:00:00", [0]), ("11:59:59", [0]), ("12:00:00", [])):
        monkeypatch.setenv("ECONOME_NOW", f"2026-10-17T{now}Z")
        rows = json.loads(run("blocks", "--json").out)["blocks"]
        assert [at for at, row in enumerate(rows) if row["active"]] == active, now


def test_the_blocks_hold_every_dated_response_of_their_source(demo: DemoTree) -> None:
    answer = json.loads(run("blocks", "--json").out)
    dated = [spent for spent in demo.responses if spent.source == "claude" and spent.at_ms]
    assert answer["total"]["responses"] == len(dated)
    assert sum(row["responses"] for row in answer["blocks"]) == len(dated)


def test_a_period_chooses_blocks_by_the_local_day_they_begin_on(tree: Tree) -> None:
    times = ("2026-10-15T23:30:00Z", "2026-10-16T10:00:00Z")
    tree.main("s1", *(assistant(f"r{at}", time=time) for at, time in enumerate(times)))
    line = ("blocks", "--json", "--since", "2026-10-16", "--timezone")
    for zone, count in (("UTC", 1), ("Europe/Paris", 2), ("America/Los_Angeles", 1)):
        assert len(json.loads(run(*line, zone).out)["blocks"]) == count


def test_the_table_says_that_it_is_an_estimate_and_how_long_is_left(
    demo: DemoTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECONOME_NOW", "2026-10-17T09:20:00Z")
    ran = run("blocks", "--limit", "2")
    assert (ran.code, ran.err) == (0, "")
    assert "2026-10-17 07:00–12:00  2h 40m left" in ran.out
    assert "and 38 earlier" in ran.out
    assert "An estimate" in ran.out


class _Cells:
    """A tree of one response a slot, for what asks for days and prices only."""

    prices = PRICES

    def __init__(self, slots: list[int]) -> None:
        self.slots = slots

    def days(self, first: int | None = None) -> Iterator[tuple[int, Any]]:
        dims = ("claude", "claude-haiku-4-5", "", "", "", 0, "/p", "s", "main", "", "")
        for day in sorted({UNDATED_DAY, *(slot // 86400 for slot in self.slots)}):
            if first is None or day >= first:
                rows = [
                    (slot, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
                    for slot in self.slots
                    if slot // 86400 == day
                ]
                yield day, ([dims], rows)


@given(
    st.lists(st.integers(0, 16 * 96).map(lambda quarter: quarter * 900), unique=True).map(sorted),
    st.integers(0, 17 * 86400),
)
def test_the_latest_block_is_the_same_however_few_days_are_read(slots: list[int], now: int) -> None:
    tree = cast(ReadTree, _Cells([slot for slot in slots if slot <= now]))
    every = blocks(tree)
    expected = [block.start for block in every[-1:] if block.start <= now < block.end]
    found = latest_block(tree, float(now))
    assert ([] if found is None else [found.start]) == expected
    if found is not None:
        assert found.total.row({}) == every[-1].total.row({})


def test_a_busy_week_without_a_pause_is_read_back_to_its_beginning() -> None:
    start = 20_000 * 86400 + 7 * HOUR
    tree = cast(ReadTree, _Cells([start + at * 4 * HOUR for at in range(100)]))
    found = latest_block(tree, float(start + 99 * 4 * HOUR))
    assert found is not None
    assert found.start == blocks(tree)[-1].start


@given(st.integers(-(10**10), 10**10))
def test_an_instant_is_written_as_iso(seconds: int) -> None:
    from econome.times import parse_instant

    text = instant_text(seconds)
    if seconds > -62_135_596_800:
        assert parse_instant(text) == seconds * 10**9
