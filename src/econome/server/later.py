"""MCP, made ready beside the rest of the server: importing its SDK takes longer than all else that a start needs.

Where that fails, because the process may open no more files for instance, it is tried anew when somebody asks for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from econome.server.answers import Receive, Scope, Send
from econome.traces import place

if TYPE_CHECKING:
    from econome.server.mcp import Mcp
    from econome.server.tools import Tool

__all__ = ["LaterMcp"]


class LaterMcp:
    """The endpoint `/mcp`; `run` must be going on while it answers."""

    def __init__(self, offered: dict[str, Tool], log: Callable[[str], None]) -> None:
        self._tools, self._log = offered, log
        self._tried, self._wanted = asyncio.Event(), asyncio.Event()
        self._stopping = False
        self._inside: Mcp | None = None

    async def run(self) -> None:
        """Import it and keep its sessions until `stop`; after a failure, when it is asked for again."""
        try:
            while not self._stopping:
                await self._try()
                self._wanted.clear()
                self._tried.set()
                if not self._stopping:
                    await self._wanted.wait()
        finally:
            self._tried.set()

    async def _try(self) -> None:
        try:
            module: Any = await asyncio.to_thread(import_module, "econome.server.mcp")
            self._inside = module.Mcp(self._tools)
            await self._inside.run(self._tried)
        except Exception as error:
            self._log(f"no MCP: {type(error).__name__} at {place(error.__traceback__)}")
        finally:
            self._inside = None

    async def stop(self) -> None:
        """End its sessions."""
        self._stopping = True
        await self._tried.wait()
        if self._inside is not None:
            await self._inside.stop()
        self._wanted.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._tried.wait()
        if self._inside is None and not self._stopping:
            self._tried.clear()
            self._wanted.set()
            await self._tried.wait()
        if self._inside is None:
            raise RuntimeError("MCP could not be made ready")
        await self._inside(scope, receive, send)
