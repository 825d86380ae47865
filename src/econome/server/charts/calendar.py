"""Draws one square a day (labels are days as `2026-10-17`), one column a week, darker where there is more."""

from __future__ import annotations

from collections.abc import Sequence

from econome.server.charts.drawing import drawing
from econome.server.charts.values import Head, Point

__all__ = ["calendar"]


def calendar(
    days: Sequence[Point],
    head: Head,
    weekdays: Sequence[str],
    months: Sequence[str],
) -> str:
    """Return one square a day (labels are days as `2026-10-17`), one column a week, darker where there is more."""
    return drawing(head, "calendar", 1, "")
