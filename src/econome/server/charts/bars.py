"""Bars as SVG: values in, a drawing out that says the same without colour, without a pointer and without a script.

Lengths are shares of the width, so a drawing fills whatever holds it, while its letters keep their size. Colours are
classes, `part-0` and on, that a style sheet fills; each part also has a pattern of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from econome.server.charts import inks
from econome.server.charts.axis import known
from econome.server.charts.drawing import framed, names
from econome.server.charts.labels import cut
from econome.server.charts.marks import linked, written
from econome.server.charts.values import PLACES, Head, Series

__all__ = ["PARTS", "Bar", "bars", "legend", "patterns"]

PARTS = PLACES
"""So many parts can be told apart."""

_PITCH, _TEXT, _HEIGHT = 46, 14, 14
_LABEL = 40
_FULL = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: whose it is, the lengths of its parts, and what is written at its end. *marked* ones stand out.

    *link* is where one leads."""

    label: str
    values: tuple[float, ...]
    told: str
    marked: bool = False
    link: str = ""


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
        f'fill="url(#part-{inks.ink(at)})"/></svg> {written(part)}</li>'
        for at, part in enumerate(parts)
    )
    return f'<ul class="legend">{entries}</ul>'


def bars(
    rows: Sequence[Bar],
    parts: Sequence[str],
    *,
    name: str,
    title: str,
    desc: str,
    places: Sequence[int] | None = None,
    say: Callable[[float], str] = "{:,}".format,
) -> str:
    """Return a drawing of bars, one below the other, on one scale that begins at 0.

    *parts* say what the values of each bar are, *places* which colours they have if not the first ones; *say* writes a
    value. *name* is unlike that of any other drawing of the document.
    """
    drawable = [
        replace(row, values=tuple(value if (known(value) or 0) > 0 else 0 for value in row.values))
        for row in rows
    ]
    most = max((sum(row.values) for row in drawable), default=0) or 1
    series = [
        Series(part, at)
        for part, at in zip(parts, places if places is not None else range(len(parts)), strict=True)
    ]
    drawn = "".join(_bar(row, series, most, at * _PITCH, say) for at, row in enumerate(drawable))
    high = len(rows) * _PITCH
    opening = f'class="bars" width="100%" height="{high}"'
    return framed(opening, Head(name, title, desc), high, drawn + names(series, high))


def _bar(
    row: Bar, series: Sequence[Series], most: float, top: int, say: Callable[[float], str]
) -> str:
    told = ", ".join(
        f"{one.name} {say(value)}" for one, value in zip(series, row.values, strict=True) if value
    )
    begun, pieces = 0.0, []
    for one, value in zip(series, row.values, strict=True):
        if value > 0:
            pieces.append(
                f'<rect x="{_share(begun, most)}" y="{top + _TEXT + 6}" width="{_share(value, most)}" '
                f'height="{_HEIGHT}" fill="url(#part-{inks.ink(one.place)})"/>'
            )
            begun += value
    marked = ' class="marked"' if row.marked else ""
    drawn = (
        f"<title>{written(row.label)}: {written(told or row.told)}</title>"
        f'<text x="0" y="{top + _TEXT}">{written(cut(row.label, _LABEL))}</text>'
        f'<text x="100%" y="{top + _TEXT}" class="told">{written(row.told)}</text>'
        f'<rect x="0" y="{top + _TEXT + 6}" width="100%" height="{_HEIGHT}" class="track"/>'
        f"{''.join(pieces)}"
    )
    return f"<g{marked}>{linked(drawn, row.link)}</g>"


def _share(part: float, whole: float) -> str:
    return f"{part * _FULL / whole:.2f}%"
