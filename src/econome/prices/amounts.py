"""Exact money and days as integers: atto-dollars per token, days since 1970-01-01.

One atto-dollar is 1e-18 USD. A list price is stated in USD per million tokens, so a price with
six decimals is a whole number of a million atto-dollars per token, and every factor this table
knows (2, 6, 1.1, 1.1 x 1.1, 0.5) leaves it whole. Nothing here rounds: what does not fit raises.

This module is read on the fast path: it imports nothing.
"""

from __future__ import annotations

__all__ = ["atto_per_search", "atto_per_token", "day_number", "day_text", "scaled", "usd"]

_PER_TOKEN = 12  # 1e18 atto-dollars, a million tokens: 10**(18 - 6)
_PER_SEARCH = 15  # 1e18 atto-dollars, a thousand searches: 10**(18 - 3)
_DOLLAR = 18
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


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


def day_number(text: str) -> int:
    """Return the days from 1970-01-01 to the ISO date *text* (``2026-10-07``).

    Raises:
        ValueError: *text* is not a date of the Gregorian calendar written that way.
    """
    parts = text.split("-")
    if len(text) != 10 or len(parts) != 3 or not all(p.isascii() and p.isdigit() for p in parts):
        raise ValueError(f"not a date like 2026-10-07: {text!r}")
    year, month, day = int(parts[0]), int(parts[1]), int(parts[2])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not (len(parts[0]) == 4 and year and 1 <= month <= 12):
        raise ValueError(f"not a date like 2026-10-07: {text!r}")
    if not 1 <= day <= _MONTH_DAYS[month - 1] + (leap and month == 2):
        raise ValueError(f"no such day: {text!r}")
    shifted = year - (month <= 2)  # years that begin in March put the leap day last
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + of_year - 719468


def day_text(day: int) -> str:
    """Return the ISO date of a number of days since 1970-01-01."""
    days = day + 719468
    era, of_era = divmod(days, 146097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * of_year + 2) // 153
    of_month = of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return f"{year_of_era + era * 400 + (month <= 2):04d}-{month:02d}-{of_month:02d}"
