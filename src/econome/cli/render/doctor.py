"""The findings of the doctor, in words, each problem with its remedy."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from econome.cli.render.figures import full, plain, share
from econome.cli.render.notes import counted, tokens_of
from econome.cli.render.screen import FAINT, TITLE, Screen
from econome.cli.texts import DOCTOR, NOTES, REMEDIES
from econome.usage.doctor import Check

__all__ = ["show", "worded"]

_MARKS = {"ok": ("ok", "green"), "note": ("note", "cyan"), "problem": ("problem", "yellow")}
_INDENT = 9
_NAMED = 3  # so many files are named; `--json` lists all
_COUNTED = {"files", "lines", "responses", "folded", "replayed", "days"}


def worded(check: Check) -> dict[str, Any]:
    """Return a check with its finding and remedy in words."""
    return {
        "check": check.name,
        "state": check.state,
        "found": _found(check),
        "remedy": _remedy(check),
        "facts": check.facts,
    }


def show(screen: Screen, checks: list[Check]) -> None:
    """Print the findings."""
    problems = sum(check.state == "problem" for check in checks)
    screen.line(
        DOCTOR["problems"].format(count=problems) if problems else DOCTOR["well"], style=TITLE
    )
    screen.line()
    for check in checks:
        mark, style = _MARKS[check.state]
        _paragraph(screen, Text(mark.ljust(_INDENT), style=style), Text(_found(check)))
        remedy = _remedy(check)
        if remedy is not None:
            _paragraph(screen, Text(" " * _INDENT), Text(remedy, style=FAINT))


def _paragraph(screen: Screen, begin: Text, text: Text) -> None:
    """Print *text* wrapped beside *begin*."""
    for line in screen.wrapped(text, _INDENT):
        screen.line(Text.assemble(begin, line))
        begin = Text(" " * _INDENT)


def _remedy(check: Check) -> str | None:
    return None if check.state == "ok" else REMEDIES[check.name]


def _worded(name: str, count: int) -> str:
    return counted(name, count) if name in _COUNTED else full(count)


def _found(check: Check) -> str:
    facts: dict[str, Any] = {}
    for name, value in check.facts.items():
        if isinstance(value, list):
            facts[name] = ", ".join(plain(str(entry)) for entry in value)
        else:
            facts[name] = _worded(name, value) if isinstance(value, int) else plain(str(value))
    if check.name in ("malformed", "rejected", "pending"):
        files = [plain(path) for path in check.facts["files"]]
        more = NOTES["more_files"].format(files=counted("files", len(files) - _NAMED))
        facts["places"] = ", ".join(files[:_NAMED] + ([more] if len(files) > _NAMED else []))
    if check.name == "incomplete":
        facts["share"] = share(check.facts["count"], check.facts["responses"])
    if check.name == "unpriced":
        facts["tokens"] = counted("tokens", tokens_of(check.facts))
    if "age_days" in check.facts:
        age = check.facts["age_days"]
        facts["age"] = DOCTOR["ago"].format(days=counted("days", age)) if age else DOCTOR["today"]
    return DOCTOR[check.name].format(**facts)
