"""`_select` in a server that uses the library: what is narrowed, what is not, and what is refused."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

from econome.lean import Seen, economy, lean
from tests.lean.library import CLIENTS, ERAS, STRANGER, asked, padded, run, texts
from tests.requirements import requirement

pytestmark = requirement("L8")

INVOICE = {"id": 7, "status": "paid", "amount": 120, "client": {"name": "Ann"}, "secret": "s3"}
WHOLE = {"id": 7, "status": "paid", "amount": 120, "client": {"name": "Ann"}}


class Client(BaseModel):
    name: str


class Record(BaseModel):
    id: int
    status: str
    amount: int
    client: Client


def hearing(got: list[dict[str, Any]]) -> Any:
    """Return a middleware that notes the arguments of every call that reaches the server."""

    async def noting_arguments(ctx: Any, call_next: Any) -> Any:
        if ctx.method == "tools/call":
            got.append(dict(ctx.params["arguments"]))
        return await call_next(ctx)

    return noting_arguments


def invoices(seen: list[Any], got: list[dict[str, Any]]) -> MCPServer:
    """Return a server of one invoice: *seen* is what its rules and interface see, *got* the arguments that reach it."""

    def noting(found: Seen) -> list[str]:
        seen.append(found.data)
        return []

    server = MCPServer("desk")

    @server.tool()
    @economy(select=["id", "status", "amount", "client"], table=False, rules=noting, ui=noting)
    def invoice() -> Record:
        """Show the invoice."""
        return INVOICE  # type: ignore[return-value]

    lean(server)
    server.middleware.append(hearing(got))
    return server


@ERAS
@CLIENTS
@requirement("LC6")
def test_select_narrows_the_data_and_nothing_else(era: str, client: str) -> None:
    async def body() -> None:
        seen, got = list[Any](), list[dict[str, Any]]()
        async with asked(invoices(seen, got), era, client) as one:

            async def data(*select: Any) -> Any:
                arguments = {"_select": select[0]} if select else {}
                result = await one.call("invoice", **arguments)
                assert not result.is_error
                (said,) = texts(result)
                assert "s3" not in said
                if client == STRANGER:
                    assert result.structured_content == json.loads(said)
                return json.loads(said)

            for selection, wanted in (
                (["status"], {"status": "paid"}),
                (["client"], {"client": {"name": "Ann"}}),
                (["client.name"], {"client": {"name": "Ann"}}),
                (["id", "amount"], {"id": 7, "amount": 120}),
            ):
                assert await data(selection) == wanted
            assert await data() == WHOLE
            ignoring: tuple[Any, ...] = ([], "status", ["status", 1], None, {})
            for ignored in ignoring:
                assert await data(ignored) == WHOLE
            assert seen == [WHOLE] * 20
            assert got == [{}] * 10

    run(body)


@ERAS
@CLIENTS
@requirement("LC6")
def test_an_unknown_field_is_answered_with_those_there_are_before_anything_runs(
    era: str, client: str
) -> None:
    async def body() -> None:
        seen, got = list[Any](), list[dict[str, Any]]()
        async with asked(invoices(seen, got), era, client) as one:
            assert await one.said("invoice", _select=["nope"]) == [
                "!_select: no such field: nope; choose from: id, status, amount, client"
            ]
            assert got == []
            remark, *_ = await one.said("invoice", _select=["client.age"])
            assert remark == (
                "_select: no such field: client.age; choose from: id, status, amount, client. All is sent."
            )
            assert got == [{}]

    run(body)


@requirement("LC6")
def test_the_output_schema_of_a_client_that_keeps_it_fits_a_narrowed_answer() -> None:
    async def body() -> None:
        async with asked(invoices([], []), "auto", STRANGER) as one:
            (tool,) = await one.tools()
            assert tool.output_schema is not None
            assert "required" not in json.dumps(tool.output_schema)
            assert tool.output_schema["properties"].keys() == {"id", "status", "amount", "client"}

    run(body)


def two_tools(menu: str | None = None) -> MCPServer:
    server = MCPServer("desk")

    @server.tool()
    @economy(select=["b", "a"])
    def first() -> dict[str, Any]:
        """First."""
        return {"a": 1, "b": 2}

    @server.tool()
    @economy(select=["c"])
    def second(size: int = 1) -> dict[str, Any]:
        """Second."""
        return {"c": 3}

    @server.tool()
    def third() -> dict[str, Any]:
        """Third."""
        return {"d": 4}

    if menu is not None:
        padded(server)
    lean(server, menu=menu)
    return server


@ERAS
@requirement("LC7")
def test_the_fields_to_choose_from_are_the_tools_own_or_those_of_a_whole_group(era: str) -> None:
    async def body() -> None:
        async with asked(two_tools(), era) as one:
            offered = {
                tool.name: tool.input_schema.get("properties", {}).get("_select")
                for tool in await one.tools()
            }
            assert offered == {
                "first": {"type": "array", "items": {"enum": ["a", "b"]}},
                "second": {"type": "array", "items": {"enum": ["c"]}},
                "third": None,
            }
        async with asked(two_tools("grouped"), era) as one:
            (tool,) = await one.tools()
            assert tool.input_schema["properties"]["_select"] == {
                "type": "array",
                "items": {"enum": ["a", "b", "c"]},
            }
            (said,) = await one.said("desk", action="first", _select=["c"])
            assert said == "!_select: no such field: c; choose from: b, a"
            (said,) = await one.said("desk", action="first", size=3)
            assert said.startswith("!")
            assert "size" in said
            (said,) = await one.said("desk", action="second", size=3, _select=["c"])
            assert not said.startswith("!")

    run(body)


@ERAS
def test_a_select_that_does_not_pay_is_not_offered_and_still_never_reaches_the_tool(
    era: str,
) -> None:
    got = list[dict[str, Any]]()
    server = MCPServer("desk")

    @server.tool()
    @economy(select=True, table=False)
    def first() -> Record:
        """First."""
        return INVOICE  # type: ignore[return-value]

    lean(server)
    server.middleware.append(hearing(got))

    async def body() -> None:
        async with asked(server, era) as one:
            (tool,) = await one.tools()
            assert "_select" not in json.dumps(tool.input_schema)
            assert await one.said("first", _select=["id"]) == ['{"id":7}']
            assert got == [{}]

    run(body)


@ERAS
@CLIENTS
@requirement("LC6")
def test_a_declared_field_that_an_answer_lacks_is_absent(era: str, client: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    @economy(select=["id", "nickname", "client"], table=False)
    def found(number: int) -> list[dict[str, Any]]:
        """Find records."""
        return [{"id": at, "client": None} for at in range(number)]

    lean(server)

    async def body() -> None:
        async with asked(server, era, client) as one:
            for number in (0, 2):
                for select, narrow in ((["nickname"], {}), (["client.name"], {"client": None})):
                    result = await one.call("found", number=number, _select=select)
                    assert not result.is_error
                    (said,) = texts(result)
                    assert json.loads(said) == [narrow] * number
                    if client == STRANGER:
                        assert result.structured_content == {"result": [narrow] * number}

    run(body)
