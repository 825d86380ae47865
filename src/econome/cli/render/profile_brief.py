"""Several servers on one screen: a line for each in a table, and then of each what matters most."""

from __future__ import annotations

from collections.abc import Sequence

from econome.cli.profile_texts import PER, PROFILE, PROFILE_COLUMNS, STEPS
from econome.cli.render.figures import full, plain, share
from econome.cli.render.notes import counted
from econome.cli.render.profile_answers import show_answers, show_transcripts
from econome.cli.render.profile_rows import (
    Report,
    basis,
    dearest_first,
    figure,
    heading,
    is_worth_it,
    library,
    listed,
    never_line,
    over_line,
    overview,
    saved,
    steps,
    steps_of,
    text_line,
)
from econome.cli.render.profile_table import show_table
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column

__all__ = ["show_brief", "show_overview"]

_NAMED = 3
_TEXTS = 1
_ROWS = 5


def show_overview(screen: Screen, servers: Sequence[Report]) -> None:
    """Print one line for each of several servers, and what they cost together."""
    rows, whole = dearest_first(servers)
    menus = [one["menu"] for one in rows]
    screen.prose(overview(rows), style=TITLE)
    if whole is None:
        return
    columns = [
        Column(PROFILE_COLUMNS["server"], [plain(one["server"]) for one in rows], name=True, style=ACCENT),
        Column(PROFILE_COLUMNS["tools"], [figure(listed(menu)) for menu in menus], yields=2),
        Column(PROFILE_COLUMNS["tokens"], [figure(menu["per_turn"]) for menu in menus]),
        Column(PROFILE_COLUMNS["share"], [share(menu["per_turn"], whole) for menu in menus], yields=3),
        Column(PROFILE_COLUMNS["deferred"], [figure(menu["deferred"]) for menu in menus], yields=1),
    ]  # fmt: skip
    show_table(screen, columns)
    screen.prose(PROFILE["deferred_means"], style=FAINT)


def show_brief(screen: Screen, server: Report, limit: int) -> None:
    """Print of one of several servers its dearest tools, what saves most, what was recorded and what is wrong."""
    menu = server["menu"]
    screen.prose(plain(heading(server)), style=TITLE)
    if menu["tools"]:
        for said in [*library(menu)[:1], *_tools(menu), *_cheaper(server)]:
            screen.prose(plain(said))
    if server["answers"] is not None:
        show_answers(screen, server["answers"], min(limit, _ROWS))
    if server["transcripts"]:
        show_transcripts(screen, server["transcripts"], min(limit, _ROWS))
    _loud(screen, server)


def _tools(menu: Report) -> list[str]:
    dearest = sorted(menu["tools"], key=lambda one: (-one["tokens"], one["tool"]))
    named = [PROFILE["brief_tool"].format(tool=one["tool"], tokens=full(one["tokens"])) for one in dearest]  # fmt: skip
    said = [PROFILE["brief_tools"].format(tools=_short(named))]
    unbounded = [one["tool"] for one in menu["tools"] if one["class"] in ("high", "critical")]
    if unbounded:
        tools = counted("tools", len(unbounded))
        said.append(PROFILE["brief_unbounded"].format(tools=tools, names=_short(unbounded)))
    return said


def _short(names: Sequence[str]) -> str:
    more = [PROFILE["others"].format(count=full(len(names) - _NAMED))] if names[_NAMED:] else []
    return ", ".join([*names[:_NAMED], *more])


def _cheaper(server: Report) -> list[str]:
    """Return what saves most a turn, and what saves most an answer."""
    found = [one.rows[0] for one in steps(steps_of(server)) if one.rows[0]["basis"]]
    worth = [
        row for row in found if is_worth_it(row) and row["tokens_after"] < row["tokens_before"]
    ]
    best = [
        max(rows, key=lambda row: row["tokens_before"] - row["tokens_after"])
        for rows in ([row for row in worth if row["per"] == per] for per in PER)
        if rows
    ]
    said = [
        PROFILE["brief_step"].format(title=STEPS[row["economy"]], saves=saved(row), basis=basis(row))
        for row in best
    ]  # fmt: skip
    return [PROFILE["brief_steps"].format(steps="; ".join(said))] if said else []


def _loud(screen: Screen, server: Report) -> None:
    """Print what nobody called, what is over a budget, and what texts say besides."""
    never = server["never_called"]
    if never is not None and never["tools"]:
        names = [row["tool"] for row in never["tools"]]
        screen.prose(plain(never_line(server, _short(names))), style=LOUD)
    for row in server["budget"] or ():
        screen.prose(plain(over_line(row)), style=LOUD)
    texts = [text_line(row) for row in server["texts"]]
    for one in texts[:_TEXTS]:
        screen.prose(plain(one), style=LOUD)
    if texts[_TEXTS:]:
        screen.prose(PROFILE["more_html"].format(count=full(len(texts) - _TEXTS)), style=FAINT)
