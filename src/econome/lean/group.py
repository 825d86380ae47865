"""Several actions as one tool: the union of their fields, with a discriminator that says which one is called.

It knows input schemas. What it cannot say in one schema without loss it refuses to group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from econome.errors import MenuError
from econome.lean.actions import Action, Namespace, fields_of, free_name, required_of
from econome.lean.counting import Count
from econome.lean.describe import described
from econome.lean.notation import Hand
from econome.lean.schemas import compact, is_plain_null, same_dialect, says_nothing

__all__ = ["discriminator_of", "grouped", "hints_of", "shared_meta"]

_ROOT = frozenset(
    {"$defs", "additionalProperties", "definitions", "properties", "required", "title", "type"}
)
_REF = re.compile(r"#/(\$defs|definitions)/[^/]+")
_BASES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
_NOTES = frozenset({"default", "description", "title"})


def discriminator_of(actions: Sequence[Action]) -> str:
    """Return the name of the argument that says which action is called: `action`, or with `_` until it is free."""
    return free_name("action", {name for action in actions for name in fields_of(action.schema)})


def hints_of(actions: Sequence[Action]) -> dict[str, Any]:
    """Return the annotations of one tool for *actions*; a hint that nobody gave is not made up.

    It is read-only and idempotent where all of them are, destructive and open to the world where one is.
    """
    hints: dict[str, Any] = {}
    if any(action.read_only is not None for action in actions):
        hints["readOnlyHint"] = all(action.read_only is True for action in actions)
    harm = [action.destructive for action in actions if action.read_only is not True]
    if any(harm):
        hints["destructiveHint"] = True
    elif any(action.destructive is not None for action in actions) and None not in harm:
        hints["destructiveHint"] = False
    if any(action.idempotent is not None for action in actions):
        hints["idempotentHint"] = all(action.idempotent is True for action in actions)
    reach = [action.open_world for action in actions]
    if any(reach):
        hints["openWorldHint"] = True
    elif reach and None not in reach:
        hints["openWorldHint"] = False
    return hints


def shared_meta(actions: Sequence[Action]) -> dict[str, Any]:
    """Return the entries of `_meta` that all *actions* have alike."""
    metas = [action.raw.get("_meta") for action in actions]
    first = metas[0] if metas else None
    if not isinstance(first, Mapping):
        return {}
    return {
        key: value
        for key, value in first.items()
        if all(isinstance(meta, Mapping) and meta.get(key) == value for meta in metas)
    }


def grouped(namespace: Namespace, count: Count) -> dict[str, Any]:
    """Return one tool for the actions of *namespace*, as `tools/list` shows it.

    Raises:
        MenuError: one field has two types, or a schema says what no union of fields can say.
    """
    actions = namespace.actions
    discriminator = discriminator_of(actions)
    for action in actions:
        _refuse_odd(action)
    names = list(dict.fromkeys(name for action in actions for name in fields_of(action.schema)))
    properties: dict[str, Any] = {discriminator: {"enum": [action.name for action in actions]}}
    for name in names:
        properties[name] = _field(name, actions, namespace.name)
    always = [
        name for name in names if all(name in required_of(action.schema) for action in actions)
    ]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [discriminator, *always],
    }
    if all(action.closed for action in actions):
        schema["additionalProperties"] = False
    schema.update(_definitions(actions))
    tool = {
        "name": namespace.name,
        "description": described(namespace, count).text,
        "inputSchema": schema,
    }
    hints = hints_of(actions)
    return {**tool, "annotations": hints} if hints else tool


def _refuse_odd(action: Action) -> None:
    odd = sorted(
        action.schema.keys() - _ROOT - ({"$schema"} if same_dialect(action.schema) else set())
    )
    if (
        isinstance(action.schema.get("additionalProperties"), Mapping)
        and action.schema["additionalProperties"]
    ):
        odd.append("additionalProperties")
    if odd:
        raise MenuError(
            f"{action.name}: {odd[0]} cannot be said of one action in a group; leave it flat"
        )
    for ref in _refs(action.schema):
        if not _REF.fullmatch(ref):
            raise MenuError(f"{action.name}: the reference {ref} cannot be grouped; leave it flat")
    missing = [name for name in required_of(action.schema) if name not in fields_of(action.schema)]
    if missing:
        raise MenuError(f"{action.name}: {missing[0]} is required and not declared; leave it flat")


def _refs(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key in ("$ref", "$dynamicRef") and isinstance(entry, str):
                yield entry if key == "$ref" else f"{key} {entry}"
            yield from _refs(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _refs(entry)


def _definitions(actions: Sequence[Action]) -> dict[str, Any]:
    """Return the definitions of all actions together."""
    together: dict[str, dict[str, Any]] = {}
    for keyword in ("$defs", "definitions"):
        for action in actions:
            defined = action.schema.get(keyword)
            if not isinstance(defined, Mapping):
                continue
            for name, part in defined.items():
                known = together.setdefault(keyword, {}).setdefault(name, part)
                if compact(known) != compact(part):
                    raise MenuError(
                        f"{action.name}: {name} is defined otherwise elsewhere; rename it"
                    )
    return together


def _field(name: str, actions: Sequence[Action], namespace: str) -> dict[str, Any]:
    """Return the schema of one field of a group, whose text says which actions it is for."""
    users = [action for action in actions if name in fields_of(action.schema)]
    parts = [fields_of(action.schema)[name] for action in users]
    merged = _merged(name, parts, namespace)
    own = _own(name, users, parts)
    needed = [action.name for action in users if name in required_of(action.schema)]
    usable = [action.name for action in users if action.name not in needed]
    whose = []
    if needed and len(needed) < len(actions):
        whose.append(f"Required for: {', '.join(needed)}")
    if usable and len(usable) < len(actions) and len(own) < 2:
        whose.append(f"For: {', '.join(usable)}")
    if len(own) > 1:
        text = "\n".join([*own, ". ".join(whose)]).rstrip("\n")
    else:
        said = [part.removesuffix(".") for part in own] if whose else own
        text = ". ".join([*said, *whose])
    return {**merged, "description": text} if text else merged


def _own(name: str, users: Sequence[Action], parts: Sequence[Any]) -> list[str]:
    """Return the text of a field where it is one and the same, else a line for each kind of it: whose, and all of it."""
    bodies: dict[str, list[str]] = {}
    for action, part in zip(users, parts, strict=True):
        body = Hand().body(part, name)
        body = body if body.startswith(":") else f":string{body}"
        bodies.setdefault(body, []).append(action.name)
    if len(bodies) == 1:
        text = parts[0].get("description") if isinstance(parts[0], Mapping) else None
        return [text] if isinstance(text, str) and text else []
    return [f"{', '.join(names)}{body}" for body, names in bodies.items()]


def _merged(name: str, parts: Sequence[Any], namespace: str) -> dict[str, Any]:
    """Return a schema that accepts what any of *parts* accepts."""
    schemas = [part if isinstance(part, Mapping) else _boolean(part) for part in parts]
    bare = [{key: value for key, value in part.items() if key not in _NOTES} for part in schemas]
    if any(compact(part) != compact(bare[0]) for part in bare):
        return _widest(name, bare, namespace)
    kept = dict(schemas[0])
    kept.pop("description", None)
    if says_nothing(kept.get("title"), name):
        del kept["title"]
    if is_plain_null(kept):
        del kept["default"]
    for note in ("default", "title"):
        if len({compact(part[note]) if note in part else "" for part in schemas}) > 1:
            kept.pop(note, None)
    return kept


def _boolean(schema: object) -> dict[str, Any]:
    return {} if schema else {"not": {}}


def _widest(name: str, parts: Sequence[Mapping[str, Any]], namespace: str) -> dict[str, Any]:
    """Return the base types and literals of *parts* together."""
    kinds = [_kinds(part) for part in parts]
    known = [_broad(kind) for kind in kinds if kind is not None]
    for first, second in combinations(known, 2):
        if first - {"null"} and second - {"null"} and first.isdisjoint(second):
            one, two = sorted(("|".join(sorted(first)), "|".join(sorted(second))))
            raise MenuError(
                f"{namespace}: the field {name} is {one} in one action and {two} in another; "
                "give it one type or another name"
            )
    if len(known) < len(kinds):
        return {}
    exact = {base for kind in kinds for base in kind or ()}
    bases = exact - {"integer"} if "number" in exact else exact
    merged: dict[str, Any] = {}
    if bases:
        merged["type"] = sorted(bases, key="null".__eq__) if len(bases) > 1 else next(iter(bases))
    if all(isinstance(part.get("enum"), list) for part in parts):
        literals = {compact(value): value for part in parts for value in part["enum"]}
        merged["enum"] = list(literals.values())
    return merged


def _broad(kinds: Sequence[str]) -> set[str]:
    return {"number" if kind == "integer" else kind for kind in kinds}


def _kinds(part: Any) -> list[str] | None:
    """Return the base types of a schema, None where it does not say them plainly."""
    if not isinstance(part, Mapping):
        return None
    kind, several, values = part.get("type"), part.get("anyOf"), part.get("enum")
    if isinstance(kind, str):
        return [kind]
    if kind is None and isinstance(values, list):
        bases = {_BASES.get(type(value)) for value in values}
        return None if None in bases else sorted(base for base in bases if base)
    if isinstance(kind, list) and all(isinstance(one, str) for one in kind):
        return sorted(kind)
    if isinstance(several, list) and several:
        inner = [_kinds(one) for one in several]
        if all(one is not None for one in inner):
            return sorted({base for one in inner if one for base in one})
    return None
