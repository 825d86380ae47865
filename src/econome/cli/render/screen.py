"""The terminal that reports are shown on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

__all__ = ["ACCENT", "FAINT", "LOUD", "TITLE", "Screen"]

ACCENT, FAINT, LOUD, TITLE = "cyan", "dim", "yellow", "bold"

_WIDE = 140
"""The width where standard output is no terminal: enough for every column of a report."""

_LEAST = 40
_PROSE = 100
_PLAIN = str.maketrans("≥─━…·–−│├└●", ">-=~---||`*")
"""The signs a report draws with, one for one in ASCII, so that columns stay in line."""


class Screen:
    """Prints lines of styled text, never wrapping what must stay whole.

    With *keep*, lines are kept in `kept` instead. Colour only on a terminal and without ``NO_COLOR``. Where the terminal cannot write a sign of
    ours, an ASCII one stands for it.
    """

    def __init__(self, console: Console | None = None, *, keep: bool = False) -> None:
        self.console = console or _console()
        self.kept: list[Text] = []
        self._keep = keep
        self.width = max(_LEAST, self.console.width)
        self._plain = not _writes(self.console.encoding)

    def line(self, text: Text | str = "", style: str = "") -> None:
        """Print one line, whole."""
        shown = self._drawn(text if isinstance(text, Text) else Text(text, style=style))
        if self._keep:
            shown.no_wrap, shown.overflow = True, "ignore"
            self.kept.append(shown)
        else:
            self.console.print(shown, no_wrap=True, overflow="ignore", crop=False)

    def lines(self, texts: Iterable[Text]) -> None:
        """Print lines, each whole."""
        for text in texts:
            self.line(text)

    def prose(self, text: Text | str, style: str = "") -> None:
        """Print a sentence, wrapped at words."""
        for line in self.wrapped(text if isinstance(text, Text) else Text(text)):
            line.stylize(style)
            self.line(line)

    def facts(self, facts: Iterable[str], style: str = "") -> None:
        """Print short facts one after another, breaking lines only between them."""
        line = ""
        for fact in facts:
            longer = f"{line} · {fact}" if line else fact
            if line and cell_len(longer) > min(self.width, _PROSE):
                self.line(line, style=style)
                longer = fact
            line = longer
        self.line(line, style=style)

    def wrapped(self, text: Text, indent: int = 0) -> list[Text]:
        """Return *text* in lines that fit beside an indent, without blanks at their ends."""
        found = []
        for line in text.wrap(self.console, max(10, min(self.width, _PROSE) - indent)):
            line.rstrip()
            found.append(line)
        return found

    def _drawn(self, text: Text) -> Text:
        if self._plain:
            encoding = self.console.encoding
            drawn = text.plain.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
            text.plain = drawn
        return text


class _Console(Console):
    """A console that leaves a broken pipe to the command line's own answer."""

    def on_broken_pipe(self) -> None:
        """Pass it on, where rich would end the process."""
        raise BrokenPipeError


def _console() -> Console:
    terminal = sys.stdout.isatty()
    width = None if terminal or os.environ.get("COLUMNS", "").isdigit() else _WIDE
    return _Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


def _writes(encoding: str) -> bool:
    try:
        "".join(map(chr, _PLAIN)).encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
