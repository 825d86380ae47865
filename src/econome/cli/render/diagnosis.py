"""A diagnosis as sections: what was found, what it rests on, what was looked for in vain, what cannot be known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from econome.cli.diagnosis_texts import DIAGNOSIS
from econome.cli.render.figures import full, plain
from econome.cli.render.notes import banner, counted, coverage_line, left_out
from econome.cli.render.screen import ACCENT, FAINT, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines
from econome.server.screens.diagnosis_amounts import amount
from econome.server.screens.diagnosis_view import Told, View, view
from econome.server.screens.figure import Column as Head
from econome.server.screens.figure import Figure, Row, Value
from econome.server.screens.state import State
from econome.server.telling import Telling, telling

if TYPE_CHECKING:
    from econome.clock import Zone

__all__ = ["show"]

_ROWS = 5
_INDENT = 3
_NAMES = frozenset(
    {
        "session",
        "project",
        "agent",
        "model",
        "other_model",
        "tool",
        "server",
        "preset",
        "file",
        "economy",
    }
)

_MODELS = frozenset({"model", "other_model"})
_STAY = frozenset({"usd", "above_usd", "net_usd"})
_YIELDS = {
    "context": 9, "lifetime": 9, "agent": 8, "carried": 7, "characters": 7, "sessions": 6, "runs": 6, "before": 5,
    "after": 6, "model": 5, "tokens": 4, "avoided": 4, "largest": 3,
}  # fmt: skip
"""In which order columns leave a narrow terminal: the greatest first, those that stay never."""


def show(screen: Screen, report: dict[str, Any], zone: Zone) -> None:
    """Print a report of the diagnosis."""
    told = telling("en")
    seen = view(told, report, State("/usage"))
    _headline(screen, told, report, seen)
    for at, finding in enumerate(seen.findings):
        screen.line()
        _finding(screen, told, zone, at + 1, finding, report["findings"][at]["evidence"])
    screen.line()
    _judged(screen, report, seen)
    screen.line(DIAGNOSIS["unknown"], style=TITLE)
    for text in seen.unknown:
        _item(screen, "- ", text, FAINT)
    screen.line()
    screen.prose(coverage_line(report["coverage"]), style=FAINT)
    banner(screen, report)


def _headline(screen: Screen, told: Telling, report: dict[str, Any], seen: View) -> None:
    count, cost = len(seen.findings), report["cost"]
    facts = {
        "findings": told.plural("{count} finding", "{count} findings", count),
        "responses": counted("responses", cost["responses"]),
        "cost": amount(told, cost),
        "period": _period(report["period"]),
    }
    screen.prose(DIAGNOSIS["headline" if count else "none"].format(**facts), style=TITLE)
    for one in seen.sums:
        facts = {"amount": one.amount, "share": one.share, "tokens": one.tokens}
        screen.prose(DIAGNOSIS["sum"].format(basis=one.basis, **facts))
    if count > 1:
        screen.prose(DIAGNOSIS["apart"], style=FAINT)


def _period(period: dict[str, str | None]) -> str:
    since, until = period["since"], period["until"]
    ends = ("up_to" if until else "all") if since is None else ("between" if until else "from")
    return DIAGNOSIS[ends].format(since=since, until=until)


def _finding(
    screen: Screen,
    told: Telling,
    zone: Zone,
    at: int,
    finding: Told,
    evidence: list[dict[str, Any]],
) -> None:
    head = DIAGNOSIS["finding"].format(
        at=at, name=finding.name, amount=finding.amount, basis=finding.basis
    )
    screen.prose(head, style=TITLE)
    confidence = DIAGNOSIS["confidence"].format(degree=finding.confidence)
    _block(screen, " · ".join((*finding.facts, confidence)), FAINT)
    _block(screen, finding.seen)
    for step in finding.steps:
        _item(screen, "   - ", step)
    facts = {"why": finding.why, "method": finding.method, "limit": finding.limit}
    _block(screen, DIAGNOSIS["sure"].format(**facts), FAINT)
    for table, given in zip(finding.evidence, evidence, strict=True):
        _table(screen, told, zone, table, given["left_out"])


def _block(screen: Screen, text: str, style: str = "") -> None:
    _item(screen, " " * _INDENT, text, style)


def _item(screen: Screen, mark: str, text: str, style: str = "") -> None:
    """Print a sentence behind a mark, its further lines below its first word."""
    for at, line in enumerate(screen.wrapped(Text(text), len(mark))):
        line.stylize(style)
        screen.line(Text(mark if not at else " " * len(mark)) + line)


def _table(screen: Screen, told: Telling, zone: Zone, table: Figure, left_out_rows: int) -> None:
    shown = table.rows[:_ROWS]
    if not shown:
        return
    columns = [_column(told, zone, head, at, shown) for at, head in enumerate(table.columns)]
    layout = lay_out(columns, screen.width - _INDENT)
    screen.line()
    for line in lines(layout):
        screen.line(Text(" " * _INDENT) + line)
    kept = len(table.rows) - len(shown)
    if kept or left_out_rows:
        text = DIAGNOSIS["more_json" if kept else "more"]
        _block(screen, text.format(count=full(kept + left_out_rows)), FAINT)
    left_out(screen, layout)


def _column(told: Telling, zone: Zone, head: Head, at: int, rows: tuple[Row, ...]) -> Column:
    cells = [
        plain(row.shown.get(head.key) or _cell(told, zone, head, row.values[at])) for row in rows
    ]
    name = head.key in _NAMES
    return Column(
        head.title,
        cells,
        name=name,
        yields=0 if at == 0 or head.key in _STAY else _YIELDS.get(head.key, 2),
        least=10 if head.key in _MODELS else 8,
        left=head.kind in ("day", "instant"),
        style=ACCENT if at == 0 else "",
    )


def _cell(told: Telling, zone: Zone, head: Head, value: Value) -> str:
    if value is None:
        return told.text("n/a")
    if head.kind == "text":
        return str(value)
    if head.kind == "instant":
        return told.instant(str(value), zone, "yyyy-MM-dd HH:mm")
    if head.kind == "day":
        return str(value)
    if head.kind == "usd":
        return told.usd(str(value))
    if head.kind == "share":
        return told.share(float(value))
    return told.count(int(value))


def _judged(screen: Screen, report: dict[str, Any], seen: View) -> None:
    """Print the rules without a finding, with the threshold or the reason of each."""
    groups: dict[str, list[str]] = {"judged": [], "not_judged": []}
    for one, row in zip(report["judged"], seen.judged.rows, strict=True):
        name, outcome, used, _, _, sought = (str(value) for value in row.values)
        if one["outcome"] == "nothing":
            facts = {"name": name, "used": used, "sought": sought}
            groups["judged"].append(DIAGNOSIS["limit"].format(**facts))
        elif one["outcome"] == "not judged":
            groups["not_judged"].append(f"{name}: {outcome.partition(': ')[2]}")
    for title, texts in groups.items():
        if texts:
            screen.line(DIAGNOSIS[title], style=TITLE)
            for text in texts:
                _item(screen, "- ", text)
            screen.line()
