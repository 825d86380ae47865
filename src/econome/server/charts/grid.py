"""Draws one square a pair of row and column, darker where there is more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from econome.server.charts.drawing import drawing
from econome.server.charts.heat import LEGEND, Heat, heat, plain
from econome.server.charts.labels import cut, room, row
from econome.server.charts.marks import linked, written
from econome.server.charts.values import Head, Point

__all__ = ["grid"]

_TOP, _ROW, _SIDE, _BROAD = 20, 22, 0.9, 0.94
_LONGEST: Final = 14
_WIDEST: Final = 12.5
"""So much of the width has a column at the most."""


def grid(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[Point]],
    head: Head,
    *,
    axis: Callable[[float], str] = plain,
) -> str:
    """Return one square a pair of row and column, darker where there is more.

    *cells* has one sequence a row; *axis* writes the values beside the steps.
    """
    on = heat(cell.value for line in cells for cell in line)
    column = min(100 / max(1, len(columns)), _WIDEST)
    names = [cut(name, _LONGEST) for name in rows]
    marks = [row(columns, [(at + 0.5) * column / 100 for at in range(len(columns))], 12)]
    for at, (name, line) in enumerate(zip(names, cells, strict=True)):
        top = _TOP + at * _ROW
        marks.append(f'<text x="-8" y="{top + 14}" class="tick">{written(name)}</text>')
        marks += [_square(cell, place, top, column, on) for place, cell in enumerate(line)]
    below = _TOP + len(names) * _ROW
    kind = f"grid room-{room(names)}"
    return drawing(head, kind, below + LEGEND, "".join(marks) + on.legend(below, axis))


def _square(cell: Point, place: int, top: int, column: float, on: Heat) -> str:
    drawn = (
        f'<rect x="{place * column:.3f}%" y="{top}" width="{column * _BROAD:.3f}%" '
        f'height="{_ROW * _SIDE:.1f}" class="{on.kind(cell.value)}">'
        f"<title>{written(cell.label)}: {written(cell.told)}</title></rect>"
    )
    return linked(drawn, cell.link)
