"""What stands where in an entry of a server: its texts, the places that differ, and a schema apart from its texts and defaults.

Places are JSON pointers. It compares values and does not say what a difference means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from econome.lean.pointers import below, steps_of
from econome.lean.schemas import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMA_PLACES

__all__ = [
    "Parts",
    "differing",
    "is_prose",
    "mapping",
    "parts_of",
    "place_in",
    "same",
    "texts_of",
]

_TEXTS: Final = frozenset({"$comment", "description", "examples", "title"})
"""Keywords of a schema that only tell."""

_SPOKEN: Final = frozenset({"$comment", "description", "instructions", "short", "title"})
"""Keys whose values are texts even where they are one word."""

_NO_TEXTS: Final = frozenset(
    {"$anchor", "$schema", "format", "mimeType", "type", "uri", "uriTemplate"}
)
"""Keys whose values are no texts, but words of the protocol and of schemas or names, as long as they are one word."""

_ADDRESSES: Final = frozenset({"$schema", "uri", "uriTemplate"})
_DEEPEST: Final = 200

_SENTENCE: Final = 40
"""A key that is longer, or has a blank in it, may be read as a text."""


def mapping(value: object) -> Mapping[str, Any]:
    """Return *value* where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def same(old: Any, new: Any) -> bool:
    """Tell whether two JSON values are the same, for which `1` and `true` are two."""
    return bool(old == new) and json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)


def differing(
    old: Mapping[str, Any], new: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the pointer and both values of each key that is not the same in both, None where it is missing."""
    for key in sorted(old.keys() | new.keys()):
        if key not in old or key not in new or not same(old[key], new[key]):
            yield below(place, key), old.get(key), new.get(key)


def texts_of(value: Any, place: str = "") -> dict[str, str]:
    """Return all texts in an entry that a model may be shown, by their places; long keys count as texts."""
    found: dict[str, str] = {}
    _gather(value, place, found)
    return found


def is_prose(place: str, text: str) -> bool:
    """Tell whether a text speaks to a reader; a single word does only where texts stand, since elsewhere it is a value or a name."""
    return place.rpartition("/")[2] in _SPOKEN or len(text.split(None, 1)) > 1


def _gather(value: Any, place: str, found: dict[str, str], deeper: int = _DEEPEST) -> None:
    if isinstance(value, str):
        if value:
            found[place] = value
    elif isinstance(value, list | tuple) and deeper:
        for at, one in enumerate(value):
            _gather(one, below(place, at), found, deeper - 1)
    elif isinstance(value, Mapping) and deeper:
        for key, one in value.items():
            if len(key) > _SENTENCE or " " in key or not key.isprintable() or not key.isascii():
                found[below(place, key) + "#"] = key
            if isinstance(one, str) and key in _NO_TEXTS and _is_a_word(key, one):
                continue
            if key == "src" and isinstance(one, str) and one.startswith("data:image/"):
                continue
            if key == "$ref" and isinstance(one, str) and one.startswith("#"):
                continue
            _gather(one, below(place, key), found, deeper - 1)


def _is_a_word(key: str, value: str) -> bool:
    return len(value.split(None, 1)) < 2 and (key in _ADDRESSES or "://" not in value)


@dataclass(frozen=True, slots=True)
class Parts:
    """A schema taken apart: *bare* says what it accepts, *texts* and *defaults* what else stands where.

    *needed* are the places of the fields that their object requires, *places* those of all schemas in it.
    """

    bare: Any
    texts: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    needed: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)


def parts_of(schema: Any, place: str) -> Parts:
    """Return a schema that stands at *place*, taken apart."""
    parts = Parts(None)
    return replace(parts, bare=_apart(schema, place, parts))


def _apart(schema: Any, place: str, parts: Parts) -> Any:
    if not isinstance(schema, dict):
        return schema
    parts.places.add(place)
    required = schema.get("required")
    if isinstance(required, list):
        parts.needed.update(below(place, "properties", name) for name in required)
    bare: dict[str, Any] = {}
    for key, value in schema.items():
        at = below(place, key)
        if key in _TEXTS:
            parts.texts[at] = value
        elif key == "default":
            parts.defaults[place] = value
        elif key in SCHEMA_LISTS and isinstance(value, list):
            bare[key] = [_apart(one, below(at, nth), parts) for nth, one in enumerate(value)]
        elif key in SCHEMA_MAPS and isinstance(value, dict):
            bare[key] = {name: _apart(one, below(at, name), parts) for name, one in value.items()}
        elif key in SCHEMA_PLACES:
            bare[key] = _apart(value, at, parts)
        else:
            bare[key] = value
    return bare


def place_in(schema: Any, pointer: str, place: str) -> str:
    """Return where in a schema at *place* the value at *pointer*, into what it describes, is spoken of; as far as that goes."""
    at: Any = schema
    for name in steps_of(pointer):
        fields = mapping(mapping(at).get("properties"))
        items = mapping(at).get("items")
        if name in fields:
            at, place = fields[name], below(place, "properties", name)
        elif isinstance(items, Mapping) and (name.isdigit() or name == "*"):
            at, place = items, below(place, "items")
        else:
            break
    return place
