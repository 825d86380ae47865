"""The 5-hour windows as a table, the latest first."""

from __future__ import annotations

from typing import Any

from econome.cli.opening import World
from econome.cli.render.figures import clock, full, length, model_labels, money, output, short
from econome.cli.render.notes import closing, left_out
from econome.cli.render.screen import ACCENT, FAINT, Screen
from econome.cli.render.table import Column, lay_out, lines
from econome.cli.texts import BLOCKS, COLUMNS
from econome.times import day_text, parse_instant

__all__ = ["show"]

_Row = dict[str, Any]

_YIELDS = {
    "responses": 3, "input_tokens": 2, "output_tokens": 1, "cache_read_tokens": 4,
}  # fmt: skip


def show(
    screen: Screen, report: dict[str, Any], world: World, limit: int, from_history: int = 0
) -> None:
    """Print the latest blocks of a report."""
    rows: list[_Row] = report["blocks"]
    shown = rows[:limit]
    if not shown:
        screen.line(BLOCKS["none"])
    else:
        layout = lay_out(_columns(shown, world), screen.width)
        screen.lines(lines(layout))
        if len(shown) < len(rows):
            screen.line(BLOCKS["earlier"].format(count=full(len(rows) - len(shown))), style=FAINT)
        left_out(screen, layout)
    screen.line()
    screen.prose(BLOCKS["estimate"].format(source=report["source"]), style=FAINT)
    closing(screen, report, gap=False, from_history=from_history)


def _columns(rows: list[_Row], world: World) -> list[Column]:
    labels = model_labels({model for row in rows for model in row["models"]})
    columns = [
        Column(BLOCKS["start"], [_span(row, world) for row in rows], left=True, style=ACCENT)
    ]
    if any(row["active"] for row in rows):
        states = [_state(row, world) for row in rows]
        columns.append(Column(BLOCKS["state"], states, left=True, style="bold", yields=5))
    columns += [
        Column(COLUMNS[name], [_tokens(name, row) for row in rows], yields=yields)
        for name, yields in _YIELDS.items()
    ]
    columns.append(
        Column(
            COLUMNS["cost_usd"], [money(row["cost_usd"], partial=row["partial"]) for row in rows]
        )
    )
    models = [", ".join(labels[model] for model in row["models"]) for row in rows]
    columns.append(Column(BLOCKS["models"], models, name=True, yields=6, least=12, style=FAINT))
    return columns


def _tokens(name: str, row: _Row) -> str:
    return output(row) if name == "output_tokens" else short(row[name])


def _seconds(text: str) -> int:
    return (parse_instant(text) or 0) // 10**9


def _span(row: _Row, world: World) -> str:
    day, second = world.local(_seconds(row["start"]))
    return f"{day_text(day)} {clock(second)}–{clock(world.local(_seconds(row['end']))[1])}"


def _state(row: _Row, world: World) -> str:
    if not row["active"]:
        return ""
    return BLOCKS["active"].format(left=length(int(_seconds(row["end"]) - world.now)))
