"""What servers cost, on a terminal: what a turn pays, the worst tools, what would make it cheaper, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from econome.cli.profile_texts import PROFILE, PROFILE_COLUMNS
from econome.cli.render.figures import NOT_AVAILABLE, full, plain, share
from econome.cli.render.notes import counted, left_out
from econome.cli.render.profile_answers import show_answers, show_transcripts, show_weighed
from econome.cli.render.profile_rows import (
    Report,
    advised,
    basis,
    dearest_first,
    deferred,
    figure,
    is_known,
    no_tools,
    over_line,
    saved,
    share_of,
    steps,
    steps_of,
    text_line,
    told,
)
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, cut, lay_out, lines

__all__ = ["Shown", "show"]

_NAMED = 8
_TEXTS = 3
_TEXTS_OF_SEVERAL = 2
_TOOLS_OF_SEVERAL = 5
_ADVICE = 3
_INDENT = 2
_WIDEST = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """What was asked for, as far as what is said next depends on it; *limit* is how many rows a table has at most."""

    words: tuple[str, ...]
    url: str | None
    config: str | None
    limit: int
    html: str | None


def show(screen: Screen, report: Report, shown: Shown) -> None:
    """Print profiles."""
    servers = report["servers"]
    if len(servers) + len(report["away"]) > 1:
        _overview(screen, servers)
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
        _server(
            screen,
            server,
            min(shown.limit, _TOOLS_OF_SEVERAL) if several else shown.limit,
            brief=several,
        )
    if several:
        screen.line()
        screen.prose(PROFILE["brief"], style=FAINT)
    _omitted(screen, servers)
    if report["weighed"] is not None and not servers and not report["away"]:
        show_weighed(screen, report["weighed"], shown.limit)
    _next(screen, servers, shown)
    if shown.html is not None:
        from econome.cli.profile_texts import PROFILE_PLACE

        screen.prose(PROFILE_PLACE["written"].format(path=plain(shown.html)))


def _overview(screen: Screen, servers: Sequence[Report]) -> None:
    """Print one line for each of several servers, and what they cost together."""
    if not servers:
        return
    rows, whole = dearest_first(servers)
    menus = [one["menu"] for one in rows]
    many = counted("servers", len(rows))
    screen.prose(PROFILE["overview"].format(servers=many, tokens=figure(whole)), style=TITLE)
    columns = [
        Column(PROFILE_COLUMNS["server"], [plain(one["server"]) for one in rows], name=True, style=ACCENT),
        Column(PROFILE_COLUMNS["tools"], [full(len(menu["tools"])) for menu in menus], yields=2),
        Column(PROFILE_COLUMNS["tokens"], [figure(menu["per_turn"]) for menu in menus]),
        Column(PROFILE_COLUMNS["share"], [share_of(menu["per_turn"], whole) for menu in menus], yields=3),
        Column(PROFILE_COLUMNS["deferred"], [figure(menu["deferred"]) for menu in menus], yields=1),
    ]  # fmt: skip
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    left_out(screen, layout)


def _server(screen: Screen, server: Report, limit: int, *, brief: bool) -> None:
    """Print what one server costs; of several, in *brief*, what is not known and what is advised stays out."""
    _heading(screen, server)
    tools = server["menu"]["tools"]
    if tools:
        _tools(screen, server, tools, limit, brief=brief)
    if len(server["menu"]["namespaces"]) > 1:
        _namespaces(screen, server["menu"]["namespaces"], limit)
    if tools or server["answers"]:
        _steps(screen, steps_of(server), brief=brief)
    if server["answers"] is not None:
        show_answers(screen, server["answers"], limit)
    if server["transcripts"] is not None:
        show_transcripts(screen, server["transcripts"], limit)
    _never(screen, server)
    _judged(screen, server, brief=brief)


def _heading(screen: Screen, server: Report) -> None:
    menu = server["menu"]
    name, many = plain(server["server"]), len(menu["tools"])
    if not many:
        screen.prose(plain(no_tools(server)), style=TITLE)
        return
    facts = {"server": name, "tokens": full(menu["per_turn"]), "tools": counted("tools", many)}
    screen.prose(PROFILE["heading"].format(**facts), style=TITLE)
    screen.prose(deferred(menu))
    if menu["library"]:
        screen.prose(
            PROFILE["library"].format(
                tokens=full(menu["per_turn"]), declared=full(menu["declared"])
            )
        )
    kind = PROFILE["estimate" if server["estimate"] else "count"]
    said = kind.format(tokenizer=plain(server["tokenizer"]))
    if menu["instructions"]:
        once = PROFILE["instructions"].format(tokens=full(menu["instructions"]))
        said = f"{once} {said}"
    screen.prose(said, style=FAINT)


def _title(screen: Screen, text: str) -> None:
    screen.line()
    screen.prose(text, style=TITLE)


def _tools(
    screen: Screen, server: Report, tools: Sequence[Report], limit: int, *, brief: bool
) -> None:
    _title(screen, PROFILE["tools"])
    rows, rest = tools[:limit], tools[limit:]
    known = [is_known(row) for row in rows]
    reasons = [plain(row["reason"]) if own else "" for row, own in zip(rows, known, strict=True)]
    whole = server["menu"]["declared"]
    columns = [
        Column(PROFILE_COLUMNS["tool"], [plain(row["tool"]) for row in rows], name=True, least=20, style=ACCENT),
        Column(PROFILE_COLUMNS["tokens"], [full(row["tokens"]) for row in rows]),
        Column(PROFILE_COLUMNS["share"], [share(row["tokens"], whole) for row in rows], yields=2),
    ]  # fmt: skip
    if any(known):
        classes = [
            one["class"] if own else NOT_AVAILABLE for one, own in zip(rows, known, strict=True)
        ]
        columns.append(Column(PROFILE_COLUMNS["class"], classes, left=True, yields=1))
        columns.append(
            Column(PROFILE_COLUMNS["reason"], reasons, name=True, yields=3, least=24, style=FAINT)
        )
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    left_out(screen, layout)
    if rest:
        tokens = counted("tokens", sum(row["tokens"] for row in rest))
        text = PROFILE["more_brief" if brief else "more"]
        screen.prose(text.format(count=full(len(rest)), tokens=tokens), style=FAINT)
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
    screen.lines(lines(lay_out(columns, screen.width)))
    if len(namespaces) > limit:
        more = full(len(namespaces) - limit)
        screen.prose(PROFILE["more_rows"].format(count=more), style=FAINT)


def _steps(screen: Screen, economies: Sequence[Report], *, brief: bool) -> None:
    """Print of each economy the row that saves most, in a line, and how many more there are."""
    found = [step for step in steps(economies) if step.rows[0]["basis"] or not brief]
    if not found:
        return
    _title(screen, PROFILE["steps"])
    best = [step.rows[0] for step in found]
    more = [full(len(step.rows) - 1) if len(step.rows) > 1 else "" for step in found]
    said = ["" if _is_unknown(row) else plain(told(row)) for row in best]
    columns = [
        Column(PROFILE_COLUMNS["step"], [f"{one.order} {one.title}" for one in found], name=True, least=18),
        Column(PROFILE_COLUMNS["saves"], [saved(row) for row in best], style=ACCENT),
        Column(PROFILE_COLUMNS["basis"], [basis(row) for row in best], left=True),
        Column(PROFILE_COLUMNS["what"], said, name=True, least=20, yields=2, style=FAINT),
        Column(PROFILE_COLUMNS["more"], more, yields=1, style=FAINT),
    ]  # fmt: skip
    layout = lay_out(columns, screen.width)
    if sum(layout.widths) + 2 * (len(layout.widths) - 1) <= screen.width:
        screen.lines(lines(layout))
        left_out(screen, layout)
    else:  # nothing is left to be left out: what a saving is stands below its step
        for one, row in zip(found, best, strict=True):
            screen.line(cut(f"{one.order} {one.title}", screen.width))
            if figures := ", ".join(filter(None, (saved(row), basis(row)))):
                screen.line(" " * _INDENT + figures, style=ACCENT)
    for one, row in zip(found, best, strict=True):
        if _is_unknown(row):
            why = told(row) if row["economy"] == "limit" else row["note"]
            text = PROFILE["step_unknown"].format(order=one.order, told=plain(why))
            screen.prose(text, style=FAINT)
    if any(more):
        screen.prose(PROFILE["best"], style=FAINT)


def _is_unknown(row: Report) -> bool:
    return row["basis"] is None and bool(saved(row))


def _never(screen: Screen, server: Report) -> None:
    never = server["never_called"]
    if never is None or not never["tools"]:
        return
    screen.line()
    names = [plain(row["tool"]) for row in never["tools"]]
    named = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    facts = {
        "tools": counted("tools", len(names)),
        "all": full(len(server["menu"]["tools"])),
        "tokens": full(never["tokens"]),
    }
    screen.prose(PROFILE["never"].format(**facts, names=named), style=LOUD)


def _judged(screen: Screen, server: Report, *, brief: bool) -> None:
    """Print what is over a budget, what texts say besides, and advice."""
    if server["budget"]:
        _title(screen, PROFILE["budget"])
        for row in server["budget"]:
            screen.prose(plain(over_line(row)), style=LOUD)
    most = _TEXTS_OF_SEVERAL if brief else _TEXTS
    _list(screen, PROFILE["texts"], [text_line(row) for row in server["texts"]], most, LOUD)
    if not brief:
        _list(screen, PROFILE["advice"], advised(server), _ADVICE, short=True)


def _omitted(screen: Screen, servers: Sequence[Report]) -> None:
    """Print what the figures leave out, once for all servers."""
    said = list(dict.fromkeys(one for server in servers for one in server["omitted"]))
    if said:
        screen.line()
        text = PROFILE["omitted_more" if said[1:] else "omitted"]
        facts = {"told": plain(said[0]), "count": full(len(said) - 1)}
        screen.prose(text.format(**facts), style=FAINT)


def _list(
    screen: Screen,
    title: str,
    said: Sequence[str],
    most: int,
    style: str = "",
    *,
    short: bool = False,
) -> None:
    """Print at most so many of what is said, each in one line where it is to be *short*, and how many more there are."""
    if not said:
        return
    _title(screen, title)
    shown = said if len(said) <= most else said[: most - 1] if short else said[:most]
    for one in map(plain, shown):
        text = cut(one, min(screen.width, _WIDEST) - _INDENT) if short else one
        for at, piece in enumerate(screen.wrapped(Text(text, style=style), _INDENT)):
            screen.line(Text.assemble("  " if at else "- ", piece))
    if len(said) > len(shown):
        screen.prose(PROFILE["more_html"].format(count=full(len(said) - len(shown))), style=FAINT)


def _next(screen: Screen, servers: Sequence[Report], shown: Shown) -> None:
    """Print what can be done now about servers that were asked."""
    if not servers or not (shown.words or shown.url or shown.config):
        return
    if shown.config is not None:
        where = ["--config", shown.config]
    elif shown.url is not None:
        where = ["--url", shown.url]
    else:
        where = ["--", *shown.words]
    _title(screen, PROFILE["next"])
    lock = plain(shlex.join(["econome", "lock", *where]))
    rows = []
    if shown.config is None:
        name = plain(shlex.quote(servers[0]["server"]))
        dry = plain(shlex.join(["econome", "proxy", "--dry-run", *where]))
        rows += [(dry, PROFILE["next_see"])]
        rows += [(f"econome proxy install {name}", PROFILE["next_install"])]
    else:
        rows += [("econome proxy install NAME", PROFILE["next_install"])]
    rows += [(lock, PROFILE["next_lock"])]
    widest = max(cell_len(command) for command, _ in rows)
    for command, text in rows:
        line = Text(command, style=ACCENT)
        if widest + _INDENT + cell_len(text) <= screen.width:
            line.append(" " * (widest + _INDENT - cell_len(command)) + text, style=FAINT)
        screen.line(line)
