"""Tools shown under the name of their namespace and their own, and several groups of tools in one namespace."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver import MCPServer

from econome.errors import MenuError
from econome.lean import Call, economy, lean
from econome.lean.actions import NAME
from tests.lean.library import ERAS, asked, cart, padded, run
from tests.requirements import requirement

pytestmark = requirement("LC9")


def named(*names: str, server: MCPServer | None = None, **options: object) -> MCPServer:
    """Return a server with tools of these names, which say them."""
    server = server or MCPServer("billing")
    for name in names:

        @economy(**options)
        def tool(id: int = 0, *, said: str = name) -> str:  # noqa: A002
            return said

        server.add_tool(tool, name=name, description=f"Do {name}.")
    return server


@ERAS
@pytest.mark.parametrize("form", ["untouched", "flat"])
def test_a_separator_names_each_tool_by_its_namespace_too(era: str, form: str) -> None:
    async def body() -> None:
        server = named("refund", "users.list")
        named("default", server=server, namespace="search")
        lean(server, separator="_", menu=form)
        async with asked(server, era) as one:
            names = await one.names()
            assert names == ["billing_refund", "billing_users_list", "search"]
            assert all(NAME.fullmatch(name) for name in names)
            for name, said in zip(names, ["refund", "users.list", "default"], strict=True):
                assert await one.said(name) == await one.said(said) == [said]

    run(body)


@ERAS
def test_names_stay_as_they_are_without_a_separator(era: str) -> None:
    async def body() -> None:
        server = named("refund", "default")
        lean(server, namespace="plat")
        async with asked(server, era) as one:
            assert await one.names() == ["refund", "default"]

    run(body)


@ERAS
def test_the_separator_and_the_namespace_are_those_that_were_asked_for(era: str) -> None:
    async def body() -> None:
        server = named("refund", "default")
        lean(server, namespace="plat", separator="-")
        async with asked(server, era) as one:
            assert await one.names() == ["plat-refund", "plat-default"]
            assert await one.said("plat-default") == ["default"]

    run(body)


@ERAS
def test_a_group_has_its_actions_by_their_own_names(era: str) -> None:
    async def body() -> None:
        server = MCPServer("billing")
        padded(server)
        lean(server, separator="_", menu="signatures")
        async with asked(server, era) as one:
            assert await one.names() == ["billing"]
            said = ["form_3 C1 2026"]
            assert await one.said("billing", action="form_3", customer="C1") == said
            assert await one.said("billing_form_3", customer="C1") == said

    run(body)


@ERAS
def test_a_tool_that_was_left_out_is_refused_by_its_long_name_too(era: str) -> None:
    async def body() -> None:
        server = named("refund", tags=["write"])
        named("look", server=server)
        lean(server, separator="_", exclude=["write"])
        async with asked(server, era) as one:
            assert await one.names() == ["billing_look"]
            assert await one.said("billing_refund") == ["!billing_refund is not offered here"]
            assert await one.said("refund") == ["!refund is not offered here"]

    run(body)


def test_a_name_that_would_mean_two_tools_is_refused_at_once() -> None:
    server = named("b_c", namespace="a")
    named("c", server=server, namespace="a_b")
    with pytest.raises(MenuError) as caught:
        lean(server, separator="_")
    assert str(caught.value) == "a_b.c would be named a_b_c, as a.b_c is; rename one"
    with pytest.raises(MenuError, match=r"would be named billing_refund, as billing.billing_ref"):
        lean(named("refund", "billing_refund"), separator="_")
    with pytest.raises(MenuError, match=r"^separator '\.': use letters, digits, _ or -"):
        lean(named("refund"), separator=".")


@ERAS
@pytest.mark.parametrize("menu", ["flat", "signatures"])
@requirement("LC11")
def test_two_groups_of_one_namespace_keep_what_is_each_ones_own(era: str, menu: str) -> None:
    def boss(call: Call) -> str | None:
        return None if call.arguments.get("id") == 7 else "for the boss alone"

    async def body() -> None:
        server = named("view", "add", namespace="cart", tags=["read"], limit=2)
        named("pay", server=server, namespace="cart", guards=[boss], states=["has_items"])
        named("drop", server=server, namespace="cart", guards=[boss], states=["empty"])
        named("hidden", server=server, namespace="cart", tags=["write"], guards=[boss])
        padded(server, namespace="cart")
        lean(server, menu=menu, exclude=["write"], machine=cart())
        async with asked(server, era) as one:

            async def said(name: str, **given: object) -> list[str]:
                if menu == "flat":
                    return await one.said(name, **given)
                return await one.said("cart", action=name, **given)

            assert await said("view") == ["view"]
            assert await said("drop") == ["!drop: for the boss alone"]
            assert (await said("drop", id=7))[0] == "drop"
            assert await said("pay") == ["!pay: for the boss alone"]
            (refusal,) = await said("pay", id=7)
            assert refusal.startswith("!pay: closed in state empty.")
            assert (await said("hidden", id=7))[0].startswith("!")

    run(body)
