"""Short ways to ask a price table, in dollars as people write them."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date
from decimal import Decimal

from econome.prices.table import PriceTable, load

__all__ = ["MODELS", "TODAY", "bundled", "cost", "day", "million"]

TODAY = "2026-10-17"

MODELS = """
claude-fable-5-2  claude-mythos-5-2   8     10     16    0.20  40
claude-fable-5-1  claude-mythos-5-1   10    12.50  20    0.25  50
claude-fable-5    claude-mythos-5     10    12.50  20    1     50
claude-opus-5-5                       4     5      8     0.20  20
claude-opus-5     claude-opus-4-8     5     6.25   10    0.50  25
claude-opus-4-7   claude-opus-4-6     5     6.25   10    0.50  25
claude-opus-4-5                       5     6.25   10    0.50  25
claude-opus-4-1   claude-opus-4       15    18.75  30    1.50  75
claude-sonnet-5-5                     2     2.50   4     0.10  10
claude-sonnet-5                       2     2.50   4     0.20  10
claude-sonnet-4-6 claude-sonnet-4-5   3     3.75   6     0.30  15
claude-sonnet-4   claude-3-7-sonnet   3     3.75   6     0.30  15
claude-3-5-sonnet                     3     3.75   6     0.30  15
claude-haiku-5-5                      0.10  0.125  0.20  0.01  0.50
claude-haiku-4-5                      1     1.25   2     0.10  5
claude-3-5-haiku                      0.80  1      1.60  0.08  4
claude-3-haiku                        0.25  0.30   0.50  0.03  1.25
"""
"""The published table: models, then input, 5-minute write, 1-hour write, read, output."""


def bundled() -> PriceTable:
    """Return the table without any override."""
    return load()


def day(text: str) -> int:
    """Return an ISO date as days since 1970-01-01, by another way than the product's."""
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def million(
    table: PriceTable,
    model: str,
    *,
    on: str | None = TODAY,
    prompt: int = 1000,
    speed: str = "",
    tier: str = "",
    geo: str = "",
) -> tuple[Decimal, ...] | None:
    """Return input, 5-minute write, 1-hour write, read and output in USD per million tokens."""
    when = None if on is None else day(on)
    rates = table.rates(model, when, bisect_left(table.thresholds, prompt), speed, tier, geo)
    if rates is None:
        return None
    plain, out, read, short, long, _ = (Decimal(rate) / 10**12 for rate in rates)
    return plain, short, long, read, out


def cost(counters: tuple[int, ...], rates: tuple[int, ...]) -> int:
    """Return atto-dollars: each counter times its rate."""
    return sum(count * rate for count, rate in zip(counters, rates, strict=True))
