"""Draws a tree as rows of blocks, each as wide as its value, children below their parent."""

from __future__ import annotations

from collections.abc import Sequence

from econome.server.charts.drawing import drawing
from econome.server.charts.values import Head, Node

__all__ = ["tree"]


def tree(
    roots: Sequence[Node],
    head: Head,
) -> str:
    """Return a tree as rows of blocks, each as wide as its value, children below their parent."""
    return drawing(head, "tree", 1, "")
