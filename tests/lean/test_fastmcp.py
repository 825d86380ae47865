"""The same function on a FastMCP 4 server; where FastMCP is not installed, `make fastmcp` runs these tests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from econome.lean import Machine, economy, lean
from tests.lean.library import CLAUDE, ERAS, STATES, STRANGER, asked, run
from tests.requirements import requirement

fastmcp = pytest.importorskip("fastmcp", minversion="4")

pytestmark = requirement("L4", "L10")

ROWS = [{"id": number, "name": f"row {number}", "open": number % 2 == 0} for number in range(60)]


def server(**options: Any) -> tuple[Any, list[str]]:
    """Return a FastMCP server with a cart and a table."""
    made, ran = fastmcp.FastMCP("shop"), list[str]()

    @economy(states=["empty", "has_items"], event="ADD", short="Put an item into the cart.")
    def add(item: str) -> str:
        """Put an item into the cart; its price is fixed for an hour."""
        ran.append("add")
        return f"{item} added"

    @economy(states=["has_items"], event="CHECKOUT")
    async def checkout() -> str:
        """Begin to pay."""
        ran.append("checkout")
        await asyncio.sleep(0)
        return "to pay: 12"

    @economy(limit=50)
    def rows() -> list[dict[str, Any]]:
        """List the rows."""
        return ROWS

    for tool in (add, checkout, rows):
        made.tool(tool)
    lean(made, machine=Machine("empty", STATES), **options)
    return made, ran


@ERAS
@pytest.mark.parametrize("client", [CLAUDE, STRANGER])
def test_its_tools_are_bound_to_states(era: str, client: str) -> None:
    async def body() -> None:
        made, ran = server()
        async with asked(made._mcp_server, era, client) as one:
            assert await one.said("checkout") == [
                "!checkout: closed in state empty. Open now: add, rows. Then: add opens checkout."
            ]
            said = await one.said("add", item="hat")
            workflow = said[-1].removeprefix("workflow: ")
            answers = await asyncio.gather(
                *(one.said("checkout", workflow=workflow) for _ in range(3))
            )
            assert sum(answer == ["to pay: 12"] for answer in answers) == 1
            assert ran == ["add", "checkout"]

    run(body)


@ERAS
def test_its_menu_is_grouped_for_a_client_that_reads_texts(era: str) -> None:
    async def body() -> None:
        made, _ = server(menu="grouped")
        async with asked(made._mcp_server, era, CLAUDE) as one:
            assert await one.names() == ["shop"]
            said = await one.said("shop", action="add", item="hat")
            assert said[0] == "hat added"

    run(body)


@ERAS
def test_a_client_of_its_own_is_served_too(era: str) -> None:
    async def body() -> None:
        made, _ = server()
        async with fastmcp.Client(made, mode=era) as client:
            names = [tool.name for tool in await client.list_tools()]
            assert names == ["add", "checkout", "rows", "more"]
            result = await client.call_tool("rows", {})
            assert result.content[0].text.startswith("[cut] 50 of 60 shown, 10 hidden.")

    run(body)


@requirement("L16")
@ERAS
def test_its_contract_is_told_to_who_asks_for_it(era: str) -> None:
    async def body() -> None:
        made, _ = server()
        async with asked(made._mcp_server, era) as one:
            wanted: Any = {"econome/contract": True}
            told = await one.client.list_tools(cache_mode="bypass", meta=wanted)
            contract = (told.meta or {})["econome/contract"]
            assert contract["economies"] == {
                "add": {
                    "states": ["empty", "has_items"],
                    "event": "ADD",
                    "short": "Put an item into the cart.",
                    "namespace": "shop",
                },
                "checkout": {"states": ["has_items"], "event": "CHECKOUT", "namespace": "shop"},
                "rows": {"limit": 50, "more": True, "namespace": "shop"},
            }
            assert [tool["name"] for tool in contract["tools"]] == ["add", "checkout", "rows"]
            assert contract["machine"]["states"] == STATES

    run(body)
