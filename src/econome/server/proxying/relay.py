"""HTTP in, HTTP out: one request of a client becomes one to the upstream, and its answer streams back.

What tools cost is looked at where a request asks for the menu or calls a tool; all else passes as the bytes it came in. A
client that hangs up ends what it asked for there at once. Sessions are the upstream's own; of each one only how it began is
kept, so that every request of it is known to come from the same client.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Final

from econome.errors import UpstreamAway
from econome.lean.proxy.batching import Batching
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.http_events import Events, data_of
from econome.lean.proxy.http_headers import (
    METHOD,
    SESSION,
    STREAM,
    back,
    media_type,
    onward,
    unpacked,
)
from econome.lean.proxy.http_schemas import Schemas
from econome.lean.proxy.http_target import Target, sign_in, signs_in
from econome.lean.proxy.wire import Key, head_of, key_of
from econome.server.answers import Message, Receive, Scope, Send, bare, json_answer
from econome.server.body import JsonBody
from econome.server.logs import sparing
from econome.server.proxying.channel import while_there
from econome.server.proxying.faults import fault
from econome.server.proxying.post import LOOKED_AT_BYTES, Post

if TYPE_CHECKING:
    from econome.lean.proxy.shared import Lean

__all__ = ["BODY_BYTES", "SESSIONS", "Relay"]

BODY_BYTES: Final = 16_777_216
SESSIONS: Final = 1024
"""Of so many sessions it is known who began them; those that were not used for the longest time are forgotten first."""

_NUMBERS: Final = count(1)
_OPEN = 256
_BAD_GATEWAY = 502


@dataclass(slots=True)
class _Session:
    """A session of the older protocol: the message it began with, the answer, and the requests that are open."""

    began: bytes
    answered: bytes
    conversation: str
    open: OrderedDict[Key, Post] = field(default_factory=OrderedDict)


class Relay:
    """The endpoint in front of an HTTP upstream; *log* takes lines for the operator."""

    def __init__(self, target: Target, lean: Lean, log: Callable[[str], None]) -> None:
        self._target, self._lean, self._log = target, lean, sparing(log)
        self._sessions: OrderedDict[bytes, _Session] = OrderedDict()
        self._schemas = Schemas()
        self._stopping = asyncio.Event()
        self._records: Batching | None = None

    async def begin(self) -> None:
        """Make ready to measure; the upstream is reached when somebody asks for it."""
        self._lean.record = self._records = Batching(self._lean.record)

    async def stop(self) -> None:
        """End the streams on which clients wait for news."""
        self._stopping.set()

    async def close(self) -> None:
        """Close the connections."""
        await self._target.close()
        if self._records is not None:
            self._records.flush()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope = {**scope, "headers": [(name, bare(value)) for name, value in scope["headers"]]}
        body = b""
        if scope["method"] == "POST":
            read = await JsonBody(scope, BODY_BYTES).read(receive)
            if read is None:
                return
            body = read
        answer = _Answer(send)
        waits = scope["method"] == "GET" or _one(scope, METHOD) == b"subscriptions/listen"
        until = self._stopping if waits else None
        await while_there(self._answer(scope, body, answer), receive, until=until)
        if waits and self._stopping.is_set():
            await answer.end()

    async def _answer(self, scope: Scope, body: bytes, send: Send) -> None:
        try:
            if scope["method"] == "POST":
                await self._post(scope, body, send)
            else:
                await self._pass(scope, send)
        except UpstreamAway as error:
            self._log(str(error))
            await json_answer(_BAD_GATEWAY, fault(str(error)))(scope, _nothing, send)

    async def _post(self, scope: Scope, body: bytes, send: Send) -> None:
        known = self._session(scope)
        post = Post(
            self._target,
            self._exchange(known),
            onward(scope["headers"]),
            send,
            self._log,
            self._schemas,
        )
        head = head_of(body)
        key = key_of(head.id) if head is not None else None
        if known is not None and key is not None:
            known.open[key] = post
            while len(known.open) > _OPEN:
                known.open.popitem(last=False)
        await post.run(body)
        if post.session is not None and post.answered is not None:
            conversation = f"session {next(_NUMBERS)}"
            self._remember(post.session, _Session(body, post.answered, conversation))
        if known is not None and key is not None and post.answered is not None:
            known.open.pop(key, None)

    async def _pass(self, scope: Scope, send: Send) -> None:
        """Hand on a request without a body: the stream for news, and the end of a session."""
        method = scope["method"]
        answer = await self._target.ask(method, onward(scope["headers"]), waits=method == "GET")
        try:
            if signs_in(answer):
                raise UpstreamAway(sign_in(self._target))
            known = self._session(scope)
            if method == "DELETE":
                self._sessions.pop(_one(scope, SESSION), None)
            headers = back(answer.headers.raw)
            start = {"type": "http.response.start", "status": answer.status_code}
            if known is None or media_type(answer.headers) != STREAM:
                await send({**start, "headers": headers})
                async for piece in answer.aiter_raw():
                    await _some(send, piece)
            else:
                await send({**start, "headers": unpacked(headers)})
                events = Events(LOOKED_AT_BYTES)
                async for piece in answer.aiter_bytes():
                    for event, whole in events.feed(piece):
                        await _some(send, await self._news(known, event) if whole else event)
                await _some(send, events.end())
        except _broken() as error:
            self._log(str(self._target.away(error)))
            return
        finally:
            await answer.aclose()
        await send({"type": "http.response.body", "body": b""})

    async def _news(self, known: _Session, event: bytes) -> bytes:
        """Return an event of a session's own stream as it goes to the client.

        News may say that the menu is another one now, and a stream that is taken up again may bring an answer.
        """
        data = data_of(event)
        head = head_of(data) if data is not None else None
        if data is None or head is None:
            return event
        if head.method == "notifications/tools/list_changed":
            self._lean.changes += 1
        key = key_of(head.id)
        post = None if head.method or key is None else known.open.pop(key, None)
        return event if post is None else await post.event(event)

    def _exchange(self, known: _Session | None) -> Exchange:
        exchange = Exchange(self._lean, conversation=known.conversation if known else None)
        if known is not None:
            exchange.client_said(known.began)
            exchange.server_said(known.answered)
        return exchange

    def _session(self, scope: Scope) -> _Session | None:
        identity = _one(scope, SESSION)
        if identity in self._sessions:
            self._sessions.move_to_end(identity)
        return self._sessions.get(identity)

    def _remember(self, identity: bytes, session: _Session) -> None:
        self._sessions[identity] = session
        while len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)


class _Answer:
    """An answer on its way, which can be brought to an end where it was cut off."""

    def __init__(self, send: Send) -> None:
        self._send, self._open = send, False

    async def __call__(self, message: Message) -> None:
        self._open = message["type"] == "http.response.start" or message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        if self._open:
            await self._send({"type": "http.response.body", "body": b""})


def _one(scope: Scope, wanted: bytes) -> bytes:
    return next((value for name, value in scope["headers"] if name == wanted), b"")


def _broken() -> tuple[type[Exception], ...]:
    import httpx2

    return httpx2.TransportError, httpx2.DecodingError, OSError


async def _some(send: Send, piece: bytes) -> None:
    if piece:
        await send({"type": "http.response.body", "body": piece, "more_body": True})


async def _nothing() -> dict[str, str]:
    return {"type": "http.disconnect"}
