"""What a client sees of a server that uses the library, and that nothing is lost where its author asked for nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp.server.mcpserver import MCPServer
from mcp_types import (
    CallToolResult,
    TextContent,
    ToolAnnotations,
)

from econome.errors import MenuError
from econome.lean import Call, Machine, economy, lean
from tests.lean.library import ERAS, asked, padded, run, shop
from tests.requirements import requirement

pytestmark = requirement("L2", "L4")
DESTRUCTIVE = ToolAnnotations(destructive_hint=True)


def plain() -> MCPServer:
    """Return a server that knows nothing of the library."""
    server = MCPServer("plain")

    @server.tool()
    def greet(name: str, times: int = 1) -> str:
        """Greet somebody, as often as asked."""
        return "\n".join([f"hello {name}"] * times)

    @server.tool()
    def table(rows: int = 2) -> list[dict[str, Any]]:
        """Return a table."""
        return [{"id": at, "even": at % 2 == 0, "share": at / 2} for at in range(rows)]

    @server.tool()
    def nothing() -> None:
        """Return nothing."""

    return server


@ERAS
@requirement("L10")
def test_one_line_loses_nothing_for_a_client_nobody_knows(era: str) -> None:
    async def body() -> None:
        before, after = plain(), plain()
        lean(after)
        async with asked(before, era) as bare, asked(after, era) as leaner:
            old, new = await bare.tools(), await leaner.tools()
            assert [(one.name, one.description, one.output_schema) for one in new] == [
                (one.name, one.description, one.output_schema) for one in old
            ]
            assert len(json.dumps([one.input_schema for one in new])) <= len(
                json.dumps([one.input_schema for one in old])
            )
            for name, arguments in CALLS:
                was, is_ = await bare.call(name, **arguments), await leaner.call(name, **arguments)
                assert is_.structured_content == was.structured_content
                assert is_.is_error == was.is_error
                assert is_.content == was.content or _data(is_) == _data(was)

    run(body)


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("greet", {"name": "Ann", "times": 2}),
    ("greet", {"name": "Ann", "unknown": True}),
    ("greet", {}),
    ("table", {}),
    ("table", {"rows": 40}),
    ("nothing", {}),
    ("no such tool", {}),
)


def test_a_default_that_is_no_number_breaks_nothing() -> None:
    async def body() -> None:
        server = MCPServer("odd")

        @server.tool()
        def spread(least: float = float("nan")) -> str:
            """Spread."""
            return str(least)

        lean(server)
        async with asked(server, "auto") as one:
            assert await one.names() == ["spread"]
            assert await one.said("spread") == ["nan"]

    run(body)


def _data(result: CallToolResult) -> object:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if len(texts) > 1:  # the SDK's block for each item of a list
        return [json.loads(text) for text in texts]
    return json.loads(texts[0])


@given(
    arguments=st.dictionaries(
        st.sampled_from(["name", "times", "x"]), st.none() | st.integers() | st.text()
    )
)
def test_the_menu_of_a_client_nobody_knows_accepts_what_it_accepted(
    arguments: dict[str, Any],
) -> None:
    async def body() -> None:
        for old, new in SCHEMAS:
            assert Draft202012Validator(old).is_valid(arguments) == Draft202012Validator(
                new
            ).is_valid(arguments)

    run(body)


def _schemas() -> list[tuple[Any, Any]]:
    pairs: list[tuple[Any, Any]] = []

    async def body() -> None:
        before, after = plain(), plain()
        lean(after)
        async with asked(before, "auto") as bare, asked(after, "auto") as leaner:
            pairs.extend(
                (old.input_schema, new.input_schema)
                for old, new in zip(await bare.tools(), await leaner.tools(), strict=True)
            )

    run(body)
    return pairs


SCHEMAS = _schemas()


def billing(*, destructive: bool) -> MCPServer:
    server = MCPServer("billing")

    @server.tool()
    def get_invoice(id: str) -> str:  # noqa: A002
        """Retrieve an invoice by ID"""  # noqa: D400
        return id

    def refund(id: str, amount_cents: int) -> str:  # noqa: A002
        """Refund an invoice"""  # noqa: D400
        return f"{id}: {amount_cents}"

    server.add_tool(refund, annotations=DESTRUCTIVE if destructive else None)

    @server.tool()
    def list_invoices() -> str:
        """List the tenant invoices"""  # noqa: D400
        return "none"

    padded(server)
    lean(server, menu="grouped")
    return server


@ERAS
@requirement("LC2")
def test_a_destructive_action_is_marked_in_the_table_of_its_group(era: str) -> None:
    async def body() -> None:
        async with asked(billing(destructive=True), era) as one:
            (tool,) = await one.tools()
            assert tool.description is not None
            assert tool.description.splitlines()[-12:-8] == [
                "billing actions|desc|required",
                "get_invoice|Retrieve an invoice by ID|id",
                "refund!|Refund an invoice|id,amount_cents",
                "list_invoices|List the tenant invoices|-",
            ]
            assert tool.annotations is not None
            assert tool.annotations.destructive_hint is True
            assert await one.said("billing", action="refund", id="i1", amount_cents=5) == ["i1: 5"]
            assert await one.said("refund", id="i1", amount_cents=5) == ["i1: 5"]
        async with asked(billing(destructive=False), era) as one:
            (tool,) = await one.tools()
            assert tool.description is not None
            assert "refund!" not in tool.description

    run(body)


def tagged(**options: Any) -> tuple[MCPServer, list[str]]:
    """Return a server of two parts of one namespace, each action with tags, guards and limits of its own."""
    server, ran = MCPServer("office"), list[str]()

    def only_boss(call: Call) -> str | None:
        return None if call.principal == "boss" else "for the boss alone"

    async def never_zero(call: Call) -> str | None:
        return "id must not be 0" if call.arguments.get("id") == 0 else None

    @server.tool()
    @economy(namespace="users", tags=["read", "users"], limit=1, more=False)
    def list_users() -> list[dict[str, Any]]:
        """List users."""
        ran.append("list_users")
        return [
            {"id": at, "name": f"user number {at} of the office", "desk": f"D{at}"}
            for at in range(9)
        ]

    @server.tool()
    @economy(namespace="users", tags=["users"], guards=[only_boss, never_zero])
    def delete_user(id: int) -> str:  # noqa: A002
        """Delete a user."""
        ran.append("delete_user")
        return f"{id} deleted"

    padded(server, namespace="users", tags=["users", "read"])
    lean(server, **options)
    return server, ran


@ERAS
@pytest.mark.parametrize("menu", ["flat", "grouped", "signatures", "lean"])
@requirement("LC11")
def test_each_action_of_a_group_keeps_its_own_guards_and_limits(era: str, menu: str) -> None:
    async def body() -> None:
        who = [""]
        server, ran = tagged(menu=menu, principal=lambda ctx: who[0])
        async with asked(server, era) as one:
            flat = menu == "flat"
            delete = ("delete_user", {}) if flat else ("users", {"action": "delete_user"})
            listing = ("list_users", {}) if flat else ("users", {"action": "list_users"})
            for name, extra in (delete, ("delete_user", {})):
                assert await one.said(name, **extra, id=3) == ["!delete_user: for the boss alone"]
            assert ran == []
            who[0] = "boss"
            assert await one.said(delete[0], **delete[1], id=0) == [
                "!delete_user: id must not be 0"
            ]
            assert await one.said(delete[0], **delete[1], id=3) == ["3 deleted"]
            (note, *_) = await one.said(listing[0], **listing[1])
            assert note.startswith("[cut] 1 of 9 shown, 8 hidden.")
            assert ran == ["delete_user", "list_users"]

    run(body)


@ERAS
@pytest.mark.parametrize(
    "chosen",
    [
        {"tags": ["read", "users"]},
        {"any_tag": ["read", "other"]},
        {"exclude": ["nothing", "write"]},
    ],
    ids=["tags", "any_tag", "exclude"],
)
@pytest.mark.parametrize("menu", ["flat", "grouped"])
@requirement("LC11")
def test_a_tool_that_its_tags_leave_out_is_refused_by_name(
    era: str, chosen: dict[str, Any], menu: str
) -> None:
    async def body() -> None:
        server, ran = tagged(menu=menu, **chosen)
        if "exclude" in chosen:
            server, ran = tagged(menu=menu, exclude=["users"])
        async with asked(server, era) as one:
            assert "delete_user" not in json.dumps(
                [tool.model_dump() for tool in await one.tools()]
            )
            for name, extra in (("delete_user", {}), ("users", {"action": "delete_user"})):
                result = await one.call(name, **extra, id=3)
                assert result.is_error
            assert ran == []

    run(body)


def shop_without_machine() -> None:
    server = MCPServer("shop")

    @server.tool()
    @economy(states=["empty"])
    def add() -> str:
        """Add."""
        return ""

    lean(server)


def test_what_a_tool_asks_for_in_vain_is_refused_at_once() -> None:
    with pytest.raises(MenuError, match=r"no machine"):
        shop_without_machine()
    with pytest.raises(MenuError, match=r"^add: state empty: the machine has none"):
        shop(Machine("other", {"other": {}}))
    server = MCPServer("twins")
    for namespace in ("one", "two"):
        padded(server, 8, prefix=namespace, namespace=namespace)
    padded(server, 1, prefix="three", namespace="three", name="one")
    with pytest.raises(MenuError, match=r"would both show a tool one"):
        lean(server, menu="grouped")
    with pytest.raises(MenuError, match=r"give a list of names"):
        economy(states="empty")
