"""The page of what was consumed (V): the question, the figures it is answered with, and which of them are wanted.

One walk over the cells makes all of them. It is kept until something changes on disk, so that paging and searching, a
legend and a copy cost what they draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from econome.server.screens import usage_facts, usage_figures, usage_sessions, usage_times
from econome.server.screens.figure import Figure
from econome.server.screens.usage_asked import asked_of, filters_of, length_of, lengths
from econome.server.screens.usage_scene import Scene
from econome.server.screens.visit import LIVE, Screen, Visit
from econome.usage.colours import places
from econome.usage.labels import model_labels, project_labels
from econome.usage.listing import PAGE, listed, searched
from econome.usage.panorama import Panorama, panorama

if TYPE_CHECKING:
    from econome.usage.asking import Asked
    from econome.usage.listing import Listing
    from econome.usage.tree import Tree

__all__ = ["screen"]

_FIGURES: Final[Mapping[str, Callable[[Scene], Figure]]] = {
    "daily": usage_times.daily,
    "models": usage_figures.models,
    "projects": usage_figures.projects,
    "agents": usage_figures.agents,
    "fanout": usage_figures.fanout,
    "calendar": usage_times.calendar,
    "hours": usage_times.hours,
    "cache": usage_times.cache,
}
_SESSIONS: Final = "sessions"
_PARTS: Final = (*_FIGURES, _SESSIONS)
_FILES: Final = ("files", "unreadable", "responses")


def screen(visit: Visit) -> Screen:
    """Return the page of the period and the filters that the address names.

    Raises:
        UsageError: the address asks for something that cannot be.
    """
    asked = asked_of(visit.state)
    title = visit.telling.text("Usage")
    part = visit.part if visit.part in _PARTS else ""
    with visit.desk.tree(again=not part) as tree:
        stamp = _stamp(tree), asked.facts(), visit.moment.today
        found, models, projects, colours = visit.desk.kept(
            "usage", stamp, lambda: _walked(visit, tree, asked)
        )
    if not any(found.coverage[name] for name in _FILES):
        looked = visit.desk.settings.places()
        return Screen("usage", title, context={"looked": looked}, manual="usage", live=LIVE)
    scene = Scene(found, visit.state, visit.telling, models, projects, colours, bool(visit.figure))
    search = usage_sessions.search_of(visit.state)
    listing = _listing(visit, scene, stamp, search)
    ordered = visit.desk.kept("usage ids", stamp, lambda: sorted(found.sessions))
    wanted = visit.figure or part
    names = [wanted] if wanted in _PARTS else _PARTS
    figures = tuple(
        usage_sessions.sessions(scene, search, listing, ordered)
        if name == _SESSIONS
        else _FIGURES[name](scene)
        for name in names
    )
    context = {
        "looked": (),
        "nothing": _nothing(scene),
        "meaning": usage_facts.meaning(scene),
        "notes": usage_facts.notes(scene),
        "tiles": usage_facts.tiles(scene),
        "lengths": lengths(visit.telling, length_of(visit.state)),
        "filters": _filters(scene),
        "search": search,
        "listing": listing,
        "period_words": _period(scene),
    }
    return Screen("usage", title, figures, context, manual="usage", live=LIVE)


def _stamp(tree: Tree) -> tuple[Any, ...]:
    return tuple(tree.roots), tree.scanned_at, tuple(tree.prices.label().values())


def _walked(
    visit: Visit, tree: Tree, asked: Asked
) -> tuple[Panorama, Mapping[str, str], Mapping[str, str], Mapping[str, int]]:
    """Return the figures, the short names of models and projects, and the places of the models' colours."""
    zone, today = visit.moment.zone, visit.moment.today
    found = panorama(tree, asked.query(today), zone, today)
    colours = places(visit.desk.settings.history_path(), tree, zone, found.models)
    return found, model_labels(found.models), project_labels(found.projects), colours


def _listing(visit: Visit, scene: Scene, stamp: object, search: usage_sessions.Search) -> Listing:
    order = search.text, search.order, search.down
    strands = visit.desk.kept(
        "usage sessions", (stamp, order),
        lambda: searched(
            scene.found.sessions.values(), search.text, search.order, down=search.down
        ),
    )  # fmt: skip
    return listed(strands, search.page, max(len(strands), 1) if scene.every else PAGE)


def _period(scene: Scene) -> str:
    """Return the period in words."""
    text, since, until = scene.telling.text, scene.found.since, scene.found.until
    if since is None and until is None:
        return text("All days")
    if since is None:
        return text("Up to {day}", day=scene.day(until or 0))
    if until is None:
        return text("From {day} on", day=scene.day(since))
    if since == until:
        return scene.day(since)
    return text("{first} to {last}", first=scene.day(since), last=scene.day(until))


def _nothing(scene: Scene) -> str:
    """Return what is said where no response is in the period and passes the filters, empty where one does."""
    told, last = scene.telling, scene.found.coverage["last_day"]
    if scene.found.total.responses or scene.found.refused:
        return ""
    if last is None:
        return told.text("Nothing was consumed here.")
    return told.text(
        "Nothing was consumed here in this period. The last day with a response, of anything, is {day}.",
        day=told.day(last),
    )


def _filters(scene: Scene) -> list[tuple[str, str, str]]:
    """Return the filters that are set: what of, its value, the address without it."""
    text = scene.telling.text
    titles = {
        "project": text("Project"), "model": text("Model"), "session": text("Session"),
        "agent": text("Agent"), "source": text("Program"),
    }  # fmt: skip
    return [
        (titles[name], value, scene.state.link(**{name: None, "page": None}))
        for name, value in filters_of(scene.state)
    ]
