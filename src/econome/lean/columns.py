"""One column of a table: its cells, and what its head says of all of them at once.

A head is a name with marks: `?` a blank cell is a key the row does not have, `^` a blank cell is as the one above, neither: a
blank cell is null; `'` every cell is a text, `~` every number is a float, also where it is written whole, `[]` every cell is a
list split at commas; `=x` the value of every row, and in
`=x*y` the star is the cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import NoneType
from typing import Any

from econome.lean.cells import ABSENT, cell_of, is_bare_text, value_of
from econome.lean.exact import compact

__all__ = ["Marks", "column_cells", "column_values", "marks_of"]

_SPARED = 24
"""Characters that a mark must spare over all rows before a head says it."""
_SHORT = 3
"""A text below this length is not worth looking up in the row above."""

_MARKS = re.compile(r"(\[\])?(['~])?([?^])?(?:=(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a head says beside its name; *kind* is `'`, `~` or nothing, *blank* `?`, `^` or nothing, *fixed* what stands after `=`."""

    many: bool = False
    kind: str = ""
    blank: str = ""
    fixed: str | None = None

    def __str__(self) -> str:
        """Return the marks as a head ends with them."""
        fixed = "" if self.fixed is None else f"={self.fixed}"
        return f"{'[]' if self.many else ''}{self.kind}{self.blank}{fixed}"

    @property
    def ends(self) -> tuple[str, str] | None:
        """Return what comes before and after each cell, None where no star says so."""
        if self.fixed is None or "*" not in self.fixed or self.fixed.startswith('"'):
            return None
        before, _, after = self.fixed.partition("*")
        return before, after

    @property
    def constant(self) -> bool:
        """Tell whether the head holds the value of every row, so that the column has no cells."""
        return self.fixed is not None and self.ends is None


def marks_of(text: str) -> Marks:
    """Return the marks that a head ends with.

    Raises:
        ValueError: they are none.
    """
    found = _MARKS.fullmatch(text)
    if found is None:
        raise ValueError(f"no marks: {text[:40]}")
    many, kind, blank, fixed = found.groups()
    return Marks(many is not None, kind or "", blank or "", fixed)


def column_cells(values: Sequence[Any], *, rich: bool) -> tuple[Marks, list[str]]:
    """Return the marks and the cells of a column; *rich* also says at once what rows have in common.

    A constant column has no cells.
    """
    absent = any(value is ABSENT for value in values)
    if rich and not absent and len(values) > 1 and (fixed := _constant(values)) is not None:
        return Marks(fixed=fixed), []
    kinds = {type(value) for value in values if value is not ABSENT}
    if kinds == {list} and (cells := _lists(values)) is not None:
        return Marks(many=True, blank="?" if absent else ""), cells
    if kinds == {int} and not absent:
        return Marks(), list(map(repr, values))
    if float in kinds and kinds <= {float, NoneType}:
        return _floats(values, "?" if absent else "")
    if not rich:
        return _plain(values, "?" if absent else "")
    blank = "?" if absent else ("^" if _repeats(values) else "")
    texts = kinds == {str} or (kinds == {str, NoneType} and blank == "")
    if texts:
        ends = _shared_ends([value for value in values if type(value) is str])
        if ends is not None:
            marks = Marks(blank=blank, fixed="*".join(ends))
            return marks, _texts(values, blank, len(ends[0]), len(ends[1]))
        cells = _texts(values, blank, 0, 0)
        quoted = _plain(values, blank)
        if sum(map(len, quoted[1])) > sum(map(len, cells)) + 2:
            return Marks(kind="'", blank=blank), cells
    return _plain(values, blank)


def _constant(values: Sequence[Any]) -> str | None:
    first = cell_of(values[0])
    if any(type(value) is not type(values[0]) for value in values):
        return None
    if type(values[0]) in (dict, list, float):
        if any(cell_of(value) != first for value in values):
            return None
    elif any(value != values[0] for value in values):
        return None
    if "*" in first and not first.startswith('"'):
        return None
    return first


def _repeats(values: Sequence[Any]) -> bool:
    """Tell whether leaving out what the row above says already spares enough."""
    spared = sum(
        len(this)
        for above, this in pairwise(values)
        if type(this) is str and len(this) >= _SHORT and this == above
    )
    return spared >= _SPARED


def _plain(values: Sequence[Any], blank: str) -> tuple[Marks, list[str]]:
    cells: list[str] = []
    above: Any = ABSENT
    for value in values:
        null = blank == "" and value is None
        if value is ABSENT or null or (blank == "^" and type(value) is str and value == above):
            cells.append("")
        else:
            cells.append(cell_of(value))
        above = value if type(value) is str else ABSENT
    return Marks(blank=blank), cells


def _floats(values: Sequence[Any], blank: str) -> tuple[Marks, list[str]]:
    _, cells = _plain(values, blank)
    whole = [cell.removesuffix(".0") for cell in cells]
    return (Marks(kind="~", blank=blank), whole) if whole != cells else (Marks(blank=blank), cells)


def _texts(values: Sequence[Any], blank: str, before: int, after: int) -> list[str]:
    cells: list[str] = []
    above: Any = ABSENT
    for value in values:
        if value is ABSENT or value is None or (blank == "^" and value == above):
            cells.append("")
        else:
            middle = value[before : len(value) - after]
            cells.append(middle if is_bare_text(middle) else compact(middle))
        above = value
    return cells


def _shared_ends(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return what all texts begin and end with, at the borders of words, None where that spares too little."""
    if len(texts) < 3:
        return None
    low, high, shortest = min(texts), max(texts), min(map(len, texts))
    begun = 0
    while begun < shortest and low[begun] == high[begun]:
        begun += 1
    before = _to_border(low[:begun])
    turned = [text[: len(before) - 1 if before else None : -1] for text in texts]
    low, high, shortest = min(turned), max(turned), min(map(len, turned))
    ended = 0
    while ended < shortest and low[ended] == high[ended]:
        ended += 1
    after = _to_border(low[:ended])[::-1]
    if (len(before) + len(after)) * (len(texts) - 1) < _SPARED or "*" in before + after:
        return None
    return (before, after) if is_bare_text(f"{before}*{after}") else None


def _to_border(text: str) -> str:
    """Return *text* up to and with its last sign that is no letter or digit."""
    at = len(text)
    while at and text[at - 1].isalnum():
        at -= 1
    return text[:at]


def _lists(values: Sequence[Any]) -> list[str] | None:
    """Return lists of scalars as cells split at commas, None where the column has others."""
    absent = any(value is ABSENT for value in values)
    cells: list[str] = []
    for value in values:
        if value is ABSENT:
            cells.append("")
            continue
        if not value:
            cells.append("[]" if absent else "")
            continue
        if any(type(entry) in (dict, list) for entry in value):
            return None
        parts = [cell_of(entry) for entry in value]
        joined = ",".join(parts)
        simple = joined.count(",") == len(parts) - 1 and '"' not in joined
        cells.append(joined if simple else cell_of(value))
    return cells


def column_values(marks: Marks, cells: Sequence[str], rows: int) -> list[Any]:
    """Return the values of a column of that many rows.

    Raises:
        ValueError: a cell cannot be read.
    """
    if marks.constant:
        return [value_of(marks.fixed or "") for _ in range(rows)]
    read = _reader(marks)
    values: list[Any] = []
    for cell in cells:
        if cell:
            values.append(read(cell))
        elif marks.blank == "^":
            values.append(values[-1])
        elif marks.blank == "?":
            values.append(ABSENT)
        else:
            values.append([] if marks.many else None)
    return values


def _reader(marks: Marks) -> Any:
    if marks.many:
        return lambda cell: (
            value_of(cell) if cell[0] == "[" else list(map(value_of, cell.split(",")))
        )
    if marks.kind == "~":
        return lambda cell: None if cell == "null" else float(cell)
    if marks.kind == "'" or marks.fixed is not None:
        before, after = marks.ends or ("", "")
        return lambda cell: f"{before}{value_of(cell) if cell[0] == chr(34) else cell}{after}"
    return value_of
