"""What a menu says of a tool, taken apart, and whether all of it can still be read somewhere.

A fact is a sentence, the name of a field, one of its types, a value it may have, a bound, a default. It is looked for
in what the model sees of that tool alone, so that another tool's field of the same name does not stand in for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Fact", "facts", "missing", "own_texts", "told"]

_SPACES = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_BOUNDS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)
_TYPES = {
    "string": ("string", "str", "text"),
    "integer": ("integer", "int"),
    "number": ("number", "num", "float"),
    "boolean": ("boolean", "bool"),
    "array": ("array", "[]", "list", "Array"),
    "object": ("object", "{", "map", "Record"),
    "null": ("null",),
}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a menu says: of what field, what it is, and the texts of which one must be found."""

    field: str
    kind: str
    texts: tuple[str, ...]


def facts(tool: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield all that the entry of a tool in a menu says."""
    for sentence in _sentences(tool.get("description", "")):
        yield Fact("", "sentence", (sentence,))
    yield from _of_schema(tool["inputSchema"], "")


def _sentences(text: str) -> list[str]:
    parts = (_flat(part).strip(" -*•") for part in _SENTENCE.split(text))
    return [part for part in parts if part]


def _of_schema(schema: Any, field: str) -> Iterator[Fact]:
    if not isinstance(schema, Mapping):
        return
    for sentence in _sentences(schema.get("description", "")):
        yield Fact(field, "sentence", (sentence,))
    for value in [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]:
        yield Fact(field, "value", _quoted(value))
    for kind in _BOUNDS:
        if kind in schema:
            yield Fact(field, kind, (_shown(schema[kind]),))
    for kind in ("format", "pattern"):
        if kind in schema:
            yield Fact(field, kind, (str(schema[kind]), _shown(schema[kind])[1:-1]))
    if schema.get("default") not in (None, [], {}, ""):
        yield Fact(field, "default", _quoted(schema["default"]))
    kinds = schema.get("type", ())
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if field and not {"enum", "const"} & set(schema):
            yield Fact(field, "type", _TYPES[kind])
    for name, part in schema.get("properties", {}).items():
        path = f"{field}.{name}" if field else name
        yield Fact(path, "field", (name,))
        yield from _of_schema(part, path)
    for group in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(group, ()):
            yield from _of_schema(part, field)
    yield from _of_schema(schema.get("items"), field)
    yield from _of_schema(schema.get("additionalProperties"), field)
    for name, part in schema.get("$defs", {}).items():
        yield from _of_schema(part, f"${name}")


def _quoted(value: Any) -> tuple[str, ...]:
    shown = _shown(value)
    return (shown, f"'{value}'") if isinstance(value, str) else (shown, str(value))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _flat(text: str) -> str:
    return _SPACES.sub(" ", text)


def told(texts: Sequence[str]) -> str:
    """Return what a model reads, with every run of blanks as one, and JSON's escapes undone as well as kept."""
    whole = "\n".join(texts)
    plain = whole.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    return _flat(f"{whole}\n{plain}")


def missing(tool: Mapping[str, Any], texts: Sequence[str]) -> list[Fact]:
    """Return the facts about *tool* that are in none of *texts*."""
    whole = told(texts)
    numbers = {float(number) for number in _NUMBER.findall(whole)}
    return [fact for fact in facts(tool) if not _found(fact, whole, numbers)]


def _found(fact: Fact, whole: str, numbers: set[float]) -> bool:
    if fact.kind in _BOUNDS:
        return float(fact.texts[0]) in numbers
    if fact.kind == "field":
        return re.search(rf"(?<![\w-]){re.escape(fact.texts[0])}(?![\w-])", whole) is not None
    return any(_flat(text) in whole for text in fact.texts)


def own_texts(menu: Sequence[Mapping[str, Any]], action: str) -> list[str]:
    """Return what *menu* says of *action*: its own tool, or its lines in a group, those above all, and their fields."""
    for tool in menu:
        if tool["name"] == action:
            return [_shown(tool)]
    for tool in menu:
        fields = tool["inputSchema"].get("properties", {})
        for field, part in fields.items():
            if action in part.get("enum", ()):
                others = {name: one for name, one in fields.items() if name != field}
                said = json.dumps(others, ensure_ascii=False)
                return [_lines(tool["description"], action, part["enum"]), said]
    return []


def _lines(text: str, action: str, names: Sequence[str]) -> str:
    """Return the lines of *text* before the first that an action begins, and those of *action*."""
    kept: list[str] = []
    owner: str | None = None
    for line in text.split("\n"):
        owner = next(
            (name for name in names if line.startswith((f"{name}(", f"{name}|", f"{name}!"))), owner
        )
        if owner in (None, action):
            kept.append(line)
    return "\n".join(kept)
