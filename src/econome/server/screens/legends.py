"""Series that a reader hides and shows again: the address says which are hidden, so that a link and a copy say it too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from econome.server.screens.figure import Entry

if TYPE_CHECKING:
    from econome.server.charts.values import Series
    from econome.server.screens.state import State

__all__ = ["HIDE", "hidden", "legend"]

HIDE: Final = "hide"


def hidden(state: State) -> frozenset[str]:
    """Return the keys of the series that the address hides, of whichever figure."""
    return frozenset(state.all(HIDE))


def legend(state: State, series: Mapping[str, Series]) -> tuple[Entry, ...]:
    """Return the legend of a figure; *series* are by the keys that hide them, which no other figure of the page has.

    What is hidden of other figures stays so.
    """
    now = tuple(dict.fromkeys(state.all(HIDE)))
    return tuple(
        Entry(one.name, one.place, state.link(hide=_turned(now, key)), key in now)
        for key, one in series.items()
    )


def _turned(now: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(one for one in now if one != key) if key in now else (*now, key)
