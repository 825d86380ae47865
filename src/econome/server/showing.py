"""Makes the pages: from a request's facts to what a browser is sent. It is imported at the first look at a page.

Each page is a function from a visit to a screen; here are the ways in which every screen can be asked for: whole, in part,
and its figures as CSV, JSON or SVG.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from econome.errors import EconomeError, UnknownZone, UsageError
from econome.jsontext import dumps
from econome.server import frame
from econome.server.answers import HTML, JSON
from econome.server.charts.drawing import standalone
from econome.server.desk import Desk, Moment
from econome.server.failures import STATUS
from econome.server.screens import diagnosis, manual, savings, servers, session, usage
from econome.server.screens.figure import Figure, as_csv, as_json
from econome.server.screens.state import State, path_of
from econome.server.screens.visit import Maker, Screen, Visit, missing
from econome.server.telling import telling

__all__ = ["MAKERS", "Asking", "Showing", "Shown"]

MAKERS: Final[Mapping[str, Maker]] = {
    "diagnosis": diagnosis.screen,
    "manual": manual.screen,
    "savings": savings.screen,
    "servers": servers.screen,
    "session": session.screen,
    "usage": usage.screen,
}
"""What makes the screen of each page, by the first part of its path."""

_SINGLE: Final = frozenset({"diagnosis", "usage"})
"""The pages that have none below them."""

_FIGURES: Final = "figures"
_CSV, _SVG = "text/csv; charset=utf-8", "image/svg+xml"


@dataclass(frozen=True, slots=True)
class Asking:
    """What a request asks for: the page's name, the rest of its path, its query, the language, the part to be changed."""

    name: str
    rest: str
    pairs: tuple[tuple[str, str], ...]
    language: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is answered."""

    status: int
    body: bytes
    media_type: str = HTML


class Showing:
    """Shows what a desk knows. Its method runs in the thread of the desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def show(self, asking: Asking) -> Shown:
        """Return the answer to one look."""
        before, split, wanted = asking.rest.rpartition(f"{_FIGURES}/")
        own = before.rstrip("/") if split else asking.rest
        moment, wrong = self._moment()
        visit = Visit(
            state=State.of(
                path_of(asking.name, *own.split("/")) if own else f"/{asking.name}", asking.pairs
            ),
            telling=telling(asking.language),
            moment=moment,
            desk=self._desk,
            part=asking.part,
            rest=own,
            figure=wanted.partition(".")[0] if split else "",
        )
        try:
            if wrong is not None:
                raise wrong
            screen = (
                missing(visit) if own and asking.name in _SINGLE else MAKERS[asking.name](visit)
            )
        except EconomeError as error:
            screen = _failure(error, visit)
        if split and screen.status < 400:
            return _copied(screen, wanted, visit)
        if asking.part:
            body = frame.part(screen, visit)
            if body is not None:
                return Shown(screen.status, body)
        return Shown(screen.status, frame.page(screen, visit))

    def _moment(self) -> tuple[Moment, UnknownZone | None]:
        """Return now; where the settings name a zone that nobody knows, as UTC has it, and what there is to say."""
        try:
            return Moment(self._desk.settings, None), None
        except UnknownZone as error:
            return Moment(self._desk.settings, "UTC"), error


def _failure(error: EconomeError, visit: Visit) -> Screen:
    """Return what is said of an error: in the reader's language what kind it is, and the error's own words as they are."""
    text = visit.telling.text
    wrong = isinstance(error, UsageError)
    if wrong:
        reason = text("The address of this page asks for something that cannot be shown.")
    elif isinstance(error, UnknownZone):
        reason = text("The settings name a time zone that nobody knows.")
    else:
        reason = text("Something that this page rests on cannot be read.")
    again = visit.state.path if wrong else visit.state.link()
    return Screen(
        "failed",
        text("This cannot be shown"),
        context={"reason": reason, "own_words": str(error), "again": again},
        status=STATUS[type(error)],
    )


def _copied(screen: Screen, wanted: str, visit: Visit) -> Shown:
    """Return a figure of a screen in the form that the ending of its name says."""
    name, _, form = wanted.rpartition(".")
    figure = screen.figure(name)
    if figure is not None and form == "json":
        return Shown(200, (dumps(as_json(figure)) + "\n").encode("ascii"), JSON)
    if figure is not None and form == "csv":
        return Shown(200, _csv_text(figure).encode("utf-8", "replace"), _CSV)
    if figure is not None and form == "svg" and figure.chart:
        return Shown(200, standalone(figure.chart).encode(), _SVG)
    return Shown(404, frame.page(missing(visit), visit))


def _csv_text(figure: Figure) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(as_csv(figure))
    return text.getvalue()
