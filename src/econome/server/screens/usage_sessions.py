"""The table of sessions of the page of usage: what was searched, in which order, which page of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from econome.server.screens.figure import Column, Figure, Row
from econome.times import instant_text
from econome.usage.listing import ORDERS, Listing, begins

if TYPE_CHECKING:
    from econome.server.screens.state import State
    from econome.server.screens.usage_scene import Scene
    from econome.usage.panorama import Strand

__all__ = ["Search", "search_of", "sessions"]

_COLUMNS: Final[Mapping[str, str]] = {
    "session": "session",
    "project": "project",
    "last": "last",
    "responses": "responses",
    "input": "input_tokens",
    "output": "output_tokens",
    "cache-read": "cache_read_tokens",
    "cost": "cost_usd",
}
"""The key of the column of each order, in their order on the page."""

_TEXTS: Final = ("session", "project")
"""The orders whose natural beginning is their first."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for among the sessions, and in which order; *down* has the greatest first."""

    text: str
    order: str
    down: bool
    page: int


def search_of(state: State) -> Search:
    """Return the search of an address; what it says wrongly counts as not said."""
    order = state.one_of("sort", ORDERS, "last")
    natural = "up" if order in _TEXTS else "down"
    down = state.one_of("order", ("up", "down"), natural) == "down"
    return Search(state.get("q").strip(), order, down, state.count("page", 1))


def sessions(scene: Scene, search: Search, listing: Listing, ordered: Sequence[str]) -> Figure:
    """Return a page of the sessions as a table; each column leads to the table in its order.

    *ordered* are the ids of all sessions, in order.
    """
    told = scene.telling
    titles = {
        "session": told.text("Session"),
        "project": told.text("Project"),
        "last": told.text("Last response"),
        "responses": told.text("Responses"),
        "input": told.text("Tokens in"),
        "output": told.text("Tokens out"),
        "cache-read": told.text("Cache read"),
        "cost": told.text("Cost"),
    }
    columns = tuple(_column(scene, search, order, title) for order, title in titles.items())
    short = begins([one.name for one in listing.sessions], ordered)
    rows = tuple(_row(scene, one, short[one.name]) for one in listing.sessions)
    return Figure("sessions", told.text("Sessions"), columns, rows)


def _column(scene: Scene, search: Search, order: str, title: str) -> Column:
    chosen = order == search.order
    down = not search.down if chosen else order not in _TEXTS
    link = scene.state.link(sort=order, order="down" if down else "up", page=None)
    kind = {"session": "text", "project": "text", "last": "instant", "cost": "usd"}.get(
        order, "count"
    )
    direction = ("descending" if search.down else "ascending") if chosen else ""
    return Column(_COLUMNS[order], title, kind, link, direction)  # type: ignore[arg-type]


def _row(scene: Scene, one: Strand, short: str) -> Row:
    last = None if one.last is None else instant_text(one.last)
    values = (one.name, one.project, last, *one.amount.counters[:4], one.amount.usd)
    return Row(
        values,
        {"session": short, "project": scene.project(one.project), **scene.shown(one.amount)},
        {
            "session": scene.session(one.name),
            "project": scene.only("project", one.project),
        },
    )
