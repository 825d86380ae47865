"""Objects as columns, and back: nested objects become dotted columns, and a key that a row lacks is told from null.

The order of keys is kept: rows whose keys come in different orders are no table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econome.lean.cells import ABSENT

__all__ = ["Column", "Path", "Unfit", "columns_of", "objects_of"]

Path = tuple[str, ...]
"""The keys that lead to a value from its row."""

_DEEPEST = 6
"""Levels of nested objects that become columns; what lies deeper stays JSON in its cell."""
_MOST = 400
"""Columns of one table."""


class Unfit(ValueError):
    """A value has no such form, or none that pays."""


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one path in every row, `ABSENT` where a row has none."""

    path: Path
    values: list[Any]


def columns_of(rows: Sequence[Mapping[str, Any]], *, nested: bool = True) -> list[Column]:
    """Return the columns of *rows*; with *nested*, objects that rows share become columns of their own.

    Raises:
        Unfit: the keys of two rows come in different orders, or there are too many.
    """
    return _columns(rows, (), _DEEPEST if nested else 0)


def _columns(rows: Sequence[Mapping[str, Any]], above: Path, deeper: int) -> list[Column]:
    shapes = dict.fromkeys(map(tuple, rows))
    keys = _keys(shapes)
    if len(shapes) == 1:
        turned: Iterator[list[Any]] = map(list, zip(*(row.values() for row in rows), strict=True))
    else:
        turned = ([row.get(key, ABSENT) for row in rows] for key in keys)
    found: list[Column] = []
    for key, values in zip(keys, turned, strict=True):
        column = Column((*above, key), values)
        found += _parts(column, deeper) if deeper else [column]
    if len(found) > _MOST:
        raise Unfit("too many columns")
    return found


def _keys(shapes: Iterable[tuple[str, ...]]) -> list[str]:
    keys: list[str] = []
    for shape in shapes:
        if not keys:
            keys += shape
            continue
        at = 0
        for key in shape:
            if key in keys[at:]:
                at = keys.index(key, at) + 1
            elif key in keys:
                raise Unfit("keys in two orders")
            else:
                keys.insert(at, key)
                at += 1
        if len(keys) > _MOST:
            raise Unfit("too many columns")
    return keys


def _parts(column: Column, deeper: int) -> list[Column]:
    """Return the columns of a column of objects; what is no object stays in one of its own."""
    if dict not in set(map(type, column.values)):
        return [column]
    inside = [value if type(value) is dict else {} for value in column.values]
    objects = sum(map(bool, inside))
    if not objects:
        return [column]
    try:
        parts = _columns(inside, column.path, deeper - 1)
    except Unfit:
        return [column]
    cells = sum(part.values.count(ABSENT) < len(inside) for part in parts) * objects
    if sum(map(len, inside)) * 2 < cells:  # the objects share too little
        return [column]
    rest = [ABSENT if type(value) is dict and value else value for value in column.values]
    return [Column(column.path, rest), *parts] if any(one is not ABSENT for one in rest) else parts


def objects_of(columns: Sequence[Column], rows: int) -> list[dict[str, Any]]:
    """Return the rows of *columns*."""
    if all(len(column.path) == 1 and ABSENT not in column.values for column in columns):
        names = [column.path[0] for column in columns]
        return [
            dict(zip(names, row, strict=True))
            for row in zip(*(c.values for c in columns), strict=True)
        ]
    found: list[dict[str, Any]] = [{} for _ in range(rows)]
    for column in columns:
        *above, last = column.path
        for row, value in zip(found, column.values, strict=True):
            if value is ABSENT:
                continue
            place = row
            for key in above:
                place = place.setdefault(key, {})
            place[last] = value
    return found
