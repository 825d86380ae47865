"""Random servers as they were captured: schemas with sets, data that looks like schemas, odd texts and numbers."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from econome.contract.captured import Captured
from econome.tokenizers import tokenizer

__all__ = ["captures", "count", "data", "shuffled", "tool"]

count = tokenizer("features-v1").count

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["", "\n", '"', "\\", "<<<<<<<", "\u2028", "😀", "\ufb33", "_meta", "digest"]
)
_names = st.sampled_from("abcdefgh") | _texts
_numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)

data: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _numbers | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=8,
)
"""Whatever a JSON text can hold."""

_schemas: st.SearchStrategy[dict[str, Any]] = st.deferred(
    lambda: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "string"])
            | st.lists(st.sampled_from(["object", "null", "string"]), unique=True),
            "enum": st.lists(data, max_size=3),
            "required": st.lists(_names, max_size=3, unique=True),
            "properties": st.dictionaries(_names, _schemas, max_size=2),
            "dependentRequired": st.dictionaries(_names, st.lists(_names, unique=True), max_size=1),
            "anyOf": st.lists(_schemas, max_size=2),
            "items": _schemas | st.booleans(),
            "default": data,
            "maxItems": st.integers(0, 9),
            "description": _texts,
            "x-own": data,
        },
    )
)

_tools: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"name": _names, "inputSchema": _schemas},
    optional={
        "description": _texts,
        "outputSchema": _schemas,
        "annotations": st.dictionaries(_names, st.booleans(), max_size=2),
        "_meta": data,
    },
)
_economies: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={"limit": st.integers(1, 99), "short": _texts, "tags": st.lists(_texts, max_size=2)},
)


def _entries(key: str) -> st.SearchStrategy[tuple[dict[str, Any], ...]]:
    entry: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {key: _texts}, optional={"description": _texts, "_meta": data}
    )
    return st.lists(entry, max_size=2, unique_by=lambda one: one[key]).map(tuple)


@st.composite
def captures(draw: st.DrawFn, name: str = "shop") -> Captured:
    """Draw a server that can be locked."""
    tools = tuple(draw(st.lists(_tools, max_size=3, unique_by=lambda one: one["name"])))
    economies = {one["name"]: draw(_economies) for one in tools}
    return Captured(
        name,
        tools=tools,
        menu=tools,
        prompts=draw(_entries("name")),
        resources=draw(_entries("uri")),
        templates=draw(_entries("uriTemplate")),
        instructions=draw(_texts),
        capabilities=draw(st.dictionaries(_names, data, max_size=2)),
        economies=economies,
    )


def tool(name: Any = "list", **changed: Any) -> dict[str, Any]:
    """Return a tool as `tools/list` shows it."""
    return {
        "name": name,
        "description": "Lists what there is.",
        "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
        **changed,
    }


def shuffled(captured: Captured, rng: random.Random) -> Captured:
    """Return the same server, told in another order: of its lists, of all keys, and of what schemas require."""
    tools = [_turned(one, rng, schemas=True) for one in captured.tools]
    rng.shuffle(tools)
    return replace(
        captured,
        tools=tuple(tools),
        menu=tuple(tools),
        prompts=tuple(reversed([_turned(one, rng) for one in captured.prompts])),
        resources=tuple(reversed(captured.resources)),
        templates=tuple(reversed(captured.templates)),
        capabilities=_turned(captured.capabilities, rng),
        economies=_turned(captured.economies, rng),
        version="another",
        protocol="another",
    )


def _turned(value: Any, rng: random.Random, *, schemas: bool = False) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        rng.shuffle(items)
        return {
            key: _schema_turned(inner, rng)
            if schemas and key in ("inputSchema", "outputSchema")
            else _turned(inner, rng)
            for key, inner in items
        }
    return [_turned(inner, rng) for inner in value] if isinstance(value, list) else value


def _schema_turned(schema: Any, rng: random.Random) -> Any:
    """Return a schema of another order, its sets too; what it holds as data keeps the order of its lists."""
    if not isinstance(schema, dict):
        return schema
    turned = _turned(schema, rng)
    for key, value in turned.items():
        if key in ("type", "enum", "required") and isinstance(value, list):
            rng.shuffle(value)
        elif key == "dependentRequired":
            for names in value.values():
                rng.shuffle(names)
        elif key == "items":
            turned[key] = _schema_turned(value, rng)
        elif key == "anyOf":
            turned[key] = [_schema_turned(one, rng) for one in value]
        elif key == "properties":
            turned[key] = {name: _schema_turned(one, rng) for name, one in value.items()}
    return turned
