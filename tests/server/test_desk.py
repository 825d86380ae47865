"""What is kept of a question is made once, and without looking for cycles among what is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome import settings
from econome.server.desk import Desk


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


def test_what_is_kept_is_made_anew_only_for_another_stamp(desk: Desk) -> None:
    made = iter(range(9))
    stamps = "a", "a", "b", "b", "a"
    assert [desk.kept("key", stamp, lambda: next(made)) for stamp in stamps] == [0, 0, 1, 1, 2]


def test_no_cycles_are_looked_for_while_it_is_made_and_again_afterwards(desk: Desk) -> None:
    assert gc.isenabled()
    assert desk.kept("key", 1, gc.isenabled) is False
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        desk.kept("other", 1, lambda: 1 // 0)
    assert gc.isenabled()
