"""JSON pointers: written from the steps of a path, read back into steps, and followed into a value.

A step that leads to nothing gives None and never an error, whatever text it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["below", "followed", "pointer_to", "row_at", "steps_of", "value_at"]

_MOST_DIGITS = 18
"""Digits of a row's number; no list has more rows, and Python refuses to read numbers that are much longer."""


def pointer_to(*steps: object) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def below(place: str, *steps: object) -> str:
    """Return the JSON pointer to what has these steps below the pointer *place*."""
    return place + pointer_to(*steps)


def steps_of(pointer: str) -> tuple[str, ...]:
    """Return the path that a JSON pointer stands for."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def row_at(step: str, rows: Sequence[Any]) -> int | None:
    """Return the number of the row that a step of a path leads to, None where there is no such row."""
    number = int(step) if step.isdecimal() and len(step) <= _MOST_DIGITS else len(rows)
    return number if number < len(rows) else None


def value_at(value: Any, place: Sequence[str]) -> Any:
    """Return what lies at *place*, a row by its number; None where nothing does."""
    for key in place:
        if type(value) is list and (row := row_at(key, value)) is not None:
            value = value[row]
        elif type(value) is dict and key in value:
            value = value[key]
        else:
            return None
    return value


def followed(reference: str, root: Mapping[str, Any]) -> Any:
    """Return what a reference leads to by the keys of the schema that it stands in, None where that is nothing."""
    here: Any = root
    for step in steps_of(reference.removeprefix("#")):
        if not isinstance(here, Mapping):
            return None
        here = here.get(step)
    return here if reference.startswith("#") else None
