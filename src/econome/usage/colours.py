"""The place of each model's colour: given once, by the ranking over all history, and kept for ever (V3, F17).

Places lie in the data directory beside the history of transcripts, whether or not that is kept. Where nothing can be kept
there, a model's place is the one that the ranking of the moment gives it behind those that are known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from econome.errors import HistoryBroken
from econome.usage.cells import KIND, MODEL
from econome.usage.history import History, read_places
from econome.usage.query import Query
from econome.usage.report import usage_report
from econome.usage.sums import TOKENS

if TYPE_CHECKING:
    from typing import Any

    from econome.clock import Zone
    from econome.usage.tree import Tree

__all__ = ["places"]

_PATIENCE_SECONDS = 1.0
"""No page waits longer for another process that writes into the history."""


def places(
    path: str, tree: Tree, zone: Zone, models: Iterable[str] | None = None
) -> Mapping[str, int]:
    """Return the place of each model, from 0; *path* is the history's, where places are kept.

    *models* are those that are asked for, None for all of the tree; as long as each has a place already, nothing is
    written and the tree is not walked. Places beyond a palette are for its owner to make neutral.
    """
    wanted = _models(tree) if models is None else set(models)
    known = _known(path)
    if wanted <= known.keys():
        return known
    ranked = _ranked(tree, zone)
    try:
        history = History(path, _PATIENCE_SECONDS)
        try:
            return history.give_places(ranked)
        finally:
            history.close()
    except HistoryBroken:
        following = max(known.values(), default=-1) + 1
        new = [model for model in ranked if model not in known]
        return {**known, **{model: following + at for at, model in enumerate(new)}}


def _models(tree: Tree) -> set[str]:
    return {str(d[MODEL]) for _, (dims, _) in tree.days() for d in dims if not d[KIND]}


def _ranked(tree: Tree, zone: Zone) -> list[str]:
    """Return the models of a tree, the dearest first, those of equal cost or without a price by their tokens."""
    rows = usage_report(tree, Query(("model",)), zone, 0)["rows"]
    return [row["model"] for row in sorted(rows, key=_dearest)]


def _dearest(row: dict[str, Any]) -> tuple[bool, Decimal, int, str]:
    tokens = sum(row[name] for name in TOKENS)
    return row["cost_usd"] is None, -Decimal(row["cost_usd"] or 0), -tokens, row["model"]


def _known(path: str) -> dict[str, int]:
    """Return the places that are kept, without writing anything; none where they cannot be read."""
    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        db = sqlite3.connect(f"file:{address}?mode=ro", timeout=_PATIENCE_SECONDS, uri=True)
    except sqlite3.Error:
        return {}
    try:
        return dict(read_places(db))
    except (sqlite3.Error, ValueError):
        return {}
    finally:
        db.close()
