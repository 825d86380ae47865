"""Tables of a profile: what is too long goes on in the next line, what is empty stays out, and nothing is cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from econome.cli.render.notes import left_out
from econome.cli.render.screen import FAINT, Screen
from econome.cli.render.table import Column, Layout, lay_out

__all__ = ["show_table"]

_GAP = 2
_ROOM = 36
"""The least width in which a text stands beside its row."""


def show_table(screen: Screen, columns: Sequence[Column], told: Column | None = None) -> None:
    """Print a table, and what is *told* of each row beside it or, where that has no room, below it."""
    columns = [column for column in columns if any(cell.strip() for cell in column.cells)]
    if not columns:
        return
    room = screen.width - _GAP - _width([column.width for column in columns])
    beside = told is not None and any(told.cells) and room >= min(_ROOM, told.width)
    layout = lay_out(columns, screen.width)
    pieces = [column.width for column in columns] if beside else list(layout.widths)
    layout = Layout(layout.columns, tuple(pieces), layout.left_out)
    screen.line(_head(layout, told.title if told is not None and beside else ""))
    for at in range(len(columns[0].cells)):
        cells = [_pieces(screen, layout, where, at) for where in range(len(pieces))]
        text = told.cells[at] if told is not None else ""
        rows = _rows(layout, cells)
        if text and beside:
            _beside(screen, rows, _wrapped(screen, text, room), _width(pieces))
            continue
        screen.lines(rows)
        for piece in screen.wrapped(Text(text), _GAP) if text else ():
            screen.line(Text.assemble(" " * _GAP, (piece.plain, FAINT)))
    left_out(screen, layout)


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * max(0, len(widths) - 1)


def _head(layout: Layout, told: str) -> Text:
    titles = [
        column.title.ljust(width) if column.name or column.left else column.title.rjust(width)
        for column, width in zip(layout.columns, layout.widths, strict=True)
    ]
    return Text((" " * _GAP).join([*titles, *([told] if told else [])]).rstrip(), style=FAINT)


def _pieces(screen: Screen, layout: Layout, where: int, at: int) -> list[str]:
    column = layout.columns[where]
    text = column.cells[at]
    if not column.name or cell_len(text) <= layout.widths[where]:
        return [text]
    return _wrapped(screen, text, layout.widths[where])


def _wrapped(screen: Screen, text: str, width: int) -> list[str]:
    return [line.plain.rstrip() for line in Text(text).wrap(screen.console, width)]


def _rows(layout: Layout, cells: Sequence[Sequence[str]]) -> list[Text]:
    """Return the lines of one row: its figures stand in the first, the rest of a long name below."""
    found = []
    for texts in zip_longest(*cells, fillvalue=""):
        line = Text(no_wrap=True)
        for at, text in enumerate(texts):
            column = layout.columns[at]
            space = " " * (layout.widths[at] - cell_len(text))
            early = column.name or column.left
            line.append(" " * _GAP if at else "")
            line.append("" if early else space)
            line.append(text, style=column.style or None)
            line.append(space if early else "")
        line.rstrip()
        found.append(line)
    return found


def _beside(screen: Screen, rows: Sequence[Text], texts: Sequence[str], width: int) -> None:
    for row, text in zip_longest(rows, texts):
        line = Text(no_wrap=True) if row is None else row
        if text:
            line.append(" " * (width + _GAP - cell_len(line.plain)))
            line.append(text, style=FAINT)
        screen.line(line)
