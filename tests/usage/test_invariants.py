"""F11, and every rule at once: random trees, counted twice by programs that share no code."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brief import examples
from tests.builders import Tree
from tests.door import EMPTY, Answer, figures, forget, text
from tests.reference.slow_reader import Account, read, table, totals
from tests.requirements import requirement
from tests.usage.forest import ZONES, estranged, grow

DIMENSIONS = ("day", "model", "project", "session", "agent")
EVERY = settings(max_examples=examples(100), deadline=None)
SEEDS = st.integers(0, 2**32)


@contextmanager
def grown(seed: int) -> Iterator[Tree]:
    """A random tree, and no index."""
    chance = random.Random(seed)
    forget()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        grow(tree, chance)
        yield tree


def answer(tree: Tree, *args: str, index: bool = False) -> Answer:
    """One report."""
    more = () if index else ("--no-index",)
    found: Answer = json.loads(text(tree.root, args=(*args, *more)))
    return found


def known(account: Account) -> Answer:
    """What the reference says of its reading, in R6's words."""
    reading = account.reading
    return {
        "files": len(reading.files),
        "lines": reading.lines,
        "usage_lines": account.usage_lines,
        "responses": len(account.responses),
        "folded": account.folded,
        "replayed": account.replayed,
        "rejected": account.rejected,
        "malformed": reading.malformed,
        "pending": reading.pending,
        "undated": sum(response.time is None for response in account.responses),
    }


@requirement("F11")
@EVERY
@given(SEEDS, st.sampled_from(ZONES))
def test_every_dimension_adds_up_to_the_same_total(seed: int, zone: str) -> None:
    with grown(seed) as tree:
        reports = [
            answer(tree, "--by", by, "--timezone", zone)
            for by in (*DIMENSIONS, "branch", "hour", "week", "month", "source")
        ]
        whole = reports[0]["total"]
        for report in reports:
            assert report["total"] == whole
            rows = report["rows"]
            for name in EMPTY.keys() - {"sessions"}:
                assert sum(row[name] for row in rows) == whole[name]
            costs = [Decimal(row["cost_usd"]) for row in rows if row["cost_usd"] is not None]
            assert sum(costs) == Decimal(whole["cost_usd"] or 0)
            assert (whole["cost_usd"] is None) == (not costs and bool(rows))
            assert any(row["partial"] for row in rows) == whole["partial"]
        sessions = {row["session"] for row in reports[DIMENSIONS.index("session")]["rows"]}
        assert len(sessions) == whole["sessions"]


@requirement("F11", "F2", "F3", "F4", "F5", "F6", "F10", "R6")
@EVERY
@given(SEEDS, st.sampled_from(ZONES))
def test_a_random_tree_gives_what_the_reference_reads(seed: int, zone: str) -> None:
    with grown(seed) as tree:
        account = read([tree.root])
        for by in DIMENSIONS:
            found = answer(tree, "--by", by, "--timezone", zone)
            assert figures(found["total"]) == totals(account.responses)
            rows = {row[by]: figures(row) for row in found["rows"]}
            assert rows == table(account, by, zone)
        told = known(account)
        assert {name: found["coverage"][name] for name in told} == told


@requirement("F11", "F12")
@settings(max_examples=examples(40), deadline=None)
@given(SEEDS)
def test_two_dimensions_make_cells_that_add_up_to_each(seed: int) -> None:
    with grown(seed) as tree:
        cells = answer(tree, "--by", "agent", "--by", "model", index=True)
        assert cells == answer(tree, "--by", "agent", "--by", "model", index=True)
        for by in ("agent", "model"):
            sums: dict[str, int] = {}
            for row in cells["rows"]:
                sums[row[by]] = sums.get(row[by], 0) + row["input_tokens"]
            rows = answer(tree, "--by", by)["rows"]
            assert sums == {row[by]: row["input_tokens"] for row in rows}


@requirement("F14", "R4")
@settings(max_examples=examples(150), deadline=None)
@given(SEEDS)
def test_a_line_with_strange_fields_is_what_the_reference_reads(seed: int) -> None:
    chance = random.Random(seed)
    forget()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        tree.main("s1", *(estranged(chance) for _ in range(6)))
        tree.agent("s1", "a1", *(estranged(chance) for _ in range(6)))
        account = read([tree.root])
        for index in (False, True):
            for by in DIMENSIONS:
                found = answer(tree, "--by", by, index=index)
                rows = {row[by]: figures(row) for row in found["rows"]}
                assert rows == table(account, by)
            assert {name: found["coverage"][name] for name in known(account)} == known(account)
