"""What the author of a server is told when it is built, and how clients are served beside those that are named."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Annotated, Any

import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp_types import ListToolsResult, Tool
from pydantic import BaseModel, Field

from econome.errors import MenuError
from econome.lean import Answer, Economy, economy, lean
from tests.lean.library import CLAUDE, CLIENTS, STRANGER, asked, padded, run
from tests.requirements import requirement

PAGE = Path(__file__).parent.parent.parent / "docs" / "lean.md"

pytestmark = requirement("L8", "L10", "L11")


class Row(BaseModel):
    id: int
    customer: str
    status: str
    cents: int


def office(**options: Any) -> MCPServer:
    server = MCPServer("office")
    padded(server, 9)
    lean(server, **options)
    return server


@pytest.mark.parametrize("searching", ["true", "false"])
@pytest.mark.parametrize(
    "clients",
    [
        {"foo": {"text": True, "menu": "auto"}},
        {"claude-code": {"text": True}},
        {"claude-desktop": {"menu": "lean"}},
        {"*": {"text": True}},
    ],
)
def test_naming_a_client_changes_nothing_for_one_that_is_known(
    searching: str, clients: dict[str, dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENABLE_TOOL_SEARCH", searching)

    async def body() -> None:
        async with (
            asked(office(), "auto", CLAUDE) as before,
            asked(office(clients=clients), "auto", CLAUDE) as after,
        ):
            assert await after.tools() == await before.tools()

    run(body)


@pytest.mark.parametrize("name", ["claude-code", "*"])
def test_what_is_said_of_a_known_client_is_done(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENABLE_TOOL_SEARCH", raising=False)

    async def body() -> None:
        async with asked(office(clients={name: {"menu": "auto"}}), "auto", CLAUDE) as one:
            assert await one.names() == ["office"]

    run(body)


def rows_server() -> MCPServer:
    server = MCPServer("desk")

    @server.tool()
    @economy(select=True, table=False)
    def listing() -> list[Row]:
        """List rows."""
        return [Row(id=1, customer="Ann", status="open", cents=5)]

    @server.tool()
    @economy(select=True, table=False)
    def one() -> Row:
        """Show a row."""
        return Row(id=1, customer="Ann", status="open", cents=5)

    @server.tool()
    @economy(select=True, table=False)
    def loose() -> list[dict[str, Any]]:
        """List what there is."""
        return [{"id": 1, "customer": "Ann"}]

    @server.tool()
    @economy(select=True, table=False, output=list[Row])
    def said() -> Answer:
        """List rows, with a note."""
        return Answer([{"id": 1, "customer": "Ann", "status": "open", "cents": 5}], note="new")

    return server


@CLIENTS
def test_select_is_offered_where_the_fields_are_known_and_it_pays(client: str) -> None:
    server = rows_server()
    made = lean(server)

    async def body() -> None:
        async with asked(server, "auto", client) as here:
            offered = [
                tool.name
                for tool in await here.tools()
                if "_select" in tool.input_schema.get("properties", {})
            ]
            assert offered == ["listing", "said"]
            assert await here.said("said", _select=["id"]) == ["new", '[{"id":1}]']

    run(body)
    assert made.shown is not None
    first, second = made.shown.notes
    assert first.startswith("one: _select is not offered: it costs ")
    assert second.startswith(
        "loose: _select is not offered: the fields of its answer are not known"
    )
    assert str(made.shown).splitlines()[1:] == [first, second]
    assert f"{first}\n{second}\n" in PAGE.read_text(encoding="utf-8")


@CLIENTS
@pytest.mark.parametrize("menu", ["flat", "grouped"])
def test_fields_that_are_not_known_are_those_that_the_answer_has(client: str, menu: str) -> None:
    server = rows_server()
    padded(server, 9)
    lean(server, menu=menu)

    async def body() -> None:
        async with asked(server, "auto", client) as here:

            async def said(name: str, **arguments: Any) -> list[str]:
                if menu == "grouped":
                    return await here.said("desk", action=name, **arguments)
                return await here.said(name, **arguments)

            assert await said("loose", _select=["id"]) == ['[{"id":1}]']
            remark, data = await said("loose", _select=["nope"])
            assert remark == "_select: no such field: nope; choose from: id, customer. All is sent."
            assert json.loads(data) == [{"id": 1, "customer": "Ann"}]
            if menu == "grouped":
                assert await said("form_1", customer="7", _select=["id"]) == [
                    "!form_1: takes no _select; leave it out"
                ]

    run(body)


def test_the_fields_of_a_tool_that_is_named_are_those_of_its_function() -> None:
    server = MCPServer("desk")

    def listing() -> list[Row]:
        return []

    server.add_tool(listing, structured_output=False)
    lean(server, tools={"listing": Economy(select=True)})

    async def body() -> None:
        async with asked(server, "auto", CLAUDE) as here:
            (tool,) = await here.tools()
            assert tool.input_schema["properties"]["_select"]["items"]["enum"] == [
                "cents",
                "customer",
                "id",
                "status",
            ]

    run(body)


def test_options_for_a_tool_that_there_is_not_are_refused_at_once() -> None:
    server = MCPServer("desk")
    padded(server, 2)
    with pytest.raises(MenuError) as caught:
        lean(server, tools={"nosuch": Economy(limit=3)})
    assert str(caught.value) == "tools: desk has no tool nosuch; it has: form_0, form_1"
    with pytest.raises(MenuError, match=r"no machine"):
        lean(server, tools={"form_0": Economy(states=["empty"])})


def test_where_the_tools_are_known_late_a_name_in_vain_is_a_warning_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def tools(ctx: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name="real", input_schema={"type": "object"})])

    server: Server[Any] = Server("low", on_list_tools=tools)
    lean(server, tools={"real": Economy(table=False), "nosuch": Economy()})

    async def body() -> None:
        for client in (CLAUDE, STRANGER):
            async with asked(server, "auto", client) as one:
                assert await one.names() == ["real"]

    with caplog.at_level(logging.WARNING, "econome.lean"):
        run(body)
    assert [one.getMessage() for one in caplog.records if one.name.startswith("econome")] == [
        "tools: low has no tool nosuch; it has: real"
    ]


@pytest.mark.parametrize("server", [object(), None, MCPServer, "shop"])
def test_what_is_no_server_is_refused_with_what_is_taken(server: object) -> None:
    with pytest.raises(TypeError, match=r"^lean takes an MCPServer .* FastMCP 4 server, not "):
        lean(server)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"menu": "small"}, "menu 'small': expected one of auto, flat, "),
        ({"clients": {"foo": {"menu": "small"}}}, "clients: foo: menu='small': a client has "),
        ({"clients": {"foo": {"text": 1}}}, "clients: foo: text=1: a client has text=True or "),
        ({"clients": {"foo": {"limit": 3}}}, "clients: foo: limit=3: a client has text=True or "),
    ],
)
def test_what_cannot_be_served_is_refused_before_any_tool_is_known(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(MenuError) as caught:
        lean(MCPServer("desk"), **options)
    assert str(caught.value).startswith(said)


def test_a_server_is_made_lean_once() -> None:
    server = MCPServer("desk")
    lean(server)
    with pytest.raises(MenuError, match=r"^desk: lean was called for this server before"):
        lean(server, limit=3)


def test_what_a_menu_costs_is_told_before_anyone_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_TOOL_SEARCH", "false")
    server = MCPServer("office")
    padded(server, 9)
    made = lean(server)
    assert made.shown is not None
    assert made.shown.after < made.shown.before
    assert str(made.shown) == (
        f"{made.shown.before} tokens of menu a turn became {made.shown.after}"
    )
    assert lean(MCPServer("empty")).shown is None


@requirement("L1")
def test_a_group_whose_actions_stand_in_sentences_says_so() -> None:
    server = MCPServer("office")
    for name in ("one", "two", "three"):

        def file(
            year: Annotated[int, Field(description="The year of the books, four digits.")] = 2026,
        ) -> str:
            return str(year)

        server.add_tool(file, name=name, description="")
    made = lean(server, menu="grouped")
    assert made.shown is not None
    assert made.shown.notes == ("office: its actions stand in sentences, a table would be longer",)


def test_the_cost_of_answers_is_known_by_the_kind_of_their_blocks() -> None:
    server = rows_server()
    made = lean(server, tokens="chars/4")

    async def body() -> None:
        async with asked(server, "auto", CLAUDE) as here:
            for _ in range(3):
                await here.call("said")

    run(body)
    assert made.sizes == {"note": 3, "data": 3 * 14}


def test_the_title_that_the_sdk_gives_arguments_keeps_no_tool_out_of_a_group() -> None:
    server = MCPServer("office")
    padded(server, 9, prefix="other")

    def settle(number: int) -> str:
        return str(number)

    server.add_tool(settle, name="pay_bill", description="Pay.")
    lean(server, menu="grouped")

    async def body() -> None:
        async with asked(server, "auto", STRANGER) as one:
            assert await one.names() == ["office"]

    run(body)
