"""A server whose tools are bound to states: what a client sees, is refused and is told, in both eras."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from econome.lean import Call, Machine, MemoryStore, economy, lean
from econome.lean.middleware import Lean
from econome.tokenizers import tokenizer
from tests.lean.library import CLAUDE, ERAS, STRANGER, asked, cart, run, shop
from tests.requirements import requirement

pytestmark = requirement("L4", "LC12")

PAY_CLOSED = "!pay: closed in state empty. Open now: add, view. Then: add opens checkout; checkout opens pay, settle_bill."
BEGUN = "workflow: "


def handle_of(said: list[str]) -> str:
    assert said[-1].startswith(BEGUN)
    return said[-1].removeprefix(BEGUN)


def test_a_list_follows_the_state_of_a_handshake_session_and_each_change_is_told_once() -> None:
    async def body() -> None:
        server, ran = shop(cart(follow=True))
        async with asked(server, "legacy") as one, asked(server, "legacy") as other:
            assert one.client.server_capabilities.tools is not None
            assert one.client.server_capabilities.tools.list_changed is True
            assert await one.names() == ["add", "view"]
            assert await one.said("pay") == [PAY_CLOSED]
            assert await one.said("add", item="sold out") == ["!Error executing tool add: sold out"]
            assert (ran, one.changes) == (["add"], 0)
            workflow = handle_of(await one.said("add", item="hat"))
            assert await one.names() == ["add", "checkout", "view"]
            assert one.changes == 1
            assert await other.names() == ["add", "view"]
            await one.said("add", item="scarf", workflow=workflow)
            assert one.changes == 1
            await one.said("checkout", workflow=workflow)
            assert await one.names() == ["pay", "settle_bill", "view"]
            assert (one.changes, other.changes) == (2, 0)
            assert await other.names() == ["add", "view"]

    run(body)


@ERAS
@pytest.mark.parametrize("client", [CLAUDE, STRANGER])
@pytest.mark.parametrize("menu", [None, "grouped", "signatures", "lean", "lazy"])
def test_a_menu_that_follows_nothing_is_stable_and_refuses_at_the_call(
    era: str, client: str, menu: str | None
) -> None:
    async def body() -> None:
        server, ran = shop(cart(follow=era == "auto"), menu=menu)
        async with asked(server, era, client) as one:
            before = await one.tools()
            assert await one.said("pay") == [PAY_CLOSED]
            workflow = handle_of(await one.said("add", item="hat"))
            assert await one.said("checkout", workflow=workflow) == ["to pay: 12"]
            assert ran == ["add", "checkout"]
            assert await one.tools() == before
            assert one.changes == 0

    run(body)


@ERAS
@pytest.mark.parametrize("menu", ["grouped", "signatures", "lean"])
def test_bindings_are_of_actions_by_every_name_a_call_comes_by(era: str, menu: str) -> None:
    async def body() -> None:
        server, ran = shop(menu=menu)
        async with asked(server, era) as one:
            assert await one.names() == ["cart"]
            assert await one.said("cart", action="pay") == [PAY_CLOSED]
            assert await one.said("cart", action="settle_bill") == [
                PAY_CLOSED.replace("!pay", "!settle_bill")
            ]
            assert await one.said("settle_bill") == [PAY_CLOSED.replace("!pay", "!settle_bill")]
            assert ran == []
            workflow = handle_of(await one.said("cart", action="add", item="hat"))
            assert await one.said("checkout", workflow=workflow) == ["to pay: 12"]
            assert await one.said("cart", action="settle_bill", workflow=workflow) == ["paid"]
            refused = await one.said("cart", action="pay", workflow=workflow)
            assert refused[0].startswith("!pay: closed in state confirmed. Open now: view.")
            assert ran == ["add", "checkout", "pay"]

    run(body)


@ERAS
@pytest.mark.parametrize("client", [CLAUDE, STRANGER])
def test_three_payments_at_once_are_one_payment(era: str, client: str) -> None:
    async def body() -> None:
        server, ran = shop()
        async with asked(server, era, client) as one:
            workflow = handle_of(await one.said("add", item="hat"))
            await one.said("checkout", workflow=workflow)
            said = await asyncio.gather(*(one.said("pay", workflow=workflow) for _ in range(3)))
            assert sorted(text for (text,) in said) == [
                *[
                    "!pay: closed in state confirmed. Open now: view. No more: add, checkout, pay, settle_bill."
                ]
                * 2,
                "paid",
            ]
            assert ran.count("pay") == 1

    run(body)


@ERAS
def test_a_workflow_outlives_the_connection_that_began_it(era: str) -> None:
    async def body() -> None:
        server, _ = shop()
        async with asked(server, era) as one:
            workflow = handle_of(await one.said("add", item="hat"))
        async with asked(server, era) as other:
            assert await other.said("checkout", workflow=workflow) == ["to pay: 12"]

    run(body)


@ERAS
def test_a_workflow_belongs_to_its_principal(era: str) -> None:
    async def body() -> None:
        who = ["me"]
        server, _ = shop(principal=lambda ctx: who[0])
        async with asked(server, era) as one:
            workflow = handle_of(await one.said("add", item="hat"))
            who[0] = "you"
            assert await one.said("checkout", workflow=workflow) == [
                "!checkout: no workflow has this workflow; leave workflow out to begin one."
            ]

    run(body)


@ERAS
def test_servers_that_share_a_store_share_its_workflows(era: str) -> None:
    async def body() -> None:
        store = MemoryStore()
        (first, _), (second, ran) = shop(store=store), shop(store=store)
        async with asked(first, era) as one, asked(second, era) as other:
            workflow = handle_of(await one.said("add", item="hat"))
            assert await other.said("checkout", workflow=workflow) == ["to pay: 12"]
            assert ran == ["checkout"]

    run(body)


@ERAS
@pytest.mark.parametrize("given", [7, True, ["a"], "nobody gave this out"])
def test_a_handle_that_is_none_is_refused_and_nothing_runs(era: str, given: object) -> None:
    async def body() -> None:
        server, ran = shop()
        async with asked(server, era) as one:
            (said,) = await one.said("add", item="hat", workflow=given)
            assert said in (
                "!add: no workflow has this workflow; leave workflow out to begin one.",
                "!add: workflow is the handle that an earlier answer gave",
            )
            assert ran == []

    run(body)


@ERAS
@pytest.mark.parametrize("menu", ["flat", "grouped"])
def test_a_guard_holds_for_an_action_that_is_bound_to_states(era: str, menu: str) -> None:
    async def body() -> None:
        server, ran, seen = MCPServer("door"), list[str](), list[tuple[str | None, Any]]()

        def nobody_at_night(call: Call) -> str | None:
            seen.append((call.workflow, dict(call.arguments)))
            return "closed at night" if call.arguments["hour"] > 20 else None

        @server.tool()
        @economy(namespace="door", states=["shut"], event="OPEN", guards=[nobody_at_night])
        def unlock(hour: int) -> str:
            """Unlock the door."""
            ran.append("unlock")
            return "open"

        @server.tool()
        @economy(namespace="door", states=["open"])
        def walk() -> str:
            """Walk through the door."""
            return "walked"

        lean(server, machine=Machine("shut", {"shut": {"OPEN": "open"}, "open": {}}), menu=menu)
        async with asked(server, era) as one:
            assert await one.said("unlock", hour=23) == ["!unlock: closed at night"]
            assert ran == []
            workflow = handle_of(await one.said("unlock", hour=9))
            assert await one.said("walk", workflow=workflow) == ["walked"]
            assert await one.said("unlock", hour=23, workflow=workflow) == [
                "!unlock: closed at night"
            ]
            assert ran == ["unlock"]
            assert seen == [(None, {"hour": 23}), (None, {"hour": 9}), (workflow, {"hour": 23})]

    run(body)


@requirement("LC13")
def test_a_handshake_session_reads_the_short_text_until_its_workflow_begins() -> None:
    async def body() -> None:
        server, _ = shop(cart(follow=True))
        made = next(one for one in server.middleware if isinstance(one, Lean))
        async with asked(server, "legacy") as one:
            short = (await one.tools())[0]
            begun = made.shown
            await one.said("add", item="hat")
            full = (await one.tools())[0]
            count = tokenizer().count
            assert begun is not None
            assert made.shown is not None
            assert short.description is not None
            assert full.description is not None
            saved = count(full.description) - count(short.description)
            assert (begun.shortened, made.shown.shortened) == (saved, 0)
            assert saved > 0
            assert begun.after < begun.before
            assert (short.name, full.name) == ("add", "add")
            assert short.description == "Put an item into the cart."
            assert full.description is not None
            assert full.description.startswith("Put an item into the cart; its price is fixed")
            assert short.input_schema == full.input_schema

    run(body)


@requirement("LC13")
def test_a_text_that_changes_alone_is_a_change_of_the_list() -> None:
    from mcp.server.mcpserver import MCPServer

    from econome.lean import Machine, economy, lean

    async def body() -> None:
        server = MCPServer("desk")

        @server.tool()
        @economy(states=["new", "begun"], event="GO", short="Go.")
        def go() -> str:
            """Go on, with everything that has to be known to go on."""
            return "gone"

        lean(server, machine=Machine("new", {"new": {"GO": "begun"}, "begun": {}}, follow=True))
        async with asked(server, "legacy") as one:
            assert [tool.description for tool in await one.tools()] == ["Go."]
            await one.said("go")
            assert one.changes == 1
            assert [tool.description for tool in await one.tools()] == [
                "Go on, with everything that has to be known to go on."
            ]

    run(body)


@requirement("LC13")
def test_where_the_menu_is_stable_a_refusal_brings_the_full_text() -> None:
    async def body() -> None:
        server, _ = shop(cart(follow=True))
        async with asked(server, "auto") as one:
            (add, *_) = await one.tools()
            assert add.description == "Put an item into the cart."
            workflow = handle_of(await one.said("add", item="hat"))
            await one.said("checkout", workflow=workflow)
            (refused,) = await one.said("add", item="scarf", workflow=workflow)
            assert "\nPut an item into the cart; its price is fixed for an hour" in refused

    run(body)
