"""A table that fits its width: names are cut, columns are left out, figures are never touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

__all__ = ["Column", "Layout", "cut", "lay_out", "lines"]

_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, its cells, and how it gives way.

    A *name* column is cut down to `least` cells before anything is left out. Of the others, those
    with the greatest `yields` leave first; 0 never leaves. `tail` keeps the end of what is cut.
    Names begin at the left and figures end at the right; `left` is for dates and ids, which are not cut.
    """

    title: str
    cells: Sequence[str]
    name: bool = False
    yields: int = 0
    least: int = 10
    tail: bool = False
    left: bool = False
    style: str = ""

    @property
    def width(self) -> int:
        """The cells its longest text takes."""
        return max([cell_len(self.title), *map(cell_len, self.cells)])


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns fit, how wide each is, and the titles of those left out."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...]


def lay_out(columns: Sequence[Column], width: int) -> Layout:
    """Return how *columns* fit into *width* cells."""
    kept = list(columns)
    left_out: list[str] = []
    while _least(kept) > width and (going := max(kept, key=lambda column: column.yields)).yields:
        kept.remove(going)
        left_out.append(going.title)
    spare = width - _least(kept)
    widths = []
    for column in kept:
        least = _floor(column)
        more = max(0, min(column.width - least, spare))
        spare -= more
        widths.append(least + more)
    order = [column.title for column in columns]
    return Layout(tuple(kept), tuple(widths), tuple(sorted(left_out, key=order.index)))


def _floor(column: Column) -> int:
    if not column.name:
        return column.width
    return min(column.width, max(column.least, cell_len(column.title)))


def _least(columns: Sequence[Column]) -> int:
    return sum(map(_floor, columns)) + _GAP * max(0, len(columns) - 1)


def cut(text: str, width: int, *, tail: bool = False) -> str:
    """Return *text* in at most *width* cells, with a mark where something is missing."""
    if cell_len(text) <= width:
        return text
    if not tail:
        return set_cell_size(text, width - 1).rstrip() + "…"
    while text and cell_len(text) > width - 1:
        text = text[1:]
    return "…" + text


def lines(layout: Layout, *, total: bool = False, head: bool = True) -> list[Text]:
    """Return the lines of a table; with *total*, the last row stands apart as the sum."""
    pairs = list(zip(layout.columns, layout.widths, strict=True))
    found: list[Text] = []
    if head:
        found.append(_line([(column.title, "dim") for column, _ in pairs], layout))
    count = len(layout.columns[0].cells) if layout.columns else 0
    for row in range(count):
        last = total and row == count - 1
        if last:
            found.append(Text("─" * (sum(layout.widths) + _GAP * (len(pairs) - 1)), style="dim"))
        styled = [(column.cells[row], "bold" if last else column.style) for column, _ in pairs]
        found.append(_line(styled, layout))
    return found


def _line(cells: Sequence[tuple[str, str]], layout: Layout) -> Text:
    line = Text(no_wrap=True)
    for at, (text, style) in enumerate(cells):
        column, width = layout.columns[at], layout.widths[at]
        shown = cut(text, width, tail=column.tail) if column.name else text
        space = " " * (width - cell_len(shown))
        if not (column.name or column.left):
            shown = space + shown
        elif at < len(cells) - 1:
            shown += space
        line.append(" " * _GAP if at else "")
        line.append(shown, style=style or None)
    return line
