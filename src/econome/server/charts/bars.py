"""Bars as SVG: values in, a drawing out that says the same without colour, without a pointer and without a script.

Lengths are shares of the width, so a drawing fills whatever holds it, while its letters keep their size. Colours are
classes, `part-0` and on, that a style sheet fills; each part also has a pattern of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from econome.server.charts import inks
from econome.server.charts.marks import written
from econome.server.charts.values import PLACES

__all__ = ["PARTS", "Bar", "bars", "legend", "patterns"]

PARTS = PLACES
"""So many parts can be told apart."""

_PITCH, _TEXT, _HEIGHT = 46, 14, 14
_LABEL = 40
_FULL = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: whose it is, the lengths of its parts, and what is written at its end. *marked* ones stand out."""

    label: str
    values: tuple[int, ...]
    told: str
    marked: bool = False


def patterns() -> str:
    """Return the patterns that parts are filled with, once for a document, in a drawing that takes no room."""
    return (
        '<svg class="patterns" width="0" height="0" aria-hidden="true">'
        f"<defs>{inks.patterns()}</defs></svg>"
    )


def legend(parts: Sequence[str]) -> str:
    """Return a list of what the parts of bars are called, each beside its pattern."""
    entries = "".join(
        f'<li><svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" '
        f'fill="url(#part-{at})"/></svg> {written(part)}</li>'
        for at, part in enumerate(parts)
    )
    return f'<ul class="legend">{entries}</ul>'


def bars(rows: Sequence[Bar], parts: Sequence[str], *, name: str, title: str, desc: str) -> str:
    """Return a drawing of bars, one below the other, on one scale that begins at 0.

    *parts* say what the values of each bar are; *name* is unlike that of any other drawing of the document.
    """
    most = max((sum(row.values) for row in rows), default=0) or 1
    drawn = "".join(_bar(row, parts, most, at * _PITCH) for at, row in enumerate(rows))
    ids = f"{written(name)}-title {written(name)}-desc"
    return (
        f'<svg class="bars" width="100%" height="{len(rows) * _PITCH}" role="img" aria-labelledby="{ids}">'
        f'<title id="{written(name)}-title">{written(title)}</title>'
        f'<desc id="{written(name)}-desc">{written(desc)}</desc>{drawn}</svg>'
    )


def _bar(row: Bar, parts: Sequence[str], most: int, top: int) -> str:
    label = row.label if len(row.label) <= _LABEL else row.label[: _LABEL - 1] + "…"
    told = ", ".join(
        f"{part} {value:,}" for part, value in zip(parts, row.values, strict=True) if value
    )
    begun, pieces = 0, []
    for at, value in enumerate(row.values):
        if value > 0:
            pieces.append(
                f'<rect x="{_share(begun, most)}" y="{top + _TEXT + 6}" width="{_share(value, most)}" '
                f'height="{_HEIGHT}" fill="url(#part-{at})"/>'
            )
            begun += value
    marked = ' class="marked"' if row.marked else ""
    return (
        f"<g{marked}><title>{written(row.label)}: {written(told or row.told)}</title>"
        f'<text x="0" y="{top + _TEXT}">{written(label)}</text>'
        f'<text x="100%" y="{top + _TEXT}" class="told">{written(row.told)}</text>'
        f'<rect x="0" y="{top + _TEXT + 6}" width="100%" height="{_HEIGHT}" class="track"/>'
        f"{''.join(pieces)}</g>"
    )


def _share(part: int, whole: int) -> str:
    return f"{part * _FULL / whole:.2f}%"
