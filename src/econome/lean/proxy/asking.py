"""A client that asks a server for its tools and is gone again: what `--dry-run` looks at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from econome.errors import UpstreamAway
from econome.lean.policies import Policy
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.listing import Gathering
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.stdio import Connect, loop_factory
from econome.lean.proxy.wire import Head, failed, head_of, json_of, requested, value_of

__all__ = ["tools_of"]

_PATIENCE_S: Final = 60.0
_VERSION: Final = "2025-11-25"
_METHOD_NOT_FOUND: Final = -32601
_NO_POLICY: Final = Policy("*", text=False, menu="untouched")


def tools_of(lean: Lean, connect: Connect, version: str) -> list[bytes]:
    """Return the tools of a server, each as its bytes; *lean* has to pass everything.

    Raises:
        UpstreamAway: it does not start, does not answer, or has no tools.
    """
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_ask(lean, connect, version))


async def _ask(lean: Lean, connect: Connect, version: str) -> list[bytes]:
    answers: asyncio.Queue[Head] = asyncio.Queue()
    said: list[str] = []
    """What is said of a server that is away; its answers repeat that, which is not the server's own refusal then."""

    def heard(message: bytes) -> None:
        head = head_of(message)
        if head is None:
            return
        if not head.method:
            answers.put_nowait(head)
        elif bytes(head.id):
            server.client_said(failed(bytes(head.id), "Method not found", _METHOD_NOT_FOUND))

    server = connect(Exchange(lean), heard, said.append, lambda full: None)
    try:
        await server.start()
        asking = asyncio.ensure_future(_tools(server.client_said, answers, said, version))
        try:
            async with asyncio.timeout(_PATIENCE_S):
                waits: list[asyncio.Future[Any]] = [asking, server.over]
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            raise UpstreamAway(f"{lean.name}: no answer within {_PATIENCE_S:g} s") from None
        reason = server.over.result() if server.over.done() else None
        if asking.done() and reason is None:
            return asking.result()
        asking.cancel()
        await asyncio.wait([asking])
        raise UpstreamAway(reason or f"{lean.name}: the connection ended")
    finally:
        await server.close()


async def _tools(
    say: Callable[[bytes], None], answers: asyncio.Queue[Head], said: Sequence[str], version: str
) -> list[bytes]:
    client = {"name": "econome", "version": version}
    greeting = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client}
    say(requested(b"0", "initialize", json_of(greeting)))
    _result(await answers.get(), "initialize", said)
    say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    pages, params = Gathering(b"", b"{}", _NO_POLICY, ""), b"{}"
    while True:
        say(requested(b"%d" % (pages.pages + 1), "tools/list", params))
        answer = await answers.get()
        _result(answer, "tools/list", said)
        try:
            following = pages.take(answer)
        except ValueError as error:
            raise UpstreamAway(f"tools/list: {error}") from None
        if following is None:
            return pages.tools
        params = following


def _result(answer: Head, method: str, said: Sequence[str]) -> None:
    if not bytes(answer.result):
        try:
            told = value_of(answer.error)["message"]
        except (ValueError, KeyError, TypeError):
            told = "no reason given"
        raise UpstreamAway(told if told in said else f"the server refused {method}: {told}")
