"""A preset's own checks: something to ask, and what its answer must hold.

It knows texts. An answer is never quoted in a reason: what was expected is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

import msgspec

__all__ = ["Check", "failures", "read_check"]

_NOTHING: Any = msgspec.UNSET


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to ask, with the texts it is about, and what its answer must hold; what is empty is not asked for.

    `contains` and `lacks` pass over case. `json_equal` is the value that the answer must have, `json_has` the names and
    values that must be among those of the object that it is.
    """

    brief: str
    files: tuple[tuple[str, str], ...] = ()
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    regex: str | None = None
    max_words: int | None = None
    min_words: int | None = None
    json_equal: Any = _NOTHING
    json_has: tuple[tuple[str, Any], ...] = ()


_KNOWN = tuple(field.name for field in fields(Check))
_ASKED = _KNOWN[2:]


def read_check(raw: object) -> Check:
    """Return the check that a table of a presets file defines.

    Raises:
        ValueError: a name is not known, a value cannot be used, or nothing is asked for.
    """
    if not isinstance(raw, dict):
        raise ValueError("expected a table")
    for key in raw:
        if key not in _KNOWN:
            raise ValueError(f"{key}: unknown; known: {', '.join(sorted(_KNOWN))}")
    brief = raw.get("brief")
    if not isinstance(brief, str) or not brief.strip():
        raise ValueError("brief: expected a text")
    if not any(name in raw for name in _ASKED):
        raise ValueError(f"nothing is asked for; name one of {', '.join(_ASKED)}")
    return Check(
        brief=brief.strip(),
        files=_files(raw.get("files", {})),
        contains=_texts(raw, "contains"),
        lacks=_texts(raw, "lacks"),
        regex=_regex(raw.get("regex")),
        max_words=_words(raw, "max_words"),
        min_words=_words(raw, "min_words"),
        json_equal=raw.get("json_equal", _NOTHING),
        json_has=_members(raw.get("json_has", {})),
    )


def _files(raw: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(raw, dict) or not all(isinstance(text, str) for text in raw.values()):
        raise ValueError("files: expected a table of names and texts")
    return tuple(raw.items())


def _members(raw: object) -> tuple[tuple[str, Any], ...]:
    if not isinstance(raw, dict):
        raise ValueError("json_has: expected a table")
    return tuple(raw.items())


def _texts(raw: dict[str, Any], key: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise ValueError(f"{key}: expected a list of texts")
    return tuple(value)


def _words(raw: dict[str, Any], key: str) -> int | None:
    value = raw.get(key)
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f"{key}: expected a whole number")
    return value


def _regex(raw: object) -> str | None:
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise ValueError("regex: expected a text")
    try:
        re.compile(raw)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"regex: {error}") from None
    return raw


def failures(check: Check, answer: str) -> list[str]:
    """Return in what an answer falls short of a check, each in one line; nothing where it holds."""
    folded, words = answer.casefold(), len(answer.split())
    found = [f"lacks {text!r}" for text in check.contains if text.casefold() not in folded]
    found += [f"holds {text!r}" for text in check.lacks if text.casefold() in folded]
    if check.regex is not None and not re.search(check.regex, answer):
        found.append(f"does not match {check.regex!r}")
    if check.max_words is not None and words > check.max_words:
        found.append(f"{words} words; at most {check.max_words}")
    if check.min_words is not None and words < check.min_words:
        found.append(f"{words} words; at least {check.min_words}")
    return found + _json_failures(check, answer)


def _json_failures(check: Check, answer: str) -> list[str]:
    if check.json_equal is _NOTHING and not check.json_has:
        return []
    try:
        value = msgspec.json.decode(answer)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ["is not JSON"]
    found = []
    if check.json_equal is not _NOTHING and not _same(value, check.json_equal):
        found.append("is not the JSON value that was expected")
    for name, expected in check.json_has:
        if not isinstance(value, dict) or name not in value:
            found.append(f"has no {name!r}")
        elif not _same(value[name], expected):
            found.append(f"{name!r} is not {expected!r}")
    return found


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON; true is not 1, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)
