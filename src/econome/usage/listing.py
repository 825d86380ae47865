"""The table of sessions: searched, sorted, and one page of it. Pure: sessions are arguments, and so is what is asked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from econome.usage.panorama import Strand

__all__ = ["ORDERS", "PAGE", "Listing", "begins", "listed", "searched"]

PAGE: Final = 25
"""So many sessions are on a page."""

_SHORTEST: Final = 8

ORDERS: Final[Mapping[str, Callable[[Strand], Any]]] = {
    "last": lambda strand: strand.last,
    "cost": lambda strand: strand.amount.cost if strand.amount.known else None,
    "responses": lambda strand: strand.amount.responses,
    "input": lambda strand: strand.amount.count("input_tokens"),
    "output": lambda strand: strand.amount.count("output_tokens"),
    "cache-read": lambda strand: strand.amount.count("cache_read_tokens"),
    "session": lambda strand: strand.name,
    "project": lambda strand: strand.project,
}
"""What sessions can be ordered by; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of sessions: its number from 1, how many pages there are, and how many sessions on all of them."""

    sessions: tuple[Strand, ...]
    page: int
    pages: int
    count: int


def searched(sessions: Iterable[Strand], text: str, order: str, *, down: bool) -> list[Strand]:
    """Return the sessions whose id or project holds *text*, capitals or not, in an order.

    Equals are ordered by id; those of which nothing is known come last, whichever the direction.
    """
    sought = text.casefold()
    found = [
        strand
        for strand in sessions
        if not sought
        or sought in strand.name.casefold()
        or any(sought in project.casefold() for project, _ in strand.parts)
    ]
    found.sort(key=lambda strand: strand.name)
    key = ORDERS[order]
    known = [strand for strand in found if key(strand) is not None]
    known.sort(key=key, reverse=down)
    return known + [strand for strand in found if key(strand) is None]


def listed(sessions: Sequence[Strand], page: int, size: int = PAGE) -> Listing:
    """Return a page of sessions; the last one for a number beyond it."""
    pages = max(-(-len(sessions) // size), 1)
    at = min(max(page, 1), pages)
    return Listing(tuple(sessions[(at - 1) * size : at * size]), at, pages, len(sessions))


def begins(names: Iterable[str], ordered: Sequence[str]) -> dict[str, str]:
    """Return for each name the shortest beginning, of eight characters or more, that no other has.

    *ordered* are all names there are, each once and in order, so that only the neighbours of a name are looked at.
    """
    found = {}
    for name in names:
        at = bisect_left(ordered, name)
        beside = [*ordered[max(at - 1, 0) : at], *ordered[at + 1 : at + 2]]
        size = max((_shared(name, other) + 1 for other in beside), default=0)
        found[name] = name[: max(size, _SHORTEST)]
    return found


def _shared(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
