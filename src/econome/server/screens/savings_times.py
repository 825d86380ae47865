"""The figures of the page of savings over time: the net, and what it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from econome.server.charts.stacks import stacks
from econome.server.charts.values import PLAIN, Group, Head, Series
from econome.server.screens.figure import Column, Entry, Figure, Row
from econome.server.screens.savings_scene import Sums
from econome.server.screens.usage_spans import Unit, first_of, key_of, label_of, last_of, spans
from econome.times import day_number, day_text, parse_day

if TYPE_CHECKING:
    from econome.server.screens.savings_scene import Scene

__all__ = ["days", "net"]

_SERIES: Final = ("avoided", "steering", "corrections")
_LAST_DAY: Final = day_number(9999, 12, 31)
_NOTHING: Final = Sums(None, 0, 0, 0, 0)


def net(scene: Scene) -> Figure:
    """Return the net over time, and how it adds up from the beginning of the period."""
    told = scene.told
    time = _over_time(scene)
    unit, rows = time.unit, time.spans
    head = Head(
        "net-chart",
        told.text("Net over time"),
        told.text("One bar a span of time: what was avoided less what that cost. Below the line more was spent than avoided."),
    )  # fmt: skip
    far, shown = 0, []
    for first, sums in rows:
        far += sums.net
        if sums.values != _NOTHING.values:
            row = _timed(scene, unit, first, (sums.net, far))
            so_far = {**_span(scene, unit, first), "since": day_text(_begin(scene, time))}
            shown.append(replace(row, links={**row.links, "so_far": scene.events(**so_far)}))
    groups = [
        Group(
            label_of(told, unit, first), (sums.net,), told.count(sums.net),
            _at(scene, unit, first, sums),
        )
        for first, sums in rows
    ]  # fmt: skip
    drawn = stacks(groups, [Series(told.text("Net"), PLAIN)], head, _axis(scene)) if shown else ""
    columns = (
        _time_column(scene, unit),
        Column("net", told.text("Net")),
        Column("so_far", told.text("Net so far")),
    )
    return Figure("net", head.title, columns, tuple(shown), drawn, _note(scene, time))


def days(scene: Scene) -> Figure:
    """Return what the net came from, over time: avoided above the line, what it cost below it."""
    told, state = scene.told, scene.visit.state
    time = _over_time(scene)
    unit, rows = time.unit, time.spans
    head = Head(
        "days-chart",
        told.text("Where the net comes from"),
        told.text("One stack a span of time: avoided tokens above the line, steering and corrections below it."),
    )  # fmt: skip
    names = (told.text("Avoided"), told.text("Steering"), told.text("Corrections"))
    hidden = [key for key in state.all("hide") if key in _SERIES]
    legend = []
    for place, (key, name) in enumerate(zip(_SERIES, names, strict=True)):
        others = [one for one in hidden if one != key]
        turned = state.link(hide=others if key in hidden else [*others, key])
        legend.append(Entry(name, place, turned, key in hidden))
    seen = [place for place, key in enumerate(_SERIES) if key not in hidden]
    groups = []
    for first, sums in rows:
        values = sums.avoided, -sums.steering, -sums.corrections
        said = told.text("net {net}", net=told.count(sums.net))
        link = _at(scene, unit, first, sums)
        groups.append(
            Group(label_of(told, unit, first), tuple(values[at] for at in seen), said, link)
        )
    shown = tuple(
        _timed(scene, unit, first, sums.values)
        for first, sums in rows
        if sums.values != _NOTHING.values
    )
    series = [Series(names[at], at) for at in seen]
    drawn = stacks(groups, series, head, _axis(scene)) if shown else ""
    columns = (_time_column(scene, unit), *scene.columns())
    entries = tuple(legend) if drawn else ()
    return Figure("days", head.title, columns, shown, drawn, _note(scene, time), entries)


@dataclass(frozen=True, slots=True)
class _Time:
    """The period in spans of one unit, each with its figures, also one without any; *beyond* are days of no calendar."""

    unit: Unit
    spans: Sequence[tuple[int, Sums]]
    beyond: int


def _over_time(scene: Scene) -> _Time:
    rows = scene.rows("day")
    by_day = {day: row for row in rows if (day := parse_day(row.name or "")) is not None}
    question = scene.question
    unit, firsts = spans(sorted(by_day), question.since, question.until)
    found = dict.fromkeys(firsts, _NOTHING)
    for day, row in by_day.items():
        first = first_of(unit, day)
        whole = found[first]
        found[first] = Sums(
            None, whole.delegations + row.delegations, whole.avoided + row.avoided,
            whole.steering + row.steering, whole.corrections + row.corrections,
        )  # fmt: skip
    return _Time(unit, list(found.items()), len(rows) - len(by_day))


def _note(scene: Scene, time: _Time) -> str:
    """Return what is not there: an event may be dated so that here it was in the year 0, or 10000."""
    if not time.beyond:
        return ""
    return scene.told.plural(
        "{count} day that is in no calendar is left out.", "{count} days that are in no calendar are left out.", time.beyond
    )  # fmt: skip


def _timed(scene: Scene, unit: Unit, first: int, values: Sequence[Any]) -> Row:
    """Return the row of a span of time."""
    shown: dict[str, str] = {} if unit == "day" else {unit: label_of(scene.told, unit, first)}
    filters = _span(scene, unit, first)
    return Row((key_of(unit, first), *values), shown, scene.links(unit, **filters))


def _span(scene: Scene, unit: Unit, first: int) -> dict[str, str | None]:
    """Return the days of a span as filters, those that are in the period."""
    since, until = scene.question.since, scene.question.until
    last = min(last_of(unit, first), _LAST_DAY)
    first = first if since is None else max(first, since)
    last = last if until is None else min(last, until)
    return {"days": None, "since": day_text(first), "until": day_text(last)}


def _at(scene: Scene, unit: Unit, first: int, sums: Sums) -> str:
    """Return where a bar leads, as the row of the same span does; a span without anything has neither."""
    return "" if sums.values == _NOTHING.values else scene.events(**_span(scene, unit, first))


def _begin(scene: Scene, time: _Time) -> int:
    """Return the first day that is added up from."""
    since = scene.question.since
    return time.spans[0][0] if since is None else since


def _time_column(scene: Scene, unit: Unit) -> Column:
    text = scene.told.text
    titles = {
        "day": text("Day"),
        "week": text("Week"),
        "month": text("Month"),
        "year": text("Year"),
    }
    return Column(unit, titles[unit], "day" if unit == "day" else "text")


def _axis(scene: Scene) -> Any:
    return lambda value: scene.told.brief(round(value))
