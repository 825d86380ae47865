"""Fields that are required and have a default: what a server may fill in itself, though its schema refuses a call without them.

Libraries that write schemas for what they hand out, and not for what they take, list such fields as required. Whether a server
fills them in cannot be told from its schema. Only fields in plain sight are filled in: none in one of several branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from econome.contract.accepts import Judge, Work
from econome.contract.entries import mapping
from econome.contract.readings import read
from econome.lean.pointers import below, followed

__all__ = ["filled_in", "loosened"]

_MAPS: Final = frozenset({"$defs", "definitions", "patternProperties", "properties"})
_LISTS: Final = frozenset({"allOf", "anyOf", "prefixItems"})
_PLACES: Final = frozenset({"additionalProperties", "else", "items", "then"})
_DEEPEST: Final = 24
_WORK: Final = 30_000


def filled_in(schema: Any, call: Any) -> tuple[str, ...]:
    """Return the fields, as pointers into a refused call, whose defaults make it one that is accepted; none where they do not."""
    filled: list[str] = []
    whole = _filled(schema, schema, call, "", filled, _DEEPEST)
    if not filled or Judge(read(schema), Work(_WORK)).accepts(whole) is not True:
        return ()
    return tuple(dict.fromkeys(filled))


def loosened(schema: Any, root: Any = None) -> Any:
    """Return a schema that requires no field that has a default, wherever that can only let more calls through."""
    if not isinstance(schema, dict):
        return schema
    root = schema if root is None else root
    fields = mapping(schema.get("properties"))
    loose: dict[str, Any] = {}
    for key, held in schema.items():
        if key == "required" and isinstance(held, list):
            held = [name for name in _names(held) if not any(_defaults(root, fields.get(name)))]
        elif key in _MAPS and isinstance(held, dict):
            held = {name: loosened(one, root) for name, one in held.items()}
        elif key in _LISTS and isinstance(held, list):
            held = [loosened(one, root) for one in held]
        elif key in _PLACES:
            held = loosened(held, root)
        loose[key] = held
    return loose


def _filled(root: Any, schema: Any, value: Any, place: str, filled: list[str], depth: int) -> Any:
    for part in _parts(root, schema, depth):
        if isinstance(value, dict):
            fields = mapping(part.get("properties"))
            value = dict(value)
            for name in _names(part.get("required")):
                for default in _defaults(root, fields.get(name)):
                    if name not in value:
                        value[name] = default[0]
                        filled.append(below(place, name))
            for name in [one for one in fields if one in value]:
                at = below(place, name)
                value[name] = _filled(root, fields[name], value[name], at, filled, depth - 1)
        elif isinstance(value, list):
            value = [
                _filled(root, part.get("items"), one, below(place, nth), filled, depth - 1)
                for nth, one in enumerate(value)
            ]
    return value


def _parts(root: Any, schema: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the schemas that surely rule a place: it, what it refers to, and all of `allOf`."""
    if not isinstance(schema, dict) or depth <= 0:
        return
    yield schema
    reference, parts = schema.get("$ref"), schema.get("allOf")
    if isinstance(reference, str):
        yield from _parts(root, followed(reference, root), depth - 1)
    for part in parts if isinstance(parts, list) else ():
        yield from _parts(root, part, depth - 1)


def _names(required: Any) -> list[str]:
    held = required if isinstance(required, list) else []
    return [name for name in held if isinstance(name, str)]


def _defaults(root: Any, schema: Any) -> Iterator[list[Any]]:
    """Yield each default of a field, in a list of its own, since `false` is one."""
    return ([part["default"]] for part in _parts(root, schema, _DEEPEST) if "default" in part)
