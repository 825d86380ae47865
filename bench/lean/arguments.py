"""Random calls that a tool's input schema allows, with the texts and numbers that translations get wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

__all__ = ["NoValue", "calls", "value"]

_TEXTS = (
    *("", "a", "05", "true", "null", "1.0", "-", " edge ", "a|b,c\td", 'say "so"', "back\\slash"),
    *("two\nlines", "é✓📊", "{}", "[1]", "=A1", "A1:B2", "2025-03-01", "https://example.org/a?b=c"),
    *("Sheet1", "#1F4E78", "12:30", "\u2028", "null\u0000byte"),
)
_WHOLE = (0, 1, -1, 2, 7, 10, 50, 100, 1000, 2**31, 2**53)
_BROKEN = (0.0, 0.5, -0.0, 1.0, 2.25, 1e-7, 1e21, 100.0)
_DEEPEST = 6


class NoValue(Exception):
    """No value was found that the schema allows."""


def value(schema: Any, root: Mapping[str, Any], dice: random.Random, depth: int = 0) -> Any:
    """Return a value for *schema*, a part of *root*; it is likely, not certain, to be valid.

    Raises:
        NoValue: nothing tried fits.
    """
    if not isinstance(schema, Mapping) or not schema:
        return dice.choice((None, True, 1, "a", [], {}))
    if "$ref" in schema:
        return value(_referred(schema["$ref"], root), root, dice, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return dice.choice(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            rest = {name: part for name, part in schema.items() if name != key}
            chosen = dice.choice(schema[key])
            return value({**rest, **chosen}, root, dice, depth + 1)
    if "allOf" in schema:
        merged: dict[str, Any] = {}
        for part in schema["allOf"]:
            merged |= part
        return value(merged, root, dice, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = dice.choice(kind)
    return _of_kind(kind, schema, root, dice, depth)


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found[step.replace("~1", "/").replace("~0", "~")]
    return found


def _of_kind(
    kind: str, schema: Mapping[str, Any], root: Mapping[str, Any], dice: random.Random, depth: int
) -> Any:
    if kind == "object":
        return _object(schema, root, dice, depth)
    if kind == "array":
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", least + 3)
        count = least if depth > _DEEPEST else dice.randint(least, min(most, least + 3))
        return [value(schema.get("items", {}), root, dice, depth + 1) for _ in range(count)]
    if kind == "null":
        return None
    if kind == "boolean":
        return dice.random() < 0.5
    plain: tuple[Any, ...] = {"integer": _WHOLE, "number": (*_WHOLE, *_BROKEN)}.get(kind, _TEXTS)
    edges = [schema[name] for name in ("minimum", "maximum", "default") if name in schema]
    tried = [*dice.sample(plain, len(plain)), *edges, "x" * schema.get("minLength", 1), 3, 15]
    if edges and dice.random() < 0.3:
        tried.insert(0, dice.choice(edges))
    judge = Draft202012Validator({**schema, "type": kind})
    for one in tried:
        if judge.is_valid(one):
            return one
    raise NoValue(str(schema)[:100])


def _object(
    schema: Mapping[str, Any], root: Mapping[str, Any], dice: random.Random, depth: int
) -> dict[str, Any]:
    made: dict[str, Any] = {}
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    for name in dice.sample(list(properties), len(properties)):
        if name in required or (depth <= _DEEPEST and dice.random() < 0.5):
            try:
                made[name] = value(properties[name], root, dice, depth + 1)
            except NoValue:
                if name in required:
                    raise
    more = schema.get("additionalProperties")
    if isinstance(more, Mapping) and depth <= _DEEPEST:
        for name in dice.sample(("x", "y z", "ü"), dice.randint(0, 3)):
            made.setdefault(name, value(more, root, dice, depth + 1))
    return made


def calls(schema: Mapping[str, Any], count: int, dice: random.Random) -> Iterator[dict[str, Any]]:
    """Yield up to *count* valid arguments for *schema*, fewer where most of what is made is not valid."""
    judge = Draft202012Validator(schema)
    for _ in range(count):
        for _ in range(20):
            try:
                made = value(schema, schema, dice)
            except NoValue:
                continue
            if isinstance(made, dict) and judge.is_valid(made):
                yield made
                break
