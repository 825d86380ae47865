"""Where in the text of a TOML file something stands, for who has to mend it.

It reads text that was decoded before and found wrong. It knows no rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["dotted", "line_of"]

_LONGEST = 64
"""Lines that one value is followed through."""

_TRIES = 200
"""Beginnings of a file that are decoded at most."""


def dotted(names: Sequence[str]) -> str:
    """Return the names that lead to a place as a file would have them, quoted where they must be."""
    return ".".join(
        name if name.replace("-", "").replace("_", "").isalnum() else f'"{name}"' for name in names
    )


def line_of(text: str, names: Sequence[str]) -> int | None:
    """Return the line on which what these names lead to begins, None where that is not found.

    It is the first line that has the last name and whose end, or that of a line soon after it, makes a beginning of the
    file that decodes and has the whole way.
    """
    lines = text.split("\n")
    tries = 0
    for at, line in enumerate(lines):
        if names[-1] not in line:
            continue
        for end in range(at + 1, min(len(lines), at + _LONGEST) + 1):
            tries += 1
            if tries > _TRIES:
                return None
            found = _decoded("\n".join(lines[:end]))
            if found is None:
                continue
            if _leads(found, names):
                return at + 1
            break
    return None


def _decoded(text: str) -> dict[str, Any] | None:
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(text)
    except TOMLDecodeError:
        return None


def _leads(values: object, names: Sequence[str]) -> bool:
    for name in names:
        if not isinstance(values, dict) or name not in values:
            return False
        values = values[name]
    return True
