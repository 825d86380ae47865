"""Tables that are no lists of objects: lists whose columns are named beside them or above, and objects of many objects.

It knows values and no form of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

__all__ = ["beside_rows", "is_collection", "is_headed", "names_of"]

_WIDEST = 200
_MANY = 12
"""Entries of an object from which they are rows by their keys, where they are objects that share theirs."""
_NAMES = ("columns", "column_names", "headers", "header", "fields", "names")
"""What the list of a table's names is called, where there are several lists as long as its rows."""


def names_of(value: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the key of a list of names and that of the lists whose columns they name, None and None where there are none."""
    for rows, entry in value.items():
        if type(entry) is not list or len(entry) < 2 or set(map(type, entry)) != {list}:
            continue
        widths = set(map(len, entry))
        width = widths.pop()
        if widths or not 2 <= width <= _WIDEST:
            continue
        fitting = [
            key
            for key, own in value.items()
            if type(own) is list
            and len(own) == width == len(set(map(str, own)))
            and set(map(type, own)) == {str}
        ]
        if fitting:
            return next((key for key in _NAMES if key in fitting), fitting[0]), rows
    return None, None


def beside_rows(value: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys of lists that say something of each column of a list of lists beside them: names, types."""
    widths = {
        len(entry[0])
        for entry in value.values()
        if type(entry) is list
        and entry
        and set(map(type, entry)) == {list}
        and len(set(map(len, entry))) == 1
    }
    return frozenset(
        key
        for key, own in value.items()
        if type(own) is list
        and own
        and len(own) in widths
        and (key in _NAMES or {dict, list}.isdisjoint(map(type, own)))
    )


def is_headed(rows: Sequence[Sequence[Any]]) -> bool:
    """Tell whether the first of *rows* names their columns: all of it texts, above what is none in one column at least."""
    head = rows[0]
    if len(rows) < 3 or len(head) < 2 or set(map(type, head)) != {str}:
        return False
    if len(set(head)) < len(head) or max(map(len, rows[1:])) != len(head):
        return False
    kinds = (
        {type(row[at]) for row in rows[1:] if at < len(row)} - {NoneType} for at in range(len(head))
    )
    return any(own and own <= {int, float, bool} for own in kinds)


def is_collection(value: object) -> bool:
    """Tell whether *value* is a list, or an object of so many objects alike that its keys are names of rows."""
    if type(value) is not dict:
        return type(value) is list
    if len(value) < _MANY or set(map(type, value.values())) != {dict}:
        return False
    keys = {key for entry in value.values() for key in entry}
    return sum(map(len, value.values())) * 2 >= len(keys) * len(value) > 0
