"""A scale of five steps from little to much, in one hue, and a row that says what they stand for.

As many values are in each step: one huge value would else make all others alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from econome.server.charts.axis import known
from econome.server.charts.inks import STEPS
from econome.server.charts.labels import cut, wide
from econome.server.charts.marks import written

__all__ = ["LEGEND", "Heat", "heat", "plain"]

LEGEND: Final = 46
"""So many pixels high is the row that says what the steps stand for, with the room above it."""

_SWATCH, _HIGH, _ABOVE = 48, 10, 14
_LONGEST: Final = 10


@dataclass(frozen=True, slots=True)
class Heat:
    """The most that each step holds, least step first; there are fewer steps where there are fewer different values."""

    bounds: tuple[float, ...]

    def kind(self, value: float | Decimal | None) -> str:
        """Return the class of a value; 0 has a step of its own, and what is not known is an empty frame."""
        plain_value = known(value)
        if plain_value is None:
            return "none"
        if plain_value <= 0 or not self.bounds:
            return "heat-0"
        return f"heat-{self._step(bisect_left(self.bounds, plain_value))}"

    def legend(self, top: int, axis: Callable[[float], str]) -> str:
        """Return the steps side by side, each with the most that it holds below it."""
        told = [axis(0.0), *map(axis, self.bounds)]
        top += _ABOVE
        marks, free = [], float("inf")
        for at in reversed(range(len(told))):
            left, end = at * _SWATCH, (at + 1) * _SWATCH - 2
            title = f"{told[at - 1]} – {told[at]}" if at else told[at]
            marks.append(
                f'<rect x="{left}" y="{top}" width="{_SWATCH - 2}" height="{_HIGH}" '
                f'class="heat-{self._step(at - 1) if at else 0}"><title>{written(title)}</title></rect>'
            )
            short = cut(told[at], _LONGEST)
            if end <= free:
                marks.append(
                    f'<text x="{end}" y="{top + _HIGH + 14}" class="tick">{written(short)}</text>'
                )
                free = end - wide(short) - 6
        return f"<g>{''.join(marks)}</g>"

    def _step(self, at: int) -> int:
        """Return the step of the ink of a bound: the last one always has the deepest."""
        return STEPS - (len(self.bounds) - 1 - min(at, len(self.bounds) - 1))


def heat(values: Iterable[float | Decimal | None]) -> Heat:
    """Return the scale of some values; what is 0 or below takes no step."""
    found = sorted(one for one in map(known, values) if one is not None and one > 0)
    if not found:
        return Heat(())
    count = len(found)
    bounds = {found[(step * count + STEPS - 1) // STEPS - 1] for step in range(1, STEPS + 1)}
    return Heat(tuple(sorted(bounds)))


def plain(value: float) -> str:
    """Return a value in a few digits, where nobody says how it is written."""
    return f"{value:.3g}"
