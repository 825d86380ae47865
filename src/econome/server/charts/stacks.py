"""Draws bars that stand side by side in time, each a stack of one part a series, on one scale that begins at 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from econome.server.charts.drawing import drawing
from econome.server.charts.values import Group, Head, Series

__all__ = ["stacks"]


def stacks(
    groups: Sequence[Group],
    series: Sequence[Series],
    head: Head,
    axis: Callable[[float], str],
) -> str:
    """Return bars that stand side by side in time, each a stack of one part a series, on one scale that begins at 0."""
    return drawing(head, "stacks", 1, "")
