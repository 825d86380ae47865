"""A usage report as a table."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from econome.cli.render.figures import (
    full,
    model_labels,
    money,
    output,
    plain,
    project_labels,
    short,
)
from econome.cli.render.notes import closing, left_out
from econome.cli.render.screen import ACCENT, FAINT, Screen
from econome.cli.render.table import Column, Layout, lay_out, lines
from econome.cli.texts import COLUMNS, NOTES, TITLES

__all__ = ["key_labels", "show"]

_Row = dict[str, Any]

_YIELDS = {
    "responses": 3,
    "sessions": 7,
    "input_tokens": 2,
    "output_tokens": 1,
    "cache_read_tokens": 4,
    "cache_write_5m_tokens": 6,
    "cache_write_1h_tokens": 5,
    "web_searches": 8,
}
"""In which order columns leave a narrow terminal: the greatest first; the cost never does."""


def show(
    screen: Screen,
    report: dict[str, Any],
    *,
    limit: int | None,
    cost: bool = True,
    from_history: int = 0,
    nothing: str = NOTES["no_rows"],
) -> None:
    """Print a usage report; rows beyond *limit* are summed up in one line, *nothing* stands for none at all."""
    rows: list[_Row] = report["rows"]
    if not rows:
        screen.prose(nothing)
    else:
        shown = rows if limit is None else rows[:limit]
        layout = _fitting(shown, report, screen.width, cost=cost)
        drawn = lines(layout, total=True)
        screen.lines(drawn[:-2])
        if len(shown) < len(rows):  # above the rule, since the total holds them too
            screen.line(_others(rows[len(shown) :], cost=cost), style=FAINT)
        screen.lines(drawn[-2:])
        left_out(screen, layout)
    closing(screen, report, cost=cost, from_history=from_history)


def _fitting(rows: list[_Row], report: dict[str, Any], width: int, *, cost: bool) -> Layout:
    """Return the table with figures in full or, where that leaves columns out, in short."""
    exact = lay_out(_columns(rows, report, cost=cost, exact=True), width)
    if not exact.left_out:
        return exact
    return lay_out(_columns(rows, report, cost=cost, exact=False), width)


def _columns(rows: list[_Row], report: dict[str, Any], *, cost: bool, exact: bool) -> list[Column]:
    figure = full if exact else short
    total: _Row = report["total"]
    columns = []
    for at, by in enumerate(report["by"]):
        # A name is unique among all rows, also those that a limit leaves out.
        names = key_labels(by, [row[by] for row in report["rows"]])[: len(rows)]
        labels = [*names, TITLES["total"] if at == 0 else ""]
        tail = by == "project"
        columns.append(Column(TITLES[by], labels, name=True, tail=tail, style=ACCENT))
    for name, yields in _YIELDS.items():
        if name == "web_searches" and not total[name]:
            continue
        marked = name == "output_tokens"
        cells = [output(row, figure) if marked else figure(row[name]) for row in (*rows, total)]
        columns.append(Column(COLUMNS[name], cells, yields=yields))
    if cost:
        amounts = [money(row["cost_usd"], partial=row["partial"]) for row in (*rows, total)]
        columns.append(Column(COLUMNS["cost_usd"], amounts))
    return columns


def key_labels(by: str, keys: list[Any]) -> list[str]:
    """Return how the keys of the rows are written."""
    if by == "model":
        names = model_labels(dict.fromkeys(keys))
        return [names[key] for key in keys]
    if by == "project":
        names = project_labels(dict.fromkeys(keys))
        return [names[key] for key in keys]
    if by == "hour":
        return [TITLES["undated"] if key is None else f"{key:02}:00" for key in keys]
    if by in ("day", "week", "month"):
        return [TITLES["undated"] if key is None else key for key in keys]
    return [plain(key) if key else TITLES["none"] for key in keys]


def _others(rows: list[_Row], *, cost: bool) -> str:
    if not cost:
        return NOTES["others_free"].format(count=full(len(rows)))
    priced = [Decimal(row["cost_usd"]) for row in rows if row["cost_usd"] is not None]
    amount = money(
        str(sum(priced)) if priced else None, partial=any(row["partial"] for row in rows)
    )
    return NOTES["others"].format(count=full(len(rows)), cost=amount)
