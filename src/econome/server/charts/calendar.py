"""Draws one square a day (labels are days as `2026-10-17`), one column a week, darker where there is more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from itertools import groupby
from typing import Final

from econome.server.charts.drawing import drawing
from econome.server.charts.heat import LEGEND, Heat, heat, plain
from econome.server.charts.labels import ROOM, cut, room, wide
from econome.server.charts.marks import linked, written
from econome.server.charts.values import Head, Point

__all__ = ["calendar"]

_COLUMN, _ROW, _SIDE = 20, 15, 0.86
_MONTHS, _BETWEEN = 20, 18
_WEEK: Final = 7
_YEAR: Final = 53 * _WEEK
_LEAST: Final = 290
"""So many pixels are always there, and what a row of steps takes."""

_NAME: Final = 6


def calendar(
    days: Sequence[Point],
    head: Head,
    weekdays: Sequence[str],
    months: Sequence[str],
    *,
    axis: Callable[[float], str] = plain,
) -> str:
    """Return one square a day (labels are days as `2026-10-17`), one column a week, darker where there is more.

    *weekdays* begin with Monday; *axis* writes the values beside the steps. More than a year is one block a year, below
    each other. A day that is not among *days* is not drawn, one without a value is an empty frame.

    Raises:
        ValueError: A label is not a day.
    """
    dated = sorted(((date.fromisoformat(day.label), day) for day in days), key=lambda one: one[0])
    on = heat(day.value for day in days)
    blocks = [dated] if dated else []
    long = bool(dated) and (dated[-1][0] - dated[0][0]).days >= _YEAR
    if long:
        blocks = [list(block) for _, block in groupby(dated, key=lambda one: one[0].year)]
    columns = max((_column(block[-1][0], block[0][0]) + 1 for block in blocks), default=1)
    width = max(columns * _COLUMN, _LEAST)
    marks, top = "", 0
    for block in blocks:
        marks += _block(block, on, top, width, weekdays, months, long)
        top += _MONTHS + _WEEK * _ROW + _BETWEEN
    top -= _BETWEEN if blocks else 0
    steps = room(_names(weekdays))
    return drawing(
        head,
        f"calendar room-{steps}",
        top + LEGEND,
        marks + on.legend(top, axis),
        width=str(width + steps * ROOM),
    )


def _names(weekdays: Sequence[str]) -> list[str]:
    return [cut(name, _NAME) for name in weekdays]


def _monday(day: date) -> int:
    return day.toordinal() - day.weekday()


def _column(day: date, first: date) -> int:
    return (_monday(day) - _monday(first)) // _WEEK


def _block(
    block: Sequence[tuple[date, Point]], on: Heat, top: int, width: int,
    weekdays: Sequence[str], months: Sequence[str], long: bool,
) -> str:  # fmt: skip
    first, column = block[0][0], _COLUMN / width * 100
    marks = [
        f'<text x="-8" y="{top + _MONTHS + at * _ROW + 11}" class="tick">{written(name)}</text>'
        for at, name in enumerate(_names(weekdays))
        if at % 2 == 0
    ]
    marks += _month_names(block, top, width, months, long)
    for day, point in block:
        marks.append(
            _square(
                point,
                f'x="{_column(day, first) * column:.3f}%" y="{top + _MONTHS + day.weekday() * _ROW}" '
                f'width="{column * _SIDE:.3f}%" height="{_ROW * _SIDE:.1f}"',
                on,
            )
        )
    return "".join(marks)


def _square(point: Point, place: str, on: Heat) -> str:
    drawn = (
        f'<rect {place} class="{on.kind(point.value)}">'
        f"<title>{written(point.label)}: {written(point.told)}</title></rect>"
    )
    return linked(drawn, point.link)


def _month_names(
    block: Sequence[tuple[date, Point]], top: int, width: int, months: Sequence[str], long: bool
) -> list[str]:
    """Return the names of the months that begin in a block, where each has the room."""
    first, found, free, free_narrow = block[0][0], [], 0.0, 0.0
    column, narrow = _COLUMN / width * 100, _COLUMN * min(1, _LEAST / width)
    known: set[tuple[int, int]] = set()
    for day, _ in block:
        month = (day.year, day.month)
        if month in known or (known and day.day > _WEEK):
            continue
        name = months[day.month - 1]
        if long and not known:
            name = f"{name} {day.year}"
        name = cut(name, 14)
        at = _column(day, first)
        if at * _COLUMN >= free:
            fits = at * narrow >= free_narrow
            found.append(
                f'<text x="{at * column:.3f}%" y="{top + 12}" class="label start{"" if fits else " fine"}">'
                f"{written(name)}</text>"
            )
            free = at * _COLUMN + wide(name) + 6
            if fits:
                free_narrow = at * narrow + wide(name) + 6
        known.add(month)
    return found
