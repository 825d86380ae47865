"""The lines under every report: what has no price, how sure the figures are, what they rest on (R6, P4, P9)."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from econome.cli.render.figures import full, plain, share
from econome.cli.render.screen import FAINT, LOUD, Screen
from econome.cli.render.table import Layout
from econome.cli.texts import BANNER, COUNTS, NOTES

__all__ = [
    "banner",
    "closing",
    "counted",
    "coverage_line",
    "left_out",
    "tokens_of",
    "unpriced_note",
]

_TOKENS = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens",
)  # fmt: skip
_MARKS = ("unreadable", "malformed", "rejected", "pending", "undated")


def tokens_of(row: dict[str, Any]) -> int:
    """Return all tokens of a row."""
    return sum(row[name] for name in _TOKENS)


def counted(name: str, count: int) -> str:
    """Return a count with its noun: ``1 file``, ``2,200 files``."""
    one, many = COUNTS[name]
    return f"{full(count)} {one if count == 1 else many}"


def closing(
    screen: Screen,
    report: dict[str, Any],
    *,
    cost: bool = True,
    gap: bool = True,
    from_history: int = 0,
) -> None:
    """Print the notes of a report, then the banner, after a *gap*; *from_history* files are gone from disk."""
    if gap:
        screen.line()
    unpriced_note(screen, report["unpriced"] if cost else [])
    if refused := report.get("refused"):
        attempts = counted("attempts", sum(entry["attempts"] for entry in refused))
        tokens = counted("tokens", sum(map(tokens_of, refused)))
        text = NOTES["refused"].format(attempts=attempts, tokens=tokens)
        screen.prose(f"{text} {NOTES['refused_apart']}", style=FAINT)
    total = report["total"]
    if total["output_incomplete"]:
        part = share(total["output_incomplete"], total["responses"])
        screen.prose(NOTES["incomplete"].format(share=part), style=FAINT)
    if cost and report.get("unsplit_write_tokens"):
        tokens = counted("tokens", report["unsplit_write_tokens"])
        screen.prose(NOTES["unsplit"].format(tokens=tokens), style=FAINT)
    screen.prose(coverage_line(report["coverage"], from_history), style=FAINT)
    if cost:
        banner(screen, report)


def banner(screen: Screen, report: dict[str, Any]) -> None:
    """Print what a cost is and is not (P9)."""
    screen.prose(BANNER.format(**report["prices"]), style=FAINT)


def unpriced_note(screen: Screen, unpriced: list[dict[str, Any]]) -> None:
    """Print which models have no price, with their tokens (P4)."""
    if unpriced:
        models = ", ".join(
            f"{plain(entry['model'])} ({counted('tokens', tokens_of(entry))})" for entry in unpriced
        )
        screen.prose(NOTES["unpriced"].format(models=models), style=LOUD)


def left_out(screen: Screen, layout: Layout) -> None:
    """Print which columns of a table the width left out, if any."""
    if layout.left_out:
        screen.prose(NOTES["left_out"].format(columns=", ".join(layout.left_out)), style=FAINT)


def coverage_line(coverage: dict[str, Any], from_history: int = 0) -> Text:
    """Return what the report rests on, in one sentence, and what could not be counted."""
    facts = {
        "files": counted("files", coverage["files"]),
        "responses": counted("responses", coverage["responses"]),
        "first": coverage["first_day"],
        "last": coverage["last_day"],
    }
    known = "covered" if coverage["first_day"] else "covered_nothing"
    line = Text(NOTES[known].format(**facts))
    if from_history:
        line.append(f" {NOTES['from_history'].format(files=counted('files', from_history))}")
    found = {
        name: len(coverage[name]) if name == "unreadable" else coverage[name] for name in _MARKS
    }
    marks = [counted(name, count) for name, count in found.items() if count]
    if marks:
        line.append(f" {NOTES['except']} {', '.join(marks)}; {NOTES['more_doctor']}")
    return line
