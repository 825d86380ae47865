"""How many examples a property is tried with, where it says so itself: fewer under the profile `brief`."""

from __future__ import annotations

from hypothesis import settings

__all__ = ["examples"]

_USUAL = 100


def examples(count: int) -> int:
    """Return *count*, or the share of it that the profile has of the usual hundred."""
    return max(3, min(count, count * settings().max_examples // _USUAL))
