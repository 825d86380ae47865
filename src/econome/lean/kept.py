"""Full results that were sent in part: kept for a while, for the principal they were made for (L7).

The clock and the minting of handles are given. It holds texts, never values, so that what it holds is what it counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from econome.lean.counting import Count

__all__ = ["Kept", "Page"]


@dataclass(frozen=True, slots=True)
class Page:
    """What `more` answers: *text*, in *form*; *failed* where it is a refusal."""

    text: str
    failed: bool = False
    form: str = "text"


@dataclass(frozen=True, slots=True)
class _Entry:
    principal: str
    text: str
    plain: bool
    rows: str | None
    page: int
    until: float


class Kept:
    """Kept results, bounded in bytes and entries, the oldest given up first.

    *clock* is any clock in seconds that never runs back; *mint* gives a text of 128 random bits.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        mint: Callable[[], str],
        *,
        max_bytes: int = 64_000_000,
        max_entries: int = 512,
        seconds: float = 1800.0,
    ) -> None:
        self._clock, self._mint = clock, mint
        self._max_bytes, self._max_entries, self._seconds = max_bytes, max_entries, seconds
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def put(
        self, principal: str, text: str, *, plain: bool, rows: str | None = None, page: int = 50
    ) -> str | None:
        """Keep the compact JSON (or the plain text) of a whole result and return its handle; None where it is too large."""
        return None

    def more(self, principal: str, arguments: Mapping[str, object], count: Count) -> Page:
        """Answer a call of `more`."""
        return Page("not kept", failed=True)
