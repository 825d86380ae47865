"""What the figures of the page of savings are made from: the balances of one question, and the addresses behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from econome.savings.question import By, Question
from econome.server.screens.figure import Column, Value
from econome.server.screens.savings_asked import events_at
from econome.times import day_text

if TYPE_CHECKING:
    from econome.savings.asking import AskedEvents
    from econome.server.screens.visit import Visit

__all__ = ["Scene", "Sums", "merged", "summed"]

_SUMS: Final = ("delegations", "avoided", "steering", "corrections")
_KINDS: Final = {
    "delegations": "delegation", "avoided": "delegation", "steering": "steering", "corrections": "correction",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sums:
    """The figures of a row, of one client or of several; *score* is how its preset did in its own checks."""

    name: str | None
    delegations: int
    avoided: int
    steering: int
    corrections: int
    score: Mapping[str, Any] | None = None

    @property
    def net(self) -> int:
        """What was avoided less what steering and corrections cost."""
        return self.avoided - self.steering - self.corrections

    @property
    def rework_rate(self) -> float | None:
        """The share of what was avoided that corrections cost; None where nothing was avoided."""
        return self.corrections / self.avoided if self.avoided > 0 else None

    @property
    def values(self) -> tuple[Value, ...]:
        """The figures in the order of the columns."""
        counts = self.delegations, self.avoided, self.steering, self.corrections
        return (*counts, self.net, self.rework_rate)


class Scene:
    """One look at the page: who looks, what for, and the balance by whatever it is asked for by."""

    def __init__(self, visit: Visit, asked: AskedEvents) -> None:
        self.visit, self.told = visit, visit.telling
        self._reports: dict[By, dict[str, Any]] = {}
        self.question: Question = asked.of_day(visit.moment.today).question

    def report(self, by: By) -> dict[str, Any]:
        """Return the balance of the question, with rows of this."""
        found = self._reports.get(by)
        if found is None:
            asked = replace(self.question, by=by)
            found = self._reports[by] = self.visit.desk.balance_now(lambda _: asked)
        return found

    @property
    def whole(self) -> dict[str, Any]:
        """The balance of the question; its rows are days."""
        return self.report("day")

    def rows(self, by: By) -> list[Sums]:
        """Return the rows of all clients together."""
        return merged(self.report(by), by)

    def of_today(self) -> Sums:
        """Return the figures of today, which may lie outside of the period."""
        day, question = self.visit.moment.today, self.question
        if question.within(day):
            found = (row for row in self.rows("day") if row.name == day_text(day))
            return next(found, summed(None, ()))
        asked = replace(question, since=day, until=day)
        return summed(None, [self.visit.desk.balance_now(lambda _: asked)["total"]])

    def events(self, **filters: str | None) -> str:
        """Return the address of events of the page's period and filters, and of these."""
        return events_at(self.visit.state, **filters)

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of every row of the balance."""
        text = self.told.text
        return (
            Column("delegations", text("Delegations")),
            Column("avoided", text("Avoided")),
            Column("steering", text("Steering")),
            Column("corrections", text("Corrections")),
            Column("net", text("Net")),
            Column("rework_rate", text("Rework"), "share"),
        )

    def links(self, name: str, **filters: str | None) -> dict[str, str]:
        """Return where the cells of a row lead: to the events that each is made of."""
        links = {key: self.events(kind=kind, **filters) for key, kind in _KINDS.items()}
        links["rework_rate"] = links["corrections"]
        return links | dict.fromkeys((name, "net"), self.events(**filters))


def merged(report: Mapping[str, Any], by: str) -> list[Sums]:
    """Return the rows of all clients of a balance, those of one name added up.

    They are in the order of the balance: days in order, others by net, the greatest first, the one without a name last.
    """
    found: dict[str | None, list[Mapping[str, Any]]] = {}
    for client in report["clients"]:
        for row in client["rows"]:
            found.setdefault(row[by], []).append(row)
    rows = [summed(name, parts) for name, parts in found.items()]
    if by == "day":
        return sorted(rows, key=lambda row: row.name or "")
    return sorted(rows, key=lambda row: (row.name is None, -row.net, row.name or ""))


def summed(name: str | None, rows: Iterable[Mapping[str, Any]]) -> Sums:
    """Return the sums of some rows of a balance."""
    every: Sequence[Mapping[str, Any]] = list(rows)
    sums = {key: sum(row[key] for row in every) for key in _SUMS}
    return Sums(name, **sums, score=next((row.get("score") for row in every), None))
