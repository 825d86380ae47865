"""The first lines of an answer, how much there is, and where the rest is (D8)."""

from __future__ import annotations

from typing import Final

__all__ = ["PREVIEW_CHARACTERS", "PREVIEW_LINES", "preview"]

PREVIEW_LINES: Final = 12
PREVIEW_CHARACTERS: Final = 600


def preview(text: str, where: str | None) -> str:
    """Return the beginning of *text* and a line that says what is left out and *where* it is; a short text stays whole.

    *where* is a path, or None where the answer is not kept.
    """
    lines = text.splitlines()
    first = "\n".join(lines[:PREVIEW_LINES])
    if len(lines) <= PREVIEW_LINES and len(text) <= PREVIEW_CHARACTERS:
        return text
    begun = first[:PREVIEW_CHARACTERS].rstrip()
    rest = "the rest is not kept" if where is None else f"the whole is in {where}"
    size = f"{len(lines)} line{'s' * (len(lines) != 1)}, {len(text)} characters"
    shown = f"{begun}\n[… of {size}; {rest}]"
    return shown if len(shown) < len(text) else text
