"""The page of savings: what delegating to a local model came to, and apart from that what menus and answers did (S7).

Every figure is that of `econome balance` for the same question, and leads to the events that it is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from econome.savings.wire import METHOD
from econome.server.screens import savings_figures, savings_times
from econome.server.screens.figure import Figure
from econome.server.screens.savings_asked import asked_of, filters_of
from econome.server.screens.savings_events import events
from econome.server.screens.savings_lean import lean
from econome.server.screens.savings_scene import Scene, summed
from econome.server.screens.usage_asked import length_of, lengths
from econome.server.screens.visit import LIVE, Screen, Visit, missing
from econome.times import day_text

if TYPE_CHECKING:
    from econome.server.screens.savings_scene import Sums

__all__ = ["screen"]

_FIGURES: Final[Mapping[str, Callable[[Scene], Figure]]] = {
    "net": savings_times.net,
    "days": savings_times.days,
    "presets": savings_figures.presets,
    "formats": savings_figures.formats,
    "models": savings_figures.models,
    "clients": savings_figures.clients,
    "local": savings_figures.local,
}
_EVENTS: Final = "events"


def screen(visit: Visit) -> Screen:
    """Return the page of the period and the filters that the address names, or of the events behind one of its figures.

    Raises:
        UsageError: the address asks for something that cannot be.
    """
    told = visit.telling
    if visit.rest == _EVENTS:
        return events(visit)
    if visit.rest:
        return missing(visit)
    scene = Scene(visit, asked_of(visit.state))
    report = scene.whole
    measured = lean(told, report["lean"])
    figures = [
        make(scene)
        for name, make in _FIGURES.items()
        if visit.figure in ("", name) and _has(report, name)
    ]
    money = _money(scene)
    context = {
        "listing": None,
        "any": _any(report),
        "lengths": lengths(told, length_of(visit.state)),
        "filters": filters_of(visit.state, told),
        "today": _tiles(scene, scene.of_today(), day=True),
        "whole": _tiles(scene, summed(None, [report["total"]]), day=False),
        "notes": _notes(scene, report),
        "method": METHOD,
        "in_dollars": "" if money else visit.state.link(usd="1"),
        "in_tokens": visit.state.link(usd=None) if money else "",
        "lean": measured,
        "lean_left_out": scene.question.preset is not None,
        "shown": [figure.name for figure in (*money, *figures)],
    }
    every = (*figures, *money, *(measured.figures if measured else ()))
    return Screen("savings", told.text("Savings"), every, context, manual="savings", live=LIVE)


def _any(report: Mapping[str, Any]) -> bool:
    """Return whether anything was ever delegated."""
    ledger, journal = report["ledger"], report["journal"]
    return any((ledger["events"], ledger["malformed"], journal["lines"], journal["malformed"]))


def _has(report: Mapping[str, Any], name: str) -> bool:
    """Return whether a figure has something to show."""
    if not _any(report):
        return False
    return name != "local" or bool(report["local"]["requests"])


def _money(scene: Scene) -> tuple[Figure, ...]:
    """Return the balance in dollars where it was asked for: it needs the transcripts."""
    if not scene.visit.state.get("usd"):
        return ()
    asked = replace(scene.question, by=None)
    return (savings_figures.money(scene, scene.visit.desk.balance_now(lambda _: asked, usd=True)),)


def _tiles(scene: Scene, sums: Sums, *, day: bool) -> Sequence[tuple[str, str, str, str]]:
    """Return tiles: title, value, what stands below it, where it leads."""
    told = scene.told
    days: dict[str, str | None] = {}
    if day:
        today = day_text(scene.visit.moment.today)
        days = {"days": None, "since": today, "until": today}
    links = scene.links("all", **days)
    rate = told.text("rework {share}", share=told.share(sums.rework_rate))
    delegated = told.plural("{count} delegation", "{count} delegations", sums.delegations)
    return [
        (told.text("Net"), told.count(sums.net), told.text("tokens"), links["net"]),
        (told.text("Avoided"), told.count(sums.avoided), delegated, links["avoided"]),
        (told.text("Steering"), told.count(sums.steering), "", links["steering"]),
        (told.text("Corrections"), told.count(sums.corrections), rate, links["corrections"]),
    ]


def _notes(scene: Scene, report: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Return what must be known beside the figures, each with the address of the events it is about, if any."""
    told, total, notes = scene.told, report["total"], []
    if total["unattached"]:
        said = told.plural(
            "{count} event is unattached: no delegation of it is known, so it is in no named row.",
            "{count} events are unattached: no delegation of theirs is known, so they are in no named row.",
            total["unattached"],
        )
        notes.append((said, scene.events(attached="no")))
    if total["conflicts"]:
        said = told.plural(
            "{count} event came again with another content; the first one counts.",
            "{count} events came again with another content; the first one of each counts.",
            total["conflicts"],
        )
        notes.append((said, scene.events(kind="conflict")))
    if not report["ledger"]["events"]:
        said = told.text(
            "No client has posted a delegation: the journal tells what was done, and what that saved is 0 until a client that "
            "measures it posts events."
        )
        notes.append((said, ""))
    damaged = sum(report[name]["malformed"] for name in ("ledger", "conflicts", "journal"))
    if damaged:
        said = told.plural(
            "{count} damaged line is not counted.",
            "{count} damaged lines are not counted.",
            damaged,
        )
        notes.append((said, ""))
    return notes
