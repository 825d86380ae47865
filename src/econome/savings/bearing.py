"""Who bears the cost of a steering event: the known ones among the requests that it names, by what each avoided (S7).

Pure; what of an event is counted where is not its business.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econome.savings.books import Books

__all__ = ["Bearers"]


class Bearers:
    """Tells of the requests of one ledger which bear a steering event; *known* says of each whether it is known."""

    __slots__ = ("_avoided", "_known")

    def __init__(self, books: Books, known: Sequence[int]) -> None:
        self._known, self._avoided = known, _avoided_of_shared(books)

    def of(self, named: Sequence[int]) -> tuple[Sequence[int], list[int]]:
        """Return the requests among those *named* that bear the cost of a steering event, with their weights."""
        if len(named) == 1:
            return named, [1]
        known = [request for request in named if self._known[request]]
        if not known:  # then it is attached to none of them, and no matter to which it is not
            return named[:1], [1]
        weights = [max(0, self._avoided.get(request, 0)) for request in known]
        return known, weights if any(weights) else [1] * len(known)


def _avoided_of_shared(books: Books) -> dict[int, int]:
    """Return what each request avoided, in the whole ledger, of those that share a steering event with another."""
    steerings, delegations = books.steerings, books.delegations
    shared: set[int] = set()
    for begin, end in pairwise((0, *steerings.ends)):
        if end - begin > 1:
            shared.update(steerings.requests[begin:end])
    found = dict.fromkeys(shared, 0)
    if shared:
        for request, avoided in zip(delegations.request, delegations.avoided, strict=True):
            if request in found:
                found[request] += avoided
    return found
