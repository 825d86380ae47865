"""A tree scanned from nothing, without the index."""

from __future__ import annotations

import os
from typing import Any

from econome.clock import wall
from econome.prices.table import PriceTable
from econome.settings import Settings
from econome.usage.crew import Progress
from econome.usage.history import Gone, History
from econome.usage.scan import facts_of, flaws_of
from econome.usage.tree import Flaws, Tree
from econome.usage.update import scan_whole
from econome.usage.walk import unreadable_paths, walk

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

    def responses(session: str) -> list[Any]:
        from econome.usage.recall import Kept, recall

        return recall(
            (
                Kept(
                    facts_of(jobs[s.job].root, jobs[s.job].relative, s.state),
                    s.state.sessions,
                    s.gids,
                    s.groups,
                )
                for s in scanned
            ),
            session,
        )

    def flaws() -> list[Flaws]:
        return flaws_of(
            (os.path.join(roots[jobs[s.job].root], jobs[s.job].relative), s.state) for s in scanned
        )

    unreadable = unreadable_paths(roots, snapshot.unreadable, outcome.unreadable)
    return Tree(
        roots, outcome.totals, unreadable, prices, dict(outcome.cells), responses, flaws, moment
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
