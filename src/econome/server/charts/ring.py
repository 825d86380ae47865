"""Draws a ring of parts, each with what is said of it, and a few letters in its middle."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Final

from econome.server.charts.axis import known
from econome.server.charts.drawing import drawing, names
from econome.server.charts.inks import ink
from econome.server.charts.labels import cut, wide
from econome.server.charts.marks import written
from econome.server.charts.values import Head, Series

__all__ = ["ring"]

_SIZE: Final = 200
_OUTER, _INNER = 96, 62
_LONGEST: Final = 14
_WIDE: Final = 60
"""What is wider in the letters of labels is written in smaller ones."""
_LEAST: Final = 1e-6
"""A part that is no more of the whole is a line, and no arc of it is worked out."""


def ring(
    parts: Sequence[tuple[Series, float, str]],
    head: Head,
    centre: str,
) -> str:
    """Return a ring of parts, each with what is said of it, and a few letters in its middle.

    It begins at the top and goes round as clocks do. What is below 0 has no part of a whole, and is not drawn.
    """
    found = [(series, max(0.0, known(value) or 0.0), told) for series, value, told in parts]
    whole = sum(value for _, value, _ in found)
    begun, drawn = 0.0, []
    for series, value, told in found:
        if not value:
            continue
        share = value / whole
        drawn.append(
            f'<path d="{_arc(begun, begun + share)}" fill="url(#part-{ink(series.place)})" fill-rule="evenodd">'
            f"<title>{written(series.name)}: {written(told)}</title></path>"
        )
        begun += share
    empty = f'<path d="{_arc(0, 1)}" class="track" fill-rule="evenodd"/>'
    short = cut(centre, _LONGEST)
    smaller = " smaller" if wide(short) > _WIDE else ""
    middle = f'<text x="0" y="7" class="centre{smaller}">{written(short)}</text>'
    marks = (
        f'<svg width="100%" height="{_SIZE}" viewBox="-100 -100 {_SIZE} {_SIZE}">'
        f'<g class="cut">{"".join(drawn) or empty}</g>{middle}</svg>'
    )
    below = _SIZE + 12
    return drawing(head, "ring", _SIZE, marks + names((one[0] for one in found), below))


def _arc(begun: float, ended: float) -> str:
    """Return the outline of a part of the ring, from one share of the turn to another."""
    if ended - begun > 1 - _LEAST:
        return _circle(_OUTER) + _circle(_INNER)
    far = int(ended - begun > 0.5)
    return (
        f"M{_at(begun, _OUTER)}A{_OUTER} {_OUTER} 0 {far} 1 {_at(ended, _OUTER)}"
        f"L{_at(ended, _INNER)}A{_INNER} {_INNER} 0 {far} 0 {_at(begun, _INNER)}Z"
    )


def _circle(radius: int) -> str:
    return f"M0 {-radius}A{radius} {radius} 0 1 1 0 {radius}A{radius} {radius} 0 1 1 0 {-radius}Z"


def _at(share: float, radius: int) -> str:
    turn = 2 * pi * share
    return f"{radius * sin(turn):.3f} {-radius * cos(turn):.3f}"
