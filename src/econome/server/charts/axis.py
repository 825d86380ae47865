"""The scale that values stand on: round steps, zero always among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, isfinite, log10
from typing import Final

from econome.server.charts.labels import cut, room
from econome.server.charts.marks import written

__all__ = ["HIGHEST", "Scale", "known", "scale"]

HIGHEST: Final = 1e100
"""Nothing that is counted here is as much; what is, is as good as endless, and is not drawn."""

_LEAST: Final = 1e-100
_LONGEST: Final = 16


def known(value: float | Decimal | None) -> float | None:
    """Return a value that can be drawn, None for what is not a number, endless or not there."""
    if value is None:
        return None
    plain = float(value)
    if not isfinite(plain) or abs(plain) > HIGHEST:
        return None
    return plain if abs(plain) > _LEAST else 0.0


@dataclass(frozen=True, slots=True)
class Scale:
    """From *low*, which is 0 or below, to *high*, 0 or above; *ticks* are the round values on the way."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float, height: float) -> float:
        """Return how far below the top of a drawing of *height* a value is."""
        return height * (self.high - value) / (self.high - self.low)

    def drawn(self, top: float, height: float, axis: Callable[[float], str]) -> tuple[str, str]:
        """Return the lines and the texts of the scale, and the class of the room that the texts take."""
        told = [cut(axis(tick), _LONGEST) for tick in self.ticks]
        marks = []
        for tick, text in zip(self.ticks, told, strict=True):
            at = f"{top + self.at(tick, height):.1f}"
            kind = "zero" if not tick else "rule"
            marks.append(
                f'<line x1="0" x2="100%" y1="{at}" y2="{at}" class="{kind}"/>'
                f'<text x="-8" y="{at}" dy="4" class="tick">{written(text)}</text>'
            )
        return "".join(marks), f"room-{room(told)}"


def scale(values: Iterable[float], whole: float = 0.0, most: int = 4) -> Scale:
    """Return the scale on which all values stand, with *most* steps or so of 1, 2 or 5 times a power of ten.

    It goes to *whole* at the least, 1 for shares.
    """
    low, high = min(0.0, whole), max(0.0, whole)
    for value in values:
        low, high = min(low, value), max(high, value)
    if high - low <= _LEAST:
        return Scale(0.0, 1.0, (0.0,))
    step, power = _step((high - low) / most)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple(_round(count, step, power) for count in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def _step(about: float) -> tuple[float, int]:
    """Return the next round step that is no less, and its power of ten."""
    power = floor(log10(about))
    for times in (1, 2, 5, 10):
        step = float(f"{times}e{power}")
        if step >= about * 0.999999:
            break
    return step, power


def _round(count: int, step: float, power: int) -> float:
    return round(count * step, max(0, 1 - power)) + 0.0 if power > -300 else count * step
