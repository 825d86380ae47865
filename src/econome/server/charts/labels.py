"""How many letters fit: how wide a text is, where it is cut, and which labels of a row are shown on a narrow drawing.

A server does not know a reader's letters, so widths are estimates that err on the wide side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final
from unicodedata import combining, east_asian_width

from econome.server.charts.marks import written

__all__ = ["LEVELS", "ROOM", "cut", "fitting", "room", "row", "wide"]

LEVELS: Final = ((230, ""), (560, " fine"), (880, " finer"))
"""How many pixels of room a drawing surely has, and the class of what is shown only then; `charts.css` knows as much."""

ROOM: Final = 7
"""So many pixels is each step of the room that texts take beside a drawing; `charts.css` has a class for each."""

_ROOMS: Final = 16
_LETTER, _WIDE, _GAP = 6.9, 13.0, 10.0
_BEYOND: Final = 6
_LONGEST: Final = 24


def wide(text: str) -> float:
    """Return how many pixels a text of the size of labels takes at the most, or nearly."""
    if text.isascii():
        return len(text) * _LETTER
    return sum(_breadth(letter) for letter in text)


def _breadth(letter: str) -> float:
    if combining(letter):
        return 0.0
    return _WIDE if east_asian_width(letter) in "WF" or letter > "\uffff" else _LETTER


def cut(text: str, most: int) -> str:
    """Return a text of at most so many characters, with a sign where something is missing."""
    return text if len(text) <= most else text[: most - 1] + "…"


def fitting(text: str, share: float) -> str | None:
    """Return the class of a text that stands in a share of the width, None where it never has the room."""
    need = wide(text) + _GAP
    return next((level for room, level in LEVELS if room * share >= need), None)


def room(texts: Iterable[str]) -> int:
    """Return how many steps of room the widest of some texts takes beside a drawing."""
    return min(_ROOMS, ceil(max(map(wide, texts), default=0.0) / ROOM) + 1)


def row(labels: Sequence[str], middles: Sequence[float], top: int) -> str:
    """Return a row of labels, each around its place, which is a share of the width, or beginning or ending there.

    Labels never touch: the first and the last stand where they have the room, between them every n-th, and finer ones
    only on a wide drawing.
    """
    short = [cut(label, _LONGEST) for label in labels]
    need, last, narrow = max(map(wide, short), default=0.0), len(short) - 1, LEVELS[0][0]
    drawn = []
    for at, level in _thinned(need, middles):
        kind, place = "", middles[at] * 100
        if at == 0 and middles[at] * narrow < need / 2 - _BEYOND:
            kind, place = " start", 0
        elif at == last and (1 - middles[at]) * narrow < need / 2 - _BEYOND:
            kind, place = " end", 100
        drawn.append(
            f'<text x="{place:.2f}%" y="{top}" class="label{kind}{level}">{written(short[at])}</text>'
        )
    return "".join(drawn)


def _thinned(need: float, middles: Sequence[float]) -> list[tuple[int, str]]:
    """Return which labels of a row are written, with the class that says on how wide a drawing."""
    if not middles:
        return []
    last, steps = len(middles) - 1, [1]
    for room, _ in reversed(LEVELS):
        least = ceil((need + _GAP) * len(middles) / room)
        steps.append(steps[-1] * max(1, ceil(least / steps[-1])))
    found: dict[int, str] = {}
    steps.reverse()
    for (room, level), step, finer in zip(LEVELS, steps, steps[1:], strict=False):
        begun = max(0.0, middles[0] * room - need / 2) + need + _GAP
        ended = min(room, middles[-1] * room + need / 2) - need - _GAP
        found.setdefault(0, level)
        if begun <= ended + _GAP:
            found.setdefault(last, level)
        inner, half = (
            [at for at in places if begun <= middles[at] * room - need / 2 <= ended - need]
            for places in (range(step, last, step), [round(last / 2 / finer) * finer])
        )
        for at in inner or half:
            found.setdefault(at, level)
    return sorted(found.items())
