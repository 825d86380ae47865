"""The user's own norms: percentiles, the thresholds they make, and what each day, model, project and session came to.

Pure. Percentiles are values that occurred (the nearest rank), so that they stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from econome.diagnosis.findings import Percentile, Threshold
from econome.usage.cells import AGENT, KIND, MODEL, PROJECT, SESSION, UNDATED_DAY, slot_of
from econome.usage.sums import cell_rates, price

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.prices.table import PriceTable
    from econome.usage.tree import DayTable

__all__ = ["DOLLAR", "Past", "Period", "around_median", "needed", "past_of", "percentile"]

DOLLAR = 10**18
"""A dollar in atto-dollars."""

_Value = TypeVar("_Value", int, Fraction)


@dataclass(frozen=True, slots=True)
class Period:
    """The local days that are judged, both included; None leaves an end open."""

    since: int | None
    until: int | None
    zone: Zone
    _offsets: dict[int, int] = field(default_factory=dict, repr=False, compare=False)

    def day(self, time_ns: int | None) -> int | None:
        """Return the local day of an instant; None where there is none."""
        if time_ns is None:
            return None
        seconds = time_ns // 10**9
        slot = slot_of(seconds)
        if slot not in self._offsets:
            self._offsets[slot] = self.zone.offset(slot)
        return (seconds + self._offsets[slot]) // 86400

    def holds(self, day: int | None) -> bool:
        """Say whether a day belongs to the period; no day belongs to all days only (F7)."""
        if day is None:
            return self.since is None and self.until is None
        return (self.since is None or day >= self.since) and (
            self.until is None or day <= self.until
        )


def percentile(values: Sequence[_Value], percent: int) -> _Value | None:
    """Return the smallest value that *percent* of all do not exceed; None of none."""
    ordered = sorted(values)
    return ordered[-(-len(ordered) * percent // 100) - 1] if ordered else None


def needed(
    of: str,
    percent: int,
    values: Sequence[_Value],
    floor: _Value,
    *,
    told: Callable[[_Value], Any] = lambda value: value,
    decides: Literal["finding", "rows"] = "finding",
) -> tuple[_Value, Threshold]:
    """Return the larger of a floor and the user's own percentile, as a number and as a threshold.

    *told* is how the threshold tells each of its values.
    """
    norm = percentile(values, percent)
    used = floor if norm is None else max(floor, norm)
    own = Percentile(of, percent, None if norm is None else told(norm))
    return used, Threshold(told(used), told(floor), own, decides)


def around_median(values: Sequence[int]) -> tuple[int, int]:
    """Return the median of some values, and the median of how far they lie from it."""
    middle = percentile(values, 50) or 0
    return middle, percentile([abs(value - middle) for value in values], 50) or 0


@dataclass(slots=True)
class Past:
    """What the responses of all days up to the end of a period cost, in atto-dollars; those without a price cost nothing."""

    days: dict[int, int] = field(default_factory=dict)
    models: dict[tuple[int, str], int] = field(default_factory=dict)
    projects: dict[tuple[int, str], int] = field(default_factory=dict)
    sessions: dict[str, list[int]] = field(default_factory=dict)
    """For each session its whole cost, and that of its sub-agents."""

    def usual(self, table: str, name: str, but: int) -> int:
        """Return what a model or project costs on the mean of all days with a cost but one, rounded down."""
        others = len(self.days) - 1
        sums: dict[tuple[int, str], int] = getattr(self, table)
        found = sum(cost for (day, of), cost in sums.items() if of == name and day != but)
        return found // others if others > 0 else 0


def past_of(
    tables: Iterable[tuple[int, DayTable]], period: Period, prices: PriceTable, apart: Iterable[str]
) -> Past:
    """Return what cells of UTC days come to by local day; agents *apart* are no sub-agents."""
    past, not_sub = Past(), frozenset(apart)
    offset = period.zone.offset
    for utc_day, (dims, rows) in tables:
        rates = [None if d[KIND] else cell_rates(prices, utc_day, d) for d in dims]
        local: dict[int, int] = {}
        for slot, place, *counters in rows:
            of = rates[place]
            if of is None:
                continue
            day = UNDATED_DAY
            if utc_day != UNDATED_DAY:
                if slot not in local:
                    local[slot] = (slot + offset(slot)) // 86400
                day = local[slot]
                if period.until is not None and day > period.until:
                    continue
            elif period.until is not None:
                continue
            _add(past, day, dims[place], price(of, counters), not_sub)
    return past


def _add(past: Past, day: int, dims: Sequence[object], cost: int, not_sub: frozenset[str]) -> None:
    session = past.sessions.setdefault(str(dims[SESSION]), [0, 0])
    session[0] += cost
    if dims[AGENT] not in not_sub:
        session[1] += cost
    if day == UNDATED_DAY:
        return
    past.days[day] = past.days.get(day, 0) + cost
    for sums, at in ((past.models, MODEL), (past.projects, PROJECT)):
        key = day, str(dims[at])
        sums[key] = sums.get(key, 0) + cost
