"""`POST /api/v1/tools/{tool}`: the tools for the commands of this machine, which wait for the answer line by line.

Who hangs up while it waits wants the answer no more, as over MCP (D9). It decides nothing that the tools decide.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from typing import Final

from econome.delegation.order import Caller, Standing
from econome.errors import EconomeError
from econome.server.answers import ALWAYS, Message, Receive, Scope, Send, json_answer
from econome.server.body import JsonBody
from econome.server.delegating.call import Asking, Carrier, Said
from econome.server.delegating.posted import (
    LINES,
    Posted,
    progress_line,
    read_posted,
    result_line,
)
from econome.server.delegating.wire import MENU
from econome.server.tools import error_text
from econome.server.wire import fault

__all__ = ["BEAT_SECONDS", "ToolCalls"]

BEAT_SECONDS: Final = 5.0
"""After so long without news an empty line says that the server is still there."""

_START: Final[Message] = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (name.encode(), value.encode()) for name, value in {**ALWAYS, "content-type": LINES}.items()
    ],
}


class ToolCalls:
    """The endpoint; *key* is the one that the ledger's lock carries."""

    def __init__(self, carrier: Carrier, key: str) -> None:
        self._carrier, self._key = carrier, key.encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call one tool."""
        tool = scope["path_params"]["tool"]
        if tool not in MENU:
            unknown = fault(f"no such tool; known: {', '.join(MENU)}")
            await json_answer(404, unknown)(scope, receive, send)
            return
        body = await JsonBody(scope).read(receive)
        if body is None:
            return
        posted = read_posted(body)
        left = asyncio.Event()
        lines: asyncio.Queue[bytes] = asyncio.Queue()

        async def tell(standing: Standing) -> None:
            await lines.put(progress_line(standing))

        asking = self._asking(posted, left, tell)
        calling = asyncio.ensure_future(self._carrier.carry(tool, posted.arguments, asking))
        watching = asyncio.ensure_future(_watch(receive, left, calling))
        try:
            await _answer(calling, lines, send)
        finally:
            watching.cancel()
            calling.cancel()
            with suppress(asyncio.CancelledError, EconomeError):
                await calling

    def _asking(self, posted: Posted, left: asyncio.Event, tell: Callable[..., object]) -> Asking:
        near = posted.key is not None and compare_digest(posted.key.encode(), self._key)

        async def roots() -> tuple[str, ...] | None:
            return posted.roots

        return Asking(
            Caller(posted.client, posted.session, posted.connection, posted.tool_use),
            tell,  # type: ignore[arg-type]
            left.is_set,
            roots,
            posted.base if near else None,
            posted.deadline_s,
            tell,  # type: ignore[arg-type]
        )


async def _watch(receive: Receive, left: asyncio.Event, calling: asyncio.Future[Said]) -> None:
    """Cancel the call once its client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    left.set()
    calling.cancel()


async def _answer(calling: asyncio.Future[Said], lines: asyncio.Queue[bytes], send: Send) -> None:
    await send(_START)
    while not calling.done():
        told = asyncio.ensure_future(lines.get())
        try:
            await asyncio.wait(
                (calling, told), timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            line = told.result() if told.done() else b"\n"
        finally:
            told.cancel()
        if not calling.done():
            await send({"type": "http.response.body", "body": line, "more_body": True})
    if calling.cancelled():  # nobody is there any more
        return
    try:
        said = calling.result()
    except EconomeError as error:
        said = Said(error_text(error), failed=True)
    await send({"type": "http.response.body", "body": result_line(said)})
