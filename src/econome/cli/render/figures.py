"""Figures and names as people read them. Rounding happens here and nowhere before (P2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from econome.unseen import seen
from econome.usage import labels

__all__ = [
    "NOT_AVAILABLE",
    "clock",
    "full",
    "length",
    "model_labels",
    "money",
    "output",
    "plain",
    "project_labels",
    "share",
    "short",
]

NOT_AVAILABLE = "n/a"
_UNITS = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_MINUTE = 60


def money(cost_usd: str | None, *, partial: bool = False, digits: int = 2) -> str:
    """Return an amount in dollars, to the cent unless more *digits*; *partial* marks what leaves something out (P4)."""
    if cost_usd is None:
        return NOT_AVAILABLE
    amount, least = Decimal(cost_usd), Decimal(1).scaleb(-digits)
    mark = "≥" if partial else ""
    if 0 < amount < least / 2 and not partial:
        return f"<${least}"
    rounded = amount.quantize(least, ROUND_HALF_UP)
    return f"{mark}{'-' if rounded < 0 else ''}${abs(rounded):,}"


def full(count: int) -> str:
    """Return a count in full, thousands apart."""
    return f"{count:,}"


def short(count: int) -> str:
    """Return a count with three significant digits: ``950``, ``12.3k``, ``1.20M``, ``9.76G``."""
    for size, unit in _UNITS:
        # what would be shown as 1,000 of a unit belongs to the next one
        if abs(count) >= size - size // 2000:
            value = Decimal(count) / size
            digits = (
                2 if abs(value) < Decimal("9.995") else 1 if abs(value) < Decimal("99.95") else 0
            )
            return f"{value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)}{unit}"
    return str(count)


def output(row: Mapping[str, Any], figure: Callable[[int], str] = short) -> str:
    """Return the tokens out of a row, marked where a response never wrote its final count (F13)."""
    return ("≥" if row["output_incomplete"] else "") + figure(row["output_tokens"])


def share(part: str | int | None, whole: str | int | None) -> str:
    """Return what *part* is of *whole*, in percent; ``n/a`` where either has no value."""
    if part is None or whole is None or Decimal(whole) == 0:
        return NOT_AVAILABLE
    percent = Decimal(part) * 100 / Decimal(whole)
    if 0 < percent < Decimal("0.5"):
        return "<1%"
    if Decimal("99.5") <= percent < 100:
        return ">99%"
    return f"{percent.quantize(Decimal(1), ROUND_HALF_UP)}%"


def length(seconds: int) -> str:
    """Return a span of time in its two greatest units: ``3h 05m``, ``12m``, ``2d 4h``."""
    minutes, hours, days = seconds // _MINUTE, seconds // 3600, seconds // 86400
    if days:
        return f"{days}d {hours % 24}h"
    if hours:
        return f"{hours}h {minutes % 60:02}m"
    return f"{minutes}m" if minutes else f"{seconds}s"


def clock(second: int, *, seconds: bool = False) -> str:
    """Return a second of a day as the time of day."""
    text = f"{second // 3600:02}:{second // 60 % 60:02}"
    return f"{text}:{second % 60:02}" if seconds else text


def plain(text: str) -> str:
    """Return *text* with what a terminal would obey, what nobody sees, and lone surrogates, replaced."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if seen(letter) else "\ufffd" for letter in text)


def model_labels(ids: Iterable[str]) -> dict[str, str]:
    """Return each model id shortened, as a terminal may show it."""
    return {model: plain(label) for model, label in labels.model_labels(ids).items()}


def project_labels(paths: Collection[str]) -> dict[str, str]:
    """Return for each project the shortest tail of its path that no other has, as a terminal may show it (F9)."""
    return {path: plain(label) or "(none)" for path, label in labels.project_labels(paths).items()}
