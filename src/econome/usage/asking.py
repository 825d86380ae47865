"""The options of a question about usage, as one table, and what a set of values asks for.

The command line makes its options from the table, and the server reads a query string with it; all give the
same mapping of values to `ask`, the only place where values are judged.

It is on the fast path: plain classes, and no import that is not itself on it.
"""

from __future__ import annotations

from econome.errors import UsageError
from econome.times import parse_day
from econome.usage.query import BY, SORTS, Query
from econome.usage.readers import READERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Kind = Literal["choice", "text", "day", "days", "count", "flag"]

__all__ = ["ALL_DAYS", "DAYS", "USAGE", "Asked", "Option", "ask", "convert"]

ALL_DAYS = "all"
DAYS = ("7", "30", "90", ALL_DAYS)
_COUNT_DIGITS = 9


class Option:
    """One option: ``--name``, what its value may be, and whether it may be given several times."""

    __slots__ = ("choices", "kind", "name", "repeatable")

    def __init__(
        self, name: str, kind: Kind, choices: tuple[str, ...] = (), *, repeatable: bool = False
    ) -> None:
        self.name, self.kind, self.choices, self.repeatable = name, kind, choices, repeatable

    @property
    def key(self) -> str:
        """The name under which its value travels."""
        return self.name.replace("-", "_")

    def absent(self) -> object:
        """Return the value of an option that was not given."""
        return [] if self.repeatable else False if self.kind == "flag" else None


USAGE = (
    Option("by", "choice", BY, repeatable=True),
    Option("days", "choice", DAYS),
    Option("since", "day"),
    Option("until", "day"),
    Option("project", "text"),
    Option("model", "text"),
    Option("session", "text"),
    Option("agent", "text"),
    Option("source", "choice", tuple(layout.source for layout in READERS)),
    Option("timezone", "text"),
    Option("root", "text", repeatable=True),
    Option("data-dir", "text"),
    Option("sort", "choice", ("key", *SORTS)),
    Option("limit", "count"),
    Option("json", "flag"),
    Option("csv", "flag"),
    Option("no-cost", "flag"),
    Option("offline", "flag"),
    Option("no-index", "flag"),
)


def convert(option: Option, text: str) -> str | int:
    """Return the value that *text* gives an option.

    Raises:
        UsageError: the option cannot have that value.
    """
    if option.kind == "choice":
        if text not in option.choices:
            raise UsageError(f"{text!r} is not one of {', '.join(option.choices)}")
        return text
    if option.kind == "day":
        day = parse_day(text)
        if day is None:
            raise UsageError(f"{text!r} is not a date like 2026-10-17")
        return day
    if option.kind == "days" and text == ALL_DAYS:
        return text
    if option.kind in ("count", "days"):
        if not (text.isascii() and text.isdigit() and len(text) <= _COUNT_DIGITS and int(text)):
            raise UsageError(f"{text!r} is not a whole number above 0")
        return int(text)
    if not text:
        raise UsageError("it is empty")
    return text


class Asked:
    """What a command line asks for, judged; days are local day numbers since 1970-01-01."""

    __slots__ = (
        "agent", "by", "cost", "data_dir", "days", "form", "index", "limit", "model", "project", "roots",
        "session", "since", "sort", "source", "timezone", "until",
    )  # fmt: skip

    by: tuple[str, ...]
    days: int | None
    since: int | None
    until: int | None
    project: str | None
    model: str | None
    session: str | None
    agent: str | None
    source: str | None
    timezone: str | None
    roots: list[str] | None
    sort: str | None
    limit: int | None
    form: str
    data_dir: str | None
    cost: bool
    index: bool

    def facts(self) -> tuple[object, ...]:
        """Return everything it holds, in the order of its slots."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def period(self, today: int) -> tuple[int | None, int | None]:
        """Return the first and last day asked for, both included; None where it is open."""
        until = self.until
        if self.days is None:
            return self.since, until
        last = today if until is None else until
        return last - self.days + 1, last

    def query(self, today: int, *, limit: bool = True) -> Query:
        """Return the question to ask of a tree; without *limit*, for all its rows."""
        since, until = self.period(today)
        return Query(
            self.by, since, until, self.project, self.model, self.session, self.agent, self.source,
            self.sort, self.limit if limit else None, self.cost,
        )  # fmt: skip


def ask(values: Mapping[str, object], by: str = "day") -> Asked:
    """Return what *values* of the usage options ask for; without ``--by``, rows are by *by*.

    Raises:
        UsageError: two values contradict each other.
    """
    asked = Asked()
    asked.by = tuple(_texts(values, "by")) or (by,)
    if len(asked.by) > 2:
        raise UsageError("--by: at most two; each row is one cell of both")
    if len(set(asked.by)) < len(asked.by):
        raise UsageError(f"--by: {asked.by[0]} is given twice")
    days = values.get("days")
    asked.days = int(days) if isinstance(days, str | int) and days != ALL_DAYS else None
    asked.since, asked.until = _number(values, "since"), _number(values, "until")
    if asked.days is not None and asked.since is not None:
        raise UsageError("--days and --since: give one of them")
    if asked.since is not None and asked.until is not None and asked.since > asked.until:
        raise UsageError("--since: the period ends before it begins")
    asked.project, asked.model = _text(values, "project"), _text(values, "model")
    asked.session, asked.agent = _text(values, "session"), _text(values, "agent")
    asked.source, asked.timezone = _text(values, "source"), _text(values, "timezone")
    asked.roots, asked.data_dir = _texts(values, "root") or None, _text(values, "data_dir")
    asked.sort, asked.limit = _text(values, "sort"), _number(values, "limit")
    if values.get("json") and values.get("csv"):
        raise UsageError("--json and --csv: give one of them")
    asked.form = "json" if values.get("json") else "csv" if values.get("csv") else "text"
    asked.cost = not values.get("no_cost")
    if asked.sort == "cost" and not asked.cost:
        raise UsageError("--sort cost and --no-cost: give one of them")
    asked.index = not values.get("no_index")
    return asked


def _text(values: Mapping[str, object], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) else None


def _texts(values: Mapping[str, object], key: str) -> list[str]:
    value = values.get(key)
    return [str(entry) for entry in value] if isinstance(value, list | tuple) else []


def _number(values: Mapping[str, object], key: str) -> int | None:
    value = values.get(key)
    return value if isinstance(value, int) else None
