"""Servers as a lock has them, from a few tools: what tests compare, and what they hold against budgets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["of_tools", "server", "tool"]


def tool(
    schema: Mapping[str, Any] | None = None,
    description: str = "",
    *,
    name: str = "t",
    economy: Mapping[str, Any] | None = None,
    tokens: int | None = None,
    **declared: Any,
) -> dict[str, Any]:
    """Return a tool of a lock; what is not said is empty or follows from what is."""
    entry = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object"} if schema is None else schema,
        **declared,
    }
    return {
        "declared": entry,
        "economy": economy or {},
        "namespace": "s",
        "tokens": len(json.dumps(entry)) // 4 if tokens is None else tokens,
        "short_tokens": None,
        "class": "low",
        "fields": 0,
        "collections": [],
        "reason": "",
    }


def server(**said: Any) -> dict[str, Any]:
    """Return a server of a lock that has nothing but what is *said*."""
    return {
        "instructions": "",
        "capabilities": {},
        "machine": None,
        "menu": {"tokens": 0, "tools": 0, "form": "plain", "listed": {}},
        "class": "low",
        "namespaces": {},
        "tools": {},
        "prompts": {},
        "resources": {},
        "templates": {},
        **said,
    }


def of_tools(tools: Mapping[str, Mapping[str, Any]], **said: Any) -> dict[str, Any]:
    """Return a server with these tools, its menu and namespaces counted from theirs."""
    named = {
        name: {**one, "declared": {**one["declared"], "name": name}} for name, one in tools.items()
    }
    namespaces: dict[str, int] = {}
    for one in named.values():
        namespaces[one["namespace"]] = namespaces.get(one["namespace"], 0) + one["tokens"]
    tokens = sum(namespaces.values())
    menu = {"tokens": tokens, "tools": len(named), "form": "plain", "listed": {}}
    return server(tools=named, namespaces=namespaces, menu=menu, **said)
