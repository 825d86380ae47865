"""One column of a table: its cells, and what its head says of all of them at once.

A head is a name with marks: `?` a blank cell is a key the row does not have, `^` a blank cell is as the one above, neither: a
blank cell is null; `'` every cell is a text, `~` every number is a float, also where it is written whole, `[]` every cell is a
list split at commas; `=x` the value of every row, and in
`=x*y` the star is the cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import eq
from types import NoneType
from typing import Any

from econome.lean.cells import ABSENT, Absent, cell_of, quoted, value_of, values_of
from econome.lean.exact import written

__all__ = ["PLAIN", "Marks", "column_cells", "column_values", "marks_of"]

_SPARED = 24
"""Characters that a mark must spare over all rows before a head says it."""
_LONG = 12
"""A text below this length is not worth looking up in the row above, and a beginning or an end not in the head."""
_SPARED_ABOVE = 48
"""Characters that looking up must spare over all rows."""

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


PLAIN = Marks()
"""No marks."""

_FLOATS = {float, NoneType}
_TEXTS = {str, NoneType}


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
    kinds = set(map(type, values))
    absent = Absent in kinds
    kinds.discard(Absent)
    if rich and not absent and len(kinds) == 1 and len(values) > 1:
        fixed = _constant(values)
        if fixed is not None:
            return Marks(fixed=fixed), []
    missing = "?" if absent else ""
    if kinds == {int} and not absent:
        return PLAIN, written(values)[1:-1].split(",")
    if kinds == {list} and (cells := _lists(values)) is not None:
        return Marks(many=True, blank=missing), cells
    if float in kinds and kinds <= _FLOATS:
        return _floats(values, missing)
    if str in kinds and kinds <= _TEXTS and not (absent and NoneType in kinds):
        return _texts(values, missing, rich=rich)
    blank = "^" if rich and not absent and _repeats(values) else missing
    return Marks(blank=blank), _plain(values, blank)


def _constant(values: Sequence[Any]) -> str | None:
    """Return the cell of all *values*, which are of one type; None where they differ, or it would look like another head."""
    first = values[0]
    if values[-1] != first or values.count(first) < len(values):
        return None
    fixed = cell_of(first)
    if type(first) in (dict, list, float) and len(set(map(cell_of, values))) > 1:
        return None  # -0.0 is equal to 0.0, and True to 1
    return None if "*" in fixed and not fixed.startswith('"') else fixed


def _repeats(values: Sequence[Any]) -> bool:
    """Tell whether leaving out what the row above says already spares enough."""
    below = values[1:]
    alike = [text for text in compress(below, map(eq, values, below)) if type(text) is str]
    spared = sum(len(text) for text in alike if len(text) >= _LONG)
    return spared >= _SPARED_ABOVE


def _plain(values: Sequence[Any], blank: str) -> list[str]:
    cells: list[str] = []
    above: Any = ABSENT
    for value in values:
        null = blank == "" and value is None
        if value is ABSENT or null or (blank == "^" and type(value) is str and value == above):
            cells.append("")
        else:
            cells.append(cell_of(value))
        above = value if type(value) is str else ABSENT
    return cells


def _floats(values: Sequence[Any], blank: str) -> tuple[Marks, list[str]]:
    cells = (
        written(values)[1:-1].split(",")
        if set(map(type, values)) == {float}
        else _plain(values, blank)
    )
    whole = [cell.removesuffix(".0") for cell in cells]
    return (Marks(kind="~", blank=blank), whole) if whole != cells else (Marks(blank=blank), cells)


def _texts(values: Sequence[Any], blank: str, *, rich: bool) -> tuple[Marks, list[str]]:
    """Return the marks and the cells of a column of texts, some of them null or missing."""
    texts = [value for value in values if type(value) is str]
    different = set(texts)
    if rich and blank == "" and len(different) < len(texts) and _repeats(values):
        if len(texts) < len(values):
            return Marks(blank="^"), _plain(values, "^")
        blank = "^"
    ends = _shared_ends(texts) if rich else None
    if ends is not None:
        before, after = map(len, ends)
        middles = {text: text[before : len(text) - after] for text in different}
        always, _ = quoted(set(middles.values()))
        own = {text: always.get(middle, middle) for text, middle in middles.items()}
        return Marks(blank=blank, fixed="*".join(ends)), _filled(values, own, blank)
    always, mixed = quoted(different)
    plain = _filled(values, always | mixed, blank)
    if rich and mixed:
        bare = _filled(values, always, blank)
        if sum(map(len, plain)) > sum(map(len, bare)) + 2:
            return Marks(kind="'", blank=blank), bare
    return Marks(blank=blank) if blank else PLAIN, plain


def _filled(values: Sequence[Any], own: Mapping[str, str], blank: str) -> list[str]:
    """Return the cells of texts: those that *own* has, or the texts themselves."""
    if blank == "^":
        pairs = zip(values, (ABSENT, *values), strict=False)
        return ["" if value == above else own.get(value, value) for value, above in pairs]
    if not own:
        if None not in values and ABSENT not in values:
            return list(values)
        return ["" if value is None or value is ABSENT else value for value in values]
    return ["" if value is None or value is ABSENT else own.get(value, value) for value in values]


def _shared_ends(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return what all texts begin and end with, at the borders of words, None where that spares too little."""
    if len(texts) < 3:
        return None
    low, high = min(texts), max(texts)
    if low[:1] != high[:1] and texts[0][-1:] != texts[1][-1:]:
        return None
    before = _to_border(low[: _alike(low, high)])
    ended = min(map(len, texts)) - len(before)
    first = texts[0][::-1]
    for text in dict.fromkeys(texts):
        ended = min(ended, _alike(first, text[: -ended - 1 : -1]))
        if not ended:
            break
    after = _to_border(first[:ended])[::-1]
    if len(before) + len(after) < _LONG:
        return None
    if (len(before) + len(after)) * (len(texts) - 1) < _SPARED or "*" in before + after:
        return None
    return None if quoted((f"{before}*{after}",))[0] else (before, after)


def _alike(one: str, other: str) -> int:
    """Return how many letters both begin with."""
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:
        return shorter
    at = 0
    while one[at] == other[at]:
        at += 1
    return at


def _to_border(text: str) -> str:
    """Return *text* up to and with its last sign that is no letter or digit."""
    at = len(text)
    while at and text[at - 1].isalnum():
        at -= 1
    return text[:at]


def _lists(values: Sequence[Any]) -> list[str] | None:
    """Return lists of scalars as cells split at commas, None where the column has others."""
    empty = "[]" if ABSENT in values else ""
    entries = [entry for value in values if value is not ABSENT for entry in value]
    kinds = set(map(type, entries))
    if dict in kinds or list in kinds:
        return None
    own: Mapping[str, str] = {}
    if kinds == {str}:
        always, mixed = quoted(set(entries))
        own = always | mixed
    cells: list[str] = []
    for value in values:
        if value is ABSENT or not value:
            cells.append("" if value is ABSENT else empty)
            continue
        parts = value if kinds == {str} and not own else list(map(cell_of, value))
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
    if "" not in cells:
        return _read(marks, cells)
    filled = iter(_read(marks, [cell for cell in cells if cell]))
    values: list[Any] = []
    for cell in cells:
        if cell:
            values.append(next(filled))
        elif marks.blank == "^":
            values.append(values[-1])
        elif marks.blank == "?":
            values.append(ABSENT)
        else:
            values.append([] if marks.many else None)
    return values


def _read(marks: Marks, cells: Sequence[str]) -> list[Any]:
    """Return the values of cells, none of which is blank."""
    if marks.many:
        return [value_of(cell) if cell[0] == "[" else values_of(cell.split(",")) for cell in cells]
    if marks.kind == "~":
        return [None if cell == "null" else float(cell) for cell in cells]
    if marks.kind == "'" or marks.fixed is not None:
        before, after = marks.ends or ("", "")
        texts = (value_of(cell) if cell.startswith('"') else cell for cell in cells)
        return [f"{before}{text}{after}" for text in texts]
    return values_of(cells)
