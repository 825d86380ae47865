"""What menus and answers of MCP servers came to, as a section below the balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from econome.cli.lean_texts import LEAN, LEAN_COLUMNS
from econome.cli.render.figures import NOT_AVAILABLE, full, plain, share
from econome.cli.render.notes import counted, left_out
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines

__all__ = ["show_lean"]

_Row = dict[str, Any]

_YIELDS = {
    "count": 7, "before": 5, "encoding": 1, "cutting": 2, "read_on": 3, "net": 0, "share": 6,
}  # fmt: skip
_MENU_YIELDS = {
    "menu_before": 5, "menu_after": 4, "less": 0, "lookups": 6, "tokens": 3, "paid_back_after": 1,
}  # fmt: skip
"""In which order columns leave a narrow terminal: the greatest first; what is needed for a sum goes last."""


def show_lean(
    screen: Screen, lean: _Row | None, *, by_day: bool = False, apart: bool = True
) -> bool:
    """Print the section, and tell whether there is one: there is none where nothing was measured in the period.

    *apart* says that it stands below sums that it is not in.
    """
    if lean is None or not (lean["methods"] or lean["faults"]):
        return False
    if apart:
        screen.line()
    screen.line(LEAN["title"] + (LEAN["apart"] if apart else ""), style=TITLE)
    for each in lean["methods"]:
        _answers(screen, each, by_day)
    for each in lean["methods"]:
        _menus(screen, each)
    _notes(screen, lean)
    return True


def _answers(screen: Screen, figures: _Row, by_day: bool) -> None:
    answers, net = figures["answers"], figures["net"]
    read_on = figures["read_on"]["tokens"]
    if not (answers["count"] or read_on):
        return
    method = plain(figures["method"])
    facts = {
        "net": full(abs(net)),
        "answers": counted("answers", answers["count"]),
        "share": share(abs(net), answers["before"]),
        "before": full(answers["before"]),
        "after": full(answers["after"] + read_on),
        "method": method,
    }
    screen.prose(LEAN["headline_lost" if net < 0 else "headline"].format(**facts))
    sums = {"read_on": full(read_on), "net": full(net)}
    sums |= {name: full(answers[name]) for name in ("encoding", "cutting")}
    screen.prose(LEAN["sum"].format(**sums))
    key = "day" if by_day else "server"
    rows = [row for row in figures[f"{key}s"] if row["answers"]["count"] or row["read_on"]["count"]]
    _table(screen, key, rows, _YIELDS, _answer_cell)
    if any(row["answers"]["encoding"] < 0 for row in rows):
        screen.prose(LEAN["dearer"].format(method=method), style=FAINT)


def _menus(screen: Screen, figures: _Row) -> None:
    rows = [row for row in figures["servers"] if row["menu"] or row["menus"]["lookups"]["count"]]
    if rows:
        screen.line(LEAN["menus"].format(method=plain(figures["method"])))
        _table(screen, "server", rows, _MENU_YIELDS, _menu_cell)


def _table(
    screen: Screen, key: str, rows: list[_Row], yields: dict[str, int], cell: Callable[[_Row, str], str]
) -> None:  # fmt: skip
    named = [plain(row[key]) for row in rows]
    columns = [Column(LEAN_COLUMNS[key], named, name=True, style=ACCENT)]
    if yields is _MENU_YIELDS:
        forms = [plain(row["menu"]["form"]) if row["menu"] else NOT_AVAILABLE for row in rows]
        columns.append(Column(LEAN_COLUMNS["form"], forms, left=True, yields=2))
    for name, leaves in yields.items():
        cells = [cell(row, name) for row in rows]
        columns.append(Column(LEAN_COLUMNS[name], cells, yields=leaves))
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    left_out(screen, layout)


def _answer_cell(row: _Row, name: str) -> str:
    if name == "share":
        return share(row["net"], row["answers"]["before"])
    if name == "read_on":
        return full(row["read_on"]["tokens"])
    return full(row["net"] if name == "net" else row["answers"][name])


def _menu_cell(row: _Row, name: str) -> str:
    menu, lookups = row["menu"], row["menus"]["lookups"]
    if name in ("lookups", "tokens"):
        return full(lookups["count" if name == "lookups" else "tokens"])
    if menu is None:
        return NOT_AVAILABLE
    if name == "paid_back_after":
        if not lookups["tokens"]:
            return LEAN["at_once" if menu["less"] > 0 else "nothing_to_pay"]
        if menu[name] is None:
            return LEAN["never"]
        return LEAN["after"].format(showings=full(menu[name]))
    return full(menu[name.removeprefix("menu_")])


def _notes(screen: Screen, lean: _Row) -> None:
    if any(row["menu"] for each in lean["methods"] for row in each["servers"]):
        screen.prose(LEAN["menus_note"], style=FAINT)
    estimates = [plain(each["method"]) for each in lean["methods"] if each["estimate"]]
    if estimates:
        screen.prose(LEAN["estimate"].format(methods=", ".join(estimates)), style=FAINT)
    if len(lean["methods"]) > 1:
        screen.prose(LEAN["methods"], style=FAINT)
    times, ledger = lean["added_us"], lean["ledger"]
    if times["calls"]:
        facts = {name: _time(times[name]) for name in ("p50", "p95")}
        screen.prose(LEAN["times"].format(**facts), style=FAINT)
    if lean["faults"]:
        screen.prose(LEAN["faults"].format(faults=counted("faults", lean["faults"])), style=LOUD)
    facts = {"lines": counted("lines", ledger["lines"]), "files": counted("files", ledger["files"])}
    screen.prose(LEAN["ledger"].format(**facts), style=FAINT)
    for name, key, shown in (
        ("damaged", "lines", counted("malformed", ledger["malformed"])),
        ("later", "lines", counted("lines", ledger["later"])),
        ("lost", "lost", full(ledger["lost"])),
        ("unreadable", "unreadable", counted("unreadable", ledger["unreadable"])),
    ):
        if ledger["malformed" if name == "damaged" else name]:
            screen.prose(LEAN[name].format(**{key: shown}), style=LOUD)


def _time(microseconds: int) -> str:
    """Return a time in the unit that it is read best in."""
    if microseconds < 1000:
        return f"{microseconds} µs"
    return (
        f"{microseconds / 1000:.1f} ms"
        if microseconds < 1_000_000
        else f"{microseconds / 1e6:.1f} s"
    )
