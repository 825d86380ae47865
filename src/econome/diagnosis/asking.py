"""The options of a diagnosis, as one table, and what a set of values asks for.

The command line makes its options from the table, and the server reads a query string with it, as it is with those of
`econome usage`; days, zones and forms are judged by the same function.
"""

from __future__ import annotations

from collections.abc import Mapping

from econome.usage.asking import USAGE, Asked, ask

__all__ = ["DIAGNOSIS", "USUAL_DAYS", "ask_diagnosis"]

USUAL_DAYS = "30"
"""So many days are judged where no period is asked for."""

_NAMES = frozenset({"days", "since", "until", "timezone", "root", "data-dir", "json", "no-index"})

DIAGNOSIS = tuple(option for option in USAGE if option.name in _NAMES)


def ask_diagnosis(values: Mapping[str, object]) -> Asked:
    """Return what *values* of the options of `DIAGNOSIS` ask for; without a beginning, the last days up to the end.

    Raises:
        UsageError: two values contradict each other.
    """
    given = dict(values)
    if given.get("days") is None and given.get("since") is None:
        given["days"] = USUAL_DAYS
    return ask(given)
