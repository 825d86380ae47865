"""What servers call themselves and their tools, shown so that it can neither act on what shows it nor hide.

Names and texts of a server come from a stranger. Whatever a terminal would obey or a person could not see (controls, ANSI, marks
that turn the direction of writing, characters without width) is written out by its number.
"""

from __future__ import annotations

import json
from typing import Any

from econome.unseen import visible

__all__ = ["call", "shortened", "value"]

_ENOUGH = 300
"""So many characters of a value are shown."""


def shortened(text: str, most: int = _ENOUGH) -> str:
    """Return *text* with at most *most* characters, and how many were left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters)"


def value(held: Any, most: int | None = _ENOUGH) -> str:
    """Return a JSON value in one visible line, cut after *most* characters; a text stands without quotes."""
    told = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False, default=str)
    shown = visible(told)
    return shown if most is None else shortened(shown, most)


def call(name: str, arguments: Any, most: int | None = _ENOUGH) -> str:
    """Return a call of a tool as it would be made: `search({"limit": 5})`."""
    told = f"{visible(name)}({value(arguments, None)})"
    return told if most is None else shortened(told, most)
