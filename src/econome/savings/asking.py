"""The options of a question about the balance, as one table, and what a set of values asks for.

The command line makes its options from the table, and the server reads a query string with it, as it is with those of
`econome usage`; days, periods, zones and forms are judged by the same function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from econome.errors import UsageError
from econome.savings.question import BY, KINDS, NO_PRESET, By, Kind, Question, Selection
from econome.usage import asking
from econome.usage.asking import Option

__all__ = [
    "ATTACHED",
    "BALANCE",
    "EVENTS",
    "LEAN",
    "MOST_EVENTS",
    "NO_PRESET_WORD",
    "AskedBalance",
    "AskedEvents",
    "ask_balance",
    "ask_events",
    "name_to_ask",
]

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

ATTACHED = {"yes": True, "no": False}
"""How a question says whether a request of an event is to be known."""

MOST_EVENTS = 500
"""So many events are on one page at most."""

_PAGE_EVENTS = 50

EVENTS = (
    Option("kind", "choice", KINDS),
    Option("days", "days"),
    Option("since", "day"),
    Option("until", "day"),
    Option("client", "text"),
    Option("preset", "text"),
    Option("format", "text"),
    Option("model", "text"),
    Option("request", "text"),
    Option("attached", "choice", tuple(ATTACHED)),
    Option("timezone", "text"),
    Option("limit", "count"),
    Option("page", "count"),
)

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
    preset = _name(values.get("preset"))
    return AskedBalance(values.get("by"), values.get("client"), preset, usd, verify, shared)


@dataclass(frozen=True, slots=True)
class AskedEvents:
    """What a query string asks for of the stored events, judged."""

    selection: Selection
    page: int
    limit: int
    shared: asking.Asked

    def of_day(self, today: int) -> Selection:
        """Return which events those are today."""
        since, until = self.shared.period(today)
        return replace(
            self.selection, question=replace(self.selection.question, since=since, until=until)
        )


def ask_events(values: Mapping[str, Any]) -> AskedEvents:
    """Return what *values* of the options of `EVENTS` ask for, each as `convert` returns it.

    Raises:
        UsageError: two values contradict each other, or one is too large.
    """
    shared = asking.ask({name: values.get(name) for name in ("days", "since", "until", "timezone")})
    limit = values.get("limit") or _PAGE_EVENTS
    if limit > MOST_EVENTS:
        raise UsageError(f"limit: at most {MOST_EVENTS} on a page")
    kind: Kind | None = values.get("kind")
    selection = Selection(
        Question(client=values.get("client"), preset=_name(values.get("preset"))),
        kind,
        _name(values.get("format")),
        _name(values.get("model")),
        values.get("request"),
        ATTACHED.get(values.get("attached") or ""),
    )
    return AskedEvents(selection, values.get("page") or 1, limit, shared)


def name_to_ask(name: str | None) -> str:
    """Return the text that asks for a preset, a format or a local model; empty and None are what has none."""
    if not name:
        return NO_PRESET_WORD
    return f"\\{name}" if name.lstrip("\\") == NO_PRESET_WORD else name


def _name(asked: str | None) -> str | None:
    """Return the preset, format or local model that a text asks for; None where all are asked for."""
    if asked is None:
        return None
    if asked == NO_PRESET_WORD:
        return NO_PRESET
    escaped = asked.startswith("\\") and asked.lstrip("\\") == NO_PRESET_WORD
    return asked[1:] if escaped else asked
