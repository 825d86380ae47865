"""One look at a page: what was asked, in which language, when; and what the page is made of in answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from econome.server.screens.figure import Figure
from econome.server.screens.state import State

if TYPE_CHECKING:
    from econome.server.desk import Desk, Moment
    from econome.server.telling import Telling

__all__ = ["LIVE", "Maker", "Screen", "Visit", "missing"]

LIVE: Final = "/api/v1/live"
"""The address of the events that tell what changes as it changes."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What a page is made for.

    *part* names the one part of it that is wanted, empty for the whole; *figure* the one figure that is to be copied, empty
    where the page is looked at; *rest* is what stands behind the page's name in the path.
    """

    state: State
    telling: Telling
    moment: Moment
    desk: Desk
    part: str = ""
    rest: str = ""
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Screen:
    """A page: its template and what goes into it, its figures by name, the page of the manual that tells of it.

    *live* is the address of the events that tell when it is out of date, empty where it does not change by itself.
    """

    name: str
    title: str
    figures: tuple[Figure, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    manual: str = ""
    live: str = ""
    status: int = 200

    def figure(self, name: str) -> Figure | None:
        """Return the figure of a name."""
        return next((figure for figure in self.figures if figure.name == name), None)


def missing(visit: Visit, reason: str = "") -> Screen:
    """Return what is shown at an address that no page has."""
    title = visit.telling.text("There is no such page")
    return Screen("failed", title, context={"reason": reason}, status=404)


Maker = Callable[[Visit], Screen]
