"""A tree scanned from nothing, without the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from econome.clock import wall
from econome.prices.table import PriceTable
from econome.settings import Settings
from econome.usage.crew import Progress
from econome.usage.history import Gone, History
from econome.usage.scan import facts_of, flaws_of
from econome.usage.tree import Flaws, Tree
from econome.usage.update import scan_whole
from econome.usage.walk import unreadable_paths, walk

if TYPE_CHECKING:
    from econome.usage.recall import Kept

__all__ = ["history_of", "scan_tree"]


def scan_tree(
    roots: list[str],
    settings: Settings,
    prices: PriceTable,
    progress: Progress | None = None,
    processes: int | None = None,
) -> Tree:
    """Return the tree below *roots* as it is on disk now; nothing of it is kept."""
    moment, snapshot = wall(), walk(roots)
    outcome, scanned, jobs = scan_whole(
        roots,
        snapshot,
        prices.thresholds,
        processes,
        progress,
        history_of(roots, settings),
        passing=not settings.history,
    )

    def kept() -> Iterator[Kept]:
        from econome.usage.recall import Kept

        for s in scanned:
            facts = facts_of(jobs[s.job].root, jobs[s.job].relative, s.state)
            yield Kept(facts, s.state.sessions, s.gids, s.groups)

    def responses(session: str) -> list[Any]:
        from econome.usage.recall import recall

        return recall(kept(), session)

    def every(use: Callable[[Iterator[Any]], Any]) -> Any:
        from econome.usage.recall import recall_all

        return use(recall_all(kept()))

    def flaws() -> list[Flaws]:
        return flaws_of(
            (os.path.join(roots[jobs[s.job].root], jobs[s.job].relative), s.state) for s in scanned
        )

    unreadable = unreadable_paths(roots, snapshot.unreadable, outcome.unreadable)
    return Tree(
        roots,
        outcome.totals,
        unreadable,
        prices,
        dict(outcome.cells),
        responses,
        flaws,
        moment,
        every=every,
    )


def history_of(roots: list[str], settings: Settings) -> list[Gone]:
    """What is kept of files that are gone, where the user keeps it (F17)."""
    if not settings.history:
        return []
    history = History(settings.history_path())
    try:
        return history.kept(roots)
    finally:
        history.close()
