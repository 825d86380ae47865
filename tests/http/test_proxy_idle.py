"""HTTP to a process, over hours that pass in a moment: which sessions end, and what a silent server keeps nobody from."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from econome.server.proxying.processes import IDLE_SECONDS, Processes
from tests.http.proxied import lean
from tests.lean.connections import rpc
from tests.lean.programs import Program, Programs, at_once
from tests.requirements import requirement

pytestmark = [
    requirement("L20"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX"),
]

MODERN = "2026-07-28"
ABOUT = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
LONGEST_S = IDLE_SECONDS + 60
"""Nobody looks at every moment whether a session is idle."""


@dataclass(slots=True)
class Sent:
    """What was answered."""

    status: int = 0
    headers: dict[bytes, bytes] = field(default_factory=dict)
    body: bytes = b""


class Client:
    """Asks the endpoint without a socket; a request is open until it is answered or `hang_up` is called."""

    def __init__(self, endpoint: Processes) -> None:
        self._endpoint = endpoint
        self._left = asyncio.Event()

    async def ask(self, method: str, body: bytes = b"", **headers: str) -> Sent:
        """Ask, and return the whole answer."""
        given = {"accept": "application/json, text/event-stream", **headers}
        named = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()]
        sent, left, bodies = Sent(), self._left, [body]

        async def receive() -> dict[str, Any]:
            if bodies:
                return {"type": "http.request", "body": bodies.pop()}
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                sent.status, sent.headers = message["status"], dict(message["headers"])
            sent.body += message.get("body", b"")

        await self._endpoint({"method": method, "headers": named}, receive, send)
        return sent

    async def begin(self) -> str:
        """Begin a session; return its id."""
        sent = await self.ask("POST", rpc(0, "initialize", {"clientInfo": {"name": "x"}}))
        return sent.headers[b"mcp-session-id"].decode()

    async def ping(self, session: str) -> int:
        """Say something in a session; return the status of the answer."""
        return (await self.ask("POST", rpc(1, "ping"), mcp_session_id=session)).status

    async def alone(self, method: str) -> Sent:
        """Ask as a client of 2026-07-28 does."""
        body = rpc(5, method, {"_meta": ABOUT})
        return await self.ask("POST", body, mcp_protocol_version=MODERN, mcp_method=method)

    def hang_up(self) -> None:
        """Leave every request that is open."""
        self._left.set()
        self._left = asyncio.Event()


def older(message: Any) -> object:
    """Answer as a server of the older era does."""
    if "id" not in message:
        return None
    if message["method"] == "server/discover":
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "?"}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": {}}


def greeted(programs: list[Program]) -> list[Program]:
    """Return the processes of sessions, without the one that is shared."""
    return [program for program in programs if program.asked[0]["method"] == "initialize"]


@asynccontextmanager
async def served(
    monkeypatch: pytest.MonkeyPatch, script: Callable[[Any], object]
) -> AsyncIterator[tuple[Client, list[Program]]]:
    """Serve programs of this script; give a client, and the programs in the order of their beginning."""
    programs = Programs(script)
    monkeypatch.setattr("econome.lean.proxy.upstream.spawn", programs.spawn)
    endpoint = Processes(["shop"], lean(), lambda line: None)
    await endpoint.begin()
    try:
        yield Client(endpoint), programs.begun
    finally:
        await endpoint.stop()
        await endpoint.close()


def test_a_session_that_nobody_speaks_to_ends_with_its_process_and_no_other_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        async with served(monkeypatch, older) as (client, programs):
            idle, used = await client.begin(), await client.begin()
            of_idle, of_used = greeted(programs)
            await asyncio.sleep(IDLE_SECONDS - 1)
            assert (of_idle.running, of_used.running) == (True, True)
            assert await client.ping(used) == 200
            await asyncio.sleep(LONGEST_S - IDLE_SECONDS)
            assert (of_idle.running, of_used.running) == (False, True)
            assert [await client.ping(session) for session in (idle, used)] == [404, 200]
            await asyncio.sleep(LONGEST_S)
            assert await client.ping(used) == 404

    at_once(body)


def test_a_session_whose_client_waits_for_news_or_for_an_answer_does_not_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def script(message: Any) -> object:
        return None if message.get("method") == "tools/call" else older(message)

    async def body() -> None:
        async with served(monkeypatch, script) as (client, programs):
            listening, calling = await client.begin(), await client.begin()
            processes = greeted(programs)
            call = rpc(2, "tools/call", {"name": "slow", "arguments": {}})
            async with asyncio.TaskGroup() as open_ones:
                open_ones.create_task(client.ask("GET", mcp_session_id=listening))
                open_ones.create_task(client.ask("POST", call, mcp_session_id=calling))
                await asyncio.sleep(3 * LONGEST_S)
                assert [program.running for program in processes] == [True, True]
                client.hang_up()
            await asyncio.sleep(IDLE_SECONDS - 1)  # from when the client left
            assert [program.running for program in processes] == [True, True]
            await asyncio.sleep(LONGEST_S - IDLE_SECONDS + 1)
            assert [program.running for program in processes] == [False, False]

    at_once(body)


def test_while_a_server_has_not_said_what_it_speaks_clients_are_told_to_begin_a_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        async with served(monkeypatch, lambda message: None) as (client, programs):
            for method in ("server/discover", "tools/list"):
                sent = await client.alone(method)
                error = json.loads(sent.body)["error"]
                assert (sent.status, error["code"]) == (400, -32600)
                assert error["message"].endswith("begin with initialize")
            assert [each["method"] for each in programs[0].asked] == ["server/discover"]

    at_once(body)
