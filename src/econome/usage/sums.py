"""Sums of responses with their exact cost; the figures that a row of any report shows.

Money is a whole number of atto-dollars (1e-18 USD) until it becomes text. It is on the path of every
report, so it imports nothing heavy.
"""

from __future__ import annotations

from econome.prices.amounts import usd
from econome.usage.cells import BUCKET, GEO, MODEL, SPEED, TIER, UNDATED_DAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from econome.prices.table import PriceTable

__all__ = ["COLUMNS", "TOKENS", "Sum", "Unpriced", "cell_rates", "price"]

COLUMNS = (
    "responses", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens",
    "cache_write_1h_tokens", "web_searches", "output_incomplete",
)  # fmt: skip
"""The counters that are summed, in the order in which cells hold them."""

TOKENS = COLUMNS[1:6]


class Sum:
    """The sums of one row; `cost` is in atto-dollars, `priced` and `unpriced` say whether any was (P4)."""

    __slots__ = ("cost", "counters", "priced", "sessions", "unpriced")

    def __init__(self) -> None:
        self.counters = [0] * len(COLUMNS)
        self.sessions: set[str] = set()
        self.cost = 0
        self.priced = self.unpriced = False

    def add(self, counters: Sequence[int], session: str) -> None:
        """Add the counters of a cell, without their cost."""
        sums = self.counters  # spelt out: a loop takes twice as long in every warm answer
        sums[0] += counters[0]
        sums[1] += counters[1]
        sums[2] += counters[2]
        sums[3] += counters[3]
        sums[4] += counters[4]
        sums[5] += counters[5]
        sums[6] += counters[6]
        sums[7] += counters[7]
        self.sessions.add(session)

    def charge(self, rates: Sequence[int] | None, counters: Sequence[int]) -> None:
        """Add the cost of the counters of a cell at these rates; None where it has no price (P4)."""
        if rates is None:
            self.unpriced = True
        else:
            self.priced = True
            self.cost += price(rates, counters)

    def merge(self, other: Sum) -> None:
        """Add another sum."""
        for at, value in enumerate(other.counters):
            self.counters[at] += value
        self.sessions |= other.sessions
        self.cost += other.cost
        self.priced, self.unpriced = self.priced or other.priced, self.unpriced or other.unpriced

    def row(self, key: dict[str, Any], cost: bool = True) -> dict[str, Any]:
        """Return the figures of a report's row after those of its *key*."""
        counters = dict(zip(COLUMNS, self.counters, strict=True))
        incomplete = counters.pop("output_incomplete")
        responses = counters.pop("responses")
        known = cost and (self.priced or not self.unpriced)
        return {
            **key,
            "responses": responses,
            "sessions": len(self.sessions),
            **counters,
            "cost_usd": usd(self.cost) if known else None,
            "partial": cost and self.unpriced,
            "output_incomplete": incomplete,
        }


class Unpriced:
    """What was counted of models without a price (P4)."""

    __slots__ = ("_models",)

    def __init__(self) -> None:
        self._models: dict[str, list[int]] = {}

    def add(self, model: str, counters: Sequence[int]) -> None:
        """Add the counters of a cell that has no price."""
        sums = self._models.setdefault(model, [0] * 6)
        for at in range(6):
            sums[at] += counters[at]

    def rows(self, counted: str = "responses") -> list[dict[str, Any]]:
        """Return the models with how many were *counted* and their tokens, by id."""
        return [
            {"model": model, counted: sums[0], **dict(zip(TOKENS, sums[1:], strict=True))}
            for model, sums in sorted(self._models.items())
        ]


def cell_rates(prices: PriceTable, day: int, dims: Any) -> tuple[int, ...] | None:
    """Return what the tokens of a cell of a UTC day cost each; None where they have no price (P1, P4)."""
    return prices.rates(
        dims[MODEL],
        None if day == UNDATED_DAY else day,
        dims[BUCKET],
        dims[SPEED],
        dims[TIER],
        dims[GEO],
    )


def price(rates: Sequence[int], counters: Sequence[int]) -> int:
    """Return atto-dollars of the counters (responses, input, output, read, 5m, 1h, searches, …) (P1, P5, P7)."""
    return (
        counters[1] * rates[0]
        + counters[2] * rates[1]
        + counters[3] * rates[2]
        + counters[4] * rates[3]
        + counters[5] * rates[4]
        + counters[6] * rates[5]
    )
