"""Characters that nobody sees or that a terminal obeys, and texts of strangers with every one of them written out.

It knows characters by their numbers alone: which of them writing needs, and where, is for whoever judges a text.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SELECTORS", "SHAPELESS", "number", "seen", "told", "visible"]

SHAPELESS: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb"
)
"""Characters without a shape, as ranges inside the brackets of a regular expression."""

SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Those that choose how the character before them is drawn, in the same form."""

_UNSEEN = re.compile(f"[{SHAPELESS}{SELECTORS}]")


def seen(letter: str) -> bool:
    """Return whether a person sees this character, and no terminal obeys it."""
    return letter.isprintable() and _UNSEEN.match(letter) is None


def number(letter: str) -> str:
    """Return a character by its number: `\\u202e`; a line end as `\\n`."""
    code = ord(letter)
    if letter == "\n":
        return "\\n"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """Return *text* in one line, with every character that is not seen written as its number."""
    if text.isprintable() and (text.isascii() or _UNSEEN.search(text) is None):
        return text
    return "".join(letter if seen(letter) else number(letter) for letter in text)


def told(text: str, most: int) -> str:
    """Return what a stranger said in one visible line of at most *most* characters, to stand in a sentence of ours."""
    line = visible(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"
