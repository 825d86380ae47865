"""The servers of the clients on this machine, as a table."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from econome.cli.install_texts import INSTALL, INSTALL_COLUMNS, STATES
from econome.cli.render.figures import plain
from econome.cli.render.screen import ACCENT, FAINT, LOUD, Screen
from econome.cli.render.table import Column, cut, lay_out, lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from econome.lean.install.changing import Found, Survey
    from econome.lean.install.places import Place

__all__ = ["show"]

_ADDRESS = re.compile(r"\w+://")


def show(screen: Screen, survey: Survey, places: Sequence[Place]) -> None:
    """Print what was found; where that is nothing, the files that were looked for."""
    rows = survey.found
    if rows:
        _table(screen, rows)
        screen.line()
        for row in rows:
            if row.reason:
                facts = {"name": plain(row.name), "client": row.place.client}
                text = INSTALL["alone" if row.state == "alone" else "odd"]
                screen.prose(text.format(**facts, reason=plain(row.reason)), style=FAINT)
    elif not survey.faults:
        screen.line(INSTALL["none"])
        for path in dict.fromkeys(place.path for place in places):
            screen.line(f"  {plain(path)}", style=FAINT)
    for fault in survey.faults:
        screen.prose(INSTALL["fault"].format(fault=plain(str(fault))), style=LOUD)


def _table(screen: Screen, rows: Sequence[Found]) -> None:
    """Print one line for each entry; where there is no room, what names its server is what stays."""
    columns = [
        Column(INSTALL_COLUMNS["name"], [plain(row.name) for row in rows], name=True, style=ACCENT),
        Column(INSTALL_COLUMNS["client"], [row.place.client for row in rows], left=True),
        Column(INSTALL_COLUMNS["state"], [STATES[row.state] for row in rows], left=True),
        Column(INSTALL_COLUMNS["told"], [plain(row.told) for row in rows], name=True, least=20, yields=1),
    ]  # fmt: skip
    layout = lay_out(columns, screen.width)
    told, width = layout.columns[-1], layout.widths[-1]
    if told.title == INSTALL_COLUMNS["told"]:
        # An address is known by its beginning; a command by its end, behind variables and what starts it.
        cells = [cut(text, width, tail=not _ADDRESS.match(text)) for text in told.cells]
        layout = replace(layout, columns=(*layout.columns[:-1], replace(told, cells=cells)))
    screen.lines(lines(layout))
