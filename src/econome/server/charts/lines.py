"""Draws one line a series over the same places, broken where there is no value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from econome.server.charts.drawing import drawing
from econome.server.charts.values import Head, Point, Series

__all__ = ["lines"]


def lines(
    points: Sequence[Sequence[Point]],
    series: Sequence[Series],
    head: Head,
    axis: Callable[[float], str],
) -> str:
    """Return one line a series over the same places, broken where there is no value."""
    return drawing(head, "lines", 1, "")
