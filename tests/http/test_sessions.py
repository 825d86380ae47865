"""The sessions of the older protocol: only so many at once, and one that ends makes room."""

from __future__ import annotations

import asyncio
from typing import Any

from econome.server.answers import Message
from econome.server.mcp import Mcp
from tests.requirements import requirement
from tests.savings.builders import text

INFO = {"name": "test", "version": "1"}
STARTED = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
BEGIN = text({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": STARTED})
LIST = text({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})


async def _ask(app: Mcp, method: str, body: bytes = b"", session: str = "") -> tuple[int, str]:
    """Return the status of an answer and the session that it tells of."""
    given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    if session:
        given["mcp-session-id"] = session
    headers = [(name.encode(), value.encode()) for name, value in given.items()]
    scope = {"type": "http", "method": method, "path": "/mcp", "query_string": b""}
    sent: list[Message] = []
    bodies = [body]

    async def receive() -> Message:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await app({**scope, "headers": headers}, receive, send)
    told = {name.lower().decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], told.get("mcp-session-id", "")


async def _with(app: Mcp, talk: Any) -> Any:
    ready = asyncio.Event()
    running = asyncio.create_task(app.run(ready))
    await ready.wait()
    try:
        return await talk()
    finally:
        await app.stop()
        await running


@requirement("S1", "S3")
def test_one_session_too_many_is_429_and_finds_room_once_another_has_ended() -> None:
    app = Mcp({}, sessions=2)

    async def talk() -> list[int]:
        first, session = await _ask(app, "POST", BEGIN)
        second, other = await _ask(app, "POST", BEGIN)
        refused, _ = await _ask(app, "POST", BEGIN)
        kept = [(await _ask(app, "POST", LIST, each))[0] for each in (session, other)]
        ended, _ = await _ask(app, "DELETE", session=session)
        taken, _ = await _ask(app, "POST", BEGIN)
        again, _ = await _ask(app, "POST", BEGIN)
        return [first, second, refused, *kept, ended, taken, again]

    assert asyncio.run(_with(app, talk)) == [200, 200, 429, 200, 200, 200, 200, 429]
