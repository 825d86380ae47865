"""Exact money as integers: atto-dollars per token and per search.

One atto-dollar is 1e-18 USD. A list price is stated in USD per million tokens, so a price with
six decimals is a whole number of a million atto-dollars per token, and every factor this table
knows (2, 6, 1.1, 1.1 x 1.1, 0.5) leaves it whole. Nothing here rounds: what does not fit raises.

This module is read on the fast path: it imports nothing.
"""

from __future__ import annotations

__all__ = ["atto_per_search", "atto_per_token", "scaled", "usd"]

_PER_TOKEN = 12  # 1e18 atto-dollars, a million tokens: 10**(18 - 6)
_PER_SEARCH = 15  # 1e18 atto-dollars, a thousand searches: 10**(18 - 3)
_DOLLAR = 18


def scaled(text: str, places: int) -> int:
    """Return the plain decimal *text* times ten to the power *places*, exactly.

    Raises:
        ValueError: *text* is not a plain, unsigned decimal, or has more decimals than *places*.
    """
    whole, point, part = text.partition(".")
    if not (whole + part).isascii() or not whole.isdigit() or (point and not part.isdigit()):
        raise ValueError(f"not a plain decimal number: {text!r}")
    part = part.rstrip("0")
    if len(part) > places:
        raise ValueError(f"more than {places} decimals: {text!r}")
    unit: int = 10 ** (places - len(part))
    return int(whole + part) * unit


def atto_per_token(usd_per_million: str) -> int:
    """Return a list price, in USD per million tokens, as atto-dollars per token."""
    return scaled(usd_per_million, _PER_TOKEN)


def atto_per_search(usd_per_thousand: str) -> int:
    """Return a price in USD per thousand searches as atto-dollars per search."""
    return scaled(usd_per_thousand, _PER_SEARCH)


def usd(atto: int) -> str:
    """Return atto-dollars as an exact decimal string of dollars: no exponent, no trailing zero."""
    sign = "-" if atto < 0 else ""
    digits = str(abs(atto)).rjust(_DOLLAR + 1, "0")
    whole, part = digits[:-_DOLLAR], digits[-_DOLLAR:].rstrip("0")
    return f"{sign}{whole}.{part}" if part else sign + whole
