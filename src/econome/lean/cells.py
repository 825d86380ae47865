"""One scalar as the cell of a table, and back; the names of columns and keys.

A cell is the value's JSON, but a text that could be nothing else goes without its quotes. What holds a tab or a line end keeps
them: a cell is one piece of one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from json.encoder import encode_basestring
from typing import Any

import msgspec

from econome.lean.exact import compact, written

__all__ = ["ABSENT", "Absent", "cell_of", "key_of", "quoted", "value_of", "values_of"]


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
_READ = msgspec.json.Decoder().decode

_NUMBERS = frozenset("-0123456789")
_BEGUN = frozenset('"[{')
_CONSTANTS = frozenset(("null", "true", "false"))
_SUSPECT = _NUMBERS | _BEGUN | {" "}


def quoted(texts: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the cells of those *texts* that need quotes: wherever they stand, and where not only texts stand."""
    always: dict[str, str] = {}
    mixed = {text: f'"{text}"' for text in _CONSTANTS.intersection(texts)}
    # All of printable letters has no control, no line end and no blank but the usual one.
    suspects = texts
    if "".join(texts).isprintable():
        suspects = [text for text in texts if not text or text[0] in _SUSPECT or text[-1] == " "]
    for text in suspects:
        if _BARE.fullmatch(text) is None:
            always[text] = encode_basestring(text)
        elif _OTHER.fullmatch(text):
            mixed[text] = encode_basestring(text)
    return always, mixed


def cell_of(value: object) -> str:
    """Return the cell of a value: never empty, never of two lines."""
    if isinstance(value, str):
        bare = _BARE.fullmatch(value) is not None and _OTHER.fullmatch(value) is None
        return value if bare else encode_basestring(value)
    kind = type(value)
    if kind is int or kind is float:
        return repr(value)
    if kind is bool:
        return "true" if value else "false"
    return "null" if value is None else written(value)


def value_of(cell: str) -> Any:
    """Return the value of a cell.

    Raises:
        ValueError: it begins like JSON and is none.
    """
    if cell[:1] in '"[{' or _OTHER.fullmatch(cell):  # an empty one is as little JSON
        try:
            return _READ(cell)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return _loads(cell)
    return cell


def values_of(cells: Sequence[str]) -> list[Any]:
    """Return the values of cells, none of them empty.

    Raises:
        ValueError: one begins like JSON and is none.
    """
    different = set(cells)
    whole = "".join(different)
    if (
        whole.isdecimal()
        and whole.isascii()
        and not any(cell[0] == "0" != cell for cell in different)
    ):
        return list(map(int, cells))
    begun = {cell[0] for cell in different}
    if not begun.isdisjoint("[{"):  # each row has a list or object of its own
        return list(map(value_of, cells))
    if begun.isdisjoint(_NUMBERS) and '"' not in begun and different.isdisjoint(_CONSTANTS):
        return list(cells)
    known = {cell: value_of(cell) for cell in different}
    return [known[cell] for cell in cells]


def key_of(name: str) -> str:
    """Return *name* as a key or a column's name stands in a line: quoted where it holds a sign that means something there."""
    return name if name.isidentifier() or _KEY.fullmatch(name) else compact(name)
