"""The schemas of a server's tools that ask for a header, as its own answers to `tools/list` give them.

Only they are kept: a call of another tool needs nothing from its schema on the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from econome.lean.proxy.wire import head_of, members, parts, value_of

__all__ = ["Schemas"]

_ASKS: Final = b'"x-mcp-header"'
_MOST: Final = 4096


class Schemas:
    """What `x-mcp-header` was asked for, by the tool's own name."""

    def __init__(self) -> None:
        self._held: dict[str, Mapping[str, Any]] = {}

    def see(self, answer: bytes) -> None:
        """Look at an answer of the server; what is no list of tools changes nothing."""
        if not self._held and _ASKS not in answer:
            return
        head = head_of(answer)
        result = members(head.result) if head is not None else None
        for tool in parts((result or {}).get("tools", b"")) or ():
            self._take(members(tool) or {})

    def _take(self, tool: Mapping[str, Any]) -> None:
        schema = tool.get("inputSchema", b"")
        try:
            name = value_of(tool.get("name", b"null"))
            value = value_of(schema) if _ASKS in bytes(schema) else None
        except ValueError:
            return
        if not isinstance(name, str):
            return
        self._held.pop(name, None)
        if isinstance(value, dict) and len(self._held) < _MOST:
            self._held[name] = value

    def of(self, tool: str) -> Mapping[str, Any] | None:
        """Return a tool's schema, None where it asks for no header or was never listed."""
        return self._held.get(tool)
