"""Cutting collections to a number of rows and an answer to a number of bytes, and saying so (L6, L9).

What a collection is comes from its type: a list, the value itself or under keys of objects, or an object of many objects alike,
whose entries are rows. Whole rows go; what is left is still a value, so its JSON stays valid. Nothing is cut without a note that counts it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from typing import Any

from econome.lean.exact import compact
from econome.lean.heads import beside_rows, is_collection
from econome.lean.pointers import pointer_to, steps_of, value_at

__all__ = [
    "Cut",
    "advice",
    "call_text",
    "capped",
    "collection",
    "limited",
    "list_names",
    "located",
    "note",
    "place_text",
    "rows_hidden",
    "rows_of",
    "text_capped",
    "with_lists",
]

_Place = tuple[str, ...]
_Rows = list[Any] | dict[str, Any]

_DEEPEST_SEARCH = 4
_DEEPEST_CUT = 16
_NAMED = 3
_LISTED = 6


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


def _collections(value: object) -> dict[_Place, _Rows]:
    """Return the collections that are *value* or lie under keys of objects, by where they lie, but what is said of columns."""
    found: dict[_Place, _Rows] = {}
    level: list[tuple[_Place, object]] = [((), value)]
    for _ in range(_DEEPEST_SEARCH + 1):
        below: list[tuple[_Place, object]] = []
        for place, one in level:
            if isinstance(one, list | dict) and is_collection(one):
                found[place] = one
            elif type(one) is dict:
                columns = beside_rows(one)
                below += [((*place, key), one[key]) for key in one if key not in columns]
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


def list_names(value: object) -> list[str]:
    """Return the names of the lists that lie under keys of *value*, as `located` reads them."""
    return [place_text(place) for place in _collections(value) if place]


def place_text(place: Sequence[str]) -> str:
    """Return where a list lies as one text: its keys with dots between, or a JSON Pointer where a key has signs of its own."""
    if all(key and "." not in key for key in place) and not place[0].startswith("/"):
        return ".".join(place)
    return pointer_to(*place)


def located(value: object, text: str) -> tuple[str, ...] | None:
    """Return the place of the list in *value* that *text* names, which may lie within rows; None where there is none."""
    if text.startswith("/"):
        steps = steps_of(text)
        return steps if is_collection(value_at(value, steps)) else None
    keys = text.split(".")
    if is_collection(value_at(value, keys)):
        return tuple(keys)
    return next((place for place in _collections(value) if ".".join(place) == text), None)


def _to_cut(value: object, rows: str | None) -> dict[_Place, _Rows]:
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
        if len(own) == longest or any(type(row) in (dict, list) for row in rows_of(own))
    }


def rows_of(own: _Rows) -> list[Any]:
    """Return the rows of a collection; those of an object are without their keys."""
    return own if isinstance(own, list) else list(own.values())


def _first(own: _Rows, number: int) -> _Rows:
    return own[:number] if isinstance(own, list) else dict(islice(own.items(), number))


def with_lists(value: Any, parts: Mapping[_Place, _Rows]) -> Any:
    """Return *value* with other collections at those places."""
    if () in parts:
        return parts[()]
    if type(value) is not dict:
        return value
    inside: dict[str, dict[_Place, _Rows]] = {}
    for place, own in parts.items():
        inside.setdefault(place[0], {})[place[1:]] = own
    return {
        key: with_lists(entry, inside[key]) if key in inside else entry
        for key, entry in value.items()
    }


def limited(value: Any, limit: int | None, rows: str | None = None) -> tuple[Any, tuple[Cut, ...]]:
    """Return *value* with at most *limit* rows in its collections, and what was cut."""
    if limit is None:
        return value, ()
    long = {place: own for place, own in _to_cut(value, rows).items() if len(own) > limit}
    if not long:
        return value, ()
    cuts = tuple(Cut(place, len(own), limit) for place, own in long.items())
    return with_lists(value, {place: _first(own, limit) for place, own in long.items()}), cuts


def _size(value: object) -> int:
    return len(compact(value).encode())


def capped(
    value: Any, max_bytes: int, rows: str | None = None, cuts: Sequence[Cut] = ()
) -> tuple[Any, tuple[Cut, ...]]:
    """Return *value* with whole rows dropped until its compact JSON has at most *max_bytes*, and what was cut in all.

    *cuts* are those that a limit made before. Where not even one row fits, the first is cut inside, where it holds
    collections. What is no row stays, even where it alone is larger.
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
    lists = _to_cut(value, rows)
    bare = with_lists(value, {at: _first(own, 0) for at, own in lists.items()})
    if rows is not None and _size(bare) > room:  # the rows alone are not what is too much
        lists |= _to_cut(value, None)
        bare = with_lists(value, {at: _first(own, 0) for at, own in lists.items()})
    room -= _size(bare)
    shown = _fitting(lists, room)
    parts = {at: _first(own, shown[at]) for at, own in lists.items()}
    inside: list[Cut] = []
    if not any(shown.values()):
        for at, own in lists.items():
            if isinstance(own, dict):
                continue
            kept, inside = (
                _capped(own[0], room, None, (*place, *at, "0"), deep + 1) if own else (0, [])
            )
            if inside and _size(kept) <= room:
                parts[at], shown[at] = [kept], 1
                break
            inside = []
    cuts = [
        Cut((*place, *at), len(own), shown[at]) for at, own in lists.items() if shown[at] < len(own)
    ]
    return with_lists(value, parts), cuts + inside


def _fitting(lists: Mapping[_Place, _Rows], room: int) -> dict[_Place, int]:
    """Return how many rows of each list have *room*, from the first on and of each the same share."""
    shown = dict.fromkeys(lists, 0)
    sizes = {
        at: [len(compact(key).encode()) + 1 for key in own] if isinstance(own, dict) else None
        for at, own in lists.items()
    }
    rows = {at: rows_of(own) for at, own in lists.items()}
    turns = [(0.0, number, at) for number, (at, own) in enumerate(lists.items()) if own]
    while turns:
        _, number, at = heappop(turns)
        own, next_, keys = rows[at], shown[at], sizes[at]
        room_left = room - _size(own[next_]) - (next_ > 0) - (keys[next_] if keys else 0)
        if room_left < 0:
            continue  # a shorter row of another list may still fit
        room, shown[at] = room_left, next_ + 1
        if shown[at] < len(own):
            heappush(turns, (shown[at] / len(own), number, at))
    return shown


def rows_hidden(cuts: Sequence[Cut]) -> int:
    """Return how many rows are not shown in all."""
    return sum(cut.hidden for cut in cuts)


def note(
    cuts: Sequence[Cut],
    handle: str | None = None,
    call: str = "more",
    *,
    main: _Place | None = None,
    narrows: bool = True,
) -> str:
    """Return what comes first in a cut answer: shown, hidden, and how to get less or, by *call*, the rest of each list.

    *main* is the list that is read on where none is named. *narrows* says whether the tool takes arguments by which a
    call of it can ask for less.
    """
    ordered = sorted(cuts, key=lambda cut: (len(cut.place), -cut.hidden))
    first, others = ordered[:_NAMED], ordered[_NAMED:]
    says = [
        f"{'.'.join(cut.place) + ': ' if cut.place else ''}"
        f"{cut.shown} of {cut.total} shown, {cut.hidden} hidden"
        for cut in first
    ]
    if others:
        places = ", ".join(f"{place_text(cut.place)} from {cut.shown}" for cut in others[:_LISTED])
        more = f" and {len(others) - _LISTED} more" if len(others) > _LISTED else ""
        says.append(f"{rows_hidden(others)} hidden in {len(others)} other lists ({places}{more})")
    rest = [
        _called(call, handle, cut.shown, None if cut.place == main else cut.place)
        for cut in first
        if handle is not None
    ]
    return f"[cut] {'; '.join(says)}. {_advised(rest, narrows)}"


def advice(handle: str | None, offset: int, call: str = "more", *, narrows: bool = True) -> str:
    """Return how to get less than a cut answer, or the rest of it."""
    return _advised([] if handle is None else [_called(call, handle, offset, None)], narrows)


def _advised(rest: Sequence[str], narrows: bool) -> str:
    if not rest:
        return "Narrow the call with a filter or a smaller range."  # all that is left to say
    start = "Narrow the call with a filter, or read on: " if narrows else "Read on: "
    return start + "; ".join(rest)


def call_text(call: str, **arguments: object) -> str:
    """Return a call with *arguments* as a model can copy it; *call* is the name of a tool, and what is given to it always."""
    name, _, given = call.partition(" ")
    whole = {**(json.loads(given) if given else {}), **arguments}
    return f"{name} {compact(whole)}"


def _called(call: str, handle: str | None, offset: int, place: _Place | None) -> str:
    named = {} if not place else {"rows": place_text(place)}
    return call_text(call, handle=handle, **named, offset=offset)


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
