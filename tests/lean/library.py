"""Small servers that use the library, and clients of both eras to ask them: no socket, no process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, Implementation, TextContent, Tool
from pydantic import Field

from econome.lean import Machine, economy, lean

__all__ = [
    "CLAUDE",
    "CLIENTS",
    "ERAS",
    "STRANGER",
    "Asked",
    "asked",
    "cart",
    "failing",
    "padded",
    "run",
    "shop",
    "texts",
]

CLAUDE, STRANGER = "claude-code", "some-client"

ERAS = pytest.mark.parametrize("era", ["legacy", "auto"], ids=["handshake", "2026-07-28"])
"""Both generations of the protocol, by what the SDK's client calls them."""

CLIENTS = pytest.mark.parametrize("client", [CLAUDE, STRANGER])

STATES = {
    "empty": {"ADD": "has_items"},
    "has_items": {"CHECKOUT": "payment"},
    "payment": {"PAY": "confirmed"},
    "confirmed": {},
}


class Asked:
    """A connected client, and what it was told without asking."""

    def __init__(self, client: Client, told: list[str]) -> None:
        self.client, self.told = client, told

    async def tools(self) -> list[Tool]:
        """Return the tools, never from a cache."""
        return list((await self.client.list_tools(cache_mode="bypass")).tools)

    async def names(self) -> list[str]:
        """Return the names of the tools."""
        return [tool.name for tool in await self.tools()]

    async def call(self, name: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        return await self.client.call_tool(name, arguments)

    async def said(self, name: str, /, **arguments: Any) -> list[str]:
        """Call a tool and return its texts, the first one after `!` where it failed."""
        result = await self.call(name, **arguments)
        said = texts(result)
        return [f"!{said[0]}", *said[1:]] if result.is_error else said

    @property
    def changes(self) -> int:
        """How often the client was told that the list changed."""
        return self.told.count("notifications/tools/list_changed")


@asynccontextmanager
async def asked(server: Any, era: str, name: str = STRANGER) -> AsyncIterator[Asked]:
    """Connect a client of that name to *server*."""
    told: list[str] = []

    async def hear(message: Any) -> None:
        told.append(str(getattr(message, "method", type(message).__name__)))

    described = Implementation(name=name, version="1")
    async with Client(server, mode=era, client_info=described, message_handler=hear) as client:
        yield Asked(client, told)


def texts(result: CallToolResult) -> list[str]:
    """Return the texts of a result."""
    return [block.text for block in result.content if isinstance(block, TextContent)]


def run(body: Callable[[], Awaitable[None]]) -> None:
    """Run an asynchronous test to its end."""

    async def whole() -> None:
        await body()

    asyncio.run(whole())


def failing(reason: str) -> ToolError:
    """Return what a tool raises to fail on purpose."""
    return ToolError(reason)


def cart(*, follow: bool = False, handle: str | None = None) -> Machine:
    """Return the machine of a cart."""
    return Machine("empty", STATES, follow=follow, handle=handle)


def shop(machine: Machine | None = None, **options: Any) -> tuple[MCPServer, list[str]]:
    """Return a server with the four actions of a cart, and the list of the handlers that ran."""
    server, ran = MCPServer("shop"), list[str]()

    @server.tool()
    @economy(
        namespace="cart",
        states=["empty", "has_items"],
        event="ADD",
        short="Put an item into the cart.",
    )
    def add(item: str) -> str:
        """Put an item into the cart; its price is fixed for an hour, and it is held for nobody until checkout."""
        ran.append("add")
        if item == "sold out":
            raise failing("sold out")
        return f"{item} added"

    @server.tool()
    @economy(namespace="cart", states=["has_items"], event="CHECKOUT")
    def checkout() -> str:
        """Begin to pay for the cart."""
        ran.append("checkout")
        return "to pay: 12"

    async def settle() -> str:
        ran.append("pay")
        await asyncio.sleep(0)
        return "paid"

    bound = economy(namespace="cart", states=["payment"], event="PAY")(settle)
    server.add_tool(bound, name="pay", description="Pay for the cart.")
    server.add_tool(bound, name="settle_bill", description="The old name of pay.")

    @server.tool()
    @economy(namespace="cart")
    def view() -> str:
        """Show the cart."""
        ran.append("view")
        return "1 item"

    lean(server, machine=machine or cart(), **options)
    return server, ran


def padded(
    server: MCPServer, number: int = 8, *, prefix: str = "form", name: str = "", **options: Any
) -> None:
    """Give a server more tools, so that one tool for all of them costs less than each on its own."""

    def made(named: str) -> None:
        @economy(**options)
        def file(
            customer: Annotated[str, Field(description="The customer's number, as on the letter.")],
            year: Annotated[int, Field(description="The year of the books, four digits.")] = 2026,
        ) -> str:
            return f"{named} {customer} {year}"

        server.add_tool(file, name=named, description=f"File a {named}.")

    for at in range(number):
        made(name or f"{prefix}_{at}")
