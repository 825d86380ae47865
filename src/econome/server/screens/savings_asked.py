"""What the address of the page of savings asks for, judged as the JSON API judges it, and the filters that are set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from econome.savings.asking import EVENTS, AskedEvents, ask_events
from econome.server.queries import read_query
from econome.server.screens.state import State
from econome.server.screens.usage_asked import DEFAULT_DAYS, PERIOD

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["PLACE", "asked_of", "events_at", "filters_of"]

PLACE: Final = "/savings/events"
"""Where the events behind a figure are listed."""

_FILTERS: Final = ("client", "preset")
_NARROWER: Final = ("kind", "format", "model", "request", "attached", "page")


def asked_of(state: State, *, events: bool = False) -> AskedEvents:
    """Return what is asked for; what only a list of *events* can be narrowed by counts for one only.

    Raises:
        UsageError: a value is wrong, or two contradict each other.
    """
    names = (*PERIOD, *_FILTERS, *(_NARROWER if events else ()))
    table = [option for option in EVENTS if option.key in names]
    values = read_query(table, [pair for pair in state.pairs if pair[0] in names])
    if not any(values[name] for name in PERIOD):
        values["days"] = int(DEFAULT_DAYS)
    return ask_events(values)


def events_at(state: State, **filters: str | None) -> str:
    """Return the address of the events behind a figure of a page: of its period and its filters, and of *filters*."""
    kept = tuple(pair for pair in state.pairs if pair[0] in (*PERIOD, *_FILTERS))
    return State(PLACE, kept).link(**filters)


def filters_of(
    state: State, told: Telling, *, events: bool = False
) -> Sequence[tuple[str, str, str]]:
    """Return the filters that are set: what each is, its value, and the address without it."""
    titles = {
        "client": told.text("Client"),
        "preset": told.text("Preset"),
        "format": told.text("Format"),
        "model": told.text("Local model"),
        "request": told.text("Request"),
        "attached": told.text("Attached"),
    }
    said = {"yes": told.text("yes"), "no": told.text("no")}
    return [
        (
            title,
            said.get(value, value) if name == "attached" else value,
            state.link(**{name: None, "page": None}),
        )
        for name, title in titles.items()
        if (value := state.get(name)) and (events or name in _FILTERS)
    ]
