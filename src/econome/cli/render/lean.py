"""What menus and answers of MCP servers came to, as a section below the balance."""

from __future__ import annotations

from typing import Any

from econome.cli.lean_texts import LEAN, LEAN_COLUMNS
from econome.cli.render.figures import NOT_AVAILABLE, full, plain
from econome.cli.render.notes import counted, left_out
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines

__all__ = ["show_lean"]

_Row = dict[str, Any]

_YIELDS = {
    "count": 6, "before": 2, "after": 3, "encoding": 4, "cutting": 5, "lookups": 7, "net": 0, "menu": 1,
}  # fmt: skip
"""In which order columns leave a narrow terminal: the greatest first; net never does."""


def show_lean(screen: Screen, lean: _Row | None) -> None:
    """Print the section; nothing where nothing was measured in the period."""
    if lean is None or not (lean["methods"] or lean["faults"]):
        return
    screen.line()
    screen.line(LEAN["title"], style=TITLE)
    for each in lean["methods"]:
        _method(screen, each)
    estimates = [plain(each["method"]) for each in lean["methods"] if each["estimate"]]
    if estimates:
        screen.prose(LEAN["estimate"].format(methods=", ".join(estimates)), style=FAINT)
    if len(lean["methods"]) > 1:
        screen.prose(LEAN["methods"], style=FAINT)
    _notes(screen, lean)


def _method(screen: Screen, figures: _Row) -> None:
    answers, net = figures["answers"], figures["net"]
    text = LEAN["headline_lost" if net < 0 else "headline"]
    count = counted("answers", answers["count"])
    screen.line(text.format(net=full(abs(net)), answers=count, method=plain(figures["method"])))
    sums = {
        "encoding": full(answers["encoding"]),
        "cutting": full(answers["cutting"]),
        "lookups": full(figures["lookups"]["tokens"]),
        "net": full(net),
    }
    screen.prose(LEAN["sum"].format(**sums))
    rows = figures["servers"]
    columns = [
        Column(LEAN_COLUMNS["server"], [plain(row["server"]) for row in rows], name=True, style=ACCENT)
    ]  # fmt: skip
    for name, yields in _YIELDS.items():
        columns.append(
            Column(LEAN_COLUMNS[name], [_cell(row, name) for row in rows], yields=yields)
        )
    layout = lay_out(columns, screen.width)
    screen.lines(lines(layout))
    left_out(screen, layout)


def _cell(row: _Row, name: str) -> str:
    if name == "menu":
        menu = row["menu"]
        if menu is None:
            return NOT_AVAILABLE
        return LEAN["menu"].format(before=full(menu["before"]), after=full(menu["after"]))
    if name == "lookups":
        return full(row["lookups"]["tokens"])
    return full(row["net"] if name == "net" else row["answers"][name])


def _notes(screen: Screen, lean: _Row) -> None:
    if any(row["menu"] for each in lean["methods"] for row in each["servers"]):
        screen.prose(LEAN["menus"], style=FAINT)
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
