"""The one process that answers all requests of protocol 2026-07-28, where the server behind it speaks that protocol.

Whether it does is asked once, before the first client comes. Where it does not, clients are told what makes them begin with
`initialize`, and the process is ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from econome.errors import UpstreamAway
from econome.lean.proxy.http_envelope import VERSION_KEY, envelope_of
from econome.lean.proxy.http_headers import Pairs
from econome.lean.proxy.upstream import Upstream
from econome.lean.proxy.wire import failed, head_of, json_of, key_of, members, requested, value_of
from econome.server.answers import Receive, Send
from econome.server.proxying.channel import Channel, answer_json, while_there
from econome.server.proxying.ladder import HANDSHAKE, INVALID, MODERN, refusal, status_of
from econome.server.proxying.switchboard import Call, Switchboard

if TYPE_CHECKING:
    from econome.lean.proxy.shared import Lean

__all__ = ["ASKING_SECONDS", "SharedProcess"]

ASKING_SECONDS: Final = 30.0
"""A server that says nothing for so long, as some do before they are greeted, speaks an earlier protocol."""

_WAITING_SECONDS: Final = 3.0
"""Requests wait so long for that to be known; a client that is refused begins with `initialize` and loses no more time."""
_TAKEN = 202
_EARLIER: Final = "Bad Request: Missing session ID; the server behind this proxy speaks an earlier protocol, begin with initialize"
_ASKING: Final = {
    "_meta": {
        VERSION_KEY: MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "econome-proxy", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class SharedProcess:
    """A process for requests that stand alone; *log* takes lines for the operator."""

    def __init__(self, command: Sequence[str], lean: Lean, log: Callable[[str], None]) -> None:
        self._command, self._lean, self._log = list(command), lean, log
        self._switchboard = Switchboard(lean)
        self._upstream: Upstream | None = None
        self._full = 0
        self._channels: set[Channel] = set()
        self._spoken: frozenset[str] = frozenset()
        self._known = asyncio.Event()

    async def begin(self) -> None:
        """Start the process and ask it which protocols it speaks."""
        upstream = self._upstream = Upstream(
            self._command, self._switchboard, lambda message: None, say=self._log
        )
        try:
            await upstream.start()
            self._spoken = await self._asked(upstream)
        except UpstreamAway as error:
            self._log(str(error))
        finally:
            self._known.set()
        if not self._spoken:
            self._upstream = None
            await upstream.close()

    async def _asked(self, upstream: Upstream) -> frozenset[str]:
        channel = Channel()
        identity = b'"econome"'
        key = key_of(identity)
        assert key is not None
        channel.waiting = {key}
        self._switchboard.call(channel)
        upstream.client_said(requested(identity, "server/discover", json_of(_ASKING)))
        answered = asyncio.create_task(channel.first())
        waiting: set[asyncio.Future[Any]] = {answered, upstream.over}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=ASKING_SECONDS)
        if upstream.over.done() and (reason := upstream.over.result()) is not None:
            self._log(reason)
        if answered.done():
            return _versions(answered.result())
        answered.cancel()
        return frozenset()

    def silence(self) -> None:
        """End every answer that is open."""
        for channel in self._channels:
            channel.close()

    async def close(self) -> None:
        """End the process."""
        self.silence()
        if self._upstream is not None:
            await self._upstream.close()

    async def answer(self, body: bytes, headers: Pairs, receive: Receive, send: Send) -> None:
        """Answer one request."""
        asked = envelope_of(body)
        with suppress(TimeoutError):
            async with asyncio.timeout(_WAITING_SECONDS):
                await self._known.wait()
        upstream = self._upstream
        if not self._spoken or upstream is None:
            await _refuse(send, failed(asked.identity, _EARLIER, INVALID))
            return
        if asked.key is None:
            if asked.method:
                await answer_json(send, _TAKEN, b"")
                return
            await _refuse(send, failed(b"", "one request or notification at a time", INVALID))
            return
        refused = refusal(asked, _meta(body), headers, self._spoken, self._switchboard.schemas)
        if refused is not None:
            await _refuse(send, refused)
            return

        def is_full(full: bool) -> None:
            self._full += 1 if full else -1
            upstream.hold_back(self._full > 0)

        channel = Channel(is_full)
        channel.waiting = {asked.key}
        self._channels.add(channel)
        call = self._switchboard.call(channel)
        upstream.client_said(body)
        answering = channel.answer(send, [], status_of)
        await while_there(answering, receive, lambda: self._left(call, upstream))

    def _left(self, call: Call, upstream: Upstream) -> None:
        self._channels.discard(call.channel)
        call.channel.forget()
        for message in self._switchboard.left(call):
            upstream.client_said(message)


async def _refuse(send: Send, message: bytes) -> None:
    await answer_json(send, status_of(message), message)


def _meta(body: bytes) -> dict[str, Any]:
    head = head_of(body)
    params = members(head.params) if head is not None else None
    return dict(members((params or {}).get("_meta", b"")) or {})


def _versions(message: bytes) -> frozenset[str]:
    """Return the protocols of requests that stand alone, of those that an answer names."""
    head = head_of(message)
    result = members(head.result) if head is not None else None
    try:
        found = value_of((result or {}).get("supportedVersions", b"[]"))
    except ValueError:
        found = []
    named = found if isinstance(found, list) else []
    return frozenset(one for one in named if isinstance(one, str) and one not in HANDSHAKE)
