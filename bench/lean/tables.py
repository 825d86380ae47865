"""A reader of the tables that answers come in, written from the description of the form and not from what writes it.

A legend in brackets may stand first. `key:cell` is an entry, `key:` opens an object one blank deeper; `key[3] a→b` heads
three objects, `key{3} (key)→a` an object of three, `key[3x2]` three lists, `key[1+3x2] a→b` three lists and before them one of
these names, `names[2]` alone the names in the head `key[3x2] a→b` beside it. Heads may say of a column that it is fixed (`=x`,
`=x*y`), of texts (`'`), of floats (`~`), of lists (`[]`), and what a blank means (`?` no such key, `^` as above, else null, and
under `[]` an empty list).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

__all__ = ["read_table"]

_KEY = r'(?:"(?:[^"\\]|\\.)*"|[^"\'~.:=?^*(){}\[\]\t]+)'
_ENTRY = re.compile(
    rf"({_KEY})?(?:\[(?P<first>1\+)?(\d+)(?:x(\d+))?\]|\{{(\d+)\}})(?: (.*))?$|({_KEY}):(.*)$",
    re.DOTALL,
)
_HEAD = re.compile(
    rf"(\(key\)|{_KEY}(?:\.{_KEY})*)?(\[\])?(['~])?([?^])?(?:\((below)(, same columns)?\)|=(.*))?$",
    re.DOTALL,
)
_LITERAL = re.compile(r"(?:null|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$")
_MISSING = object()


@dataclass(slots=True)
class _Column:
    path: tuple[str, ...]
    many: bool
    kind: str
    blank: str
    fixed: str | None
    below: bool
    same: bool
    above: Any = None

    @property
    def has_cells(self) -> bool:
        return not self.below and (self.fixed is None or self._parts is not None)

    @property
    def _parts(self) -> tuple[str, str] | None:
        if self.fixed is None or self.fixed.startswith('"') or "*" not in self.fixed:
            return None
        first, _, last = self.fixed.partition("*")
        return first, last

    def value(self, cell: str) -> Any:
        """Return what a cell says here; the last value is kept for a blank that repeats it."""
        if self.fixed is not None and self._parts is None:
            return _scalar(self.fixed)
        value: Any
        if not cell:
            value = {"?": _MISSING, "^": self.above}.get(self.blank, [] if self.many else None)
        elif self.many:
            value = json.loads(cell) if cell[0] == "[" else [_scalar(c) for c in cell.split(",")]
        elif self.kind == "~":
            value = None if cell == "null" else float(cell)
        elif self.kind == "'" or self._parts is not None:
            first, last = self._parts or ("", "")
            value = first + (json.loads(cell) if cell[0] == '"' else cell) + last
        else:
            value = _scalar(cell)
        self.above = value
        return value


@dataclass(slots=True)
class _Level:
    """The columns of one level of a table, and what lies beneath its rows."""

    columns: list[_Column]
    beneath: _Level | None = None
    below: _Column | None = field(init=False)

    def __post_init__(self) -> None:
        self.below = next((column for column in self.columns if column.below), None)


def _scalar(cell: str) -> Any:
    if cell[:1] in ('"', "[", "{") or _LITERAL.match(cell):
        return json.loads(cell)
    return cell


def _key(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def _columns(text: str) -> list[_Column]:
    return [_column(head) for head in text.split("\t")] if text else []


def _column(head: str) -> _Column:
    found = _HEAD.match(head)
    if found is None:
        raise ValueError(f"no head: {head}")
    names, many, kind, blank, below, same, fixed = found.groups()
    path = ("(key)",) if names == "(key)" else tuple(map(_key, re.findall(_KEY, names or "")))
    return _Column(path, bool(many), kind or "", blank or "", fixed, bool(below), bool(same))


class _Reader:
    """Goes through the lines, each with the blanks before it counted."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        if lines[0].startswith("("):
            del lines[0]
        self._lines = [(len(line) - len(line.lstrip(" ")), line.lstrip(" ")) for line in lines]
        self._at = 0

    def whole(self) -> Any:
        if not self._lines:
            raise ValueError("nothing")
        if self._lines[0][1][:1] in ("[", "{"):
            found = _found(self._take(0))
            if found[4] is not None and found[2] is None and _is_named(found[6]):
                raise ValueError("names that are nowhere")
            value = self._collected(found, 0)
        else:
            value = self._object(0)
        if self._at != len(self._lines):
            raise ValueError("lines too many")
        return value

    def _take(self, depth: int) -> str:
        if self._at >= len(self._lines) or self._lines[self._at][0] != depth:
            raise ValueError(f"line {self._at}: not where it should be")
        self._at += 1
        return self._lines[self._at - 1][1]

    def _at_depth(self, depth: int) -> bool:
        return self._at < len(self._lines) and self._lines[self._at][0] == depth

    def _object(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        waiting: list[str] = []
        names: list[str] = []
        while self._at_depth(depth):
            found = _found(self._take(depth))
            if found[7] is not None:
                name = _key(found[7])
                value = _scalar(found[8]) if found[8] else self._object(depth + 1)
            elif found[3] is not None and found[4] is None and found[6] is None:
                name, value = _key(found[1]), int(found[3])
                waiting.append(name)
            else:
                name, value = _key(found[1]), self._collected(found, depth)
                if found[4] is not None and found[2] is None and _is_named(found[6]):
                    names += _names(found[6])
            if name in made:
                raise ValueError(f"{name}: twice")
            made[name] = value
        if [made[name] for name in waiting] != [len(names)] * bool(names):
            raise ValueError("names that are nowhere")
        return made | dict.fromkeys(waiting, names)

    def _collected(self, found: re.Match[str], depth: int) -> Any:
        heads = found[6] or ""
        if found[2] and not (found[4] and _is_named(heads)):
            raise ValueError("a head without names")
        if found[4] is not None and not _is_named(heads):
            return self._lists(int(found[3]), int(found[4]), heads, depth)
        level = self._level(heads, depth)
        rows = [self._row(level, depth) for _ in range(int(found[3] or found[5]))]
        if found[4] is not None:
            names = _names(heads)
            if len(names) != int(found[4]):
                raise ValueError("a head of another width")
            lists = [[row[name] for name in names if name in row] for row in rows]
            return [names, *lists] if found[2] else lists
        return rows if found[5] is None else {row.pop("(key)"): row for row in rows}

    def _level(self, heads: str, depth: int) -> _Level:
        level = _Level(_columns(heads))
        if level.below is not None:
            level.beneath = (
                level if level.below.same else self._level(self._take(depth + 1), depth + 1)
            )
        return level

    def _row(self, level: _Level, depth: int) -> dict[str, Any]:
        values = _values(level.columns, self._take(depth))
        row: dict[str, Any] = {}
        kids = self._kids(level, depth)
        for column, value in zip(level.columns, values, strict=True):
            one = kids if column.below else value
            if one is not _MISSING:
                _put(row, column.path, one)
        return row

    def _kids(self, level: _Level, depth: int) -> Any:
        if level.below is None or level.beneath is None:
            return _MISSING
        if level.below.blank and self._at_depth(depth + 1) and self._lines[self._at][1] == "[]":
            self._at += 1
            return []
        kids = []
        while self._at_depth(depth + 1):
            kids.append(self._row(level.beneath, depth + 1))
        return kids if kids or not level.below.blank else _MISSING

    def _lists(self, count: int, width: int, heads: str, depth: int) -> list[Any]:
        columns = _columns(heads) or [_column("") for _ in range(width)]
        columns += [_column("") for _ in range(width - len(columns))]
        rows = (_values(columns, self._take(depth)) for _ in range(count))
        return [[value for value in row if value is not _MISSING] for row in rows]


def _is_named(heads: str | None) -> bool:
    """Tell whether the heads of lists have names, and not only marks."""
    return bool(heads) and re.match(_KEY, heads or "") is not None


def _names(heads: str) -> list[str]:
    return list(dict.fromkeys(column.path[0] for column in _columns(heads)))


def _found(line: str) -> re.Match[str]:
    found = _ENTRY.match(line)
    if found is None:
        raise ValueError(f"no entry: {line[:60]}")
    return found


def _values(columns: list[_Column], line: str) -> list[Any]:
    cells = line.split("\t")  # those that are blank at the end are left out
    with_cells = [column for column in columns if column.has_cells]
    if len(cells) > max(len(with_cells), 1):
        raise ValueError("cells too many")
    cells += [""] * (len(with_cells) - len(cells))
    said = dict(zip(map(id, with_cells), cells, strict=False))
    return [
        _MISSING if column.below else column.value(said.get(id(column), "")) for column in columns
    ]


def _put(row: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        row = row.setdefault(name, {})
    row[path[-1]] = value


def read_table(text: str) -> Any:
    """Return the value that *text* is a table of.

    Raises:
        ValueError: it is none.
    """
    return _Reader(text).whole()
