"""From a query string to a question: the options of the command line, as parameters of the JSON API.

The tables of the two use cases say what a parameter may be; here is only how a query string spells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from econome.diagnosis.asking import DIAGNOSIS
from econome.errors import UsageError
from econome.savings.asking import BALANCE, EVENTS, LEAN
from econome.usage.asking import USAGE, Option, convert

__all__ = [
    "BALANCE_PARAMETERS",
    "DIAGNOSIS_PARAMETERS",
    "EVENTS_PARAMETERS",
    "FLAGS",
    "LEAN_PARAMETERS",
    "LIVE_PARAMETERS",
    "SESSIONS_PARAMETERS",
    "SESSION_PARAMETERS",
    "USAGE_PARAMETERS",
    "read_query",
]

FLAGS = {"": True, "1": True, "true": True, "0": False, "false": False}
"""What a parameter that is either set or not may have for a value."""

# What a reader far away may not choose, or has no use for: other directories, other forms, the index.
_LOCAL = frozenset({"root", "data-dir", "json", "csv", "offline", "no-index", "verify"})

USAGE_PARAMETERS = tuple(option for option in USAGE if option.name not in _LOCAL)
BALANCE_PARAMETERS = tuple(option for option in BALANCE if option.name not in _LOCAL)
DIAGNOSIS_PARAMETERS = tuple(option for option in DIAGNOSIS if option.name not in _LOCAL)
EVENTS_PARAMETERS = EVENTS
LEAN_PARAMETERS = tuple(option for option in LEAN if option.name not in _LOCAL)
SESSIONS_PARAMETERS = tuple(option for option in USAGE if option.name in ("timezone", "limit"))
SESSION_PARAMETERS = (Option("id", "text"),)
LIVE_PARAMETERS = (Option("session", "text"),)


def read_query(table: Sequence[Option], pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Return the values that the parameters of a query string give the options of *table*.

    Raises:
        UsageError: one is unknown, given too often or wrong.
    """
    known = {option.key: option for option in table}
    values = {option.key: option.absent() for option in table}
    seen = set()
    for name, text in pairs:
        option = known.get(name)
        if option is None:
            raise UsageError(f"{name[:64]!r}: no such parameter; known: {', '.join(known)}")
        if name in seen and not option.repeatable:
            raise UsageError(f"{name}: it is given twice")
        seen.add(name)
        value = _value(option, text)
        held = values[name]
        if isinstance(held, list):
            held.append(value)
        else:
            values[name] = value
    return values


def _value(option: Option, text: str) -> object:
    if option.kind == "flag":
        if text not in FLAGS:
            raise UsageError(f"{option.key}: expected 1 or 0")
        return FLAGS[text]
    try:
        return convert(option, text)
    except UsageError as error:
        raise UsageError(f"{option.key}: {error.reason}") from None
