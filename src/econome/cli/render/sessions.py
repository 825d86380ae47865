"""The latest sessions as a table."""

from __future__ import annotations

from typing import Any

from econome.cli.opening import World
from econome.cli.render.figures import full, money, output, plain, project_labels
from econome.cli.render.notes import banner, coverage_line, left_out
from econome.cli.render.screen import ACCENT, FAINT, Screen
from econome.cli.render.session import moment
from econome.cli.render.table import Column, lay_out, lines
from econome.cli.texts import COLUMNS, SESSION

__all__ = ["show"]

_SHORTEST_ID = 8


def show(
    screen: Screen, report: dict[str, Any], world: World, limit: int, from_history: int = 0
) -> None:
    """Print the latest sessions of a report; *from_history* files are gone from disk."""
    rows = report["sessions"][:limit]
    every = [row["session"] for row in report["sessions"]]
    labels = project_labels({row["project"] for row in report["sessions"]})
    columns = [
        Column(
            SESSION["session"],
            [_begin(row["session"], every) for row in rows],
            left=True,
            style=ACCENT,
        ),
        Column(SESSION["last"], [moment(row["last"], world) for row in rows], left=True),
        Column(SESSION["project"], [labels[row["project"]] for row in rows], name=True, tail=True),
        Column(COLUMNS["responses"], [full(row["responses"]) for row in rows], yields=2),
        Column(COLUMNS["output_tokens"], [output(row) for row in rows], yields=3),
        Column(
            COLUMNS["cost_usd"], [money(row["cost_usd"], partial=row["partial"]) for row in rows]
        ),
    ]
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    if len(rows) < len(every):
        earlier = SESSION["earlier"].format(count=full(len(every) - len(rows)))
        screen.line(earlier, style=FAINT)
    left_out(screen, layout)
    screen.line()
    screen.prose(coverage_line(report["coverage"], from_history), style=FAINT)
    banner(screen, report)


def _begin(session: str, every: list[str]) -> str:
    """Return the shortest beginning of an id that names it alone, of eight characters or more."""
    size = _SHORTEST_ID
    while size < len(session) and sum(other.startswith(session[:size]) for other in every) > 1:
        size += 1
    return plain(session[:size])
