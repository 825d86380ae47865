"""A table one of whose columns holds sentences: where they do not fit, they stand below their rows, whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from econome.cli.render.notes import left_out
from econome.cli.render.screen import FAINT, Screen
from econome.cli.render.table import Column, lay_out, lines

__all__ = ["show_with_below"]

_INDENT = 2


def show_with_below(
    screen: Screen, columns: Sequence[Column], title: str, sentences: Sequence[str]
) -> None:
    """Print a table; the *sentences* are those of the column called *title*, one for each row."""
    layout = lay_out(columns, screen.width)
    widths = {
        column.title: width for column, width in zip(layout.columns, layout.widths, strict=True)
    }
    asked = [column for column in columns if column.title == title]
    if all(widths.get(title, 0) >= column.width for column in asked):
        screen.lines(lines(layout))
        left_out(screen, layout)
        return
    layout = lay_out([column for column in columns if column.title != title], screen.width)
    head, *rows = lines(layout)
    screen.line(head)
    for row, sentence in zip(rows, sentences, strict=True):
        screen.line(row)
        for line in screen.wrapped(Text(sentence, style=FAINT), _INDENT) if sentence else ():
            screen.line(Text.assemble(" " * _INDENT, line))
    left_out(screen, layout)
