"""Values that were made for one place of a call, and how much a value weighs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from econome.contract.readings import Schema

__all__ = ["HEAVIEST", "Made", "Place", "weight_of"]

HEAVIEST = 4_000
"""What an object or an array that is made may weigh."""


@dataclass(frozen=True, slots=True)
class Made:
    """Values of one place: the simplest, one with everything, those that the other side refuses here, and all others."""

    first: Any
    full: Any
    telling: tuple[Any, ...]
    others: tuple[Any, ...]

    @property
    def varied(self) -> tuple[Any, ...]:
        """All values, those first that the other side refuses."""
        return self.telling + self.others


Place = Callable[[Sequence[Schema], Sequence[Schema], str, int], Made | None]
"""Makes the values of a place from the schemas of either side that rule it, its pointer and how deep it is."""


def weight_of(value: object) -> int:
    """Return how much a value weighs: one for each value in it, and one for each eight characters."""
    if isinstance(value, dict):
        return 1 + sum(1 + weight_of(held) for held in value.values())
    if isinstance(value, list):
        return 1 + sum(weight_of(held) for held in value)
    return 1 + (len(value) // 8 if isinstance(value, str) else 0)
