"""The overview: periods side by side, then what the longest was spent on."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rich.text import Text

from econome.cli.render.figures import full, money, output, share, short
from econome.cli.render.notes import closing, counted, tokens_of
from econome.cli.render.screen import ACCENT, FAINT, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines
from econome.cli.render.usage import key_labels
from econome.cli.texts import COLUMNS, NOTES, OVERVIEW

__all__ = ["show"]

_Row = dict[str, Any]

_SHOWN = 5
_BAR = 24
_FIGURES = (
    "cost_usd", "sessions", "responses", "input_tokens", "output_tokens", "cache_read_tokens",
    "cache_write_5m_tokens", "cache_write_1h_tokens",
)  # fmt: skip


def show(screen: Screen, found: dict[str, Any], zone: str) -> None:
    """Print the overview *found*; *zone* names the zone its days are counted in."""
    heading = Text.assemble((OVERVIEW["heading"], TITLE))
    heading.append(f"  {found['today']} · {zone}", style=FAINT)
    screen.line(heading)
    screen.line()
    _periods(screen, found["periods"])
    longest = found["periods"][-1]
    if longest["responses"]:
        for by, rows in (("model", found["models"]), ("project", found["projects"])):
            screen.line()
            _title(screen, OVERVIEW[by], OVERVIEW["of_period"])
            _ranking(screen, by, rows, longest)
        delegated = [row for row in found["agents"] if row["agent"] != "main"]
        if delegated:
            screen.line()
            part = share(found["sub_agents"]["cost_usd"], longest["cost_usd"])
            _title(screen, OVERVIEW["agent"], OVERVIEW["share"].format(share=part))
            _ranking(screen, "agent", delegated, longest)
    elif found["coverage"]["last_day"]:
        screen.line()
        screen.prose(OVERVIEW["quiet"].format(last=found["coverage"]["last_day"]))
    gone = found["from_history"]
    closing(screen, {**found, "total": longest}, from_history=gone)


def _title(screen: Screen, title: str, remark: str) -> None:
    line = Text.assemble((title, TITLE))
    line.append(f"  {remark}", style=FAINT)
    screen.line(line)


def _periods(screen: Screen, periods: list[_Row]) -> None:
    """Print the periods, one a column."""
    columns = [Column("", [OVERVIEW[name] for name in _FIGURES], name=True, least=14)]
    for at, row in enumerate(periods):
        title = OVERVIEW["today"] if row["days"] == 1 else OVERVIEW["days"].format(days=row["days"])
        cells = [_figure(name, row) for name in _FIGURES]
        columns.append(Column(title.rjust(9), cells, yields=len(periods) - at if at else 0))
    drawn = lines(lay_out(columns, screen.width))
    for at, line in enumerate(drawn):
        if at == 1:
            line.stylize(TITLE)
        screen.line(line)


def _figure(name: str, row: _Row) -> str:
    if name == "cost_usd":
        return money(row[name], partial=row["partial"])
    if name in ("sessions", "responses"):
        return full(row[name])
    return output(row) if name == "output_tokens" else short(row[name])


def _ranking(screen: Screen, by: str, rows: list[_Row], whole: _Row) -> None:
    """Print the first rows with their cost, its share of the whole, and a bar relative to the first."""
    labels = key_labels(by, [row[by] for row in rows])
    shown, hidden = rows[:_SHOWN], rows[_SHOWN:]
    first = shown[0]["cost_usd"]
    columns = [
        Column("", labels[: len(shown)], name=True, least=14, tail=by == "project", style=ACCENT),
        Column("", [money(row["cost_usd"], partial=row["partial"]) for row in shown]),
        Column("", [share(row["cost_usd"], whole["cost_usd"]) for row in shown], style=FAINT),
        Column(
            "", [counted("responses", row["responses"]) for row in shown], yields=2, style=FAINT
        ),
        Column(
            "", [_bar(row, first) for row in shown], name=True, yields=1, least=_BAR, style=ACCENT
        ),
    ]
    screen.lines(lines(lay_out(columns, screen.width), head=False))
    if hidden:
        screen.line(_others(hidden), style=FAINT)


def _bar(row: _Row, first: str | None) -> str:
    if row["cost_usd"] is None:
        return f"{short(tokens_of(row))} {COLUMNS['tokens']}"
    if first is None or not Decimal(first):
        return ""
    return "━" * int((Decimal(row["cost_usd"]) * _BAR / Decimal(first)).to_integral_value())


def _others(rows: list[_Row]) -> str:
    priced = [Decimal(row["cost_usd"]) for row in rows if row["cost_usd"] is not None]
    cost = money(str(sum(priced)) if priced else None, partial=any(row["partial"] for row in rows))
    return NOTES["others"].format(count=len(rows), cost=cost)
