"""Menus and answers of MCP servers that cost less: a library for servers in Python, and the core of `econome proxy`."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from econome.lean.blocks import Answer
    from econome.lean.gate import Machine, Snapshot
    from econome.lean.middleware import lean
    from econome.lean.options import Call, Economy, Seen, economy
    from econome.lean.workflows import Key, MemoryStore, Store

__all__ = [
    "FORMS",
    "Answer",
    "Call",
    "Economy",
    "Key",
    "Machine",
    "MemoryStore",
    "Seen",
    "Snapshot",
    "Store",
    "economy",
    "lean",
]

FORMS = ("auto", "flat", "grouped", "signatures", "lean", "lazy", "untouched")
"""The forms of a menu that can be asked for; `auto` is the cheapest of those that lose nothing."""

_HOMES = {
    "Answer": "blocks",
    "Call": "options",
    "Economy": "options",
    "Key": "workflows",
    "Machine": "gate",
    "MemoryStore": "workflows",
    "Seen": "options",
    "Snapshot": "gate",
    "Store": "workflows",
    "economy": "options",
    "lean": "middleware",
}


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for: the proxy, which starts often, needs none of them (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    return value
