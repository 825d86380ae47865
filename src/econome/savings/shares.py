"""Parts of a whole number in proportion to weights: whole parts that add up to it.

It knows arithmetic only: not what is shared, nor whose the weights are.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["share"]


def share(whole: int, weights: Sequence[int]) -> list[int]:
    """Return one part of *whole* for each of the *weights*, in proportion to them; they add up to it.

    Each part is rounded down, and what is left goes one by one to the largest remainders, the first in order where
    two are equal (S7). Weights that are all 0 count as equal. *whole* and the weights are 0 or more.

    Raises:
        ValueError: there is no weight.
    """
    if not weights:
        raise ValueError("nothing to share among")
    total = sum(weights)
    if not total:
        weights, total = [1] * len(weights), len(weights)
    parts = [whole * weight // total for weight in weights]
    left = whole - sum(parts)
    if left:
        places = sorted(range(len(weights)), key=lambda at: -(whole * weights[at] % total))
        for at in places[:left]:
            parts[at] += 1
    return parts
