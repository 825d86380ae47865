"""Only the fields that were asked for (L8).

It narrows data and nothing else. A name that is no field is answered with those that are, never with an empty object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from econome.lean.limits import collection, rows_of
from econome.lean.pointers import value_at

__all__ = ["UnknownField", "asked", "fields_of", "leads", "narrow", "narrowed", "selected"]

_MANY = 30


class UnknownField(ValueError):
    """A selection names what is no field; the text says which are."""

    def __init__(self, unknown: Sequence[str], valid: Sequence[str]) -> None:
        names = ", ".join(unknown)
        shown = ", ".join(valid[:_MANY]) + (" …" if len(valid) > _MANY else "")
        if valid:
            super().__init__(f"no such field: {names}; choose from: {shown}")
        else:
            super().__init__(
                f"no such field: {names}; the answer has none, ask without a selection"
            )
        self.unknown, self.valid = tuple(unknown), tuple(valid)


def asked(selection: object) -> tuple[str, ...] | None:
    """Return the paths that `_select` names; None, for the full data, where it is absent, empty or no list of texts."""
    if not isinstance(selection, list | tuple) or not selection:
        return None
    if not all(isinstance(name, str) for name in selection):
        return None
    return tuple(dict.fromkeys(selection))


def selected(selection: object, fields: Sequence[str]) -> tuple[tuple[str, ...] | None, str | None]:
    """Return the fields that `_select` asks for, None for all; and why it is refused, where it names what there is not.

    Where no *fields* are declared, what there is shows only in the answer.
    """
    names = asked(selection)
    unknown = [name for name in names or () if not _declared(name, fields)]
    if unknown and fields:
        return None, f"_select: {UnknownField(unknown, fields)}"
    return names, None


def _declared(path: str, known: Sequence[str]) -> bool:
    return path in known or path.partition(".")[0] in known


def _objects(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, dict):
        return [value]
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def fields_of(value: object) -> tuple[str, ...]:
    """Return the root fields of an object, or of the objects of a list."""
    return tuple(dict.fromkeys(key for one in _objects(value) for key in one))


def narrowed(
    value: Any, names: Iterable[str], *, rows: str | None = None, known: Sequence[str] | None = None
) -> Any:
    """Return *value* with only the fields at the paths *names* (dotted, through objects and lists of them).

    *known* are the declared root fields, where there are some; a declared field that no row has is no fault, nor is what lies
    below one that is null or empty in all. Names that are no root fields may all be fields of the rows of an object's collection (*rows*, or the longest list).

    Raises:
        UnknownField: a path leads nowhere.
    """
    paths = list(names)
    valid = tuple(known) if known is not None else fields_of(value)
    if known is None:
        unknown = [path for path in paths if not leads(value, path)]
    else:
        unknown = [
            path for path in paths if not _declared(path, known) or _contradicted(value, path)
        ]
    if not unknown:
        return narrow(value, paths)
    place = collection(value, rows)
    if place and len(unknown) == len(paths):
        own = value_at(value, place)
        if all(leads(rows_of(own), path) for path in paths):
            if isinstance(own, dict):
                return _nested(place, {key: narrow(row, paths) for key, row in own.items()})
            return _nested(place, narrow(own, paths))
    raise UnknownField(unknown, valid)


def _nested(place: Sequence[str], value: Any) -> Any:
    for key in reversed(place):
        value = {key: value}
    return value


def _split(path: str, one: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key of *one* that *path* begins with, and the rest: a key may hold dots itself."""
    if path in one:
        return path, ""
    at = path.find(".")
    while at >= 0:
        if path[:at] in one:
            return path[:at], path[at + 1 :]
        at = path.find(".", at + 1)
    return path, ""


def leads(value: object, path: str) -> bool:
    """Tell whether *path* leads to a field of *value* or of one of its rows."""
    for one in _objects(value):
        key, rest = _split(path, one)
        if key in one and (not rest or leads(one[key], rest)):
            return True
    return False


def _contradicted(value: object, path: str, *, declared: bool = True) -> bool:
    """Tell whether there is what *path* should lead through, and it leads nowhere in all of it.

    What is null or empty contradicts nothing, nor does a *declared* key that is missing.
    """
    if value is None or value == [] or value == {}:
        return False
    steps = [(one, *_split(path, one)) for one in _objects(value)]
    found = [(one[key], rest) for one, key, rest in steps if key in one]
    if not found:
        return not declared
    return all(rest and _contradicted(inner, rest, declared=False) for inner, rest in found)


def narrow(value: Any, paths: Sequence[str]) -> Any:
    """Return *value* with only what lies at *paths*; one that leads nowhere is passed over."""
    if isinstance(value, list):
        return [narrow(one, paths) if isinstance(one, dict) else one for one in value]
    if not isinstance(value, dict):
        return value
    deeper: dict[str, list[str]] = {}
    for path in paths:
        key, rest = _split(path, value)
        if key in value:
            deeper.setdefault(key, []).append(rest)
    return {
        key: value[key] if "" in rests else narrow(value[key], rests)
        for key, rests in deeper.items()
    }
