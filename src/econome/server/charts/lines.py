"""Draws one line a series over the same places, broken where there is no value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from econome.server.charts.axis import Scale, known, scale
from econome.server.charts.drawing import drawing, names
from econome.server.charts.inks import ink
from econome.server.charts.labels import row
from econome.server.charts.marks import linked, written
from econome.server.charts.values import Head, Point, Series

__all__ = ["lines"]

_TOP: Final = 10
_BELOW: Final = 26
_WHOLE: Final = 1000
_FEW: Final = 40
"""So many places are far enough from each other for a dot at each."""


def lines(
    points: Sequence[Sequence[Point]],
    series: Sequence[Series],
    head: Head,
    axis: Callable[[float], str],
    *,
    height: int = 200,
    whole: float = 0.0,
) -> str:
    """Return one line a series over the same places, broken where there is no value.

    *points* has one sequence a series, each with all places. The scale goes from 0, or from below it where a value does,
    to *whole* at the least: 1 for shares.
    """
    values = [[known(point.value) for point in line] for line in points]
    on = scale((value for line in values for value in line if value is not None), whole)
    rules, room = on.drawn(_TOP, height, axis)
    most = max(map(len, values), default=0)
    middles = [at / (most - 1) for at in range(most)] if most > 1 else [0.5] * most
    paths = "".join(
        f'<path d="{_path(line, middles, on)}" class="line-{ink(one.place)}" vector-effect="non-scaling-stroke"/>'
        for line, one in zip(values, series, strict=True)
    )
    dots = "".join(
        _dots(line, row_, one, middles, (height, on))
        for line, row_, one in zip(points, values, series, strict=True)
    )
    labels = row(
        [point.label for point in max(points, key=len, default=())], middles, _TOP + height + 18
    )
    below = _TOP + height + _BELOW
    marks = (
        f'{rules}<svg y="{_TOP}" width="100%" height="{height}" viewBox="0 0 {_WHOLE} {_WHOLE}" '
        f'preserveAspectRatio="none" overflow="visible">{paths}</svg>{dots}{labels}'
    )
    return drawing(head, f"lines {room}", below, marks + names(series, below))


def _path(line: Sequence[float | None], middles: Sequence[float], on: Scale) -> str:
    pieces, pen = [], "M"
    for value, middle in zip(line, middles, strict=False):
        if value is None:
            pen = "M"
        else:
            pieces.append(f"{pen}{middle * _WHOLE:.1f} {on.at(value, _WHOLE):.1f}")
            pen = "L"
    return "".join(pieces)


def _dots(
    line: Sequence[Point], values: Sequence[float | None], series: Series,
    middles: Sequence[float], place: tuple[int, Scale],
) -> str:  # fmt: skip
    """Return a place to point at for each value, seen where there are few of them or where a line would be too short."""
    height, on = place
    name, kind = written(series.name), f"dot-{ink(series.place)}"
    drawn = []
    for at, (point, value) in enumerate(zip(line, values, strict=True)):
        if value is None:
            continue
        alone = not any(
            values[near] is not None for near in (at - 1, at + 1) if 0 <= near < len(values)
        )
        place_of = f'cx="{middles[at] * 100:.3f}%" cy="{_TOP + on.at(value, height):.2f}"'
        shape = (
            f'<circle {place_of} r="2.5" class="{kind}"/>' if alone or len(values) <= _FEW else ""
        )
        title = f"<title>{written(point.label)}, {name}: {written(point.told)}</title>"
        piece = f'{shape}<circle {place_of} r="7" class="hit">{title}</circle>'
        drawn.append(linked(piece, point.link) if point.link else f"<g>{piece}</g>")
    return "".join(drawn)
