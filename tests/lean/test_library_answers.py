"""What a client's model reads of the answers of a server that uses the library, in both eras."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from econome.errors import MenuError
from econome.lean import Answer, Economy, Seen, economy, lean
from tests.lean.library import CLAUDE, CLIENTS, ERAS, STRANGER, asked, run, texts
from tests.requirements import requirement

pytestmark = requirement("L6", "L7", "L8", "L9", "L10", "L11")


def rows(number: int) -> list[dict[str, Any]]:
    return [{"id": at, "name": f"row {at}", "note": "n" * (at % 5)} for at in range(number)]


@ERAS
@CLIENTS
@requirement("LC5")
def test_a_limit_cuts_after_its_last_row_and_says_first_what_is_hidden(
    era: str, client: str
) -> None:
    heard: list[tuple[int | None, int]] = []

    def rules(seen: Seen) -> list[str]:
        heard.append((seen.total, len(seen.data)))
        return [f"there are {seen.total} in all"] if seen.total else []

    server = MCPServer("desk")

    @server.tool()
    @economy(limit=50, more=False, rules=rules, row_rules=lambda row: [f"begins at {row['id']}"])
    def listing(number: int) -> list[dict[str, Any]]:
        """List rows."""
        return rows(number)

    lean(server)

    async def body() -> None:
        async with asked(server, era, client) as one:
            many = await one.call("listing", number=4250)
            note, data, said = texts(many)
            assert note == (
                "[cut] 50 of 4250 shown, 4200 hidden. Narrow the call with a filter or a smaller range."
            )
            assert said == "Rules:\n- begins at 0\n- there are 4250 in all"
            if client == STRANGER:
                assert many.structured_content == {"result": rows(50)}
                assert json.loads(data) == rows(50)
            else:
                assert many.structured_content is None
            exact = texts(await one.call("listing", number=50))
            assert len(exact) == 2
            assert not any("[cut]" in text for text in exact)
            none = await one.call("listing", number=0)
            assert texts(none)[0] == "[]"
            assert len(texts(none)) == 1

    run(body)
    assert heard == [(4250, 50), (50, 50), (0, 0)]


@ERAS
@CLIENTS
@requirement("LC5")
def test_rows_below_a_named_field_are_cut_and_the_rest_is_read_on(era: str, client: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    @economy(limit=2, rows="items")
    def listing() -> dict[str, Any]:
        """List rows."""
        return {"items": rows(5), "columns": ["id", "name", "note"]}

    lean(server)

    async def body() -> None:
        async with asked(server, era, client) as one:
            assert await one.names() == ["listing", "more"]
            note, *_ = await one.said("listing")
            assert note.startswith("[cut] items: 2 of 5 shown, 3 hidden.")
            handle = note.partition('"handle":"')[2].partition('"')[0]
            assert len(handle) == 22
            (page,) = await one.said("more", handle=handle, offset=4)
            assert "row 4" in page
            assert "row 3" not in page
            (refused,) = await one.said("more", handle="nobody's")
            assert refused.startswith("!more: this handle is unknown")

    run(body)


@requirement("LC5")
@pytest.mark.parametrize("options", [{"limit": 0}, {"max_bytes": 0}, {"limit": -1}])
def test_a_limit_below_one_is_refused_when_it_is_declared(options: dict[str, Any]) -> None:
    with pytest.raises(MenuError, match="must be at least 1"):
        economy(**options)
    with pytest.raises(MenuError, match="must be at least 1"):
        lean(MCPServer("desk"), **options)


@ERAS
@CLIENTS
@requirement("LC8")
def test_blocks_come_in_their_order(era: str, client: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    @economy(
        limit=1, more=False, table=False, invalidates=["invoices"], suggestions=["refund: undo it"]
    )
    def pay() -> Answer:
        """Pay."""
        return Answer(
            [{"id": at, "text": "x" * 90} for at in range(5)],
            note="converted",
            ui=["<gauge>"],
            rules=["in cents"],
        )

    lean(server)

    async def body() -> None:
        async with asked(server, era, client) as one:
            assert await one.said("pay") == [
                "Stale now: invoices",
                "[cut] 1 of 5 shown, 4 hidden. Narrow the call with a filter or a smaller range.",
                "converted",
                json.dumps([{"id": 0, "text": "x" * 90}], separators=(",", ":")),
                "<gauge>",
                "Rules:\n- in cents",
                "Next:\n- refund: undo it",
            ]

    run(body)


@ERAS
@CLIENTS
@requirement("LC8")
def test_a_cap_in_bytes_drops_whole_rows_and_keeps_the_rules(era: str, client: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    @economy(max_bytes=1024, more=False, table=False, rules=["Amounts are in cents."])
    def listing() -> list[dict[str, Any]]:
        """List rows."""
        return [{"id": at, "name": f"customer number {at}", "cents": at * 100} for at in range(60)]

    lean(server)

    async def body() -> None:
        async with asked(server, era, client) as one:
            note, data, said = await one.said("listing")
            kept = json.loads(data)
            assert kept == [
                {"id": at, "name": f"customer number {at}", "cents": at * 100}
                for at in range(len(kept))
            ]
            assert 0 < len(kept) < 60
            assert note.startswith(f"[cut] {len(kept)} of 60 shown, {60 - len(kept)} hidden.")
            assert said == "Rules:\n- Amounts are in cents."
            assert len(f"{data}{said}".encode()) <= 1024

    run(body)


@ERAS
def test_a_table_is_sent_to_every_client_where_its_author_says_so(era: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    @economy(table=True)
    def listing() -> list[dict[str, Any]]:
        """List rows."""
        return rows(30)

    lean(server)

    async def body() -> None:
        async with asked(server, era, STRANGER) as one:
            (tool,) = await one.tools()
            assert tool.output_schema is None
            result = await one.call("listing")
            assert result.structured_content is None
            (text,) = texts(result)
            assert len(text) < len(json.dumps(rows(30), separators=(",", ":"))) * 0.7

    run(body)


@ERAS
def test_a_text_client_pays_once_and_others_keep_their_structure(era: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    def listing() -> list[dict[str, Any]]:
        """List rows."""
        return rows(30)

    lean(server)

    async def body() -> None:
        async with asked(server, era, CLAUDE) as one:
            (tool,) = await one.tools()
            assert tool.output_schema is None
            result = await one.call("listing")
            assert result.structured_content is None
        async with asked(server, era, STRANGER) as one:
            (tool,) = await one.tools()
            assert tool.output_schema is not None
            result = await one.call("listing")
            assert result.structured_content == {"result": rows(30)}

    run(body)


@ERAS
def test_options_by_name_serve_tools_without_the_decorator(era: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    def listing() -> list[dict[str, Any]]:
        """List rows."""
        return rows(30)

    lean(server, tools={"listing": Economy(limit=3, more=False)}, repeats=True)

    async def body() -> None:
        async with asked(server, era, CLAUDE) as one:
            first = await one.said("listing")
            assert first[0].startswith("[cut] 3 of 30 shown")

    run(body)


def repeating() -> MCPServer:
    server = MCPServer("desk")

    @server.tool()
    @economy(repeats=True)
    def listing(limit: int = 40) -> list[dict[str, Any]]:
        """List rows."""
        return rows(40)

    @server.tool()
    @economy(repeats=True, limit=3)
    def beginning() -> list[dict[str, Any]]:
        """List the first rows."""
        return rows(40)

    lean(server)
    return server


@ERAS
def test_an_answer_refers_only_to_what_was_sent_in_full_on_the_same_connection(era: str) -> None:
    server = repeating()

    async def body() -> None:
        for _ in range(2):
            async with asked(server, era, CLAUDE) as one:
                found = []
                for name in ("beginning", "beginning", "listing", "listing", "beginning"):
                    text, *_ = await one.said(name)
                    found.append(text.partition("]")[0])
                handshake = era == "legacy"
                assert [text == "[same" for text in found] == [
                    False,
                    False,
                    False,
                    handshake,
                    handshake,
                ]
                assert found[:2] == ["[cut", "[cut"]

    run(body)


@ERAS
@CLIENTS
def test_a_cap_is_on_what_is_sent_with_all_that_is_said_beside(era: str, client: str) -> None:
    server = MCPServer("desk")

    @server.tool()
    @economy(max_bytes=1500, more=False, rules=["Amounts are in cents."])
    def listing(number: int) -> list[dict[str, Any]]:
        """List rows."""
        return [
            {"id": at, "name": f"customer number {at}", "cents": at * 100} for at in range(number)
        ]

    lean(server)

    async def body() -> None:
        async with asked(server, era, client) as one:
            for number in (60, 400):
                said = await one.said("listing", number=number)
                assert len("".join(said).encode()) <= 1500
                assert said[-1] == "Rules:\n- Amounts are in cents."
                assert said[0].startswith("[cut]") is (client == STRANGER or number == 400)

    run(body)
