"""A server that hands work to a scripted model, and the ways to call its tools: MCP of both eras, and the plain route."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from httpx2 import AsyncClient, Limits
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from tests.delegation.openai_server import Answer, Reply, Scripted, scripted
from tests.http.process import Served, served
from tests.savings.builders import text

__all__ = ["ERAS", "MODEL", "Work", "call", "over_http", "over_stdio", "talk", "told", "working"]

ERAS = ("2026-07-28", "legacy")
MODEL = "scripted-model"


@dataclass
class Work:
    """The two servers, the directory whose files may be read and written, and what the model answers by brief."""

    server: Served
    model: Scripted
    root: Path
    replies: dict[str, Answer] = field(default_factory=dict)

    def hold(self, brief: str) -> threading.Event:
        """Have the model write one piece for a brief, then wait for what is returned here."""
        gate = threading.Event()
        self.replies[brief] = Reply("One", gate, " two", usage=(20, 2))
        return gate

    def asked(self, brief: str) -> bool:
        """Wait until the model has been asked for a brief."""
        return self.model.wait_until(lambda model: any(brief in str(one) for one in model.requests))

    def journal(self) -> list[dict[str, Any]]:
        """Return the lines of the journal, which is there from the first of them on."""
        path = self.server.ledger.parent / "delegations.jsonl"
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def line(self, request_id: str | None) -> dict[str, Any]:
        """Return the one line of a request."""
        (found,) = [one for one in self.journal() if one["demande_id"] == request_id]
        return found


@contextmanager
def working(
    home: Path,
    *,
    workers: int = 8,
    roots: bool = True,
    more: str = "",
    first: str | None = None,
) -> Iterator[Work]:
    """Run both servers; *home* holds the data and the root, which the settings name where *roots* says so.

    *more* are lines of `[delegation]`; *first* is Python text that the server's process runs first.
    """
    replies: dict[str, Answer] = {}

    def script(body: dict[str, Any]) -> Answer:
        asked = str(body["messages"])
        return next((reply for brief, reply in replies.items() if brief in asked), Reply("Hello"))

    root = home / "project"
    root.mkdir()
    with scripted(script) as model:
        place = Path(os.environ["XDG_CONFIG_HOME"]) / "econome"
        place.mkdir(exist_ok=True)
        named = f'roots = ["{root}"]\n' if roots else ""
        config = (
            f"[delegation]\ndetect = false\n{named}{more}\n"
            f'[backends.scripted]\nurl = "{model.url}"\nworkers = {workers}\n'
        )
        (place / "config.toml").write_text(config, encoding="utf-8")
        with served(home / "data" / "econome", first=first) as server:
            yield Work(server, model, root, replies)


@asynccontextmanager
async def over_http(server: Served, era: str, **more: Any) -> Any:
    """Connect to the server over HTTP."""
    headers = {"Authorization": f"Bearer {server.token}"}
    limits = Limits(max_connections=None)
    async with AsyncClient(headers=headers, trust_env=False, timeout=60, limits=limits) as http:
        transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(transport, mode=era, **more) as client:
            yield client


@asynccontextmanager
async def over_stdio(directory: Path, era: str, **more: Any) -> Any:
    """Start `econome mcp` and connect to it."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "econome", "mcp", "--data-dir", str(directory)],
        env=dict(os.environ),
    )
    async with Client(command, mode=era, **more) as client:
        yield client


def call(opened: Any, tool: str, arguments: dict[str, Any], **more: Any) -> CallToolResult:
    """Call one tool over a connection of its own."""

    async def ask(client: Any) -> CallToolResult:
        result: CallToolResult = await client.call_tool(tool, arguments, **more)
        return result

    result: CallToolResult = talk(opened, ask)
    return result


def talk(opened: Any, say: Callable[[Any], Awaitable[Any]]) -> Any:
    """Hold a conversation over a connection of its own."""

    async def held() -> Any:
        async with opened as client:
            return await say(client)

    return asyncio.run(held())


def told(result: CallToolResult) -> Any:
    """Return the one text block of an answer as JSON; it must be compact, alone, and an error where it says so."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    value = json.loads(block.text)
    assert block.text == text(value).decode("utf-8")
    assert bool(result.is_error) is not value.get("ok", True)
    return value
