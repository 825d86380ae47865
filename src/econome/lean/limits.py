"""Cutting collections to a number of rows and an answer to a number of bytes, and saying so (L6, L9).

What a collection is comes from its type: a list, the value itself or under keys of objects. Whole rows go; what is left is
still a value, so its JSON stays valid. Nothing is cut without a note that counts it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econome.lean.exact import compact

__all__ = ["Cut", "advice", "capped", "collection", "limited", "note", "rows_hidden", "text_capped"]

_Place = tuple[str, ...]

_DEEPEST_SEARCH = 4
_DEEPEST_CUT = 16
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Cut:
    """A collection that was cut: the keys that lead to it, how many rows it has, how many are shown."""

    place: _Place
    total: int
    shown: int

    @property
    def hidden(self) -> int:
        """Return how many rows are not shown."""
        return self.total - self.shown


def _collections(value: object) -> dict[_Place, list[Any]]:
    """Return the lists that are *value* or lie under keys of objects, by where they lie."""
    found: dict[_Place, list[Any]] = {}
    level: list[tuple[_Place, object]] = [((), value)]
    for _ in range(_DEEPEST_SEARCH + 1):
        below: list[tuple[_Place, object]] = []
        for place, one in level:
            if type(one) is list:
                found[place] = one
            elif type(one) is dict:
                below += [((*place, key), inner) for key, inner in one.items()]
        level = below
    return found


def collection(value: object, rows: str | None = None) -> _Place | None:
    """Return where the rows of *value* lie: at the field named, else the longest list; None where there is none."""
    found = _collections(value)
    if rows is not None and (named := tuple(rows.split("."))) in found:
        return named
    if () in found or not found:
        return () if found else None
    return max(found, key=lambda place: len(found[place]))


def _to_cut(value: object, rows: str | None) -> dict[_Place, list[Any]]:
    """Return the collections that a limit is for.

    Without a field named: the longest, those as long as it, which may be its columns, and other lists of objects or lists.
    """
    found = _collections(value)
    if () in found:
        return {(): found[()]}
    if rows is not None:
        named = tuple(rows.split("."))
        return {named: found[named]} if named in found else {}
    longest = max(map(len, found.values()), default=0)
    return {
        place: own
        for place, own in found.items()
        if len(own) == longest or any(type(row) in (dict, list) for row in own)
    }


def _with(value: Any, parts: Mapping[_Place, list[Any]]) -> Any:
    """Return *value* with other lists at those places."""
    if () in parts:
        return parts[()]
    if type(value) is not dict:
        return value
    inside: dict[str, dict[_Place, list[Any]]] = {}
    for place, own in parts.items():
        inside.setdefault(place[0], {})[place[1:]] = own
    return {
        key: _with(entry, inside[key]) if key in inside else entry for key, entry in value.items()
    }


def limited(value: Any, limit: int | None, rows: str | None = None) -> tuple[Any, tuple[Cut, ...]]:
    """Return *value* with at most *limit* rows in its collections, and what was cut."""
    if limit is None:
        return value, ()
    long = {place: own for place, own in _to_cut(value, rows).items() if len(own) > limit}
    if not long:
        return value, ()
    cuts = tuple(Cut(place, len(own), limit) for place, own in long.items())
    return _with(value, {place: own[:limit] for place, own in long.items()}), cuts


def _size(value: object) -> int:
    return len(compact(value).encode())


def capped(
    value: Any, max_bytes: int, rows: str | None = None, cuts: Sequence[Cut] = ()
) -> tuple[Any, tuple[Cut, ...]]:
    """Return *value* with whole rows dropped until its compact JSON has at most *max_bytes*, and what was cut in all.

    *cuts* are those that a limit made before. A row larger than that is cut inside, where it holds collections. What is no
    row stays, even where it alone is larger.
    """
    kept, fresh = _capped(value, max_bytes, rows, (), 0)
    totals = {cut.place: cut for cut in cuts}
    for cut in fresh:
        before = totals.get(cut.place)
        totals[cut.place] = Cut(cut.place, before.total if before else cut.total, cut.shown)
    return kept, tuple(totals.values())


def _capped(
    value: Any, room: int, rows: str | None, place: _Place, deep: int
) -> tuple[Any, list[Cut]]:
    if _size(value) <= room or deep > _DEEPEST_CUT:
        return value, []
    if type(value) is list:
        return _capped_list(value, room, place, deep)
    lists = _to_cut(value, rows)
    if not lists and rows is not None:
        lists = _to_cut(value, None)
    sizes = {at: _size(own) for at, own in lists.items()}
    whole = sum(sizes.values())
    if not whole:
        return value, []
    free = max(room - (_size(value) - whole), 0)
    parts: dict[_Place, list[Any]] = {}
    cuts: list[Cut] = []
    for at, own in lists.items():
        parts[at], own_cuts = _capped(own, free * sizes[at] // whole, None, (*place, *at), deep + 1)
        cuts += own_cuts
    return _with(value, parts), cuts


def _capped_list(
    value: list[Any], room: int, place: _Place, deep: int
) -> tuple[list[Any], list[Cut]]:
    kept: list[Any] = []
    cuts: list[Cut] = []
    left = room - 2
    for number, row in enumerate(value):
        size = _size(row) + 1
        if size > left:
            if not kept or left * 4 > room:  # a long row where much room is left
                inner, inner_cuts = _capped(row, left - 1, None, (*place, str(number)), deep + 1)
                if inner_cuts and _size(inner) < left:
                    kept.append(inner)
                    cuts += inner_cuts
            break
        left -= size
        kept.append(row)
    if len(kept) < len(value):
        cuts.insert(0, Cut(place, len(value), len(kept)))
    return kept, cuts


def rows_hidden(cuts: Sequence[Cut]) -> int:
    """Return how many rows are not shown in all."""
    return sum(cut.hidden for cut in cuts)


def note(cuts: Sequence[Cut], handle: str | None = None, call: str = "more") -> str:
    """Return what comes first in a cut answer: shown, hidden, and how to get less or, by *call*, the rest."""
    ordered = sorted(cuts, key=lambda cut: (len(cut.place), -cut.hidden))
    says = [
        f"{'.'.join(cut.place) + ': ' if cut.place else ''}"
        f"{cut.shown} of {cut.total} shown, {cut.hidden} hidden"
        for cut in ordered[:_NAMED]
    ]
    if len(ordered) > _NAMED:
        others = ordered[_NAMED:]
        says.append(f"{rows_hidden(others)} hidden in {len(others)} other lists")
    return f"[cut] {'; '.join(says)}. {advice(handle, _next(ordered[0]), call)}"


def _next(cut: Cut) -> int:
    """Return the first row that is not shown whole."""
    return int(cut.place[-1]) if cut.place and cut.place[-1].isdecimal() else cut.shown


def advice(handle: str | None, offset: int, call: str = "more") -> str:
    """Return how to get less than a cut answer, or the rest of it."""
    if handle is None:
        return "Narrow the call with a filter or a smaller range."
    return f'Narrow the call with a filter, or read on: {call} handle="{handle}" offset={offset}'


def text_capped(text: str, max_bytes: int) -> tuple[str, int, int] | None:
    """Return the first lines of *text* that fit, how many they are and how many there are; None where all fit.

    A first line that is too long is cut inside, and counts as none.
    """
    if len(text.encode("utf-8", "surrogatepass")) <= max_bytes:
        return None
    lines = text.split("\n")
    kept: list[str] = []
    left = max_bytes
    for line in lines:
        left -= len(line.encode("utf-8", "surrogatepass")) + 1
        if left < 0:
            break
        kept.append(line)
    if kept:
        return "\n".join(kept), len(kept), len(lines)
    begun = lines[0].encode("utf-8", "surrogatepass")[:max_bytes]
    return begun.decode("utf-8", "ignore"), 0, len(lines)
