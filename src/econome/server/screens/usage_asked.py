"""What the address of the page of usage asks for: the question, judged as the JSON API judges it, and the filters set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from econome.server.queries import read_query
from econome.usage.asking import ALL_DAYS, DAYS, USAGE, Asked, ask

if TYPE_CHECKING:
    from econome.server.screens.state import State
    from econome.server.telling import Telling

__all__ = ["DEFAULT_DAYS", "FILTERS", "PERIOD", "asked_of", "filters_of", "length_of", "lengths"]

DEFAULT_DAYS: Final = "30"
"""The period of an address that names none."""

FILTERS: Final = ("project", "model", "session", "agent", "source")
"""What tables lead to: the page of one of them."""

PERIOD: Final = ("days", "since", "until")
"""What an address says of its period."""

_TABLE: Final = tuple(option for option in USAGE if option.key in (*PERIOD, *FILTERS))


def asked_of(state: State) -> Asked:
    """Return what is asked for.

    Raises:
        UsageError: a value is wrong, or two contradict each other.
    """
    known = {option.key for option in _TABLE}
    values = read_query(_TABLE, [pair for pair in state.pairs if pair[0] in known])
    if not any(values[name] for name in PERIOD):
        values["days"] = DEFAULT_DAYS
    return ask(values)


def length_of(state: State) -> str:
    """Return the length of the period as the address names it, empty where it names its days."""
    if state.get("since") or state.get("until"):
        return ""
    return state.one_of("days", DAYS, DEFAULT_DAYS)


def lengths(told: Telling, chosen: str) -> list[tuple[str, str, bool]]:
    """Return the lengths of period to choose from: value, title, whether it is the chosen one."""
    return [
        (
            value,
            told.text("All") if value == ALL_DAYS else told.text("{count} days", count=value),
            value == chosen,
        )
        for value in DAYS
    ]


def filters_of(state: State) -> Sequence[tuple[str, str]]:
    """Return the filters that are set, each with its value."""
    return [(name, value) for name in FILTERS if (value := state.get(name))]
