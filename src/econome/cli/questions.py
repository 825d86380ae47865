"""Questions to the person at the terminal, and lines that fit it.

What was typed before a question was shown is no answer to it, and is thrown away.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TextIO

import click

__all__ = ["confirm", "wrapped"]

_LEAST = 20


def confirm(question: str) -> bool:
    """Ask on standard error for a yes, and return whether it came; Enter alone is a no.

    Raises:
        click.Abort: no answer came.
    """
    import termios

    sys.stdout.flush()
    sys.stderr.flush()
    # A line that was typed ahead, for the shell or out of impatience, must not say yes to what nobody had seen.
    try:
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    except (OSError, ValueError, termios.error):
        return False
    return click.confirm(question, err=True)


def wrapped(text: str, stream: TextIO) -> str:
    """Return a sentence, broken at blanks where *stream* is a terminal that is narrower."""
    if not stream.isatty():
        return text
    width = max(_LEAST, shutil.get_terminal_size().columns - 1)
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
