"""What a server says of itself, made fit to stand in a sentence of ours: short, on one line, and with nothing unseen in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from econome.unseen import visible

__all__ = ["given", "listed", "shown"]

_MOST: Final = 80
_MOST_LISTED: Final = 5


def shown(value: Any, most: int = _MOST) -> str:
    """Return *value* in at most so many characters: a text as it is, anything else as JSON, what nobody sees by its number."""
    told = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    )
    told = told if len(told) <= most else told[: most - 1] + "…"
    return visible(told.replace("\n", " ").replace("\t", " "))


def given(value: Any, without: str = "not given") -> str:
    """Return *value* in backticks; where there is none, *without*."""
    return without if value is None else f"`{shown(value)}`"


def listed(names: Iterable[Any]) -> str:
    """Return names in backticks, in order and with commas; of many the first, and how many more there are."""
    held = sorted(names)
    told = ", ".join(f"`{shown(name)}`" for name in held[:_MOST_LISTED])
    return told if len(held) <= _MOST_LISTED else f"{told} and {len(held) - _MOST_LISTED} more"
