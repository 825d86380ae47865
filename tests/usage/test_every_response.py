"""All responses one by one: the same as in the cells and as session by session, from the index and without it."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from econome.settings import Settings
from econome.usage.open import index_path, read_tree
from econome.usage.recall import Response
from econome.usage.tree import Tree as Read
from tests.builders import Tree, assistant
from tests.requirements import requirement
from tests.usage.forest import grow

SEEDS = st.integers(0, 2**32)


def every(tree: Read) -> list[Response]:
    """All responses, in an order of their own."""

    def use(responses: Iterator[Response]) -> list[Response]:
        return list(responses)

    return sorted(tree.every_response(use), key=repr)


def by_cells(tree: Read) -> list[int]:
    """The sums of all counters of the cells."""
    sums = [0] * 9
    for _, (_, rows) in tree.days():
        for row in rows:
            sums = [a + b for a, b in zip(sums, row[2:], strict=True)]
    return sums


def summed(responses: list[Response]) -> list[int]:
    """The sums of the same counters of responses."""
    names = (
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens",
        "web_searches", "output_incomplete", "unsplit_write_tokens",
    )  # fmt: skip
    return [len(responses), *(sum(getattr(one, name) for one in responses) for name in names)]


@requirement("F11")
@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_all_responses_are_those_of_the_cells_and_of_each_session(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder) / "root")
        own = Settings({"HOME": folder})
        grow(tree, random.Random(seed))
        answers = []
        for use_index in (False, True, True):
            with read_tree([str(tree.root)], own, use_index=use_index, processes=1) as read:
                sums, found = by_cells(read), every(read)
                sessions = {one.session for one in found}
                one_by_one = [one for name in sessions for one in read.responses(name)]
            assert sums == summed(found)
            assert sorted(one_by_one, key=repr) == found
            answers.append(found)
        assert answers[0] == answers[1] == answers[2]


@requirement("F12")
def test_all_responses_come_from_the_disk_where_the_index_is_damaged(tmp_path: Path) -> None:
    tree, own = Tree(tmp_path / "root"), Settings({"HOME": str(tmp_path)})
    tree.main("s1", assistant("a"), assistant("b"))
    tree.main("s2", assistant("b"), assistant("c"))
    with read_tree([str(tree.root)], own, processes=1) as read:
        found = every(read)
    with sqlite3.connect(index_path(own)) as database:
        database.execute(
            "UPDATE groups SET body = x'00' WHERE file = (SELECT max(file) FROM groups)"
        )
    database.close()
    with read_tree([str(tree.root)], own, processes=1) as read:
        assert every(read) == found
    assert len(found) == 3
