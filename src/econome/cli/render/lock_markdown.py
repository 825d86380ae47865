"""A comparison with a lock in Markdown, for the summary of a job or a comment in a pull request.

All that comes from a server is shown and cannot act: no link, picture, mention, HTML or cell of a table is made of it.
"""

from __future__ import annotations

import re

from econome.cli.lock_report import LockReport
from econome.cli.lock_texts import LOCK, MARKDOWN
from econome.cli.render.figures import NOT_AVAILABLE, full
from econome.cli.render.lock_verdict import verdict
from econome.cli.render.lock_words import (
    held_in,
    next_lines,
    over_line,
    said_in,
    signature_line,
    stray_line,
    tokens_of,
    witness_of,
)
from econome.cli.render.strangers import shortened
from econome.contract.findings import Finding
from econome.unseen import visible

__all__ = ["MOST", "code", "prose", "report_markdown"]

MOST = 65_536
"""So many characters may a comment have where pull requests are discussed."""

_ROOM = 600
"""What is kept free for the lines that say what was left out."""

_LONGEST = 400
_SHOWN = 4_000
_MARKUP = re.compile(
    r"[^A-Za-z0-9 ,;?%='\"()\u0080-\U0010ffff.:-]|[.:](?! |$)|(?<=[Gg][Hh])-(?=[0-9])"
)
_UNBOUND = "\u200b"
"""Of no width: what stands before it and behind it is not read together, as a mention or the number of an issue."""


def report_markdown(report: LockReport) -> str:
    """Return the report, of at most `MOST` characters; what did not fit is counted in a line."""
    page = _Page(_ROOM + len(report.next_command))
    page.add(MARKDOWN["verdict"].format(verdict=verdict(report, _name)))
    page.add(*_servers(report))
    if report.overs:
        page.add("", MARKDOWN["budgets"], "")
    over = sum(not page.add(f"- {prose(over_line(one))}") for one in report.overs)
    for name, near in report.strays:
        page.add("", prose(stray_line(name, near)))
    left = _table(page, report)
    unshown = 0 if left else _witnesses(page, report)
    if over:
        page.close("", MARKDOWN["left_budgets"].format(count=full(over)))
    if left:
        page.close("", MARKDOWN["left_out"].format(count=full(left)))
    if unshown:
        page.close("", MARKDOWN["left_shown"].format(count=full(unshown)))
    if report.drift.unchecked:
        names = ", ".join(map(code, report.drift.unchecked))
        page.add("", LOCK["holds_unchecked"].format(names=names))
    if report.drift.tokens:
        told = LOCK["estimate"] if report.estimate else ""
        page.close("", LOCK["method"].format(tokenizer=_name(report.tokenizer), estimate=told))
    if report.signature is not None:
        page.close("", signature_line(report, _name))
    for line in next_lines(report, _name):
        page.close("", line)
    if report.next_command:
        page.close("", LOCK["accept"].format(command=_span(visible(report.next_command))))
    return page.text()


class _Page:
    """Lines that are taken while there is room for them; the last *room* characters are for `close`."""

    def __init__(self, room: int) -> None:
        self._lines: list[str] = []
        self._left = MOST - room

    def add(self, *lines: str) -> bool:
        """Take lines, all or none, and return whether there was room."""
        size = sum(_units(line) + 1 for line in lines)
        if size > self._left:
            return False
        self._left -= size
        self._lines += lines
        return True

    def close(self, *lines: str) -> None:
        """Take lines that always have room."""
        self._lines += lines

    def text(self) -> str:
        """Return what was taken."""
        return "\n".join(self._lines) + "\n"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _servers(report: LockReport) -> list[str]:
    tokens = sorted(report.drift.tokens.items())
    if not tokens:
        return []
    rows = [
        f"| {code(name)} | {NOT_AVAILABLE if old is None else full(old)} | {NOT_AVAILABLE if new is None else full(new)} |"
        for name, (old, new) in tokens
    ]
    return ["", MARKDOWN["servers"], MARKDOWN["servers_rule"], *rows]


def _table(page: _Page, report: LockReport) -> int:
    """Take the table of differences; return how many had no room."""
    findings = report.findings
    if not findings or not page.add("", MARKDOWN["head"], MARKDOWN["rule"]):
        return len(findings)
    for at, one in enumerate(findings):
        if not page.add(_row(report, one)):
            return len(findings) - at
    return 0


def _row(report: LockReport, one: Finding) -> str:
    what = one.subject if one.subject == "server" else f"{one.subject} {code(one.name)}"
    if one.where:
        what += f" at {code(one.where)}"
    severity = f"**{one.severity}**" if one.severity == "BREAKING" else one.severity
    severity += MARKDOWN["regression"] if one.regression else ""
    cells = (
        severity,
        f"`{one.kind}`",
        code(one.server),
        what,
        tokens_of(one),
        prose(said_in(report, one)),
    )
    return f"| {' | '.join(cells)} |"


def _witnesses(page: _Page, report: LockReport) -> int:
    """Take a folded block for each difference that something shows; return how many had no room."""
    left = 0
    for one in report.findings:
        shown = [f"{name}: {text}" for name, text in _shown(report, one)]
        if not shown:
            continue
        name = _plain(f"{one.kind}, {one.server}, {one.name}")
        head = MARKDOWN["witness"].format(name=name)
        left += not page.add(
            "", f"<details><summary>{head}</summary>", "", *_block(shown), "", "</details>"
        )
    return left


def _shown(report: LockReport, one: Finding) -> list[tuple[str, str]]:
    lines = [(LOCK[name], held) for name, held in held_in(report, one, _SHOWN)]
    witness = witness_of(one, _SHOWN)
    return lines + ([(LOCK["shows"], witness)] if witness else [])


def _block(lines: list[str]) -> list[str]:
    """Return lines as a block of code that nothing in them can end."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def code(name: str) -> str:
    """Return a name as code, in which nothing acts, for a cell: one with the mark that ends a cell has it as a number of HTML."""
    shown = shortened(visible(name), _LONGEST)
    return f"<code>{_numbered(shown)}</code>" if "|" in shown else _span(shown)


def _name(name: str) -> str:
    """Return a name as code, outside of a table."""
    return _span(shortened(visible(name), _LONGEST))


def _span(shown: str) -> str:
    """Return code between more marks than it has in a row, which nothing in it can end."""
    if not shown.strip(" "):
        return f"<code>{shown}</code>"
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    if shown[0] in " `" or shown[-1] in " `":
        shown = f" {shown} "  # one blank at each end is taken off again
    return f"{fence}{shown}{fence}"


def prose(text: str) -> str:
    """Return a sentence in which nothing is markup but what stands between two backticks, which is code, and nothing acts."""
    parts = shortened(visible(text), _LONGEST).split("`")
    last = f"\\`{_numbered(parts.pop())}" if len(parts) % 2 == 0 else ""
    said = ""
    for at, part in enumerate(parts):
        if at % 2 == 0:
            said += _numbered(part)
        else:
            said += (_UNBOUND if said.endswith("`") else "") + code(part)
    return said + last


def _plain(text: str) -> str:
    """Return a sentence in which nothing is markup, for a line of HTML."""
    return _numbered(shortened(visible(text), _LONGEST))


def _numbered(text: str) -> str:
    """Return *text* with every mark that could be markup as its number of HTML, and apart from what follows it."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};{_UNBOUND}", text)
