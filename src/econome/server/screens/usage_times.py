"""The figures of the page of usage that are over time: cost per day, the calendar, hours of the week, the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from econome.prices.amounts import usd
from econome.server.charts.calendar import calendar as draw_calendar
from econome.server.charts.grid import grid
from econome.server.charts.lines import lines
from econome.server.charts.stacks import stacks
from econome.server.charts.values import NEUTRAL, PLAIN, Group, Head, Point, Series
from econome.server.screens.figure import Column, Entry, Figure, Row, Value
from econome.server.screens.usage_scene import dollars
from econome.server.screens.usage_spans import first_of, key_of, label_of, last_of, name_of, spans
from econome.usage.panorama import Amount

if TYPE_CHECKING:
    from econome.server.screens.usage_scene import Scene
    from econome.server.screens.usage_spans import Unit

__all__ = ["cache", "calendar", "daily", "hours"]

_MODELS: Final = 12
"""So many models have segments of their own; the cheaper ones of a period share one."""

_OTHERS: Final = "*"
_HOURS, _WEEK = 24, 7
_WEEKDAYS: Final = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip


def daily(scene: Scene) -> Figure:
    """Return the cost per day: one stack a day, one segment a model, one axis in USD (V2)."""
    told, found = scene.telling, scene.found
    unit, firsts = spans(found.dated, found.since, found.until)
    by_span = _by_span(scene, unit)
    priced = [model for model, group in scene.ranked(found.models.items()) if group.known]
    own, others = priced[:_MODELS], priced[_MODELS:]
    keys = [*own, _OTHERS] if others else own
    names = [scene.series(model) for model in own]
    if others:
        title = told.plural("{count} other model", "{count} other models", len(others))
        names.append(Series(title, NEUTRAL))
    hidden = set(scene.state.all("hide")) & set(keys)
    shown = [at for at, key in enumerate(keys) if key not in hidden]
    costs = {first: _costs(by_span.get(first, {}), own, others) for first in (*firsts, None)}
    title = {
        "day": told.text("Cost per day"),
        "week": told.text("Cost per week"),
        "month": told.text("Cost per month"),
        "year": told.text("Cost per year"),
    }[unit]
    whole = {first: _merged(by_span.get(first, {}).values()) for first in (*firsts, None)}
    alone = unit == "day" and len(firsts) == 1
    links = {first: "" if alone else _days_of(scene, unit, first) for first in firsts}
    groups = [
        Group(
            label_of(told, unit, first),
            tuple(dollars(costs[first][at] or 0) for at in shown),
            f"{name_of(told, unit, first)}: {_said(scene, whole[first])}",
            links[first],
        )
        for first in firsts
    ]
    desc = told.text(
        "Stacked bars, one a span of time, one segment a model; the axis is in US dollars."
    )
    rows = [
        Row(
            (
                key_of(unit, first),
                whole[first].responses,
                whole[first].usd,
                *map(_usd, costs[first]),
            ),
            {"span": name_of(told, unit, first), **_partial(scene, whole[first])},
            {} if alone else {"span": links[first]},
        )
        for first in firsts
    ]
    if None in by_span:
        rows.append(
            Row(
                (None, whole[None].responses, whole[None].usd, *map(_usd, costs[None])),
                {"span": told.text("undated"), **_partial(scene, whole[None])},
            )
        )
    return Figure(
        "daily",
        title,
        (
            Column("span", told.text("Time"), "text"),
            Column("responses", told.text("Responses")),
            Column("cost_usd", told.text("Cost"), "usd"),
            *(
                Column(f"cost_usd:{key}", one.name, "usd")
                for key, one in zip(keys, names, strict=True)
            ),
        ),
        tuple(rows),
        stacks(
            groups, [names[at] for at in shown], Head("daily-chart", title, desc), _axis(scene),
            say=_axis(scene),
        ) if groups else "",
        _undated_note(scene),
        tuple(
            Entry(one.name, one.place, _toggled(scene, key, hidden), key in hidden)
            for key, one in zip(keys, names, strict=True)
        ),
    )  # fmt: skip


def _days_of(scene: Scene, unit: Unit, first: int) -> str:
    """Return the address of this page for the days of a span that are in the period, as its stack is of no others."""
    since, until, last = scene.found.since, scene.found.until, last_of(unit, first)
    return scene.within(
        first if since is None else max(first, since), last if until is None else min(last, until)
    )


def _undated_note(scene: Scene) -> str:
    undated = _merged(scene.found.days.get(None, {}).values())
    if not undated.responses:
        return ""
    return scene.telling.plural(
        "{count} response has no usable time ({cost}): it counts in the totals and in no day.",
        "{count} responses have no usable time ({cost}): they count in the totals and in no day.",
        undated.responses,
        cost=scene.cost(undated),
    )


def _by_span(scene: Scene, unit: Unit) -> dict[int | None, dict[str, Amount]]:
    found: dict[int | None, dict[str, Amount]] = {}
    for day, models in scene.found.days.items():
        first = None if day is None else first_of(unit, day)
        into = found.setdefault(first, {})
        for model, amount in models.items():
            into.setdefault(model, Amount()).merge(amount)
    return found


def _costs(models: dict[str, Amount], own: list[str], others: list[str]) -> list[int | None]:
    """Return the cost of each model of a span, and of the others together; None where only something unpriced is."""
    costs = [_cost(models.get(model)) for model in own]
    if others:
        costs.append(sum(_cost(models.get(model)) or 0 for model in others))
    return costs


def _cost(amount: Amount | None) -> int | None:
    if amount is None:
        return 0
    return amount.cost if amount.known else None


def _usd(cost: int | None) -> str | None:
    return None if cost is None else usd(cost)


def _merged(amounts: Iterable[Amount]) -> Amount:
    found = Amount()
    for amount in amounts:
        found.merge(amount)
    return found


def _partial(scene: Scene, amount: Amount) -> dict[str, str]:
    return {"cost_usd": scene.cost(amount)} if amount.unpriced and amount.known else {}


def _said(scene: Scene, amount: Amount) -> str:
    told = scene.telling
    return f"{scene.cost(amount)}, " + told.plural(
        "{count} response", "{count} responses", amount.responses
    )


def _axis(scene: Scene) -> Callable[[float], str]:
    return lambda value: scene.telling.usd(Decimal(repr(value)))


def _toggled(scene: Scene, key: str, hidden: set[str]) -> str:
    return scene.state.link(hide=sorted(hidden ^ {key}))


def calendar(scene: Scene) -> Figure:
    """Return the cost of each day of 53 weeks, up to the end of the period whatever its beginning."""
    told, found = scene.telling, scene.found
    first, last = found.calendar_span
    title = told.text("Calendar")
    points, rows = [], []
    for day in range(first, last + 1):
        amount = found.calendar.get(day)
        said = told.text("nothing") if amount is None else _said(scene, amount)
        cost = dollars(amount.cost) if amount is not None and amount.known else None
        link = "" if amount is None else scene.within(day, day)
        points.append(Point(key_of("day", day), cost, f"{scene.day(day)}: {said}", link))
        if amount is not None:
            values: tuple[Value, ...] = key_of("day", day), amount.responses, amount.usd
            rows.append(Row(values, _partial(scene, amount), {"day": link}))
    months = told.locale.months["stand-alone"]["abbreviated"]
    desc = told.text("One square a day, one column a week, darker where a day cost more.")
    return Figure(
        "calendar",
        title,
        (
            Column("day", told.text("Day"), "day"),
            Column("responses", told.text("Responses")),
            Column("cost_usd", told.text("Cost"), "usd"),
        ),
        tuple(rows),
        draw_calendar(
            points, Head("calendar-chart", title, desc), told.weekdays(),
            [months[at] for at in range(1, 13)], axis=_axis(scene),
        ),
        told.text(
            "The cost of each day of the 53 weeks up to {day}, whichever period is chosen; a day leads to its own page.",
            day=scene.day(last),
        ),
    )  # fmt: skip


def hours(scene: Scene) -> Figure:
    """Return the cost by hour of the day and day of the week, in local time."""
    told, found = scene.telling, scene.found
    title, weekdays = told.text("Hours of the week"), told.weekdays()
    names = [f"{hour:02}:00" for hour in range(_HOURS)]
    cells = [
        [
            _point(scene, f"{weekday} {names[hour]}", found.hours.get((at, hour)))
            for hour in range(_HOURS)
        ]
        for at, weekday in enumerate(weekdays)
    ]
    rows = [_hour(scene, names[hour], hour) for hour in range(_HOURS)]
    undated = found.hours.get(None)
    if undated is not None:
        rows.append(
            Row(
                (None, *(None for _ in range(_WEEK)), undated.responses, undated.usd),
                {
                    "hour": told.text("undated"),
                    **dict.fromkeys(_WEEKDAYS, ""),
                    **_partial(scene, undated),
                },
            )
        )
    desc = told.text("One square an hour of each day of the week, darker where it cost more.")
    return Figure(
        "hours",
        title,
        (
            Column("hour", told.text("Hour"), "text"),
            *(
                Column(key, name, "usd")
                for key, name in zip(_WEEKDAYS, weekdays, strict=True)
            ),
            Column("responses", told.text("Responses")),
            Column("cost_usd", told.text("Cost"), "usd"),
        ),
        tuple(rows),
        grid(
            weekdays, [f"{hour:02}" for hour in range(_HOURS)], cells,
            Head("hours-chart", title, desc), axis=_axis(scene),
        ),
        told.text("What was spent at which hour of the local day, over the whole period."),
    )  # fmt: skip


def _point(scene: Scene, label: str, amount: Amount | None) -> Point:
    if amount is None:
        return Point(label, None, f"{label}: {scene.telling.text('nothing')}")
    cost = dollars(amount.cost) if amount.known else None
    return Point(label, cost, f"{label}: {_said(scene, amount)}")


def _hour(scene: Scene, name: str, hour: int) -> Row:
    amounts = [scene.found.hours.get((at, hour)) for at in range(_WEEK)]
    whole = _merged(amount for amount in amounts if amount is not None)
    shown = {
        key: scene.cost(amount)
        for key, amount in zip(_WEEKDAYS, amounts, strict=True)
        if amount is not None and amount.unpriced and amount.known
    }
    costs = (("0" if amount is None else amount.usd) for amount in amounts)
    return Row((name, *costs, whole.responses, whole.usd), {**shown, **_partial(scene, whole)})


def cache(scene: Scene) -> Figure:
    """Return over time what part of the prompts was read from the cache: read / (read + written + input)."""
    told, found = scene.telling, scene.found
    unit, firsts = spans(found.dated, found.since, found.until)
    by_span = {first: _merged(models.values()) for first, models in _by_span(scene, unit).items()}
    title = told.text("Cache efficiency")
    points, rows = [], []
    for first in (*firsts, None):
        amount = by_span.get(first)
        if amount is None and first is None:
            continue
        fresh, read, written, share = _prompts(amount or Amount())
        name = told.text("undated") if first is None else name_of(told, unit, first)
        if first is not None:
            label = label_of(told, unit, first)
            points.append(Point(label, share, f"{name}: {told.share(share)}"))
        key = None if first is None else key_of(unit, first)
        rows.append(Row((key, fresh, read, written, share), {"span": name}))
    whole = told.share(_prompts(found.total)[-1])
    desc = told.text(
        "A line over time; 100% would be a prompt that is read from the cache entirely."
    )
    series = [Series(told.text("read from the cache"), PLAIN)]
    return Figure(
        "cache",
        title,
        (
            Column("span", told.text("Time"), "text"),
            Column("input_tokens", told.text("Tokens in")),
            Column("cache_read_tokens", told.text("Cache read")),
            Column("cache_write_tokens", told.text("Cache written")),
            Column("share", told.text("Share read"), "share"),
        ),
        tuple(rows),
        lines([points], series, Head("cache-chart", title, desc), told.share, whole=1)
        if points
        else "",
        told.text(
            "{share} of all prompt tokens were read from the cache: read / (read + written + in).",
            share=whole,
        ),
    )


def _prompts(amount: Amount) -> tuple[int, int, int, float | None]:
    counters = amount.counters
    fresh, read, written = counters[1], counters[3], counters[4] + counters[5]
    whole = fresh + read + written
    return fresh, read, written, read / whole if whole else None
