"""Servers of every kind that use the library: low-level ones, handles of their own, tools that come later."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from econome.errors import MenuError
from econome.lean import Economy, Machine, economy, lean
from tests.lean.library import CLAUDE, ERAS, STRANGER, asked, cart, padded, run, shop
from tests.requirements import requirement

pytestmark = requirement("L4", "L10")

SERVERS = Path(__file__).parent / "servers"


@requirement("L10")
@pytest.mark.slow
def test_one_line_serves_claude_code_over_standard_input_and_output() -> None:
    async def body() -> None:
        command = StdioServerParameters(
            command=sys.executable, args=[str(SERVERS / "desk.py")], cwd=str(SERVERS)
        )
        for era in ("legacy", "auto"):
            async with asked(command, era, CLAUDE) as one:
                assert await one.names() == ["rows"]
                result = await one.call("rows", number=20)
                assert result.structured_content is None
                (block,) = result.content
                assert isinstance(block, TextContent)
                whole = json.dumps([{"id": at, "square": at * at} for at in range(20)])
                assert len(block.text) < len(whole) / 2

    run(body)


@ERAS
def test_a_low_level_server_with_pages_is_served_by_names(era: str) -> None:
    ran: list[Any] = []

    async def pages(ctx: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        schema = {"type": "object", "properties": {"id": {"type": "string"}}}
        at = int(params.cursor) if params is not None and params.cursor else 0
        tool = Tool(name=f"t{at}", description=f"Tool {at}.", input_schema=schema)
        return ListToolsResult(tools=[tool], next_cursor=str(at + 1) if at < 2 else None)

    async def called(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        ran.append((params.name, params.arguments))
        return CallToolResult(content=[TextContent(type="text", text="done")])

    server: Server[Any] = Server("low", on_list_tools=pages, on_call_tool=called)
    machine = Machine("shut", {"shut": {"OPEN": "open"}, "open": {}}, handle="id", adopt=True)
    lean(
        server,
        machine=machine,
        tools={"t0": Economy(states=["shut"], event="OPEN"), "t1": Economy(states=["open"])},
    )

    async def body() -> None:
        async with asked(server, era) as one:
            assert await one.names() == ["t0", "t1", "t2"]
            assert await one.said("t1", id="a") == [
                "!t1: closed in state shut. Open now: t0, t2. Then: t0 opens t1."
            ]
            assert await one.said("t0", id="a") == ["done"]
            assert await one.said("t1", id="a") == ["done"]
            assert await one.said("t1", id="b") == [
                "!t1: closed in state shut. Open now: t0, t2. Then: t0 opens t1."
            ]
            assert ran == [("t0", {"id": "a"}), ("t1", {"id": "a"})]

    run(body)


@ERAS
def test_a_tool_that_is_added_later_is_offered_and_bound(era: str) -> None:
    async def body() -> None:
        server, ran = shop()
        async with asked(server, era) as one:
            await one.tools()

            @server.tool()
            @economy(namespace="cart", states=["confirmed"])
            def receipt() -> str:
                """Print the receipt."""
                ran.append("receipt")
                return "thanks"

            (refused,) = await one.said("receipt")
            assert refused.startswith("!receipt: closed in state empty.")
            assert ran == []

    run(body)


def test_a_tools_own_argument_is_never_taken_for_the_librarys() -> None:
    server = MCPServer("flow")

    @server.tool()
    @economy(states=["empty"])
    def add(workflow: str) -> str:
        """Add."""
        return workflow

    with pytest.raises(
        MenuError, match=r"^add: has an argument workflow; name it as the machine's"
    ):
        lean(server, machine=cart())


def own_handles() -> tuple[MCPServer, list[str]]:
    """Return a server whose carts have numbers of their own."""
    server, ran = MCPServer("shop"), list[str]()

    @server.tool()
    @economy(states=["empty", "has_items"], event="ADD")
    def add(item: str, cart_id: str | None = None) -> dict[str, str]:
        """Add an item; without a cart, to a new one."""
        ran.append(item)
        return {"cart_id": cart_id or f"cart-{len(ran)}", "added": item}

    @server.tool()
    @economy(states=["has_items"], event="CHECKOUT")
    def checkout(cart_id: str) -> str:
        """Check out."""
        ran.append(cart_id)
        return "to pay"

    @server.tool()
    def open_cart() -> dict[str, str]:
        """Open an empty cart."""
        return {"cart_id": "opened"}

    lean(server, machine=cart(handle="cart_id"))
    return server, ran


@ERAS
def test_a_handle_of_the_tools_own_names_the_workflow(era: str) -> None:
    async def body() -> None:
        for client in (CLAUDE, STRANGER):
            server, ran = own_handles()
            async with asked(server, era, client) as one:
                shown = json.dumps([tool.model_dump() for tool in await one.tools()])
                assert "workflow" not in shown
                first = await one.call("add", item="hat")
                assert not first.is_error
                assert await one.said("checkout", cart_id="cart-9") == [
                    "!checkout: no workflow has this cart_id; leave cart_id out to begin one."
                ]
                assert await one.said("checkout", cart_id="cart-1") == ["to pay"]
                assert ran == ["hat", "cart-1"]
                await one.call("open_cart")
                assert not (await one.call("add", item="scarf", cart_id="opened")).is_error
                assert await one.said("checkout", cart_id="opened") == ["to pay"]

    run(body)


@ERAS
def test_what_one_principal_is_shown_opens_nothing_to_another(era: str) -> None:
    who, ran = ["ann"], list[str]()
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}

    async def shown(ctx: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        names = ["unlock", "walk"] if who[0] == "ann" else ["unlock"]
        return ListToolsResult(tools=[Tool(name=name, input_schema=schema) for name in names])

    async def called(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        ran.append(params.name)
        return CallToolResult(content=[TextContent(type="text", text="done")])

    server: Server[Any] = Server("door", on_list_tools=shown, on_call_tool=called)
    lean(
        server,
        machine=Machine("shut", {"shut": {"GO": "open"}, "open": {}}, handle="id", adopt=True),
        tools={"unlock": Economy(states=["shut"], event="GO"), "walk": Economy(states=["open"])},
        principal=lambda ctx: who[0],
    )

    async def body() -> None:
        async with asked(server, era) as one:
            assert await one.names() == ["unlock", "walk"]
            who[0] = "bob"
            assert await one.names() == ["unlock"]
            who[0] = "ann"
            (refused,) = await one.said("walk", id="a")
            assert refused.startswith("!walk: closed in state shut.")
            assert ran == []

    run(body)


@pytest.mark.parametrize("said, names", [(None, 9), ("true", 9), ("false", 1)])
def test_where_claude_code_searches_for_tools_each_stays_one(
    said: str | None, names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ENABLE_TOOL_SEARCH", raising=False)
    if said is not None:
        monkeypatch.setenv("ENABLE_TOOL_SEARCH", said)
    server = MCPServer("office")
    padded(server, 9)
    lean(server)

    async def body() -> None:
        async with asked(server, "auto", CLAUDE) as one:
            assert len(await one.names()) == names

    run(body)


@ERAS
def test_a_server_that_lists_no_tools_is_left_alone(era: str) -> None:
    async def called(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        # The SDK's client asks for the list itself, but of a failed call.
        text = TextContent(type="text", text=f"{params.name} failed")
        return CallToolResult(content=[text], is_error=True)

    server: Server[Any] = Server("silent", on_call_tool=called)
    lean(server)

    async def body() -> None:
        async with asked(server, era) as one:
            assert await one.said("anything") == ["!anything failed"]
            with pytest.raises(MCPError):
                await one.tools()

    run(body)
