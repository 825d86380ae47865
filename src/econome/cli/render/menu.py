"""What a server's menu costs before and after, as tables, and the menu itself."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from rich.text import Text

from econome.cli.proxy_texts import TRIAL
from econome.cli.render.below import show_with_below
from econome.cli.render.figures import NOT_AVAILABLE, full, plain, share
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Report = Mapping[str, Any]

__all__ = ["show"]

_INDENT = 2
_MOST_TABLES = 5


def show(screen: Screen, report: Report, file: str, *, text: bool) -> None:
    """Print a dry run; *file* is where the rules stand, and with *text* the menu itself follows."""
    _heading(screen, report)
    _remarks(screen, report, file)
    screen.line()
    _tools(screen, report["before"], report["after"])
    screen.line()
    _forms(screen, report)
    _selects(screen, report["select"] or ())
    if report["asked"] == "flat" and report["form"] in ("flat", "untouched"):
        screen.line()
        screen.prose(TRIAL["flat"], style=FAINT)
    if text:
        same = report["menu_before"] == report["menu_after"]
        _menu(screen, TRIAL["heading_before"], report["menu_before"])
        _menu(screen, TRIAL["heading_after"], () if same else report["menu_after"])
        if same:
            screen.line(TRIAL["untold"])
    else:
        screen.line()
        screen.prose(TRIAL["hint"], style=FAINT)


def _heading(screen: Screen, report: Report) -> None:
    before, after = report["tokens_before"], report["tokens_after"]
    which = "same" if before == after else "less" if after < before else "more"
    facts = {
        "conclusion": TRIAL[which].format(share=share(abs(before - after), before)),
        "server": plain(report["server"]),
        "client": plain(report["client"]),
        "before": full(before),
        "after": full(after),
        "form": report["form"],
    }
    screen.line(TRIAL["heading"].format(**facts), style=TITLE)


def _remarks(screen: Screen, report: Report, file: str) -> None:
    """Print how the figures are meant, and what of the rules does not fit."""
    server = plain(report["server"])
    kind = TRIAL["estimate" if report["estimate"] else "count"]
    screen.prose(kind.format(tokenizer=report["tokenizer"]), style=FAINT)
    screen.prose(TRIAL["name"].format(server=server), style=FAINT)
    if report["reason"]:
        screen.prose(TRIAL["asked"].format(asked=report["asked"], reason=plain(report["reason"])))
    if report["more"]:
        screen.prose(TRIAL["added"].format(more=plain(report["more"])))
    if report["tokens_added"]:
        screen.prose(TRIAL["adds"].format(tokens=full(report["tokens_added"])))
    if report["wording"]:
        screen.prose(TRIAL[report["wording"]], style=FAINT)
    if report["structures_whole"]:
        screen.prose(TRIAL["whole"].format(client=plain(report["client"])))
    tables = [f"[{plain(table)}]" for table in report["other_tables"]]
    if tables:
        shown = ", ".join(tables[:_MOST_TABLES]) + (" …" if len(tables) > _MOST_TABLES else "")
        screen.prose(TRIAL["others"].format(file=plain(file), server=server, tables=shown))
    known = [row["tool"] for row in report["before"]]
    for tool in report["unknown_tools"]:
        like = get_close_matches(tool, known, 1)
        told = TRIAL["like"].format(tool=plain(like[0])) if like else ""
        screen.prose(
            TRIAL["stranger"].format(server=server, tool=plain(tool), like=told), style=LOUD
        )
    ceiling = report["budget_tokens"]
    if ceiling is not None:
        over = report["over_budget"]
        line = TRIAL["over" if over else "within"].format(ceiling=full(ceiling))
        screen.prose(line, style=LOUD if over else FAINT)


def _tools(screen: Screen, before: Sequence[Report], after: Sequence[Report]) -> None:
    """Print one table of the tools of both menus, those that are there in both in one row."""
    rest = [(row["tool"], row["tokens"]) for row in after]
    rows: list[tuple[str, int | None, int | None]] = []
    for row in before:
        found = next((pair for pair in rest if pair[0] == row["tool"]), None)
        if found is not None:
            rest.remove(found)
        rows.append((row["tool"], row["tokens"], found[1] if found else None))
    rows += [(name, None, tokens) for name, tokens in rest]
    sums = [sum(row["tokens"] for row in side) for side in (before, after)]
    rows.append((TRIAL["total"], sums[0], sums[1]))
    lesser = [a - b if a is not None and b is not None else None for _, a, b in rows]
    columns = [
        Column(TRIAL["tool"], [plain(name) for name, _, _ in rows], name=True, style=ACCENT),
        Column(TRIAL["before"], [_figure(one) for _, one, _ in rows]),
        Column(TRIAL["after"], [_figure(one) for _, _, one in rows]),
        Column(TRIAL["saved"], [_figure(one) for one in lesser]),
    ]
    screen.lines(lines(lay_out(columns, screen.width), total=True))


def _figure(tokens: int | None) -> str:
    return TRIAL["none"] if tokens is None else full(tokens)


def _forms(screen: Screen, report: Report) -> None:
    """Print what the menu comes to in each form, and why it is not had in one."""
    rows = report["forms"]
    marked = [row["form"] == report["form"] for row in rows]
    names = [
        row["form"] + (TRIAL["mark"] if mark else "")
        for row, mark in zip(rows, marked, strict=True)
    ]
    told = [NOT_AVAILABLE if row["tokens"] is None else full(row["tokens"]) for row in rows]
    reasons = [plain(row["reason"] or "") for row in rows]
    columns = [
        Column(TRIAL["forms"], names, left=True, style=ACCENT),
        Column(TRIAL["tokens"], told),
    ]
    if any(reasons):
        columns.append(Column(TRIAL["why"], reasons, name=True, style=FAINT))
    show_with_below(screen, columns, TRIAL["why"], reasons)


def _selects(screen: Screen, rows: Sequence[Report]) -> None:
    """Print which tools take `_select`, and why others do not."""
    by_reason: dict[str | None, list[str]] = {}
    for row in rows:
        by_reason.setdefault(row["reason"], []).append(plain(row["tool"]))
    if rows:
        screen.line()
    for reason, names in by_reason.items():
        line = TRIAL["offered" if reason is None else "withheld"]
        screen.prose(line.format(tools=", ".join(names), reason=reason))


def _menu(screen: Screen, title: str, tools: Sequence[Report]) -> None:
    """Print tools as a model reads them, wrapped."""
    screen.line()
    screen.line(title, style=TITLE)
    for tool in tools:
        screen.line(plain(str(tool.get("name", ""))), style=ACCENT)
        schema = tool.get("inputSchema")
        said = str(tool.get("description") or "").splitlines()
        for line in said:
            _indented(screen, line)
        if schema is not None:
            _indented(screen, json.dumps(schema, ensure_ascii=False), style=FAINT)


def _indented(screen: Screen, line: str, style: str = "") -> None:
    for piece in screen.wrapped(Text(plain(line), style=style), _INDENT):
        screen.line(Text.assemble(" " * _INDENT, piece))
