"""One POST on its way through: asked of the upstream, perhaps with questions of the proxy's own first, and answered.

It decides nothing about messages; the exchange does. It knows how moves become requests: their headers, and which answer
is the one that the client waits for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from econome.errors import UpstreamAway
from econome.lean.proxy.http_envelope import envelope_of
from econome.lean.proxy.http_events import Events, data_of, field_of, new_event, with_data
from econome.lean.proxy.http_headers import (
    JSON,
    METHOD,
    SESSION,
    STREAM,
    Pairs,
    back,
    media_type,
    repeats,
    unpacked,
)
from econome.lean.proxy.http_schemas import Schemas
from econome.lean.proxy.http_target import Target, sign_in, signs_in
from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.wire import failed, head_of

if TYPE_CHECKING:
    import httpx2

    from econome.lean.proxy.exchange import Exchange
    from econome.server.answers import Send

__all__ = ["LOOKED_AT_BYTES", "Post"]

LOOKED_AT_BYTES: Final = 16_777_216
"""A message that is larger passes as it is."""

_LOOKED_AT = frozenset({"initialize", "subscriptions/listen", "tools/call", "tools/list"})
_OK, _TAKEN = 200, 202


class Post:
    """A client's POST; `session` and `answered` are what its answer said.

    *headers* are those that go on to the upstream.
    """

    def __init__(
        self,
        target: Target,
        exchange: Exchange,
        headers: Pairs,
        send: Send,
        log: Callable[[str], None],
        schemas: Schemas,
    ) -> None:
        self._target, self._exchange, self._headers = target, exchange, headers
        self._send, self._log, self._schemas = send, log, schemas
        self._body = b""
        self._begun = self._streams = self._resumable = self._ended = False
        self.session: bytes | None = None
        self.answered: bytes | None = None

    async def run(self, body: bytes) -> None:
        """Ask, and answer the client."""
        self._body = body
        said: list[bytes] = []
        asked = envelope_of(body)
        # What answers a question of the server, or contradicts its own headers, is the server's to judge.
        looked_at = asked.method and asked.agrees(self._headers)
        moves: deque[Move] = deque(
            self._exchange.client_said(body) if looked_at else [ToServer(body)]
        )
        try:
            while moves:
                move = moves.popleft()
                if isinstance(move, ToClient):
                    said.append(move.message)
                elif move.own:
                    moves.extendleft(reversed(await self._ask(move)))
                else:
                    await self._forward(move, said)
                    said = []
        except UpstreamAway as error:
            self._log(str(error))
            if self._begun and (self._resumable or not self._streams):
                return  # cut off: the client sees that, and may take the stream up again
            said += _to_client(self._exchange.ended(str(error)))
        if not self._ended:
            await self._say(said)

    async def event(self, event: bytes) -> bytes:
        """Return an event of the answer as it goes to the client."""
        self._resumable = self._resumable or field_of(event, b"id") is not None
        data = data_of(event)
        if data is None:
            return event
        messages = await self._heard(data)
        return event if messages == [data] else with_data(event, messages)

    async def _forward(self, move: ToServer, said: list[bytes]) -> None:
        """Ask what the client asked, and let the answer stream to it behind what was *said* already."""
        async with self._asked(move) as answer:
            headers = back(answer.headers.raw)
            self.session = answer.headers.get(SESSION.decode(), "").encode("latin-1") or None
            kind = media_type(answer.headers)
            if move.method in _LOOKED_AT and kind == STREAM:
                self._streams = True
                await self._begin(answer.status_code, headers)
                await self._piece(b"".join(map(new_event, said)))
                events = Events(LOOKED_AT_BYTES)
                async for piece in answer.aiter_bytes():
                    for event, whole in events.feed(piece):
                        await self._piece(await self.event(event) if whole else event)
                await self._piece(events.end())
            elif move.method in _LOOKED_AT and kind == JSON:
                await self._whole(answer, headers, said)
            else:
                await self._begin(answer.status_code, headers, plain=False)
                async for piece in answer.aiter_raw():
                    await self._piece(piece)
        await self._end()

    async def _whole(self, answer: httpx2.Response, headers: Pairs, said: list[bytes]) -> None:
        """Answer with one message, or with a stream where there are more."""
        body = bytearray()
        pieces = answer.aiter_bytes()
        async for piece in pieces:
            body += piece
            if len(body) > LOOKED_AT_BYTES:
                await self._begin(answer.status_code, headers)
                await self._piece(bytes(body))
                async for rest in pieces:
                    await self._piece(rest)
                return None
        messages = said + await self._heard(bytes(body))
        if len(messages) != 1:
            return await self._say(messages)
        length = (b"content-length", str(len(messages[0])).encode("ascii"))
        await self._begin(answer.status_code, [*headers, length])
        return await self._piece(messages[0])

    async def _heard(self, message: bytes) -> list[bytes]:
        """Return what becomes of a message of the upstream for the client, after all that it takes to find out."""
        head = head_of(message)
        if head is not None and not head.method:
            self.answered = message
            self._schemas.see(message)
        said: list[bytes] = []
        moves = deque(self._exchange.server_said(message))
        while moves:
            move = moves.popleft()
            if isinstance(move, ToClient):
                said.append(move.message)
            else:
                moves.extendleft(reversed(await self._ask(move)))
        return said

    async def _ask(self, move: ToServer) -> list[Move]:
        """Ask for the proxy itself; return the moves that come of the answer."""
        moves: list[Move] = []
        async with self._asked(move) as answer:
            kind = media_type(answer.headers)
            told = False
            async for message in _messages(answer, kind):
                head = head_of(message)
                told = told or (head is not None and not head.method)
                self._schemas.see(message)
                moves += self._exchange.server_said(message)
            head = head_of(move.message)
            if not told and head is not None and bytes(head.id):
                reason = f"the server answered {move.method} with status {answer.status_code}"
                moves += self._exchange.server_said(failed(bytes(head.id), reason))
        return moves

    @asynccontextmanager
    async def _asked(self, move: ToServer) -> AsyncIterator[httpx2.Response]:
        headers = self._headers_of(move)
        waits = move.method == "subscriptions/listen"
        answer = await self._target.ask("POST", headers, move.message, waits=waits)
        try:
            if signs_in(answer):
                raise UpstreamAway(sign_in(self._target))
            with self._target.watched():
                yield answer
        finally:
            await answer.aclose()

    def _headers_of(self, move: ToServer) -> Pairs:
        """Return the client's headers, those that repeat parts of the message made to agree with it."""
        if move.message is self._body or not any(name == METHOD for name, _ in self._headers):
            return self._headers
        schema = None if move.name is None else self._schemas.of(move.name)
        repeated = envelope_of(move.message).headers(schema)
        return [pair for pair in self._headers if not repeats(pair[0])] + repeated

    async def _say(self, messages: list[bytes]) -> None:
        """Answer without the upstream's answer, or go on after it broke off."""
        if self._begun:
            await self._piece(b"".join(map(new_event, messages)))
        elif not messages:
            await self._begin(_TAKEN, [(b"content-length", b"0")])
        elif len(messages) == 1:
            length = str(len(messages[0])).encode("ascii")
            await self._begin(_OK, [(b"content-type", JSON.encode()), (b"content-length", length)])
            await self._piece(messages[0])
        else:
            await self._begin(_OK, [(b"content-type", STREAM.encode())])
            await self._piece(b"".join(map(new_event, messages)))
        await self._end()

    async def _begin(self, status: int, headers: Pairs, *, plain: bool = True) -> None:
        self._begun = True
        if plain:
            headers = unpacked(headers)
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _piece(self, piece: bytes) -> None:
        if piece:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def _end(self) -> None:
        if not self._ended:
            self._ended = True
            await self._send({"type": "http.response.body", "body": b""})


async def _messages(answer: httpx2.Response, kind: str) -> AsyncIterator[bytes]:
    """Yield the messages of an answer, within what is looked at."""
    if kind == STREAM:
        events = Events(LOOKED_AT_BYTES)
        async for piece in answer.aiter_bytes():
            for event, whole in events.feed(piece):
                data = data_of(event) if whole else None
                if data is not None:
                    yield data
    elif kind == JSON:
        body = bytearray()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > LOOKED_AT_BYTES:
                return
        yield bytes(body)


def _to_client(moves: list[Move]) -> list[bytes]:
    return [move.message for move in moves if isinstance(move, ToClient)]
