"""One scalar as the cell of a table, and back; the names of columns and keys.

A cell is the value's JSON, but a text that could be nothing else goes without its quotes. What holds a tab or a line end keeps
them: a cell is one piece of one line.
"""

from __future__ import annotations

import json
import re
from typing import Any

from econome.lean.exact import compact

__all__ = ["ABSENT", "Absent", "bare", "cell_of", "is_bare_text", "key_of", "value_of"]


class Absent:
    """The type of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return its name."""
        return "ABSENT"


ABSENT = Absent()
"""A key that a row does not have; `null` is a value."""

# Text of these needs no quotes: no line end, tab or other control, no blank at an end, not begun like JSON.
_BARE = re.compile(
    r'[^\s"\[{\x00-\x1f\x7f](?:[^\t\n\r\x00-\x1f\x7f\u2028\u2029]*[^\s\x00-\x1f\x7f])?'
)
_OTHER = re.compile(r"null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_KEY = re.compile(
    r"""[^\s"'~.:=?^*(){}\[\],\x00-\x1f](?:[^"'~.:=?^*(){}\[\]\t\n\r\x00-\x1f]*[^\s"'~.:=?^*(){}\[\]\x00-\x1f])?"""
)
_loads = json.JSONDecoder().decode


def is_bare_text(text: str) -> bool:
    """Tell whether *text* may stand without quotes where only texts stand."""
    return _BARE.fullmatch(text) is not None


def bare(text: str) -> bool:
    """Tell whether *text* may stand without quotes where anything may stand."""
    return _BARE.fullmatch(text) is not None and _OTHER.fullmatch(text) is None


def cell_of(value: object) -> str:
    """Return the cell of a value: never empty, never of two lines."""
    kind = type(value)
    if kind is str:
        return value if bare(value) else compact(value)  # type: ignore[arg-type,return-value]
    if kind is int or kind is float:
        return repr(value)
    if kind is bool:
        return "true" if value else "false"
    return "null" if value is None else compact(value)


def value_of(cell: str) -> Any:
    """Return the value of a cell.

    Raises:
        ValueError: it begins like JSON and is none.
    """
    if cell[:1] in '"[{' or _OTHER.fullmatch(cell):
        return _loads(cell)
    return cell


def key_of(name: str) -> str:
    """Return *name* as a key or a column's name stands in a line: quoted where it holds a sign that means something there."""
    return name if _KEY.fullmatch(name) else compact(name)
