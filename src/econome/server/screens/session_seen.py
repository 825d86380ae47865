"""The report of one session and all it takes to say it: words, the zone, names and colours of models, runs of responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from econome.server.charts.values import NEUTRAL, PLACES, Series
from econome.server.screens.figure import Column, Value
from econome.times import parse_instant

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.server.screens.state import State
    from econome.server.telling import Telling

__all__ = ["MAIN", "PROMPT", "TOKENS", "Run", "Seen", "runs", "tokens"]

MAIN: Final = "main"
TOKENS: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
)
PROMPT: Final = tuple(name for name in TOKENS if name != "output_tokens")
"""What a response read: together the size of its context."""

_Row = Mapping[str, Any]


def tokens(row: _Row, names: Sequence[str] = TOKENS) -> int:
    """Return the sum of some token counters of a row."""
    return sum(row[name] for name in names)


@dataclass(frozen=True, slots=True)
class Run:
    """Responses that follow each other, drawn as one: a single one where there is room for each."""

    rows: Sequence[_Row]

    @property
    def first(self) -> str | None:
        """The time of the first one."""
        return self.rows[0]["time"]  # type: ignore[no-any-return]

    @property
    def last(self) -> str | None:
        """The time of the last one."""
        return self.rows[-1]["time"]  # type: ignore[no-any-return]

    def cost(self, model: str | None = None) -> Decimal | None:
        """Return what those that have a price cost, of one model or of all; None where none has."""
        found = [
            Decimal(row["cost_usd"])
            for row in self.rows
            if row["cost_usd"] is not None and model in (None, row["model"])
        ]
        return sum(found, Decimal(0)) if found else None

    def tokens(self, model: str) -> int:
        """Return all tokens of a model."""
        return sum(tokens(row) for row in self.rows if row["model"] == model)

    def cached(self) -> float | None:
        """Return the share of what was read that came from the cache; None where nothing was read."""
        whole = sum(tokens(row, PROMPT) for row in self.rows)
        return sum(row["cache_read_tokens"] for row in self.rows) / whole if whole else None


def runs(rows: Sequence[_Row], most: int) -> Iterator[Run]:
    """Yield the rows in at most so many runs of one length; the last one may be shorter."""
    length = -(-len(rows) // most) or 1
    for at in range(0, len(rows), length):
        yield Run(rows[at : at + length])


@dataclass(frozen=True, slots=True)
class Seen:
    """One session: *report* is that of `econome session`, *models* are short names, *places* those of colours."""

    report: _Row
    telling: Telling
    zone: Zone
    state: State
    models: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)

    @property
    def priced(self) -> bool:
        """Whether anything of it has a price: what has none is drawn by its tokens."""
        return self.report["total"]["cost_usd"] is not None

    def series(self, model: str) -> Series:
        """Return the name and the colour of a model."""
        place = self.places.get(model, PLACES)
        return Series(self.models.get(model, model), place if place < PLACES else NEUTRAL)

    def agent(self, kind: str) -> str:
        """Return the name of a type of agents."""
        return self.telling.text("main thread") if kind == MAIN else kind

    def cost(self, row: _Row) -> str:
        """Return what a row cost, marked where something of it has no price (P4)."""
        text = self.telling.usd(row["cost_usd"])
        return f"≥ {text}" if row.get("partial") and row["cost_usd"] is not None else text

    def share(self, cost: str | Decimal | None) -> float | None:
        """Return what a cost is of the whole; None where the whole is nothing."""
        whole = self.report["total"]["cost_usd"]
        if cost is None or whole is None or not Decimal(whole):
            return None
        return float(Decimal(cost) / Decimal(whole))

    def time(self, text: str | None) -> str:
        """Return an instant with its seconds."""
        return self.telling.instant(text, self.zone, "medium")

    def label(self, text: str | None) -> str:
        """Return an instant in a few letters: the time of day, with the day where there are several."""
        first, last = self.report["first"], self.report["last"]
        several = first is not None and self._day(first) != self._day(last)
        return self.telling.instant(text, self.zone, "d MMM HH:mm" if several else "HH:mm")

    def _day(self, text: str) -> int:
        seconds = (parse_instant(text) or 0) // 10**9
        return (seconds + self.zone.offset(seconds)) // 86400

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the figures that tables of groups have, in the order of `values`."""
        text = self.telling.text
        return (
            Column("responses", text("Responses")),
            Column("input_tokens", text("Tokens in")),
            Column("output_tokens", text("Tokens out")),
            Column("cache_read_tokens", text("Cache read")),
            Column("cache_write_tokens", text("Cache written")),
            Column("cost_usd", text("Cost"), "usd"),
            Column("share", text("Share of the cost"), "share"),
        )

    def values(self, row: _Row) -> tuple[Value, ...]:
        """Return the figures of a row."""
        written = row["cache_write_5m_tokens"] + row["cache_write_1h_tokens"]
        cost = row["cost_usd"]
        return (
            row["responses"], row["input_tokens"], row["output_tokens"], row["cache_read_tokens"], written,
            None if cost is None else Decimal(cost), self.share(cost),
        )  # fmt: skip

    def shown(self, row: _Row) -> dict[str, str]:
        """Return what is shown in place of figures that are lower bounds (P4, F13)."""
        found = {}
        if row.get("partial") and row["cost_usd"] is not None:
            found["cost_usd"] = self.cost(row)
        if row["output_incomplete"]:
            found["output_tokens"] = f"≥ {self.telling.count(row['output_tokens'])}"
        return found
