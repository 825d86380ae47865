"""As many rows as fit in a number of bytes, of a text whose length is known only once it is written.

It tries a few times. How a value is cut is told in limits.py, and what is sent of it is the caller's to write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from econome.lean.exact import compact
from econome.lean.heads import is_collection
from econome.lean.limits import Cut, capped
from econome.lean.pointers import value_at

__all__ = ["Written", "fitted"]


class Written(Protocol):
    """What is sent of a value, in bytes."""

    @property
    def said(self) -> int:
        """Bytes of the note."""

    @property
    def size(self) -> int:
        """Bytes of the note and the rest."""


_W = TypeVar("_W", bound=Written)

_TRIED_WHOLE = 2_000_000
"""Bytes of JSON up to which a value is written as a whole to see whether it fits."""
_DENSEST = 16
"""So many bytes of JSON are at most looked for in one of what is sent, where the whole is too much to try."""
_TRIES = 8
_CLOSE, _SHARE = 32, 128
"""Within so many bytes of JSON, or that part of them, the rows are as many as fit."""


def fitted(
    value: Any,
    cuts: tuple[Cut, ...],
    *,
    room: int,
    rows: str | None,
    write: Callable[[Any, tuple[Cut, ...]], _W],
) -> _W:
    """Return what *write* makes of as much of *value* as it sends in *room* bytes, all of it where that fits.

    *cuts* are those that were made before. Where even what is no row is too much, the least there is.
    """
    budget = whole = len(compact(value).encode())
    if whole <= _TRIED_WHOLE:
        made = write(value, cuts)
        if made.size <= room or capped(value, 0, rows, cuts)[1] == cuts:
            return made
        most, budget = whole, _guess(made, whole, room)
    else:
        most = budget = min(whole, room * _DENSEST)
        value, cuts = _begun(value, cuts, most, rows)
    best: _W | None = None
    least, step = 0, max(_CLOSE, most // _SHARE)
    for _ in range(_TRIES):
        made = write(*capped(value, budget, rows, cuts))
        if made.size <= room:
            best, least = made, budget
        else:
            most = budget
        if most - least <= max(_CLOSE, least // _SHARE):
            break
        budget = _guess(made, budget, room)
        if (
            best is None
        ):  # from above, in steps that grow: forms do not shrink with their rows alone
            budget, step = min(budget, most - step), step * 2
        elif not least < budget < most:
            budget = (least + most) // 2
        if budget <= least:
            break
    return best if best is not None else _least(value, cuts, room, rows, write)


def _guess(made: Written, budget: int, room: int) -> int:
    """Return how much JSON fits where *budget* of it came to what was *made*."""
    return budget * max(room - made.said, 0) // max(made.size - made.said, 1)


def _begun(
    value: Any, cuts: tuple[Cut, ...], most: int, rows: str | None
) -> tuple[Any, tuple[Cut, ...]]:
    """Return the beginning of a large value, to be cut further; itself where that had to be cut within a row."""
    begun, made = capped(value, most, rows, cuts)
    places = (cut.place[:depth] for cut in made for depth in range(len(cut.place)))
    if any(is_collection(value_at(value, place)) for place in places):
        return value, cuts
    return begun, made


def _least(
    value: Any,
    cuts: Sequence[Cut],
    room: int,
    rows: str | None,
    write: Callable[[Any, tuple[Cut, ...]], _W],
) -> _W:
    """Return what fits where nothing is gained by the form, of whose JSON no more than the room beside the note is taken."""
    said = 0
    for _ in range(_TRIES):
        made = write(*capped(value, max(room - said, 0), rows, cuts))
        if made.said <= said:
            break
        said = made.said  # a note may grow by a digit or a name as more is cut
    return made
