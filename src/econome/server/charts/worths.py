"""Draws one bar a group, each with the mark of its series, on one scale that begins at 0. Nothing is added up.

It is for amounts that must not be summed, because some of them were counted and others estimated: two marks, one scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from econome.server.charts.drawing import drawing, names
from econome.server.charts.inks import ink
from econome.server.charts.labels import cut
from econome.server.charts.marks import linked, written
from econome.server.charts.values import Group, Head, Series

__all__ = ["worths"]

_PITCH, _BASE, _TOP, _HEIGHT = 42, 13, 19, 14
_LONGEST: Final = 40
_LEAST: Final = 0.3
"""The least of the width, in percent, that is drawn: a small amount is a mark too."""


def worths(groups: Sequence[Group], series: Sequence[Series], head: Head) -> str:
    """Return bars one below the other; a group with values of several series has one bar for each of them."""
    rows = [
        (group, series[at], value)
        for group in groups
        for at, value in enumerate(group.values)
        if value > 0 or (not any(group.values[: at + 1]) and at == len(group.values) - 1)
    ]
    most = max((value for _, _, value in rows), default=0.0) or 1.0
    marks = "".join(_row(*row, most, number * _PITCH) for number, row in enumerate(rows))
    height = len(rows) * _PITCH
    return drawing(head, "worths", height, marks + names(series, height + 4))


def _row(group: Group, series: Series, value: float, most: float, top: int) -> str:
    wide = max(value / most * 100, _LEAST) if value > 0 else 0.0
    place = f'x="0" y="{top + _TOP}" height="{_HEIGHT}"'
    drawn = (
        f"<title>{written(group.whole or group.label)}: {written(group.told)}</title>"
        f'<rect x="0" y="{top}" width="100%" height="{_PITCH}" class="hit"/>'
        f'<text x="0" y="{top + _BASE}" class="name">{written(cut(group.label, _LONGEST))}</text>'
        f'<text x="100%" y="{top + _BASE}" class="tick told">{written(group.told)}</text>'
        f'<rect {place} width="100%" class="track"/>'
        f'<rect {place} width="{wide:.2f}%" fill="url(#part-{ink(series.place)})"/>'
    )
    return linked(drawn, group.link) if group.link else f"<g>{drawn}</g>"
