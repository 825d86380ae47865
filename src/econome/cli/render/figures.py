"""Figures and names as people read them. Rounding happens here and nowhere before (P2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from econome.unseen import seen

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
    """Return each model id shortened (``claude-haiku-4-5-20251001``: ``haiku-4-5``).

    Ids that would look alike stay as they are.
    """
    shortened = {model: _without_date(model.removeprefix("claude-")) for model in ids}
    labels = list(shortened.values())
    return {
        model: plain(label if label and labels.count(label) == 1 else model)
        for model, label in shortened.items()
    }


def _without_date(model: str) -> str:
    head, date = model[:-9], model[-8:]
    dated = len(model) > 9 and date.isascii() and date.isdigit() and model[-9] in "-@"
    return head if dated and date.startswith("20") else model


def project_labels(paths: Collection[str]) -> dict[str, str]:
    """Return for each project the shortest tail of its path that no other project has (F9)."""
    tails: dict[tuple[str, ...], int] = {}
    parts = {path: tuple(path.replace("\\", "/").rstrip("/").split("/")) for path in paths}
    for names in parts.values():
        for at in range(len(names)):
            tails[names[at:]] = tails.get(names[at:], 0) + 1
    labels = {}
    for path, names in parts.items():
        own = (names[at:] for at in range(len(names) - 1, -1, -1))
        tail = next((tail for tail in own if tails[tail] == 1 and tail != ("",)), None)
        labels[path] = plain("/".join(tail)) if tail else plain(path) or "(none)"
    return labels
