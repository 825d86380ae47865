"""The servers of the clients on this machine, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from econome.cli.install_texts import INSTALL, INSTALL_COLUMNS, STATES
from econome.cli.render.figures import plain
from econome.cli.render.screen import ACCENT, FAINT, LOUD, Screen
from econome.cli.render.table import Column, lay_out, lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from econome.lean.install.changing import Survey
    from econome.lean.install.places import Place

__all__ = ["show"]


def show(screen: Screen, survey: Survey, places: Sequence[Place]) -> None:
    """Print what was found; where that is nothing, the files that were looked for."""
    rows = survey.found
    if rows:
        told = [plain(row.told) for row in rows]
        columns = [
            Column(INSTALL_COLUMNS["name"], [plain(row.name) for row in rows], name=True, style=ACCENT),
            Column(INSTALL_COLUMNS["client"], [row.place.client for row in rows], left=True),
            Column(INSTALL_COLUMNS["state"], [STATES[row.state] for row in rows], left=True),
            Column(INSTALL_COLUMNS["told"], told, name=True, least=20, yields=1),
        ]  # fmt: skip
        screen.lines(lines(lay_out(columns, screen.width)))
        screen.line()
        for row in rows:
            if row.reason:
                facts = {"name": plain(row.name), "client": row.place.client}
                screen.prose(
                    INSTALL["alone"].format(**facts, reason=plain(row.reason)), style=FAINT
                )
    elif not survey.faults:
        screen.line(INSTALL["none"])
        for path in dict.fromkeys(place.path for place in places):
            screen.line(f"  {plain(path)}", style=FAINT)
    for fault in survey.faults:
        screen.prose(INSTALL["fault"].format(fault=plain(str(fault))), style=LOUD)
