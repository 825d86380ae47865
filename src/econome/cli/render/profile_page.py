"""Profiles as one HTML document: drawings, and tables with the same figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Literal

from econome import __version__
from econome.cli.profile_texts import PAGE, PROFILE, PROFILE_COLUMNS
from econome.cli.render.figures import NOT_AVAILABLE, full, share
from econome.cli.render.notes import counted
from econome.cli.render.profile_file import GENERATOR
from econome.cli.render.profile_rows import (
    Report,
    advised,
    basis,
    dearest_first,
    deferred,
    failures,
    figure,
    is_known,
    is_worth_it,
    library,
    listed,
    method_of,
    never_line,
    no_tools,
    of_all_servers,
    over_line,
    overview,
    saved,
    steps,
    steps_of,
    text_line,
    told,
    weighed_notes,
    weighed_read,
)
from econome.server.charts.bars import Bar, bars, legend
from econome.server.charts.document import Head, document, table
from econome.server.charts.marks import written

__all__ = ["page"]

_BARS = 25
_ROWS = 1_000
_ROWS_OF_STEP = 25
_SHEETS = ("econome.css", "charts.css", "report.css")


def page(report: Report) -> str:
    """Return the document of a report."""
    servers, _ = dearest_first(report["servers"])
    alone = servers[0]["server"] if len(servers) == 1 else None
    many = counted("servers", len(servers))
    title = (
        PAGE["title"].format(server=alone)
        if alone is not None
        else PAGE["title_all"].format(servers=many)
    )
    parts = [f"<h1>{written(title)}</h1>"]
    if len(servers) != 1:
        parts += _overview(servers)
    parts += [_loud(PROFILE["away"].format(**row)) for row in report["away"]]
    parts += [_quiet(PROFILE["left_out"].format(**row)) for row in report["left_out"]]
    for at, server in enumerate(servers):
        parts += _server(server, at, alone=alone is not None)
    if report["weighed"] is not None:
        parts += [] if servers else _weighed(report["weighed"])
        parts += map(_quiet, weighed_notes(report["weighed"]))
    parts.append(_quiet(PAGE["made"].format(version=__version__)))
    style = "".join(
        (files("econome.server") / "static" / name).read_text(encoding="utf-8") for name in _SHEETS
    )
    return document(title, "\n".join(parts), style, f"{GENERATOR} {__version__}")


def _p(text: str) -> str:
    return f"<p>{written(text)}</p>"


def _quiet(text: str) -> str:
    return f'<p class="quiet">{written(text)}</p>'


def _loud(text: str) -> str:
    return f'<p class="loud">{written(text)}</p>'


def _list(said: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{written(one)}</li>" for one in said) + "</ul>"


def _head(name: str, kind: Literal["figures", "short", "words"] = "figures") -> Head:
    return Head(PROFILE_COLUMNS[name], kind)


def _overview(servers: Sequence[Report]) -> list[str]:
    if not servers:
        return []
    rows, whole = dearest_first(servers)
    title = overview(rows)
    links = "".join(
        f'<li><a href="#server-{at}">{written(one["server"])}</a></li>'
        for at, one in enumerate(rows)
    )
    if whole is None:
        return [_p(title), f"<nav><ul>{links}</ul></nav>"]
    drawn = bars(
        [
            Bar(one["server"], (one["menu"]["per_turn"] or 0,), figure(one["menu"]["per_turn"]))
            for one in rows
        ],
        (PAGE["in_turn"],),
        name="servers",
        title=title,
        desc=PAGE["servers_desc"],
    )
    heads = [_head(name) for name in ("server", "tools", "tokens", "share", "deferred")]
    cells = [
        [
            one["server"],
            figure(listed(one["menu"])),
            figure(one["menu"]["per_turn"]),
            share(one["menu"]["per_turn"], whole),
            figure(one["menu"]["deferred"]),
        ]
        for one in rows
    ]
    return [
        _p(title),
        f"<nav><ul>{links}</ul></nav>",
        drawn,
        table("", heads, cells),
        _quiet(PROFILE["deferred_means"]),
    ]


def _server(server: Report, at: int, *, alone: bool) -> list[str]:
    """Return the sections of one server; *at* tells its drawings from those of others."""
    menu, level = server["menu"], 2 if alone else 3
    parts = [] if alone else [f'<h2 id="server-{at}">{written(server["server"])}</h2>']
    if not menu["tools"]:
        parts.append(_p(no_tools(server)))
    else:
        parts += _summary(server)
        parts += _menu(server, at, level)
    if menu["tools"] or server["answers"]:
        parts += _steps(server, level)
    if server["answers"]:
        parts += _answers(server["answers"], at, level)
    if server["transcripts"]:
        parts += _transcripts(server["transcripts"], level)
    parts += _judged(server, level)
    return parts


def _summary(server: Report) -> list[str]:
    menu = server["menu"]
    tools = counted("tools", listed(menu) or 0)
    kind = PROFILE["estimate" if server["estimate"] else "count"]
    said = [
        f'<p class="headline">{full(menu["per_turn"])}</p>',
        _quiet(PAGE["headline"].format(tools=tools)),
        *map(_p, (*library(menu), deferred(menu))),
    ]
    if menu["instructions"]:
        said.append(_p(PROFILE["instructions"].format(tokens=full(menu["instructions"]))))
    return [*said, _quiet(kind.format(tokenizer=server["tokenizer"]))]


def _menu(server: Report, at: int, level: int) -> list[str]:
    menu = server["menu"]
    tools = menu["tools"]
    drawn_tools = tools[:_BARS]
    names = tuple(PROFILE_COLUMNS[part] for part in ("name", "description", "schema"))
    title = PAGE["bars_declared" if menu["library"] else "bars"]
    facts = {
        "shown": full(len(drawn_tools)),
        "all": full(len(tools)),
        "most": counted("tokens", max(one["tokens"] for one in drawn_tools)),
    }
    drawn = bars(
        [
            Bar(one["tool"], (one["name"], one["description"], one["schema"]), full(one["tokens"]))
            for one in drawn_tools
        ],
        names,
        name=f"tools-{at}",
        title=title,
        desc=PAGE["bars_desc"].format(**facts),
    )
    heads = [
        *(_head(name) for name in ("tool", "tokens", "name", "description", "schema")),
        _head("class", "short"),
        _head("reason", "words"),
    ]
    cells = [
        [
            one["tool"],
            *(full(one[part]) for part in ("tokens", "name", "description", "schema")),
            one["class"] if is_known(one) else NOT_AVAILABLE,
            one["reason"] if is_known(one) else NOT_AVAILABLE,
        ]
        for one in tools[:_ROWS]
    ]
    return [
        _h(level, PAGE["menu"]),
        _quiet(title),
        legend(names),
        drawn,
        *([_quiet(PAGE["drawn"].format(**facts))] if len(drawn_tools) < len(tools) else []),
        table(PROFILE["tools_declared" if menu["library"] else "tools"], heads, cells),
        *_more(len(tools) - _ROWS),
        *_namespaces(menu["namespaces"]),
        *_forms(server, at, level),
    ]


def _h(level: int, text: str) -> str:
    return f"<h{level}>{written(text)}</h{level}>"


def _more(count: int) -> list[str]:
    return [_quiet(PAGE["more"].format(count=full(count)))] if count > 0 else []


def _namespaces(rows: Sequence[Report]) -> list[str]:
    if len(rows) < 2:
        return []
    heads = [_head(name) for name in ("namespace", "tools", "tokens")]
    cells = [[one["namespace"], full(one["tools"]), full(one["tokens"])] for one in rows[:_ROWS]]
    return [table(PROFILE["namespaces"], heads, cells), *_more(len(rows) - _ROWS)]


def _forms(server: Report, at: int, level: int) -> list[str]:
    """Return the menu in each form beside what it is, drawn and as a table."""
    menu = server["menu"]
    rows = [
        {"form": PAGE["untouched"], "tokens": menu["per_turn"], "reason": ""},
        *menu["forms"],
    ]
    drawn = bars(
        [
            Bar(one["form"], (one["tokens"] or 0,), figure(one["tokens"]), marked=one is rows[0])
            for one in rows
        ],
        (PAGE["in_turn"],),
        name=f"forms-{at}",
        title=PAGE["forms"],
        desc=PAGE["forms_desc"],
    )
    heads = [_head("form"), _head("tokens"), _head("note", "words")]
    cells = [
        [one["form"], figure(one["tokens"]), one["reason"] or PAGE.get(one["form"] + "_note", "")]
        for one in rows
    ]
    return [_h(level, PAGE["forms"]), _quiet(PAGE["forms_desc"]), drawn, table(PAGE["forms"], heads, cells)]  # fmt: skip


def _steps(server: Report, level: int) -> list[str]:
    """Return of each step a table of what has figures, and a sentence for each row that has none."""
    heads = [
        _head("what"),
        *(_head(name) for name in ("before", "after", "saves")),
        _head("basis", "short"),
        _head("note", "words"),
    ]
    found = steps(steps_of(server))
    parts = [_h(level, PROFILE["steps"])] if found else []
    for step in found:
        parts.append(_h(level + 1, f"{step.order} {step.title}"))
        worth = [row for row in step.rows if is_worth_it(row)]
        rows = worth[:_ROWS_OF_STEP]
        known = [row for row in rows if row["tokens_before"] is not None]
        cells = [
            [
                row["what"],
                figure(row["tokens_before"]),
                figure(row["tokens_after"]),
                saved(row),
                basis(row),
                row["note"],
            ]
            for row in known
        ]
        parts += [table("", heads, cells)] if cells else []
        parts += [_quiet(told(row)) for row in rows if row["tokens_before"] is None]
        parts += _more(len(worth) - len(rows))
        if little := len(step.rows) - len(worth):
            text = PROFILE["little_rows" if worth else "little_all"]
            parts.append(_quiet(text.format(count=full(little))))
    return parts


def _answers(answers: Mapping[str, Report], at: int, level: int) -> list[str]:
    weighed = [(name, own) for name, own in answers.items() if own["max"] is not None]
    names = tuple(PAGE[part] for part in ("to_p50", "to_p95", "to_max"))
    drawn = bars(
        [
            Bar(
                name,
                (own["p50"], own["p95"] - own["p50"], own["max"] - own["p95"]),
                PAGE["in_answer"].format(**{part: full(own[part]) for part in ("p50", "p95", "max")}),
            )
            for name, own in weighed[:_BARS]
        ],
        names,
        name=f"answers-{at}",
        title=PROFILE["answers"],
        desc=PAGE["answers_desc"],
    )  # fmt: skip
    heads = [
        _head("tool"),
        _head("kind", "short"),
        *(_head(name) for name in ("calls", "failed", "unanswered", "p50", "p95", "max", "total")),
        _head("class", "short"),
    ]
    cells = []
    for name, own in list(answers.items())[:_ROWS]:
        kinds = own["by_kind"]
        alone = len(kinds) == 1 and _spread(own) == _spread(*kinds.values())
        cells.append(
            [
                name,
                next(iter(kinds)) if alone else PAGE["all_kinds"],
                full(own["calls"]),
                failures(own, "errors"),
                full(own["unanswered"]),
                *_spread(own),
                own["class"] or NOT_AVAILABLE,
            ]
        )
        for kind, part in () if alone else kinds.items():
            cells.append([name, kind, full(part["answers"]), "", "", *_spread(part), ""])
    return [
        _h(level, PROFILE["answers"]),
        *([_quiet(PAGE["answers_desc"]), legend(names), drawn] if weighed else []),
        table(PROFILE["answers"], heads, cells),
        *_more(len(answers) - _ROWS),
    ]


def _spread(row: Report) -> list[str]:
    return [figure(row[name]) for name in ("p50", "p95", "max", "total")]


def _transcripts(rows: Mapping[str, Report], level: int) -> list[str]:
    title = PROFILE["transcripts"].format(method=method_of(rows))
    heads = [
        *(_head(name) for name in ("tool", "calls", "failed", "unanswered", "p50", "p95", "max", "total", "guess")),
        _head("last", "short"),
    ]  # fmt: skip
    cells = [
        [
            name,
            full(own["calls"]),
            failures(own, "failures"),
            full(own["unanswered"]),
            *_spread(own["characters"]),
            figure(own["tokens"]["p50"]),
            own["last_day"] or NOT_AVAILABLE,
        ]
        for name, own in list(rows.items())[:_ROWS]
    ]
    return [_h(level, title), table(title, heads, cells), *_more(len(rows) - _ROWS)]


def _weighed(weighed: Report) -> list[str]:
    """Return what transcripts say of all MCP tools, where no server was asked."""
    rows = of_all_servers(weighed)
    shown = _transcripts(rows, 2) if rows else [_p(PROFILE["weighed_none"])]
    return [*shown, _quiet(weighed_read(weighed, rows))]


def _judged(server: Report, level: int) -> list[str]:
    parts = []
    never = server["never_called"]
    if never and never["tools"]:
        names = ", ".join(row["tool"] for row in never["tools"][:_ROWS])
        parts.append(_loud(never_line(server, names)))
    if server["budget"]:
        parts.append(_h(level, PROFILE["budget"]))
        parts += [_loud(over_line(row)) for row in server["budget"]]
    for title, said in (
        ("texts", [text_line(row) for row in server["texts"]]),
        ("advice", advised(server)),
        ("left", server["omitted"]),
    ):
        if said:
            parts += [_h(level, PROFILE.get(title) or PAGE[title]), _list(said[:_ROWS])]
    return parts
