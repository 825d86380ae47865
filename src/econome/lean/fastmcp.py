"""FastMCP 4 servers: they run on the SDK's low-level server, and know the functions of their tools by another door."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["function_of"]


def function_of(server: Any) -> Callable[[str], Awaitable[object]]:
    """Return what finds the function of a FastMCP server's tool by its name, None where it has none."""

    async def function(name: str) -> object:
        tool = await server.get_tool(name)
        return getattr(tool, "fn", None)

    return function
