"""What the events of a ledger would have cost or did cost, at list prices (S9).

It knows which model's price each token class has, and says of every event whether there was one. Amounts are whole
atto-dollars (1e-18 USD). It never takes another model's price for one that is missing, and reads no transcript:
which model the main thread of a session used is an argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from econome.prices.tariff import PriceTable
    from econome.savings.books import Books

__all__ = ["METHOD", "OF_THE_SESSION", "Money", "Pricing"]

OF_THE_SESSION = "opencode"
"""What a steering event names where the main agent followed its own request: no model, so the session's holds."""

METHOD = {
    "tokens": "characters/4",
    "day": "UTC day of the event",
    "prompt": "base length",
    "cache_writes": "5 minutes",
    "delegations": "main-thread model of the session, else reference_model",
    "steering": "its own model",
    "corrections": "main-thread model of the session, else reference_model",
}
"""How amounts are found; every answer with money says it, since they are an estimate."""

_INPUT, _OUTPUT, _CACHE_READ, _CACHE_WRITE = range(4)


class Money:
    """What prices are taken from: a price table, the main-thread model of each session, and a model for the others."""

    __slots__ = ("models", "prices", "reference_model")

    def __init__(
        self,
        prices: PriceTable,
        models: Mapping[str, str] | None = None,
        reference_model: str | None = None,
    ) -> None:
        self.prices, self.models, self.reference_model = prices, models or {}, reference_model


class Pricing:
    """The prices of the events of one ledger, and what it found without one.

    An event is asked for by its place in the columns of its kind, once, when it is counted.
    """

    __slots__ = ("_books", "_models", "_money", "_names", "_priced", "_rates", "_unpriced")

    def __init__(self, books: Books, money: Money) -> None:
        self._books, self._money = books, money
        self._names = list(books.sessions)
        self._models = [money.models.get(name) or money.reference_model for name in self._names]
        self._rates: dict[tuple[str | None, int], tuple[int, ...] | None] = {}
        self._priced: dict[str, int] = {}
        self._unpriced: dict[str | None, dict[str, int]] = {}

    def delegation(self, at: int) -> int | None:
        """Return what a delegation spared: reading and writing, less the brief and the answer of a main agent's own."""
        table = self._books.delegations
        session = table.session[at]
        rates = self._look_up(self._models[session], table.seconds[at], session)
        if rates is None:
            return None
        spared = table.read[at] * rates[_INPUT] + table.written[at] * rates[_OUTPUT]
        if table.by_subagent[at]:  # then the brief and the answer are in the steering
            return spared
        return spared - table.brief[at] * rates[_OUTPUT] - table.returned[at] * rates[_INPUT]

    def steering(self, at: int, model: str) -> int | None:
        """Return what a turn of a sub-agent cost, by its own *model*."""
        table = self._books.steerings
        session = table.session[at]
        asked = self._models[session] if model == OF_THE_SESSION else model
        rates = self._look_up(asked, table.seconds[at], session)
        if rates is None:
            return None
        return (
            table.read[at] * rates[_INPUT]
            + table.written[at] * rates[_OUTPUT]
            + table.cache_read[at] * rates[_CACHE_READ]
            + table.cache_written[at] * rates[_CACHE_WRITE]
        )

    def correction(self, at: int) -> int | None:
        """Return what reading and reworking a file again cost the main agent."""
        table = self._books.corrections
        session = table.session[at]
        rates = self._look_up(self._models[session], table.seconds[at], session)
        if rates is None:
            return None
        return table.read[at] * rates[_INPUT] + table.written[at] * rates[_OUTPUT]

    def report(self) -> dict[str, Any]:
        """Return how the amounts were found, and what of the counted events has no price, by model and session."""
        unpriced = sorted(self._unpriced.items(), key=lambda pair: (pair[0] is None, pair[0] or ""))
        return {
            "method": dict(METHOD),
            "prices": self._money.prices.label(),
            "reference_model": self._money.reference_model,
            "models": [
                {"model": model, "events": events} for model, events in sorted(self._priced.items())
            ],
            "unpriced": [
                {"model": model, "events": sum(found.values()), "sessions": sorted(found)}
                for model, found in unpriced
            ],
        }

    def _look_up(self, model: str | None, seconds: int, session: int) -> tuple[int, ...] | None:
        key = model, seconds // 86400
        try:
            rates = self._rates[key]
        except KeyError:
            rates = None
            if model is not None:
                rates = self._money.prices.rates(model, key[1], 0, "", "", "")
            self._rates[key] = rates
        if rates is not None and model is not None:
            self._priced[model] = self._priced.get(model, 0) + 1
        else:
            sessions = self._unpriced.setdefault(model, {})
            name = self._names[session]
            sessions[name] = sessions.get(name, 0) + 1
        return rates
