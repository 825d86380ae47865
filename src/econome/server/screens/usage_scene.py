"""What every figure of the page of usage is made from: the figures, the words, the names and the colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from econome.server.charts.values import NEUTRAL, PLACES, Series
from econome.server.screens.figure import Column, Value
from econome.server.screens.state import address_of
from econome.times import day_text
from econome.usage.panorama import MAIN

if TYPE_CHECKING:
    from econome.server.screens.state import State
    from econome.server.telling import Telling
    from econome.usage.panorama import Amount, Panorama

__all__ = ["Scene", "dollars"]

_ATTO: Final = 10**18
"""So many atto-dollars are a dollar."""


def dollars(atto: int) -> float:
    """Return an amount as a length for a drawing."""
    return atto / _ATTO


@dataclass(frozen=True, slots=True)
class Scene:
    """The figures of a question and all it takes to say them; *models* and *projects* are short names, *places* colours'."""

    found: Panorama
    state: State
    telling: Telling
    models: Mapping[str, str]
    projects: Mapping[str, str]
    places: Mapping[str, int]
    every: bool = False
    """Whether tables are to have all their rows, because they are copied."""

    def series(self, model: str) -> Series:
        """Return the name and the colour of a model."""
        place = self.places.get(model, PLACES)
        return Series(self.models.get(model, model), place if place < PLACES else NEUTRAL)

    def project(self, path: str) -> str:
        """Return the short name of a project."""
        return self.projects.get(path, path) or self.telling.text("(no project)")

    def agent(self, kind: str) -> str:
        """Return the name of a type of agents."""
        return self.telling.text("main thread") if kind == MAIN else kind

    def cost(self, amount: Amount) -> str:
        """Return what an amount cost, marked where something of it has no price (P4)."""
        text = self.telling.usd(amount.usd)
        return f"≥\u00a0{text}" if amount.unpriced and amount.known else text

    def share(self, cost: int | None) -> float | None:
        """Return what a cost is of the whole; None where the whole is nothing."""
        whole = self.found.total.cost
        return None if cost is None or not whole else cost / whole

    def day(self, day: int) -> str:
        """Return a local day as it is written."""
        return self.telling.day(day_text(day))

    def within(self, first: int, last: int) -> str:
        """Return the address of this page for some days only."""
        return self.state.link(days=None, since=day_text(first), until=day_text(last), page=None)

    def only(self, name: str, value: str) -> str:
        """Return the address of this page for one project, model, agent or source only; empty where it cannot be named."""
        return self.state.link(**{name: value, "page": None}) if value else ""

    def session(self, name: str) -> str:
        """Return the address of a session's page."""
        return address_of("session", name)

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the figures that every table of groups has, in the order of `values`."""
        text = self.telling.text
        return (
            Column("responses", text("Responses")),
            Column("input_tokens", text("Tokens in")),
            Column("output_tokens", text("Tokens out")),
            Column("cache_read_tokens", text("Cache read")),
            Column("cache_write_tokens", text("Cache written")),
            Column("cost_usd", text("Cost"), "usd"),
        )

    def values(self, amount: Amount) -> tuple[Value, ...]:
        """Return the figures of an amount."""
        counters = amount.counters
        written = counters[4] + counters[5]
        return (*counters[:4], written, amount.usd)

    def shown(self, amount: Amount) -> dict[str, str]:
        """Return what is shown in place of figures that are lower bounds (P4, F13)."""
        found = {}
        if amount.unpriced and amount.known:
            found["cost_usd"] = self.cost(amount)
        if amount.count("output_incomplete"):
            found["output_tokens"] = f"≥\u00a0{self.telling.count(amount.count('output_tokens'))}"
        return found

    def ranked(self, groups: Iterable[tuple[str, Amount]]) -> list[tuple[str, Amount]]:
        """Return groups, the dearest first, those of equal cost by their tokens."""
        return sorted(groups, key=lambda one: (-one[1].cost, -one[1].tokens, one[0]))
