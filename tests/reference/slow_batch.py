"""A slow and plain second reading of a posted body, with the standard library's `json` and nothing of econome.

It says what the contract makes of the bytes: `None` where they are no JSON, else the faults it finds, as (index, field),
in no order of importance; no fault means that the batch is taken.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Pairs", "faults", "parse"]

Fault = tuple[int | None, str | None]
Check = Callable[[Any], bool]

_LIMIT = 2**53
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?"
    r"([Zz]|[+-]([0-9]{2}):([0-9]{2}))"
)


class Pairs(list[tuple[str, Any]]):
    """An object as it is written: its pairs in order, repeated names too."""


def parse(body: bytes) -> Any:
    """Return the value of a body; objects are `Pairs`.

    Raises:
        ValueError: it is no JSON text in UTF-8, or it has the escape of a lone surrogate.
    """
    text = body.decode("utf-8")
    value = json.loads(
        text,
        object_pairs_hook=Pairs,
        parse_constant=_refuse,
        parse_int=lambda digits: int(digits) if len(digits) < 4000 else _LIMIT**9,
    )
    for string in _strings(value):
        if any("\ud800" <= letter <= "\udfff" for letter in string):
            raise ValueError("a lone surrogate")
    return value


def _refuse(name: str) -> None:
    raise ValueError(name)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Pairs):
        for name, entry in value:
            yield name
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


def _text(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 512


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LIMIT


def _balance(value: Any) -> bool:
    return type(value) is int and -_LIMIT <= value <= _LIMIT


def _date(value: Any) -> bool:
    found = _DATE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return False
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    ahead_hours, ahead_minutes = int(found[9] or 0), int(found[10] or 0)
    if ahead_hours > 23 or ahead_minutes > 59:
        return False
    try:
        moment = datetime.datetime(year, month, day, hour, minute, min(second, 59))
        ahead = datetime.timedelta(hours=ahead_hours, minutes=ahead_minutes)
        if second > 59:
            last = moment - (ahead if found[8][0] == "+" else -ahead)
            following = last + datetime.timedelta(seconds=1)
            return second == 60 and (following.day, following.hour, following.minute) == (1, 0, 0)
    except (ValueError, OverflowError):
        return False
    return True


def _one_of(*values: Any) -> Check:
    return lambda value: any(type(value) is type(entry) and value == entry for entry in values)


_COMMON: dict[str, Check] = {
    "schema": _one_of(1),
    "type": _one_of("delegation", "pilotage", "correction"),
    "id": _text,
    "date": _date,
    "client": _text,
    "session_id": _text,
}
_OBJECTS: dict[str, dict[str, Check]] = {
    "estimation": {
        "lus": _count,
        "ecrits": _count,
        "consigne": _count,
        "rendus": _count,
        "evites": _balance,
        "methode": _text,
    },
    "usage": {
        "input_tokens": _count,
        "output_tokens": _count,
        "cache_read_input_tokens": _count,
        "cache_creation_input_tokens": _count,
    },
}
_EVENTS: dict[str, dict[str, Check]] = {
    "delegation": {
        **_COMMON,
        "demande_id": _text,
        "agent_id": lambda value: value is None or _text(value),
        "par_subagent": lambda value: isinstance(value, bool),
        "retour": _one_of("complet", "apercu"),
        "tokens_entree": _count,
        "tokens_sortie": _count,
        "estimation": lambda value: isinstance(value, Pairs),
    },
    "pilotage": {
        **_COMMON,
        "agent_id": _text,
        "turn_id": _text,
        "demande_ids": lambda value: type(value) is list and len(value) > 0,
        "modele": _text,
        "usage": lambda value: isinstance(value, Pairs),
        "cout": _count,
    },
    "correction": {
        **_COMMON,
        "demande_id": _text,
        "outil": _one_of("Read", "Edit", "Write", "NotebookEdit", "Bash"),
        "tool_use_id": _text,
        "tokens_lus": _count,
        "tokens_ecrits": _count,
        "cout": _count,
    },
}


def faults(value: Any) -> list[Fault]:
    """Return all the faults of a parsed body; a name that is repeated must be right each time (a date: a text)."""
    if not isinstance(value, Pairs):
        return [(None, "evenements")]
    lists = [entry for name, entry in value if name == "evenements"]
    if not lists or any(type(entry) is not list for entry in lists):
        return [(None, "evenements")]
    if not 1 <= len(lists[-1]) <= 500:
        return [(None, "evenements")]
    return [
        (index, field) for index, event in enumerate(lists[-1]) for field in _event_faults(event)
    ]


def _event_faults(event: Any) -> Iterator[str | None]:
    if not isinstance(event, Pairs):
        yield None
        return
    types = [entry for name, entry in event if name == "type"]
    if not types or any(not _COMMON["type"](entry) or entry != types[0] for entry in types):
        yield "type"
        return
    yield from _object_faults(event, _EVENTS[types[0]], "")


def _object_faults(pairs: Pairs, checks: dict[str, Check], outer: str) -> Iterator[str]:
    for name in checks.keys() - {name for name, _ in pairs}:
        yield outer + name
    last = dict(pairs)
    for name, entry in pairs:
        if name not in checks:
            continue
        earlier_date = name == "date" and entry is not last[name]
        if not (checks[name](entry) or (earlier_date and isinstance(entry, str))):
            yield outer + name
        elif name in _OBJECTS:
            yield from _object_faults(entry, _OBJECTS[name], f"{name}.")
        elif name == "demande_ids":
            yield from (f"{name}[{at}]" for at, text in enumerate(entry) if not _text(text))
