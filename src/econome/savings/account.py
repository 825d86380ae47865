"""The lines of a ledger and its journal as plain values, for whoever checks a balance (S11).

It is a second reader, written from the contract with the standard library. It shares nothing with the one that the
balance rests on but the names of the wire's fields. It opens no file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date as calendar_date
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msgspec import NODEFAULT, UNSET, Struct
from msgspec.structs import fields

from econome.delegation.wire import Ended
from econome.savings import wire

__all__ = ["Account", "Ending", "File", "Told", "civil_day", "instant", "read_account"]

_Check = Callable[[Any], bool]

_LIMIT = 9_007_199_254_740_992
_EPOCH_DAY = calendar_date(1970, 1, 1).toordinal()
_DAYS_OF_400_YEARS = 146_097
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_TOOLS = ("Read", "Edit", "Write", "NotebookEdit", "Bash")
_BLANKS = b" \t\r\n"


def _text(value: Any) -> bool:
    return type(value) is str and 1 <= len(value) <= 512


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LIMIT


def _date(value: Any) -> bool:
    return type(value) is str and instant(value) is not None


def _is_length(value: Any) -> bool:
    try:
        return type(value) in (int, float) and 0 <= float(value) < float("inf")
    except OverflowError:  # a whole number beyond every other
        return False


_ENDED_TEXTS = (
    "request_id", "tool_use_id", "session", "preset", "format", "model", "reply", "output", "error",
)  # fmt: skip
_COMMON: dict[str, _Check] = {
    "schema": lambda value: type(value) is int and value == 1,
    "id": _text,
    "client": _text,
    "session_id": _text,
    "date": _date,
}
_CHECKS: dict[type[Struct], dict[str, _Check]] = {
    wire.Delegation: {
        **_COMMON,
        "request_id": _text,
        "agent_id": lambda value: value is None or _text(value),
        "by_subagent": lambda value: type(value) is bool,
        "reply": lambda value: value in (wire.FULL, wire.PREVIEW),
        "tokens_in": _count,
        "tokens_out": _count,
        "estimate": lambda value: _follows(value, wire.Estimate),
    },
    wire.Steering: {
        **_COMMON,
        "agent_id": _text,
        "turn_id": _text,
        "request_ids": lambda value: type(value) is list and bool(value) and all(map(_text, value)),
        "model": _text,
        "usage": lambda value: _follows(value, wire.Usage),
        "cost": _count,
    },
    wire.Correction: {
        **_COMMON,
        "request_id": _text,
        "tool": lambda value: value in _TOOLS,
        "tool_use_id": _text,
        "tokens_read": _count,
        "tokens_written": _count,
        "cost": _count,
    },
    wire.Estimate: {
        **dict.fromkeys(("read", "written", "brief", "returned"), _count),
        "avoided": lambda value: type(value) is int and -_LIMIT <= value <= _LIMIT,
        "method": _text,
    },
    wire.Usage: dict.fromkeys(
        (
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ),
        _count,
    ),
    Ended: {
        "date": lambda value: type(value) is str,
        "status": lambda value: type(value) is str,
        **dict.fromkeys(_ENDED_TEXTS, lambda value: value is None or type(value) is str),
        **dict.fromkeys(("tokens_in", "tokens_out"), lambda value: value is None or _count(value)),
        "duration_s": lambda value: value is None or _is_length(value),
        **dict.fromkeys(
            ("tokens_estimated", "cut"),
            lambda value: value is UNSET or value is None or type(value) is bool,
        ),
    },
}
_KINDS: dict[str, type[Struct]] = {
    wire.DELEGATION: wire.Delegation,
    wire.STEERING: wire.Steering,
    wire.CORRECTION: wire.Correction,
}
_STRUCTS: list[type[Struct]] = [*_KINDS.values(), wire.Estimate, wire.Usage, Ended]
_FIELDS: dict[type[Struct], list[tuple[str, str, Any, _Check]]] = {
    kind: [
        (one.name, one.encode_name, one.default, _CHECKS[kind][one.name]) for one in fields(kind)
    ]
    for kind in _STRUCTS
}
_PARTS = (("estimate", wire.Estimate), ("usage", wire.Usage))
_SPELT = {name: spelt for kind in _STRUCTS[:4] for name, spelt, _, _ in _FIELDS[kind]}


class Told(NamedTuple):
    """What a balance takes from one event: `tokens` are those it avoided or cost, `requests` each named once."""

    kind: Literal["delegation", "steering", "correction"]
    client: str
    seconds: int
    requests: tuple[str, ...]
    tokens: int


class Ending(NamedTuple):
    """What a balance takes from one line of the journal; `seconds` is None where its date is none."""

    request: str | None
    status: str
    preset: str | None
    format: str | None
    model: str | None
    tokens_in: int
    tokens_out: int
    duration_s: float
    seconds: int | None


@dataclass(slots=True)
class File:
    """How many lines of a file hold nothing that counts, and how many bytes it has."""

    malformed: int = 0
    size: int = 0


@dataclass(slots=True)
class Account:
    """All that the lines tell: the first event of each id, conflicts, and the journal's entries.

    `contradictions` says which stored values are not those that the contract's arithmetic gives (S4), and which ids
    stand there again.
    """

    events: list[Told] = field(default_factory=list)
    repeated: int = 0
    contradictions: list[str] = field(default_factory=list)
    conflicts: list[Told] = field(default_factory=list)
    journal: list[Ending] = field(default_factory=list)
    ledger_file: File = field(default_factory=File)
    conflicts_file: File = field(default_factory=File)
    journal_file: File = field(default_factory=File)


def read_account(
    ledger: Iterable[bytes], conflicts: Iterable[bytes] = (), journal: Iterable[bytes] = ()
) -> Account:
    """Return what the lines of the three files tell; each line has its line end."""
    found = Account()
    ids: set[str] = set()
    names: dict[str, str] = {}
    for number, kind, said in _events(ledger, found.ledger_file):
        name = said["id"]
        if name in ids:
            found.repeated += 1
            text = "an earlier line has this id, and that one counts"
            found.contradictions.append(f"line {number}: {name}: {text}")
            continue
        ids.add(name)
        found.events.append(_told(kind, said, names))
        found.contradictions += _contradictions(number, kind, said)
    for _, kind, said in _events(conflicts, found.conflicts_file):
        found.conflicts.append(_told(kind, said, names))
    for line in journal:
        found.journal_file.size += len(line)
        ended = _object(line)
        named = None if ended is None else _named(ended, Ended)
        if named is None:
            found.journal_file.malformed += 1
        else:
            found.journal.append(_ending(named, names))
    return found


@lru_cache(maxsize=4096)  # of one event it is asked twice, and many events have the same second
def instant(text: str) -> int | None:
    """Return the whole seconds since 1970 of an RFC 3339 date, None where it is none."""
    parts = _DATE.fullmatch(text)
    if parts is None:
        return None
    year, month, day, hour, minute, second = map(int, parts.groups()[:6])
    sign, ahead_hours, ahead_minutes = parts.groups()[6:]
    try:
        number = calendar_date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    ahead = (int(ahead_hours) * 60 + int(ahead_minutes)) * 60 if sign else 0
    if hour > 23 or minute > 59 or second > 60:
        return None
    if sign and (int(ahead_hours) > 23 or int(ahead_minutes) > 59):
        return None
    found = number * 86400 + hour * 3600 + minute * 60 + second
    found += ahead if sign == "-" else -ahead
    if second == 60:  # a leap second, at the end of a month of UTC and nowhere else
        day_after, rest = divmod(found, 86400)
        if rest or civil_day(day_after)[2] != 1:
            return None
    return found


def civil_day(number: int) -> tuple[int, int, int]:
    """Return (year, month, day) of the days since 1970-01-01, a little beyond the years that the library knows too."""
    era, within = divmod(number + _EPOCH_DAY - 1, _DAYS_OF_400_YEARS)
    day = calendar_date.fromordinal(within + 1)
    return day.year + 400 * era, day.month, day.day


def _events(
    lines: Iterable[bytes], file: File
) -> Iterator[tuple[int, type[Struct], dict[str, Any]]]:
    """Yield (number of the line, type, fields) of the events on lines; count the other lines."""
    for number, line in enumerate(lines, 1):
        file.size += len(line)
        if not line.strip(_BLANKS):
            continue
        raw = _object(line)
        tag = None if raw is None else raw.get(wire.TYPE_FIELD)
        kind = _KINDS.get(tag) if isinstance(tag, str) else None
        named = None if raw is None or kind is None else _named(raw, kind)
        if kind is None or named is None:
            file.malformed += 1
        else:
            yield number, kind, named


def _told(kind: type[Struct], said: dict[str, Any], names: dict[str, str]) -> Told:
    """Return what counts of an event; *names* holds each name once."""
    seconds = instant(said["date"]) or 0
    client = names.setdefault(said["client"], said["client"])
    several = said["request_ids"] if kind is wire.Steering else [said["request_id"]]
    requests = tuple(names.setdefault(name, name) for name in dict.fromkeys(several))
    if kind is wire.Delegation:
        return Told("delegation", client, seconds, requests, said["estimate"]["avoided"])
    what: Literal["steering", "correction"] = "steering" if kind is wire.Steering else "correction"
    return Told(what, client, seconds, requests, said["cost"])


def _ending(said: dict[str, Any], names: dict[str, str]) -> Ending:
    """Return what counts of a line of the journal; *names* holds each name once."""

    def once(name: str) -> str | None:
        text = said[name]
        return None if text is None else names.setdefault(text, text)

    return Ending(
        once("request_id"),
        once("status") or "",
        once("preset"),
        once("format"),
        once("model"),
        said["tokens_in"] or 0,
        said["tokens_out"] or 0,
        float(said["duration_s"] or 0),
        instant(said["date"]),
    )


def _contradictions(line: int, kind: type[Struct], said: dict[str, Any]) -> Iterator[str]:
    """Yield where a stored value is not the one that the event's other fields give it."""
    for name, stored, value in _recomputed(kind, said):
        if stored != value:
            spelt = _SPELT.get(name, name)
            yield f"line {line}: {said['id']}: {spelt} is {stored!r}, by its other fields {value!r}"


def _recomputed(kind: type[Struct], said: dict[str, Any]) -> Iterator[tuple[str, object, object]]:
    """Yield (field, stored value, the value by the contract's arithmetic)."""
    shape = said["session_id"]
    if kind is wire.Delegation:
        estimate = said["estimate"]
        avoided = estimate["read"] + estimate["written"]
        if not said["by_subagent"]:
            avoided -= estimate["brief"] + estimate["returned"]
        yield "by_subagent", said["by_subagent"], said["agent_id"] is not None
        if said["reply"] == wire.FULL:
            yield "returned", estimate["returned"], estimate["written"]
        yield "avoided", estimate["avoided"], avoided
        shape = said["request_id"]
    elif kind is wire.Steering:
        usage = said["usage"]
        whole = (
            usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["output_tokens"]
        )
        tenth = (usage["cache_read_input_tokens"] * 2 + 10) // 20  # JavaScript rounds a half up
        yield "cost", said["cost"], whole + tenth
        shape += f":{said['agent_id']}:{said['turn_id']}"
    else:
        yield "cost", said["cost"], said["tokens_read"] + said["tokens_written"]
        shape += f":{said['tool_use_id']}"
    if said["client"] == "claude-code":  # the contract gives the ids of this client only
        yield "id", said["id"], f"claude-code:{shape}"


def _object(line: bytes) -> dict[str, Any] | None:
    """Return the object that a line holds; None where it holds none, or what no JSON reader has to take."""
    try:
        value = _value(line.decode("utf-8"))
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate has no form
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(name: str) -> None:
    raise ValueError(f"no JSON number: {name}")


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


_read = json.JSONDecoder(parse_constant=_refuse, parse_int=_whole).decode
_begin = json.JSONDecoder(parse_constant=_refuse).raw_decode


def _value(text: str) -> Any:
    """Return the JSON value that a text is; most are read without a call for each of their numbers."""
    try:
        value, end = _begin(text)
    except ValueError:
        return _read(text)
    return value if text[end:] == "\n" else _read(text)


def _named(raw: dict[str, Any], kind: type[Struct]) -> dict[str, Any] | None:
    """Return the fields of a wire object under the code's names, None where one breaks the contract."""
    found: dict[str, Any] = {}
    for name, spelt, default, passes in _FIELDS[kind]:
        value = raw.get(spelt, default)
        if value is NODEFAULT or not passes(value):
            return None
        found[name] = value
    for name, part in _PARTS:
        if name in found:
            within = found[name]
            found[name] = {one: within[spelt] for one, spelt, _, _ in _FIELDS[part]}
    return found


def _follows(value: Any, kind: type[Struct]) -> bool:
    """Return whether a value is an object whose fields pass their checks."""
    if not isinstance(value, dict):
        return False
    for _, spelt, _, passes in _FIELDS[kind]:
        if spelt not in value or not passes(value[spelt]):
            return False
    return True
