"""The options of a question about the balance, as one table, and what a set of values asks for.

The command line makes its options from the table, and the server reads a query string with it, as it is with those of
`econome usage`; days, periods, zones and forms are judged by the same function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econome.errors import UsageError
from econome.savings.question import BY, NO_PRESET, By, Question
from econome.usage import asking
from econome.usage.asking import Option

__all__ = ["BALANCE", "LEAN", "NO_PRESET_WORD", "AskedBalance", "ask_balance"]

NO_PRESET_WORD = "(none)"
"""How a question names the preset of what has none, as it is shown.

A preset that is itself called so is asked for with a backslash before it, and so is one that is called that."""

BALANCE = (
    Option("by", "choice", BY),
    Option("days", "days"),
    Option("since", "day"),
    Option("until", "day"),
    Option("client", "text"),
    Option("preset", "text"),
    Option("usd", "flag"),
    Option("timezone", "text"),
    Option("root", "text", repeatable=True),
    Option("data-dir", "text"),
    Option("limit", "count"),
    Option("json", "flag"),
    Option("csv", "flag"),
    Option("no-index", "flag"),
    Option("verify", "flag"),
)

LEAN = tuple(
    option
    for option in BALANCE
    if option.name in ("days", "since", "until", "client", "timezone", "data-dir")
)
"""The options of a question about the lean figures alone; `ask_balance` judges it as one about the balance."""

_SHARED = (
    "days", "since", "until", "timezone", "root", "data_dir", "limit", "json", "csv", "no_index",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AskedBalance:
    """What a command line or a query string asks for, judged; `shared` is what every question about tokens has."""

    by: By | None
    client: str | None
    preset: str | None
    usd: bool
    verify: bool
    shared: asking.Asked

    def question(self, today: int, *, limit: bool = True) -> Question:
        """Return the question to ask of a ledger; without *limit*, for all its rows."""
        since, until = self.shared.period(today)
        shown = self.shared.limit if limit else None
        return Question(since, until, self.client, self.preset, self.by, shown)


def ask_balance(values: Mapping[str, Any]) -> AskedBalance:
    """Return what *values* of the options of `BALANCE` ask for, each as `convert` returns it.

    Raises:
        UsageError: two values contradict each other, or one needs another.
    """
    shared = asking.ask({name: values.get(name) for name in _SHARED})
    usd, verify = bool(values.get("usd")), bool(values.get("verify"))
    for name, given in (("--root", shared.roots), ("--no-index", not shared.index)):
        if given and not usd:
            raise UsageError(f"{name}: transcripts are read for --usd only")
    for name in ("usd", "json", "csv", "limit"):
        if verify and values.get(name):
            raise UsageError(f"--verify and --{name}: give one of them")
    preset = _preset(values.get("preset"))
    return AskedBalance(values.get("by"), values.get("client"), preset, usd, verify, shared)


def _preset(asked: str | None) -> str | None:
    """Return the preset that a text asks for; None where all are asked for."""
    if asked is None:
        return None
    if asked == NO_PRESET_WORD:
        return NO_PRESET
    escaped = asked.startswith("\\") and asked.lstrip("\\") == NO_PRESET_WORD
    return asked[1:] if escaped else asked
