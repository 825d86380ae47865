"""The tools over MCP: the only module that knows the SDK.

It speaks the protocol of 2026-07-28, where each request stands alone, and the revisions before it, which begin with a
handshake and keep a session. Every answer is one text block; there is no `structuredContent`, which would make the
client drop the text (L10). The gate around the application has checked `Host`, `Origin` and token already.

A client takes a call back by a notification or, since 2026-07-28 over HTTP, by closing the answer's stream (D9).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from econome import __version__
from econome.errors import EconomeError
from econome.server.answers import Message, Receive, Scope, Send, bare
from econome.server.body import LIMIT_BYTES, JsonBody
from econome.server.conversation import Calls, lines
from econome.server.delegating.call import Said
from econome.server.mcp_calls import LEFT, asking
from econome.server.surrogates import mended
from econome.server.tools import Tool, error_text

__all__ = ["IDLE_SECONDS", "SESSIONS", "Mcp", "converse"]

SESSIONS: Final = 512
"""At most so many sessions of the older protocol are open at once."""
IDLE_SECONDS: Final = 1800.0

_STOP_SECONDS = 3.0
_LOOK_SECONDS = 0.05


class Mcp:
    """The endpoint `/mcp`; `run` must be going on while it answers, and keeps at most so many *sessions*."""

    def __init__(self, tools: Mapping[str, Tool], sessions: int = SESSIONS) -> None:
        self._sessions = StreamableHTTPSessionManager(
            _server(tools),
            session_idle_timeout=IDLE_SECONDS,
            max_sessions=sessions,
            max_request_body_size=LIMIT_BYTES,
        )
        self._stopping = asyncio.Event()
        self._calls = 0

    async def run(self, ready: asyncio.Event) -> None:
        """Keep the sessions until `stop`; set *ready* once requests can be answered."""
        async with self._sessions.run():
            ready.set()
            await self._stopping.wait()

    async def stop(self) -> None:
        """End all sessions, and the streams on which they wait for news; calls may end first, within some seconds."""
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                while self._calls:
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            pass
        self._stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def answer(message: Message) -> None:
            # Too many sessions is the client's affair; 503 is a disk that takes nothing.
            if message["type"] == "http.response.start" and message["status"] == 503:
                message = {**message, "status": 429}
            await send(message)

        headers = [(name, bare(value)) for name, value in scope["headers"]]
        left = asyncio.Event()
        call = scope["method"] != "GET"  # which is a stream that waits for news
        self._calls += call
        try:
            if scope["method"] == "POST":
                body = await JsonBody(scope).read(receive)
                if body is None:
                    return
                headers = [pair for pair in headers if pair[0] != b"content-encoding"]
                receive = _first(mended(body), receive, left)
            scope = {**scope, "headers": headers, LEFT: left}
            await self._sessions.handle_request(scope, receive, answer)
        finally:
            self._calls -= call


def _first(body: bytes, receive: Receive, left: asyncio.Event) -> Receive:
    """Return a *receive* that gives a body that was read already, then what else comes; *left* is set at its end."""
    given = [body]

    async def again() -> Message:
        if given:
            return {"type": "http.request", "body": given.pop(), "more_body": False}
        message = await receive()
        if message["type"] == "http.disconnect":
            left.set()
        return message

    return again


async def converse(tools: Mapping[str, Tool], source: BinaryIO) -> None:
    """Serve one client over *source* and standard output, until the input ends and what it asked is answered.

    Raises:
        OSError: the input cannot be read; where it is the output, it is in a group.
    """
    server = _server(tools)
    calls = Calls()
    given: Any = lines(source)
    async with stdio_server(stdin=given) as (received, sent):
        options = server.create_initialization_options()
        await server.run(calls.heard(received), calls.answered(sent), options)


def _server(tools: Mapping[str, Tool]) -> Server[Any]:
    listed = [
        Listed(
            name=tool.name,
            description=tool.description,
            input_schema=dict(tool.arguments),
            annotations=ToolAnnotations(
                read_only_hint=tool.reads_only,
                idempotent_hint=tool.reads_only,
                open_world_hint=False,
            ),
        )
        for tool in tools.values()
    ]

    async def list_tools(context: Any, asked: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, asked: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(asked.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"no such tool; known: {', '.join(tools)}")
        try:
            said = await tool.call(asked.arguments or {}, asking(context))
        except EconomeError as error:
            said = Said(error_text(error), failed=True)
        content = TextContent(type="text", text=said.text)
        return CallToolResult(content=[content], is_error=said.failed)

    server: Server[Any] = Server(
        "econome",
        version=__version__,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: tools[name].arguments if name in tools else None,
    )
    server.middleware.clear()  # spans for a telemetry that nobody here installs
    return server
