"""Two processes find what one finds, also where the second one does not come to its end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from econome import settings
from econome.usage import crew
from econome.usage.open import read_tree
from tests.builders import Tree, assistant
from tests.requirements import requirement

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="one process is all there is here")


def found(tree: Tree, processes: int) -> tuple[dict[str, int], list[Any]]:
    """Return the sums and the cells that so many processes find."""
    with read_tree([str(tree.root)], settings.load(), False, processes=processes) as read:
        return read.totals, list(read.days())


@pytest.fixture
def grown(tree: Tree) -> Tree:
    """A tree of some files, two of which share a response."""
    for number in range(40):
        tree.main(f"s{number}", assistant(f"a{number}"), assistant(f"b{number % 39}"))
    return tree


@requirement("F12")
def test_two_processes_find_what_one_finds(grown: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "_BATCH", 1)
    assert found(grown, 2) == found(grown, 1)


def _die_at_once(scanner: Any, batches: Any, numbers: int, sink: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_in_a_word(scanner: Any, batches: Any, numbers: int, sink: int) -> None:
    os.read(numbers, 8)  # takes two batches with it
    os.write(sink, (1000).to_bytes(8, "little") + b"half of what was")
    os.kill(os.getpid(), signal.SIGKILL)


@requirement("F12")
@pytest.mark.parametrize("die", [_die_at_once, _die_in_a_word])
def test_what_a_killed_process_leaves_is_read_by_the_other(
    grown: Tree, monkeypatch: pytest.MonkeyPatch, die: Callable[..., None]
) -> None:
    monkeypatch.setattr(crew, "_BATCH", 1)
    alone = found(grown, 1)
    monkeypatch.setattr(crew, "_scan_for_another", die)
    assert found(grown, 2) == alone
