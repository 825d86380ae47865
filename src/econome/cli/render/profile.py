"""What servers cost, on a terminal: what a turn pays, the worst tools, what would make it cheaper, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from econome.cli.profile_texts import PROFILE, PROFILE_COLUMNS
from econome.cli.render.figures import NOT_AVAILABLE, full, plain, share
from econome.cli.render.notes import counted
from econome.cli.render.profile_answers import show_answers, show_transcripts, show_weighed
from econome.cli.render.profile_brief import show_brief, show_overview
from econome.cli.render.profile_next import show_next
from econome.cli.render.profile_rows import (
    Report,
    advised,
    basis,
    dearest_first,
    deferred,
    heading,
    is_known,
    is_worth_it,
    library,
    never_line,
    over_line,
    saved,
    steps,
    steps_of,
    text_line,
    told,
    weighed_notes,
)
from econome.cli.render.profile_table import show_table
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column

__all__ = ["Shown", "show"]

_NAMED = 8
_TEXTS = 3
_ADVICE = 3
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """What was asked for, as far as what is said depends on it.

    *where* are the words that name the servers, *install* those by which an entry of one is found, empty without one. *limit*
    is how many rows a table has at most, *several* that a whole configuration was named.
    """

    where: tuple[str, ...]
    install: tuple[str, ...]
    several: bool
    limit: int
    html: str | None


def show(screen: Screen, report: Report, shown: Shown) -> None:
    """Print profiles."""
    servers, _ = dearest_first(report["servers"])
    if servers and len(servers) + len(report["away"]) > 1:
        show_overview(screen, servers)
    for each in report["away"]:
        facts = {"server": plain(each["server"]), "reason": plain(each["reason"])}
        screen.prose(PROFILE["away"].format(**facts), style=LOUD)
    if report["away"] and not servers:
        screen.prose(PROFILE["all_away"], style=LOUD)
    for each in report["left_out"]:
        facts = {"server": plain(each["server"]), "reason": plain(each["reason"])}
        screen.prose(PROFILE["left_out"].format(**facts), style=FAINT)
    several = len(servers) > 1
    for at, server in enumerate(servers):
        if at or report["away"] or report["left_out"] or several:
            screen.line()
        if several:
            show_brief(screen, server, shown.limit)
        else:
            _server(screen, server, shown.limit)
    _omitted(screen, servers, PROFILE["brief"] if several else "")
    if report["weighed"] is not None:
        if not servers and not report["away"]:
            show_weighed(screen, report["weighed"], shown.limit)
        for said in weighed_notes(report["weighed"]):
            screen.prose(said, style=FAINT)
    if servers and shown.where:
        show_next(screen, shown.where, shown.install, several=shown.several)
    if shown.html is not None:
        from econome.cli.profile_texts import PROFILE_PLACE

        screen.prose(PROFILE_PLACE["written"].format(path=plain(shown.html)))


def _server(screen: Screen, server: Report, limit: int) -> None:
    """Print what one server costs."""
    _heading(screen, server)
    tools = server["menu"]["tools"]
    if tools:
        _tools(screen, server, tools, limit)
    if len(server["menu"]["namespaces"]) > 1:
        _namespaces(screen, server["menu"]["namespaces"], limit)
    if tools or server["answers"]:
        _steps(screen, steps_of(server))
    if server["answers"] is not None:
        show_answers(screen, server["answers"], limit)
    if server["transcripts"] is not None:
        show_transcripts(screen, server["transcripts"], limit)
    _never(screen, server)
    _judged(screen, server)


def _heading(screen: Screen, server: Report) -> None:
    menu = server["menu"]
    screen.prose(plain(heading(server)), style=TITLE)
    if not menu["tools"]:
        return
    for each in (*library(menu), deferred(menu)):
        screen.prose(plain(each))
    kind = PROFILE["estimate" if server["estimate"] else "count"]
    said = kind.format(tokenizer=plain(server["tokenizer"]))
    if menu["instructions"]:
        once = PROFILE["instructions"].format(tokens=full(menu["instructions"]))
        said = f"{once} {said}"
    screen.prose(said, style=FAINT)


def _title(screen: Screen, text: str) -> None:
    screen.line()
    screen.prose(text, style=TITLE)


def _tools(screen: Screen, server: Report, tools: Sequence[Report], limit: int) -> None:
    _title(screen, PROFILE["tools_declared" if server["menu"]["library"] else "tools"])
    rows, rest = tools[:limit], tools[limit:]
    whole = server["menu"]["declared"]
    classes = [one["class"] if is_known(one) else NOT_AVAILABLE for one in rows]
    reasons = [plain(one["reason"]) if is_known(one) else "" for one in rows]
    columns = [
        Column(PROFILE_COLUMNS["tool"], [plain(row["tool"]) for row in rows], name=True, style=ACCENT),
        Column(PROFILE_COLUMNS["tokens"], [full(row["tokens"]) for row in rows]),
        Column(PROFILE_COLUMNS["share"], [share(row["tokens"], whole) for row in rows], yields=2),
        Column(PROFILE_COLUMNS["class"], classes, left=True, yields=1),
    ]  # fmt: skip
    show_table(screen, columns, Column(PROFILE_COLUMNS["reason"], reasons))
    if rest:
        tokens = counted("tokens", sum(row["tokens"] for row in rest))
        screen.prose(PROFILE["more"].format(count=full(len(rest)), tokens=tokens), style=FAINT)
    if not all(map(is_known, tools)):
        text = PROFILE["unknown" if any(map(is_known, tools)) else "all_unknown"]
        screen.prose(text, style=FAINT)


def _namespaces(screen: Screen, namespaces: Sequence[Report], limit: int) -> None:
    _title(screen, PROFILE["namespaces"])
    rows = namespaces[:limit]
    columns = [
        Column(PROFILE_COLUMNS["namespace"], [plain(row["namespace"]) for row in rows], name=True, style=ACCENT),
        Column(PROFILE_COLUMNS["tools"], [full(row["tools"]) for row in rows]),
        Column(PROFILE_COLUMNS["tokens"], [full(row["tokens"]) for row in rows]),
    ]  # fmt: skip
    show_table(screen, columns)
    if len(namespaces) > limit:
        more = full(len(namespaces) - limit)
        screen.prose(PROFILE["more_rows"].format(count=more), style=FAINT)


def _steps(screen: Screen, economies: Sequence[Report]) -> None:
    """Print of each economy the row that saves most, and how many more are worth telling; of those with little, their places."""
    found = steps(economies)
    shown = [step for step in found if is_worth_it(step.rows[0])]
    if not found:
        return
    _title(screen, PROFILE["steps"])
    unknown = [step for step in shown if step.rows[0]["basis"] is None and saved(step.rows[0])]
    shown = [step for step in shown if step not in unknown]
    best = [step.rows[0] for step in shown]
    more = [sum(map(is_worth_it, step.rows)) - 1 for step in shown]
    said = [plain(told(row)) if row["basis"] else "" for row in best]
    columns = [
        Column(PROFILE_COLUMNS["step"], [f"{one.order} {one.title}" for one in shown], name=True),
        Column(PROFILE_COLUMNS["saves"], [saved(row) for row in best], style=ACCENT),
        Column(PROFILE_COLUMNS["basis"], [basis(row) for row in best], left=True),
        Column(PROFILE_COLUMNS["others"], [full(one) if one else "" for one in more], yields=1, style=FAINT),
    ]  # fmt: skip
    show_table(screen, columns, Column(PROFILE_COLUMNS["what"], said))
    for step in unknown:
        row = step.rows[0]
        why = plain(told(row) if row["economy"] == "limit" else row["note"])
        screen.prose(PROFILE["step_unknown"].format(order=step.order, told=why), style=FAINT)
    if little := [f"{one.order} {one.title}" for one in found if one not in (*shown, *unknown)]:
        screen.prose(PROFILE["little"].format(steps=", ".join(little)), style=FAINT)


def _never(screen: Screen, server: Report) -> None:
    never = server["never_called"]
    if never is None or not never["tools"]:
        return
    screen.line()
    names = [plain(row["tool"]) for row in never["tools"]]
    named = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    screen.prose(never_line(server, named), style=LOUD)


def _judged(screen: Screen, server: Report) -> None:
    """Print what is over a budget, what texts say besides, and advice."""
    if server["budget"]:
        _title(screen, PROFILE["budget"])
        for row in server["budget"]:
            screen.prose(plain(over_line(row)), style=LOUD)
    _list(screen, PROFILE["texts"], [text_line(row) for row in server["texts"]], _TEXTS, LOUD)
    _list(screen, PROFILE["advice"], advised(server), _ADVICE)


def _omitted(screen: Screen, servers: Sequence[Report], more: str) -> None:
    """Print where there is *more*, and what the figures leave out, once for all servers."""
    said = list(dict.fromkeys(one for server in servers for one in server["omitted"]))
    if said:
        screen.line()
        text = PROFILE["omitted_more" if said[1:] else "omitted"]
        facts = {"told": plain(said[0]), "count": full(len(said) - 1)}
        screen.prose(f"{more} {text.format(**facts)}".strip(), style=FAINT)


def _list(screen: Screen, title: str, said: Sequence[str], most: int, style: str = "") -> None:
    """Print at most so many of what is said, and how many more there are."""
    if not said:
        return
    _title(screen, title)
    shown = said if len(said) <= most else said[: most - 1]
    for one in map(plain, shown):
        for at, piece in enumerate(screen.wrapped(Text(one, style=style), _INDENT)):
            screen.line(Text.assemble("  " if at else "- ", piece))
    if len(said) > len(shown):
        screen.prose(PROFILE["more_html"].format(count=full(len(said) - len(shown))), style=FAINT)
