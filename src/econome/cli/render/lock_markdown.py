"""A comparison with a lock in Markdown, for the summary of a job or a comment in a pull request.

All that comes from a server is shown and cannot act: no link, picture, mention, HTML or cell of a table is made of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from econome.cli.lock_report import LockReport
from econome.cli.lock_texts import LOCK, MARKDOWN
from econome.cli.render.figures import NOT_AVAILABLE, full
from econome.cli.render.lock_words import counts_of, over_line, stray_line, tokens_of, witness_of
from econome.cli.render.strangers import shortened, value
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
    findings = report.findings
    page = _Page(_ROOM)
    if not findings:
        page.add(MARKDOWN["holds"])
    else:
        page.add(MARKDOWN["drift"].format(counts=counts_of(findings)))
    page.add("", MARKDOWN["file"].format(path=code(report.path)))
    page.add(*_servers(report))
    if report.overs:
        page.add("", MARKDOWN["budgets"], "")
    over = sum(not page.add(f"- {prose(over_line(one))}") for one in report.overs)
    for name, near in report.strays:
        page.add("", prose(stray_line(name, near)))
    left = _table(page, findings)
    unshown = 0 if left else _witnesses(page, findings)
    if over:
        page.close("", MARKDOWN["left_budgets"].format(count=full(over)))
    if left:
        page.close("", MARKDOWN["left_out"].format(count=full(left)))
    if unshown:
        page.close("", MARKDOWN["left_shown"].format(count=full(unshown)))
    if report.drift.unchecked:
        names = ", ".join(map(code, report.drift.unchecked))
        page.add("", LOCK["holds_unchecked"].format(names=names))
    if findings:
        page.close("", MARKDOWN["accept"])
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


def _table(page: _Page, findings: list[Finding]) -> int:
    """Take the table of differences; return how many had no room."""
    if not findings or not page.add("", MARKDOWN["head"], MARKDOWN["rule"]):
        return len(findings)
    for at, one in enumerate(findings):
        if not page.add(_row(one)):
            return len(findings) - at
    return 0


def _row(one: Finding) -> str:
    what = one.subject if one.subject == "server" else f"{one.subject} {code(one.name)}"
    if one.where:
        what += f" at {code(one.where)}"
    severity = f"**{one.severity}**" if one.severity == "BREAKING" else one.severity
    severity += MARKDOWN["regression"] if one.regression else ""
    cells = (severity, f"`{one.kind}`", code(one.server), what, tokens_of(one), prose(one.text))
    return f"| {' | '.join(cells)} |"


def _witnesses(page: _Page, findings: Iterable[Finding]) -> int:
    """Take a folded block for each difference that something shows; return how many had no room."""
    left = 0
    for one in findings:
        shown = [f"{name}: {text}" for name, text in _shown(one)]
        if not shown:
            continue
        name = prose(f"{one.kind}, {one.server}, {one.name}")
        head = MARKDOWN["witness"].format(name=name)
        left += not page.add(
            "", f"<details><summary>{head}</summary>", "", *_block(shown), "", "</details>"
        )
    return left


def _shown(one: Finding) -> list[tuple[str, str]]:
    found = [(LOCK["was"], one.old), (LOCK["now"], one.new)]
    lines = [(name, value(held, _SHOWN)) for name, held in found if held is not None]
    witness = witness_of(one, _SHOWN)
    return lines + ([(LOCK["shows"], witness)] if witness else [])


def _block(lines: list[str]) -> list[str]:
    """Return lines as a block of code that nothing in them can end."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def code(name: str) -> str:
    """Return a name as code, in which nothing acts; one with marks that could end it has those as numbers of HTML."""
    shown = shortened(visible(name), _LONGEST)
    if shown.strip(" ") != shown or not shown or "`" in shown or "|" in shown:
        return f"<code>{_numbered(shown)}</code>"
    return f"`{shown}`"


def prose(text: str) -> str:
    """Return a sentence in which nothing is markup, and no mention or number of an issue is found."""
    return _numbered(shortened(visible(text), _LONGEST))


def _numbered(text: str) -> str:
    """Return *text* with every mark that could be markup as its number of HTML, and apart from what follows it."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};{_UNBOUND}", text)
