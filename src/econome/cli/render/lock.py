"""A lock, and a comparison with one, on the terminal."""

from __future__ import annotations

from rich.text import Text

from econome.cli.lock_report import Kept, LockReport, Written
from econome.cli.lock_texts import LOCK
from econome.cli.render.figures import NOT_AVAILABLE, full, share
from econome.cli.render.lock_verdict import verdict
from econome.cli.render.lock_words import (
    held_in,
    many,
    next_lines,
    over_line,
    place_of,
    said_in,
    shown_by,
    signature_line,
    stray_line,
    tokens_of,
)
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.strangers import shortened
from econome.cli.render.table import Column, lay_out, lines
from econome.contract.findings import Finding
from econome.contract.signing import ENDING
from econome.unseen import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from econome.cli.lock_explained import Explained
    from econome.contract.ceilings import Over

__all__ = ["show_explained", "show_report", "show_written"]

_INDENT = 10
_STYLES = {"BREAKING": "bold red", "RISKY": LOUD, "SAFE": ACCENT, "COSMETIC": FAINT}


def show_report(screen: Screen, report: LockReport) -> None:
    """Print what changed, the worst first, or in one line that nothing did."""
    findings = report.findings
    screen.line(verdict(report), style=TITLE if findings or report.overs else "")
    for one in findings:
        _finding(screen, report, one)
    if findings or report.overs:
        screen.line()
    _overs(screen, report.overs)
    if findings:
        _menus(screen, report)
    _notes(screen, report)


def _finding(screen: Screen, report: LockReport, one: Finding) -> None:
    screen.line()
    marks = [mark for mark in (tokens_of(one), one.regression and LOCK["regression"]) if mark]
    head = Text.assemble(
        (f"{one.severity:<{_INDENT}}", _STYLES[one.severity]),
        place_of(one),
        (f"  {one.kind}", FAINT),
        (f"  {', '.join(marks)}" if marks else "", FAINT),
    )
    screen.line(head)
    _indented(screen, shortened(said_in(report, one), 600))
    for name, held in held_in(report, one, 300):
        _indented(screen, f"{LOCK[name]}: {held}", FAINT)
    shown = shown_by(one, 600)
    if shown:
        _indented(screen, shown, ACCENT)


def _indented(screen: Screen, text: str, style: str = "") -> None:
    for piece in screen.wrapped(Text(text, style=style), _INDENT):
        screen.line(Text.assemble(" " * _INDENT, piece))


def _overs(screen: Screen, overs: Iterable[Over]) -> None:
    for one in overs:
        screen.prose(over_line(one), style=LOUD if one.level == "fail" else "")


def _menus(screen: Screen, report: LockReport) -> None:
    for name, (old, new) in sorted(report.drift.tokens.items()):
        server = visible(name)
        if old is not None and new is not None:
            if old != new:
                change = f"{new - old:+,}"
                facts = {"server": server, "old": full(old), "new": full(new), "change": change}
                screen.prose(LOCK["menu"].format(**facts))
        elif new is not None:
            screen.prose(LOCK["menu_new"].format(server=server, new=full(new)))
        elif old is not None:
            screen.prose(LOCK["menu_gone"].format(server=server, old=full(old)))


def _strays(screen: Screen, told: Iterable[tuple[str, str]]) -> None:
    for name, near in told:
        screen.prose(stray_line(name, near), style=LOUD)


def _left_out(screen: Screen, told: Iterable[tuple[str, str]]) -> None:
    for name, reason in told:
        screen.prose(LOCK["skipped"].format(name=visible(name), reason=visible(reason)))


def _notes(screen: Screen, report: LockReport) -> None:
    _strays(screen, report.strays)
    _left_out(screen, report.left_out)
    if report.drift.unchecked:
        names = ", ".join(map(visible, report.drift.unchecked))
        screen.prose(LOCK["holds_unchecked"].format(names=names), style=FAINT)
    if report.findings or report.overs:
        _method(screen, report.tokenizer, report.estimate)
    if report.signature is not None:
        screen.prose(signature_line(report))
    for line in next_lines(report):
        screen.prose(line)
    if report.next_command:
        screen.line(LOCK["accept"].format(command=visible(report.next_command)))


def _method(screen: Screen, tokenizer: str, estimate: bool) -> None:
    told = LOCK["estimate"] if estimate else ""
    screen.prose(LOCK["method"].format(tokenizer=tokenizer, estimate=told), style=FAINT)


def show_written(screen: Screen, written: Written) -> None:
    """Print what was locked, and what stands in it that deserves a look."""
    names = ", ".join(visible(one.name) for one in written.kept)
    said = LOCK["written" if written.changed else "same"]
    screen.line(said.format(path=visible(written.path), servers=names), style=TITLE)
    columns = [
        Column(LOCK["row_name"], [visible(one.name) for one in written.kept], name=True),
        Column(LOCK["row_tools"], [full(one.tools) for one in written.kept]),
        Column(LOCK["row_tokens"], [full(one.tokens) for one in written.kept]),
        Column(LOCK["row_class"], [one.worst or NOT_AVAILABLE for one in written.kept], left=True),
    ]
    screen.lines(lines(lay_out(columns, screen.width)))
    for kept in written.kept:
        if kept.unknown:
            _unknown(screen, kept)
    if written.others:
        screen.prose(LOCK["others"].format(servers=", ".join(map(visible, written.others))))
    _left_out(screen, written.left_out)
    for one in written.seen:
        what = LOCK[one.kind].format(what=shortened(visible(one.what)))
        subject = (
            LOCK["unnamed"] if one.subject == "server" else f"{one.subject} {visible(one.name)}"
        )
        line = LOCK["seen"].format(subject=subject, server=visible(one.server), what=what)
        screen.prose(line, style=LOUD)
    _overs(screen, written.overs)
    _strays(screen, written.strays)
    _method(screen, written.tokenizer, written.estimate)
    if written.resign:
        facts = {"signature": f"{written.path}{ENDING}", "command": written.resign}
        line = LOCK["signature_gone"].format(**{key: visible(text) for key, text in facts.items()})
        screen.prose(line, style=LOUD)
    if written.signed:
        screen.prose(LOCK["signed"].format(path=visible(written.path)))
    if written.changed:
        screen.line(LOCK["commit"].format(command=visible(written.check)), style=FAINT)


def _unknown(screen: Screen, one: Kept) -> None:
    """Say of how many tools nothing is known of what they answer, so that no class is taken for a promise of theirs."""
    facts = {"count": many("tool", one.unknown), "server": visible(one.name)}
    say = "says" if one.unknown == 1 else "say"
    screen.prose(LOCK["unknown"].format(**facts, say=say, reason=visible(one.reason)))


def show_explained(screen: Screen, held: Explained) -> None:
    """Print what a lock holds of one tool."""
    server = visible(held.server)
    screen.line(LOCK["explain_of"].format(tool=visible(held.name), server=server), style=TITLE)
    facts = {"tokens": full(held.tokens), "menu": full(held.menu), "server": server}
    facts["share"] = share(held.tokens, held.menu)
    shown = "explain_tokens" if held.form == "untouched" else "explain_declared"
    screen.prose(LOCK[shown].format(**facts))
    if held.short_tokens is not None:
        screen.prose(LOCK["explain_short"].format(tokens=full(held.short_tokens)))
    screen.prose(
        LOCK["explain_class"].format(name=held.risk or NOT_AVAILABLE, reason=visible(held.reason))
    )
    screen.prose(LOCK["explain_namespace"].format(namespace=visible(held.namespace)))
    for ceiling, name in ((held.ceiling, "explain_budget"), (held.warned, "explain_warn")):
        if ceiling is not None:
            screen.prose(LOCK[name].format(ceiling=full(ceiling)))
    _method(screen, held.tokenizer, held.estimate)
    for name, told in held.parts():
        screen.line()
        screen.line(LOCK[f"explain_{name}"], style=ACCENT)
        for line in told.split("\n"):
            _part(screen, line)


def _part(screen: Screen, line: str) -> None:
    for piece in screen.wrapped(Text(visible(line)), 2):
        screen.line(Text.assemble("  ", piece))
