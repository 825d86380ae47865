"""The time of the page of usage cut into days, weeks, months or years, so that no drawing has too many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from econome.times import day_number, day_text, split_day
from econome.usage.report import iso_week

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["MOST", "Unit", "first_of", "key_of", "label_of", "last_of", "name_of", "spans"]

MOST: Final = 120
"""More stacks than these are not drawn side by side, as long as a longer unit makes fewer of them."""

Unit = Literal["day", "week", "month", "year"]
_UNITS: Final[tuple[Unit, ...]] = ("day", "week", "month", "year")


def spans(dated: Sequence[int], since: int | None, until: int | None) -> tuple[Unit, Sequence[int]]:
    """Return the unit, and the first day of each span of it, in order, without a gap.

    A period that is short enough is there from its first to its last day; of others only what lies between the first
    and the last of *dated*, the days with a response.
    """
    if since is not None and until is not None and until - since < MOST:
        first, last = since, until
    elif not dated:
        return "day", ()
    else:
        first, last = dated[0], dated[-1]
    for unit in _UNITS:
        firsts = [first_of(unit, first)]
        while len(firsts) <= MOST and (following := last_of(unit, firsts[-1]) + 1) <= last:
            firsts.append(following)
        if len(firsts) <= MOST:
            return unit, firsts
    return "year", sorted({first_of("year", day) for day in dated})


def first_of(unit: Unit, day: int) -> int:
    """Return the first day of the span that a day is in."""
    if unit == "day":
        return day
    if unit == "week":
        return day - (day + 3) % 7
    year, month, _ = split_day(day)
    return day_number(year, month if unit == "month" else 1, 1)


def last_of(unit: Unit, first: int) -> int:
    """Return the last day of the span that begins with a day."""
    if unit == "day":
        return first
    if unit == "week":
        return first + 6
    year, month, _ = split_day(first)
    following = (year, month + 1) if unit == "month" and month < 12 else (year + 1, 1)
    return day_number(*following, 1) - 1


def key_of(unit: Unit, first: int) -> str:
    """Return a span as it is copied: `2026-10-17`, `2026-W42`, `2026-10` or `2026`."""
    if unit == "week":
        return iso_week(first)
    text = day_text(first)
    return text if unit == "day" else text[:-3] if unit == "month" else text[:-6]


def label_of(told: Telling, unit: Unit, first: int) -> str:
    """Return a span in a few letters."""
    if unit == "year":
        return key_of(unit, first)
    form = told.text("MMM yyyy") if unit == "month" else told.text("MMM d")
    return told.day(day_text(first), form)


def name_of(told: Telling, unit: Unit, first: int) -> str:
    """Return a span as it is said."""
    if unit == "day":
        return told.day(day_text(first))
    if unit == "week":
        return told.text("week of {day}", day=told.day(day_text(first)))
    return label_of(told, unit, first)
