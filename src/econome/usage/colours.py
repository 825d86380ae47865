"""The place of each model's colour: given once, by the ranking over all history, and kept for ever (V3, F17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from econome.usage.query import Query
from econome.usage.report import usage_report

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.usage.tree import Tree

__all__ = ["places"]


def places(path: str, tree: Tree, zone: Zone) -> Mapping[str, int]:
    """Return the place of each model of a tree, from 0; *path* is where they are kept."""
    rows = usage_report(tree, Query(("model",)), zone, 0)["rows"]
    return {row["model"]: at for at, row in enumerate(rows)}
