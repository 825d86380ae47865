"""A price row as it is written, and as the integers a price table works with.

A *compiled model* is a tuple of plain values that ``marshal`` can keep:
``(fast, us_only, batch, search, entries)``. ``fast``, ``us_only`` and ``batch`` are factors
``(numerator, denominator)`` or ``None``; ``search`` is atto-dollars a web search; an entry is
``(tier, first, end, bands)`` with the UTC days it holds from (included) and to (excluded); a band
is ``(above, rates)``, the five rates of a request whose prompt is longer than *above* tokens,
longest prompts last.

This module is read on the fast path when settings hold prices: it imports no heavy module.
"""

from __future__ import annotations

from econome.prices.amounts import atto_per_token, scaled
from econome.times import read_day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Factor = tuple[int, int]
    FiveRates = tuple[int, int, int, int, int]
    Band = tuple[int, FiveRates]
    Entry = tuple[str, int, int, tuple[Band, ...]]
    Compiled = tuple[Factor | None, Factor | None, Factor | None, int, tuple[Entry, ...]]

__all__ = ["ALWAYS", "FOREVER", "RATE_NAMES", "days", "entry", "factor", "five_rates"]

RATE_NAMES = ("input", "output", "cache_read", "write_5m", "write_1h")
"""Keys of a price row, in the order of the rates that a price table answers."""

ALWAYS, FOREVER = -(10**6), 10**7
"""Days that stand for "no first day" and "no last day"."""


def factor(text: str) -> Factor:
    """Return a decimal factor as an exact fraction: "1.1" is (11, 10)."""
    num, den = scaled(text, 6), 10**6
    for prime in (2, 5):
        while num % prime == 0 and den % prime == 0:
            num, den = num // prime, den // prime
    return num, den


def days(row: Mapping[str, Any]) -> tuple[int, int]:
    """Return the first day a row holds and the first day it no longer does."""
    first = read_day(row["from"]) if "from" in row else ALWAYS
    end = read_day(row["until"]) if "until" in row else FOREVER
    return first, end


def five_rates(row: Mapping[str, str]) -> FiveRates:
    """Return a row's prices, in USD per million tokens, as atto-dollars per token."""
    plain, out, read, short, long = (atto_per_token(row[name]) for name in RATE_NAMES)
    return plain, out, read, short, long


def entry(row: Mapping[str, Any], tier: str = "") -> Entry:
    """Return a dated row, with its prices for long prompts, as a compiled entry."""
    bands: list[Band] = [(-1, five_rates(row))]
    bands += [(band["above"], five_rates(band)) for band in row.get("long", ())]
    return (tier, *days(row), tuple(bands))
