"""The terminal that reports are shown on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

__all__ = ["ACCENT", "FAINT", "LOUD", "TITLE", "Screen"]

ACCENT, FAINT, LOUD, TITLE = "cyan", "dim", "yellow", "bold"

_WIDE = 140
"""The width where standard output is no terminal: enough for every column of a report."""

_LEAST = 40
_PROSE = 100
_PLAIN = str.maketrans("≥─━…·│├└●", ">-=~-||`*")
"""The signs a report draws with, one for one in ASCII, so that columns stay in line."""


class Screen:
    """Prints lines of styled text, never wrapping what must stay whole.

    Colour only on a terminal and without ``NO_COLOR``. Where the terminal cannot write a sign of
    ours, an ASCII one stands for it.
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or _console()
        self.width = max(_LEAST, self.console.width)
        self._plain = not _writes(self.console.encoding)

    def line(self, text: Text | str = "", style: str = "") -> None:
        """Print one line, whole."""
        shown = text if isinstance(text, Text) else Text(text, style=style)
        self.console.print(self._drawn(shown), no_wrap=True, overflow="ignore", crop=False)

    def lines(self, texts: Iterable[Text]) -> None:
        """Print lines, each whole."""
        for text in texts:
            self.line(text)

    def prose(self, text: Text | str, style: str = "") -> None:
        """Print a sentence, wrapped at words."""
        shown = text if isinstance(text, Text) else Text(text)
        for line in self._drawn(shown).wrap(self.console, min(self.width, _PROSE)):
            line.rstrip()
            line.stylize(style)
            self.console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def _drawn(self, text: Text) -> Text:
        if self._plain:
            text.plain = text.plain.translate(_PLAIN)
        return text


def _console() -> Console:
    terminal = sys.stdout.isatty()
    width = None if terminal or os.environ.get("COLUMNS", "").isdigit() else _WIDE
    return Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


def _writes(encoding: str) -> bool:
    try:
        "".join(map(chr, _PLAIN)).encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
