"""F11 on the page: whatever it shows adds up to the one report of the same question."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome import clock
from econome import settings as own
from econome.times import day_text
from econome.usage.open import read_tree
from econome.usage.panorama import CALENDAR_WEEKS, Amount, Panorama, panorama
from econome.usage.query import Query
from econome.usage.report import usage_report
from econome.usage.sums import COLUMNS
from tests.builders import Tree, assistant, counts
from tests.requirements import requirement
from tests.usage.forest import ZONES, grow

TODAY = 20_743
"""2026-10-17."""

PERIODS = st.sampled_from(((None, None), (20_450, 20_470), (20_455, None), (None, 20_460)))
"""All days, and some around those of the random trees."""

FILTERS = st.sampled_from(
    ({}, {"agent": "main"}, {"model": "claude-haiku-4-5"}, {"session": "s1"}, {"source": "codex"})
)


def figures(amounts: Iterable[Amount]) -> dict[str, Any]:
    """What amounts add up to, in the words of a report's row."""
    whole = Amount()
    for amount in amounts:
        whole.merge(amount)
    return row_of(whole)


def row_of(amount: Amount) -> dict[str, Any]:
    """An amount in the words of a report's row."""
    counters = dict(zip(COLUMNS, amount.counters, strict=True))
    return {**counters, "cost_usd": amount.usd, "partial": amount.unpriced}


def without_sessions(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A report's row without what it is of and how many sessions it is of."""
    return {name: value for name, value in row.items() if name not in ("sessions", *keys)}


def day_of(number: int | None) -> str | None:
    """A local day as a report writes it."""
    return None if number is None else day_text(number)


@requirement("F11", "V8")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(ZONES), PERIODS, FILTERS)
def test_every_figure_of_the_page_is_that_of_the_report(
    seed: int, name: str, period: tuple[int | None, int | None], filters: dict[str, Any]
) -> None:
    zone = clock.zone(name)
    with tempfile.TemporaryDirectory() as folder:
        grow(tree := Tree(Path(folder)), random.Random(seed))
        with read_tree([str(tree.root)], own.load(), use_index=False) as read:
            found = panorama(read, Query(("day",), *period, **filters), zone, TODAY)

            def report(*by: str) -> dict[str, Any]:
                return usage_report(read, Query(by, *period, **filters), zone, TODAY)

            reports = {
                by: report(by) for by in ("day", "model", "project", "session", "agent", "hour")
            }
    total = reports["day"]["total"]
    assert row_of(found.total) == without_sessions(total)
    assert len(found.sessions) == total["sessions"]
    for name in ("unpriced", "refused", "coverage", "prices"):
        assert getattr(found, name) == reports["day"][name]
    assert found.unsplit == reports["day"]["unsplit_write_tokens"]
    tables = {
        "day": {day_of(day): figures(models.values()) for day, models in found.days.items()},
        "model": {key: row_of(amount) for key, amount in found.models.items()},
        "project": {key: row_of(amount) for key, amount in found.projects.items()},
        "agent": {key: row_of(amount) for key, amount in found.agents.items()},
        "session": {key: row_of(strand.amount) for key, strand in found.sessions.items()},
        "hour": _by_hour(found),
    }
    for by, table in tables.items():
        rows = reports[by]["rows"]
        assert table == {row[by]: without_sessions(row, by) for row in rows}
    for strand in found.sessions.values():
        assert figures(strand.parts.values()) == row_of(strand.amount)


def _by_hour(found: Panorama) -> dict[int | None, dict[str, Any]]:
    hours: dict[int | None, list[Amount]] = {}
    for time, amount in found.hours.items():
        hours.setdefault(None if time is None else time[1], []).append(amount)
    return {hour: figures(amounts) for hour, amounts in hours.items()}


@requirement("V8", "F8")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(ZONES), st.integers(20_440, 20_480))
def test_the_calendar_has_every_day_of_its_weeks_whatever_the_period_begins_with(
    seed: int, name: str, last: int
) -> None:
    zone = clock.zone(name)
    with tempfile.TemporaryDirectory() as folder:
        grow(tree := Tree(Path(folder)), random.Random(seed))
        with read_tree([str(tree.root)], own.load(), use_index=False) as read:
            found = panorama(read, Query(("day",), last - 6, last), zone, TODAY)
            first = found.calendar_span[0]
            rows = usage_report(read, Query(("day",), first, last), zone, TODAY)["rows"]
    assert found.calendar_span == (first, last)
    assert (first + 3) % 7 == 0
    assert 0 <= last - first - (CALENDAR_WEEKS - 1) * 7 < 7
    days = {day_of(day): row_of(amount) for day, amount in found.calendar.items()}
    assert days == {row["day"]: without_sessions(row, "day") for row in rows}


@pytest.fixture
def looked(tree: Tree) -> Panorama:
    """Two sessions, one with sub-agents, on a Monday."""
    tree.main(
        "s1",
        assistant("a", time="2026-01-05T10:00:00Z"),
        assistant("b", time="2026-01-05T12:20:00Z"),
    )
    tree.agent(
        "s1", "x1", assistant("c", time="2026-01-05T10:30:00Z"), meta={"agentType": "Explore"}
    )
    tree.main("s2", assistant("d", time="2026-01-05T09:59:00Z", model="claude-example-9"))
    with read_tree([str(tree.root)], own.load(), use_index=False) as read:
        return panorama(read, Query(), clock.zone("UTC"), TODAY)


@requirement("V7", "V10")
def test_a_session_knows_when_it_was_and_what_its_sub_agents_cost(looked: Panorama) -> None:
    strand = looked.sessions["s1"]
    assert (strand.first, strand.last) == (1_767_607_200, 1_767_615_300)
    assert {kind: amount.responses for kind, amount in strand.delegated.items()} == {"Explore": 1}
    assert looked.sessions["s2"].delegated == {}
    assert strand.project == "/home/dev/shop"
    assert looked.agents.keys() == {"main", "Explore"}


@requirement("V8")
def test_hours_are_of_the_local_week(looked: Panorama) -> None:
    found = {key: amount.responses for key, amount in looked.hours.items()}
    assert found == {(0, 9): 1, (0, 10): 2, (0, 12): 1}


@requirement("P4")
def test_what_has_no_price_has_no_cost_and_makes_a_total_partial(looked: Panorama) -> None:
    assert looked.models["claude-example-9"].usd is None
    assert looked.total.usd is not None
    assert Decimal(looked.total.usd) > 0
    assert looked.total.unpriced


@requirement("P5", "V1")
def test_the_price_of_what_is_read_from_the_cache_is_told_by_the_models_that_read(
    tree: Tree,
) -> None:
    tree.main("s1", assistant("a"), assistant("b", model="claude-opus-4-8", usage=counts(read=0)))
    with read_tree([str(tree.root)], own.load(), use_index=False) as read:
        found = panorama(read, Query(), clock.zone("UTC"), TODAY)
    assert {float(factor) for factor in found.read_factors} == {0.1}
