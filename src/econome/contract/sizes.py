"""Sizes of many answers in little memory: how many, their sum, the largest, and percentiles by nearest rank.

Percentiles are exact up to some thousands of different sizes; with more, sizes are kept to three digits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Sizes"]

_EXACT = 4_096
_DIGITS = 3


@dataclass(slots=True)
class Sizes:
    """A bag of whole numbers that grows; the order in which they come changes nothing while they are kept exactly."""

    many: int = 0
    total: int = 0
    largest: int = 0
    _times: Counter[int] = field(default_factory=Counter)
    _coarse: bool = False

    def add(self, size: int) -> None:
        """Take one more size."""
        self.many += 1
        self.total += size
        self.largest = max(self.largest, size)
        self._times[_rounded(size) if self._coarse else size] += 1
        if not self._coarse and len(self._times) > _EXACT:
            self._coarse = True
            rounded: Counter[int] = Counter()
            for known, times in self._times.items():
                rounded[_rounded(known)] += times
            self._times = rounded

    def percentile(self, percent: int, unknown: int = 0) -> int | None:
        """Return the smallest size that *percent* of all do not exceed; None of none.

        So many *unknown* sizes are held to be larger than all others, so that the figure is never too small; it is None
        where it would be one of them.
        """
        rank = max(-(-(self.many + unknown) * percent // 100), 1)
        if rank > self.many:
            return None
        seen = 0
        for size in sorted(self._times):
            seen += self._times[size]
            if seen >= rank:
                return min(size, self.largest)
        return self.largest

    def spread(self, unknown: int = 0) -> dict[str, int | None]:
        """Return `p50`, `p95`, `max` and `total` as JSON has them; of no answer the total is 0, with *unknown* ones None."""
        return {
            "p50": self.percentile(50, unknown),
            "p95": self.percentile(95, unknown),
            "max": self.percentile(100, unknown),
            "total": None if unknown else self.total,
        }


def _rounded(size: int) -> int:
    step: int = 10 ** max(len(str(size)) - _DIGITS, 0)
    return -(-size // step) * step
