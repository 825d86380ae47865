"""A figure of a page: a chart, and the same facts in a table. Values: every form it is copied in is made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal

__all__ = ["Column", "Entry", "Figure", "Kind", "Row", "Value", "as_csv", "as_json"]

Kind = Literal["text", "count", "usd", "share", "number", "day", "instant"]
Value = str | int | float | Decimal | None

_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in what is copied, its title, and what kind of value stands in it.

    *link* is where to go to have the rows ordered by it; *order* says how they are ordered by it now.
    """

    key: str
    title: str
    kind: Kind = "count"
    link: str = ""
    order: Literal["", "ascending", "descending"] = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of plain values.

    *shown* has, by column, what is shown in place of a value, which is then its tooltip; *links* has, by column, where a
    cell leads. *place* is the colour's place, -1 for the neutral one, None for no colour.
    """

    values: tuple[Value, ...]
    shown: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A series in a legend: its name, its colour's place (-1: the neutral one), where to go to hide or show it."""

    name: str
    place: int
    link: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. *chart* is an SVG's marks, empty where a table says all; *note* what the reader must know beside it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    chart: str = ""
    note: str = ""
    legend: tuple[Entry, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether there is nothing but a table."""
        return not self.chart


def as_json(figure: Figure) -> dict[str, Any]:
    """Return a figure's facts; amounts are exact decimal texts, what is not known is None."""
    keys = [column.key for column in figure.columns]
    return {
        "figure": figure.name,
        "title": figure.title,
        "columns": [
            {"key": column.key, "title": column.title, "kind": column.kind}
            for column in figure.columns
        ],
        "rows": [dict(zip(keys, map(_plain, row.values), strict=True)) for row in figure.rows],
    }


def as_csv(figure: Figure) -> Iterable[list[str]]:
    """Yield a figure's facts as rows of texts, the names of the columns first; what is not known is empty.

    A spreadsheet computes a text that begins as a formula does. Names are anybody's: such a one gets an apostrophe before
    it, by which spreadsheets know a text. JSON has it as it is.
    """
    yield [column.key for column in figure.columns]
    for row in figure.rows:
        yield [_cell(value) for value in row.values]


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULAS) else value
    return "" if value is None else str(_plain(value))


def _plain(value: Value) -> Value:
    return format(value, "f") if isinstance(value, Decimal) else value
