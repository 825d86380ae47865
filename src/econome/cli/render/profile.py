"""What servers cost, on a terminal: what a turn pays, the worst tools, what would make it cheaper, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from econome.cli.profile_texts import PROFILE, PROFILE_COLUMNS
from econome.cli.render.below import show_with_below
from econome.cli.render.figures import NOT_AVAILABLE, full, plain, share
from econome.cli.render.notes import counted, left_out
from econome.cli.render.profile_answers import show_answers, show_transcripts, show_weighed
from econome.cli.render.profile_rows import (
    Report,
    basis,
    found_range,
    is_known,
    joined,
    no_tools,
    over_line,
    saved,
    steps,
    steps_of,
    text_line,
    told,
    worst_first,
)
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines

__all__ = ["Shown", "show"]

_ROWS_OF_STEP = 1
_NAMED = 8
_TEXTS = 3
_TEXTS_OF_SEVERAL = 2
_TOOLS_OF_SEVERAL = 5
_ADVICE = 4
_INDENT = 2


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
    rows = sorted(servers, key=lambda one: (-one["menu"]["per_turn"], one["server"]))
    menus = [one["menu"] for one in rows]
    whole = sum(menu["per_turn"] for menu in menus)
    many = counted("servers", len(rows))
    screen.prose(PROFILE["overview"].format(servers=many, tokens=full(whole)), style=TITLE)
    columns = [
        Column(PROFILE_COLUMNS["server"], [plain(one["server"]) for one in rows], name=True, style=ACCENT),
        Column(PROFILE_COLUMNS["tools"], [full(len(menu["tools"])) for menu in menus], yields=2),
        Column(PROFILE_COLUMNS["tokens"], [full(menu["per_turn"]) for menu in menus]),
        Column(PROFILE_COLUMNS["share"], [share(menu["per_turn"], whole) for menu in menus], yields=3),
        Column(PROFILE_COLUMNS["deferred"], [full(menu["deferred"]) for menu in menus], yields=1),
    ]  # fmt: skip
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    left_out(screen, layout)


def _server(screen: Screen, server: Report, limit: int, *, brief: bool) -> None:
    """Print what one server costs; of several, in *brief*, what is not known and what is advised stays out."""
    _heading(screen, server)
    tools = worst_first(server["menu"]["tools"])
    if tools:
        _tools(screen, server, tools, limit, brief=brief)
    if len(server["menu"]["namespaces"]) > 1:
        _namespaces(screen, server["menu"]["namespaces"], limit)
    if tools or server["answers"]:
        rows = steps_of(server)
        _steps(screen, [row for row in rows if row["basis"]] if brief else rows)
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
    found = found_range(menu["tools"])
    screen.prose(PROFILE["deferred"].format(names=full(menu["deferred"]), found=found))
    if menu["library"]:
        screen.prose(
            PROFILE["library"].format(
                tokens=full(menu["per_turn"]), declared=full(menu["declared"])
            )
        )
    if menu["instructions"]:
        screen.prose(PROFILE["instructions"].format(tokens=full(menu["instructions"])))
    kind = PROFILE["estimate" if server["estimate"] else "count"]
    screen.prose(kind.format(tokenizer=plain(server["tokenizer"])), style=FAINT)


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
        columns.append(Column(PROFILE_COLUMNS["reason"], reasons, name=True, style=FAINT))
    show_with_below(screen, columns, PROFILE_COLUMNS["reason"], reasons)
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


def _steps(screen: Screen, economies: Sequence[Report]) -> None:
    """Print each economy in its order with what it saves, and below it where and why."""
    _title(screen, PROFILE["steps"])
    titles, rows, below = [], [], []
    for step in steps(economies, _ROWS_OF_STEP):
        for at, row in enumerate(step.rows):
            titles.append(f"{step.order} {step.title}" if at == 0 else "")
            rows.append(row)
            last = step.more and at == len(step.rows) - 1
            more = f"; {PROFILE['more_saving'].format(count=full(step.more))}" if last else ""
            below.append(plain(told(row)) + more)
    columns = [
        Column(PROFILE_COLUMNS["step"], titles, name=True, least=18),
        Column(PROFILE_COLUMNS["saves"], [saved(row) for row in rows], style=ACCENT),
        Column(PROFILE_COLUMNS["basis"], [basis(row) for row in rows], left=True, yields=1),
    ]
    layout = lay_out(columns, screen.width)
    head, *shown = lines(layout)
    screen.line(head)
    for line, sentence in zip(shown, below, strict=True):
        screen.line(line)
        for piece in screen.wrapped(Text(sentence, style=FAINT), _INDENT):
            screen.line(Text.assemble(" " * _INDENT, piece))
    left_out(screen, layout)


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
    for row in server["budget"] or ():
        screen.prose(over_line(row), style=LOUD)
    most = _TEXTS_OF_SEVERAL if brief else _TEXTS
    _list(screen, PROFILE["texts"], [text_line(row) for row in server["texts"]], most, LOUD)
    if not brief:
        _list(screen, PROFILE["advice"], joined(server["advisories"]), _ADVICE)


def _omitted(screen: Screen, servers: Sequence[Report]) -> None:
    """Print what the figures leave out, once for all servers."""
    said = list(dict.fromkeys(one for server in servers for one in server["omitted"]))
    if said:
        screen.line()
        screen.prose(PROFILE["omitted"].format(told=plain("; ".join(said))), style=FAINT)


def _list(screen: Screen, title: str, said: Sequence[str], most: int, style: str = "") -> None:
    if not said:
        return
    _title(screen, title)
    for one in said[:most]:
        for at, piece in enumerate(screen.wrapped(Text(plain(one), style=style), _INDENT)):
            screen.line(Text.assemble("  " if at else "- ", piece))
    if len(said) > most:
        screen.prose(PROFILE["more_html"].format(count=full(len(said) - most)), style=FAINT)


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
    for command, text in rows:
        screen.line(command, style=ACCENT)
        for piece in screen.wrapped(Text(text, style=FAINT), _INDENT):
            screen.line(Text.assemble(" " * _INDENT, piece))
