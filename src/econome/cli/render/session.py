"""One session on a terminal: its agents as a tree, its models, its latest responses, its cost record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich.text import Text

from econome.cli.opening import World
from econome.cli.render.figures import (
    clock,
    full,
    length,
    model_labels,
    money,
    output,
    plain,
    share,
    short,
)
from econome.cli.render.notes import banner, counted, left_out, unpriced_note
from econome.cli.render.screen import ACCENT, FAINT, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines
from econome.cli.texts import COLUMNS, NOTES, SESSION, TITLES
from econome.times import day_text, parse_instant

__all__ = ["moment", "show"]

_Row = dict[str, Any]

_SHOWN = 20
_FIGURES = {
    "input_tokens": 2, "output_tokens": 1, "cache_read_tokens": 3, "cache_write_5m_tokens": 5,
    "cache_write_1h_tokens": 4,
}  # fmt: skip
"""The token columns, and in which order they leave a narrow terminal: the greatest first."""


def show(screen: Screen, report: dict[str, Any], world: World, limit: int | None) -> None:
    """Print one session; *limit* is how many of its responses, the latest ones."""
    _head(screen, report, world)
    _title(screen, SESSION["agents"])
    _agents(screen, report)
    _title(screen, SESSION["models"])
    _models(screen, report)
    if report["responses"]:
        shown = report["responses"][-(limit or _SHOWN) :]
        everything = len(report["responses"])
        remark = "" if len(shown) == everything else SESSION["latest"]
        _title(screen, SESSION["responses"], remark.format(count=len(shown), all=full(everything)))
        _responses(screen, shown, world)
    if report["refused"]:
        _title(screen, SESSION["refused"], NOTES["refused_apart"])
        _responses(screen, report["refused"], world)
    _close(screen, report)


def moment(text: str | None, world: World, *, seconds: bool = False) -> str:
    """Return an ISO instant as local day and time of day."""
    time_ns = parse_instant(text)
    if time_ns is None:
        return SESSION["undated"]
    day, second = world.local(time_ns / 1e9)
    return f"{day_text(day)} {clock(second, seconds=seconds)}"


def _head(screen: Screen, report: dict[str, Any], world: World) -> None:
    line = Text(f"{SESSION['heading']} ", style=TITLE)
    line.append(plain(report["session"]), style=ACCENT)
    screen.line(line)
    places = [*report["projects"], *filter(None, report["branches"])]
    screen.facts(map(plain, places), style=FAINT)
    first, last = parse_instant(report["first"]), parse_instant(report["last"])
    if first is not None and last is not None:
        begin, end = moment(report["first"], world), moment(report["last"], world)
        same_day = begin[:10] == end[:10]
        span = f"{begin}–{end[11:]}" if same_day else f"{begin} – {end}"
        screen.line(f"{span}, {length((last - first) // 10**9)}", style=FAINT)
    total = report["total"]
    facts = [
        money(total["cost_usd"], partial=total["partial"]),
        counted("responses", total["responses"]),
        *(f"{COLUMNS[name]} {_tokens(name, total)}" for name in _FIGURES),
    ]
    screen.facts(facts, style=TITLE)


def _title(screen: Screen, title: str, remark: str = "") -> None:
    screen.line()
    line = Text.assemble((title, TITLE))
    line.append(f"  {remark}" if remark else "", style=FAINT)
    screen.line(line)


def _flat(agents: list[_Row], stem: str = "", top: bool = True) -> Iterator[tuple[str, _Row]]:
    """Yield (branch drawn before the name, agent), parents before those they started."""
    for at, agent in enumerate(agents):
        last = at == len(agents) - 1
        yield ("" if top else stem + ("└ " if last else "├ ")), agent
        below = "" if top else stem + ("  " if last else "│ ")
        yield from _flat(agent["children"], below, top=False)


def _agents(screen: Screen, report: dict[str, Any]) -> None:
    drawn = list(_flat(report["agents"]))
    names = [
        f"{stem}{plain(agent['agent'])} {_short_id(agent['agent_id'] or '')}".rstrip()
        for stem, agent in drawn
    ]
    whole = report["total"]["cost_usd"]
    rows = [agent for _, agent in drawn]
    columns = [
        Column(TITLES["agent"], names, name=True, least=16, style=ACCENT),
        Column(COLUMNS["responses"], [full(row["responses"]) for row in rows], yields=1),
        Column(COLUMNS["cost_usd"], [_cost(row) for row in rows]),
        Column(SESSION["share"], [share(row["cost_usd"], whole) for row in rows]),
    ]
    if any(row["children"] for row in rows[1:]):
        together = [_cost(row["with_children"]) if row["children"] else "" for row in rows]
        columns.append(Column(SESSION["with_children"], together, yields=2))
    _table(screen, columns)


def _short_id(agent_id: str) -> str:
    """Return what tells an agent from its siblings: services put their name, which they share, before it."""
    return plain(agent_id.rpartition("-")[2])[:9]


def _models(screen: Screen, report: dict[str, Any]) -> None:
    rows: list[_Row] = report["models"]
    labels = model_labels([row["model"] for row in rows])
    names = [labels[row["model"]] for row in rows]
    columns = [Column(TITLES["model"], names, name=True, style=ACCENT)]
    columns.append(Column(COLUMNS["responses"], [full(row["responses"]) for row in rows], yields=6))
    columns += [
        Column(COLUMNS[name], [_tokens(name, row) for row in rows], yields=yields)
        for name, yields in _FIGURES.items()
    ]
    columns.append(Column(COLUMNS["cost_usd"], [_cost(row) for row in rows]))
    _table(screen, columns)


def _responses(screen: Screen, rows: list[_Row], world: World) -> None:
    labels = model_labels({row["model"] for row in rows})
    times = [moment(row["time"], world, seconds=True) for row in rows]
    days = {time[:10] for time in times}
    if len(days) == 1 and SESSION["undated"] not in times:
        times = [time[11:] for time in times]
    columns = [
        Column(SESSION["time"], times, left=True),
        Column(TITLES["model"], [labels[row["model"]] for row in rows], name=True, style=ACCENT),
        Column(TITLES["agent"], [plain(row["agent"]) for row in rows], name=True, yields=6),
    ]
    for name, yields in _FIGURES.items():
        cells = [_tokens(name, row, full) for row in rows]
        columns.append(Column(COLUMNS[name], cells, yields=yields))
    columns.append(Column(COLUMNS["cost_usd"], [_small(row["cost_usd"]) for row in rows]))
    _table(screen, columns)


def _table(screen: Screen, columns: list[Column]) -> None:
    """Print a table, and which columns the width left out."""
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    left_out(screen, layout)


def _tokens(name: str, row: _Row, figure: Callable[[int], str] = short) -> str:
    return output(row, figure) if name == "output_tokens" else figure(row[name])


def _cost(row: _Row) -> str:
    return money(row["cost_usd"], partial=row["partial"])


def _small(cost_usd: str | None) -> str:
    return money(cost_usd, digits=4)


def _close(screen: Screen, report: dict[str, Any]) -> None:
    screen.line()
    total, recorded = report["total"], report["recorded"]
    if total["output_incomplete"]:
        count, everything = full(total["output_incomplete"]), full(total["responses"])
        screen.prose(SESSION["incomplete"].format(count=count, all=everything), style=FAINT)
    if recorded is not None:
        amounts = {name: money(recorded[f"{name}_usd"]) for name in ("recorded", "counted", "gap")}
        screen.prose(SESSION["recorded"].format(**amounts))
        if recorded["unknown_model_cost"]:
            screen.prose(SESSION["recorded_unknown"], style=FAINT)
    unpriced_note(screen, report["unpriced"])
    banner(screen, report)
