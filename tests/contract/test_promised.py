"""A server with the library tells its contract to who asks for it, and to nobody else, whatever is shown to them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from econome.contract.capture import capture
from econome.contract.captured import Captured
from econome.contract.sources import Source
from econome.lean import Call, Economy, Machine, Seen, economy, lean
from econome.lean.offering import Declared
from econome.lean.outputs import Output
from econome.lean.promised import promised, wants_promise
from tests.lean.library import CLIENTS, ERAS, asked, run, shop
from tests.lean.test_library_http import served
from tests.requirements import requirement

pytestmark = requirement("L16")

KEY = "econome/contract"
WANTED: Any = {KEY: True}
MACHINE = {
    "initial": "empty",
    "states": {
        "empty": {"ADD": "has_items"},
        "has_items": {"CHECKOUT": "payment"},
        "payment": {"PAY": "confirmed"},
        "confirmed": {},
    },
    "handle": None,
    "argument": "workflow",
    "adopt": False,
    "follow": False,
}
SHOP = {
    "add": {
        "namespace": "cart",
        "states": ["empty", "has_items"],
        "event": "ADD",
        "short": "Put an item into the cart.",
    },
    "checkout": {"namespace": "cart", "states": ["has_items"], "event": "CHECKOUT"},
    "pay": {"namespace": "cart", "states": ["payment"], "event": "PAY"},
    "settle_bill": {"namespace": "cart", "states": ["payment"], "event": "PAY"},
    "view": {"namespace": "cart"},
}
SERVER = str(Path(__file__).parent / "servers" / "economical.py")


def _tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


def _promise(economy: Economy, machine: Machine | None = None) -> dict[str, Any]:
    """Return what is told of one tool with an economy."""
    one = Declared(_tool("one"), economy.filled(Economy()), Output())
    contract = promised([one], machine, "shop")[KEY]
    assert contract["tools"] == [_tool("one")]
    told: dict[str, Any] = contract["economies"]["one"]
    return told


def _refusing(call: Call) -> None:
    """Let everything pass."""


def _lines(seen: Seen) -> list[str]:
    return ["made of the data"]


def _of_the_row(row: Any) -> list[str]:
    return ["made of the row"]


async def _listed(one: Any, meta: Any = None) -> ListToolsResult:
    found: ListToolsResult = await one.client.list_tools(cache_mode="bypass", meta=meta)
    return found


@ERAS
@CLIENTS
def test_the_contract_is_told_to_who_asks_and_to_nobody_else(era: str, client: str) -> None:
    async def body() -> None:
        server, _ = shop(menu="grouped")
        async with asked(server, era, client) as one:
            plain, told = await _listed(one), await _listed(one, WANTED)
            assert KEY not in (plain.meta or {})
            assert told.tools == plain.tools
            contract = (told.meta or {})[KEY]
            assert {key: value for key, value in (told.meta or {}).items() if key != KEY} == (
                plain.meta or {}
            )
            assert (contract["economies"], contract["machine"]) == (SHOP, MACHINE)
            assert [tool["name"] for tool in contract["tools"]] == sorted(SHOP)

    run(body)


def test_the_tools_of_a_contract_are_those_of_the_server_without_the_library() -> None:
    async def body() -> None:
        bare = MCPServer("bare")
        made = MCPServer("bare")
        for server in (bare, made):

            @server.tool()
            @economy(limit=3, select=True, short="Rows.", states=["a"])
            def rows(count: int = 3) -> list[dict[str, int]]:
                """List so many rows, each with its number."""
                return [{"id": at} for at in range(count)]

        lean(made, machine=Machine("a", {"a": {}}), menu="lean")
        async with asked(bare, "legacy") as one, asked(made, "legacy") as other:
            expected = [
                tool.model_dump(by_alias=True, exclude_none=True, mode="json")
                for tool in (await _listed(one)).tools
            ]
            told = await _listed(other, WANTED)
            contract = (told.meta or {})[KEY]
            assert contract["tools"] == expected
            assert [tool.name for tool in told.tools] != ["rows"]

    run(body)


@ERAS
def test_a_contract_has_all_pages_and_what_a_state_hides(era: str) -> None:
    async def pages(ctx: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        at = int(params.cursor) if params is not None and params.cursor else 0
        tool = Tool(name=f"t{2 - at}", input_schema={"type": "object"})
        return ListToolsResult(tools=[tool], next_cursor=str(at + 1) if at < 2 else None)

    async def called(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text="done")])

    server: Server[Any] = Server("low", on_list_tools=pages, on_call_tool=called)
    machine = Machine("shut", {"shut": {"OPEN": "open"}, "open": {}}, follow=True, handle="id")
    lean(
        server,
        machine=machine,
        tools={
            "t0": Economy(states=["shut"], event="OPEN"),
            "t1": Economy(states=["open"], tags=["b", "a"]),
            "t2": Economy(tags=["secret"]),
        },
        exclude=["secret"],
    )

    async def body() -> None:
        async with asked(server, era) as one:
            told = await _listed(one, WANTED)
            shown = ["t0"] if era == "legacy" else ["t0", "t1"]
            assert sorted(tool.name for tool in told.tools) == shown
            assert (told.meta or {})[KEY] == {
                "tools": [_tool("t0"), _tool("t1")],
                "economies": {
                    "t0": {"states": ["shut"], "event": "OPEN", "namespace": "low"},
                    "t1": {"states": ["open"], "tags": ["a", "b"], "namespace": "low"},
                },
                "machine": {
                    "initial": "shut",
                    "states": {"shut": {"OPEN": "open"}, "open": {}},
                    "handle": "id",
                    "argument": "id",
                    "adopt": False,
                    "follow": True,
                },
            }

    run(body)


def test_each_economy_that_is_set_is_told_by_its_name() -> None:
    whole = Economy(
        limit=5,
        rows="items",
        max_bytes=900,
        more=True,
        repeats=True,
        select=["b", "a"],
        table=False,
        states=["z", "a"],
        event="GO",
        rules=("Never.",),
        row_rules=_of_the_row,
        ui=_lines,
        suggestions=["then: that"],
        invalidates=["y", "x"],
        tags=("t", "s"),
        short="Short.",
        guards=[_refusing, _refusing],
        namespace="own",
    )
    assert _promise(whole) == {
        "limit": 5,
        "rows": "items",
        "max_bytes": 900,
        "more": True,
        "repeats": True,
        "select": ["b", "a"],
        "table": False,
        "states": ["a", "z"],
        "event": "GO",
        "short": "Short.",
        "tags": ["s", "t"],
        "namespace": "own",
        "rules": "static:37e9ef5bf7f6ce7f64c8643b22579fed5149604f4f9b1e17fadbb8c47d28679c",
        "row_rules": "dynamic",
        "ui": "dynamic",
        "suggestions": "static:487e83bf4c541eb7c56f5c4279d19852d238d47cece472f037805af3f0d9e6c0",
        "invalidates": ["x", "y"],
        "guards": 2,
    }


def test_what_is_not_set_is_not_told() -> None:
    assert _promise(Economy()) == {"namespace": "shop"}
    assert _promise(Economy(more=True, repeats=False, states=[])) == {
        "namespace": "shop",
        "states": [],
    }
    assert _promise(Economy(limit=2, more=False)) == {
        "namespace": "shop",
        "limit": 2,
        "more": False,
    }


def test_texts_are_told_by_a_digest_that_changes_with_each_of_them() -> None:
    found = [
        _promise(Economy(rules=lines))["rules"]
        for lines in (["a", "b"], ["ab"], ["b", "a"], ["a", "b", ""])
    ]
    assert len(set(found)) == 4
    assert found[0] == _promise(Economy(rules=("a", "b")))["rules"]
    assert "secret rule" not in json.dumps(_promise(Economy(rules=["secret rule"])))


def test_the_order_of_registration_changes_nothing() -> None:
    nothing = Economy().filled(Economy())
    tools = [Declared(_tool(name), nothing, Output()) for name in ("b", "c", "a")]
    assert promised(tools, None, "n") == promised(tools[::-1], None, "n")


@pytest.mark.parametrize(
    "params",
    [None, 7, {}, {"_meta": None}, {"_meta": []}, {"_meta": {}}, {"_meta": {KEY: 1}}, {KEY: True}],
)
def test_nothing_but_the_plain_question_asks_for_a_contract(params: Any) -> None:
    assert not wants_promise(params)


@pytest.mark.slow
def test_a_capture_over_pipes_has_it_and_every_run_has_the_same() -> None:
    source = Source("shop", (sys.executable, SERVER))
    first, second = capture(source, version="1"), capture(source, version="1")
    assert first == second
    _holds(first)


def test_a_capture_over_http_has_it() -> None:
    async def body() -> None:
        server, _ = shop(menu="grouped")
        async with served(server) as url:
            _holds(await asyncio.to_thread(capture, Source("shop", url=url), version="1"))

    run(body)


def _holds(found: Captured) -> None:
    assert (found.economies, found.machine) == (SHOP, MACHINE)
    assert [tool["name"] for tool in found.tools] == sorted(SHOP)
    assert [tool["name"] for tool in found.menu] == ["cart"]
