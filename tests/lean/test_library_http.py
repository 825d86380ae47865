"""A server that uses the library over HTTP: a workflow belongs to the bearer of a token, and changes of a list arrive."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from pydantic import AnyHttpUrl

from econome.lean import Machine, economy, lean
from tests.lean.library import ERAS, run, texts
from tests.requirements import requirement

pytestmark = requirement("L4")

HERE = AnyHttpUrl("http://127.0.0.1")


class Trusting:
    """Takes every token for the name of its bearer."""

    async def verify_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="app", scopes=[], subject=token)


def door() -> MCPServer:
    server = MCPServer(
        "door",
        auth=AuthSettings(issuer_url=HERE, resource_server_url=HERE, validate_token_resource=False),
        token_verifier=Trusting(),
        log_level="CRITICAL",
    )

    @server.tool()
    @economy(states=["shut"], event="UNLOCK")
    def unlock() -> str:
        """Unlock the door."""
        return "unlocked"

    @server.tool()
    @economy(states=["open"], event="LOCK")
    def walk() -> str:
        """Walk through the door, which locks behind."""
        return "walked"

    table = {"shut": {"UNLOCK": "open"}, "open": {"LOCK": "shut"}}
    lean(server, machine=Machine("shut", table, follow=True))
    return server


@asynccontextmanager
async def served(server: MCPServer) -> AsyncIterator[str]:
    """Serve on loopback and yield the address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(server.streamable_http_app(), log_level="critical")
        serving = uvicorn.Server(config)
        task = asyncio.create_task(serving.serve(sockets=[listening]))
        try:
            while not serving.started:
                await asyncio.sleep(0)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            serving.should_exit = True
            await task


@asynccontextmanager
async def bearing(url: str, era: str, who: str, hear: Any = None) -> AsyncIterator[Client]:
    """Connect with the token of *who*."""
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {who}"}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
        transport = streamable_http_client(url, http_client=http)
        yield await stack.enter_async_context(Client(transport, mode=era, message_handler=hear))


@ERAS
def test_a_workflow_is_its_bearers_over_every_connection_of_theirs(era: str) -> None:
    async def body() -> None:
        async with (
            served(door()) as url,
            bearing(url, era, "ann") as ann,
            bearing(url, era, "ann") as again,
            bearing(url, era, "bob") as bob,
        ):
            said = texts(await ann.call_tool("unlock", {}))
            workflow = {"workflow": said[-1].removeprefix("workflow: ")}
            assert texts(await bob.call_tool("walk", workflow)) == [
                "walk: no workflow has this workflow; leave workflow out to begin one."
            ]
            assert texts(await again.call_tool("walk", workflow)) == ["walked"]

    run(body)


def test_requests_that_stand_alone_are_shown_every_action_whatever_was_called_before() -> None:
    async def body() -> None:
        told: list[str] = []

        async def hear(message: Any) -> None:
            told.append(str(getattr(message, "method", "")))

        async with served(door()) as url, bearing(url, "auto", "ann", hear) as ann:

            async def shown() -> list[Any]:
                tools = (await ann.list_tools(cache_mode="bypass")).tools
                return [tool.model_dump() for tool in tools]

            before = await shown()
            assert [tool["name"] for tool in before] == ["unlock", "walk"]
            for _ in range(2):
                said = texts(await ann.call_tool("unlock", {}))
                assert await shown() == before
                workflow = {"workflow": said[-1].removeprefix("workflow: ")}
                assert texts(await ann.call_tool("walk", workflow)) == ["walked"]
                assert await shown() == before
        assert "notifications/tools/list_changed" not in told

    run(body)


def test_a_session_over_http_is_told_that_its_list_changed() -> None:
    async def body() -> None:
        changed = asyncio.Event()

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/tools/list_changed":
                changed.set()

        async with served(door()) as url, bearing(url, "legacy", "ann", hear) as ann:
            assert [tool.name for tool in (await ann.list_tools()).tools] == ["unlock"]
            while not changed.is_set():  # what is sent before the client listens is not kept
                said = texts(await ann.call_tool("unlock", {}))
                workflow = said[-1].removeprefix("workflow: ")
                tools = (await ann.list_tools(cache_mode="bypass")).tools
                assert [tool.name for tool in tools] == ["walk"]
                await ann.call_tool("walk", {"workflow": workflow})
            tools = (await ann.list_tools(cache_mode="bypass")).tools
            assert [tool.name for tool in tools] == ["unlock"]

    run(body)
