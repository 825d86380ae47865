"""What can be done now about servers that were asked, on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from econome.cli.profile_texts import PROFILE
from econome.cli.render.figures import plain
from econome.cli.render.screen import ACCENT, FAINT, TITLE, Screen

__all__ = ["show_next"]

_GAP = 2


def show_next(
    screen: Screen, where: Sequence[str], install: Sequence[str], *, several: bool
) -> None:
    """Print the commands: *where* are the words that name the servers, *install* those of an entry, if one is known."""
    screen.line()
    screen.prose(PROFILE["next"], style=TITLE)
    rows = []
    if not several:
        rows.append((["econome", "proxy", "--dry-run", *where], PROFILE["next_see"]))
    if install:
        rows.append((["econome", "proxy", "install", *install], PROFILE["next_install"]))
    rows.append((["econome", "lock", *where], PROFILE["next_lock"]))
    told = [(plain(shlex.join(words)), text) for words, text in rows]
    widest = max(cell_len(command) for command, _ in told)
    for command, text in told:
        line = Text(command, style=ACCENT)
        if widest + _GAP + cell_len(text) <= screen.width:
            line.append(" " * (widest + _GAP - cell_len(command)) + text, style=FAINT)
        screen.line(line)
