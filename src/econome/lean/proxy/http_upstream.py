"""An HTTP server behind one connection over pipes: each message of the client is a request, answers come back as lines.

Sessions of the older protocol are kept as it asks: their id, the version that was agreed, a stream for news. One that the
server has forgotten is begun anew. Since 2026-07-28 each request stands alone, says in headers what it is, and is taken back
by hanging up. It decides nothing about messages: the exchange does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, Final

from econome.errors import UpstreamAway
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.http_envelope import (
    Envelope,
    envelope_of,
    one_line,
    speaks,
    version_agreed,
)
from econome.lean.proxy.http_events import EVENT_BYTES, Events, data_of, field_of
from econome.lean.proxy.http_headers import JSON, SESSION, STREAM, VERSION, Pairs, media_type
from econome.lean.proxy.http_schemas import Schemas
from econome.lean.proxy.http_target import Target, sign_in, signs_in
from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.wire import Key, head_of, key_of, parts
from econome.traces import place

if TYPE_CHECKING:
    import httpx2

__all__ = ["HttpUpstream"]

_PAUSES_S: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
_TRIES: Final = 5
_FAREWELL_S: Final = 2.0
_GONE, _REFUSED = 404, 400
_LOOK_S: Final = 0.01
_ORDER_S: Final = 10.0
"""What has an order waits so long for what came before it: a server may take its time to say that it has it."""
_WAITING_BYTES: Final = 16_777_216
_DIGITS: Final = 9


class HttpUpstream:
    """The server at an address, for one client.

    `over` ends when the connection does, with None: a server that is away may come back.
    """

    def __init__(
        self,
        target: Target,
        exchange: Exchange,
        to_client: Callable[[bytes], None],
        *,
        say: Callable[[str], None],
        busy: Callable[[bool], None] = lambda full: None,
    ) -> None:
        """*say* and *busy* are as `Upstream`'s."""
        self._target, self._exchange, self._to_client = target, exchange, to_client
        self._say, self._busy = say, busy
        self._schemas = Schemas()
        self._session = self._agreed = ""
        self._proven = False
        """Whether the server has taken something in the session: one that it never knew is not begun anew for ever."""
        self._queue: asyncio.Queue[Envelope] = asyncio.Queue()
        self._queued_bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._carrying: set[asyncio.Task[None]] = set()
        self._open: dict[Key, tuple[Envelope, asyncio.Task[None]]] = {}
        self._news: asyncio.Task[None] | None = None
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.over: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    async def start(self) -> None:
        """Be ready for messages; the server is reached with the first one."""
        self._task(self._send_in_order())

    def client_said(self, message: bytes) -> None:
        """Take a message of the client; an empty line is none over HTTP."""
        if message.strip():
            self._do(self._exchange.client_said(message))

    def client_overflowed(self, first: bytes, last: bytes, size: int) -> None:
        """Take note of a message of the client that was too long, of which its beginning and its end are left."""
        self._do(self._exchange.client_overflowed(first, last, size))

    def hold_back(self, full: bool) -> None:
        """Read no more from the server while the client does not read, or read on."""
        if full:
            self._flowing.clear()
        else:
            self._flowing.set()

    async def close(self, gentle_s: float = _FAREWELL_S) -> None:
        """Wait for what is on its way and for its answers, end the session, within so many seconds each, and the connections."""
        until = asyncio.get_running_loop().time() + gentle_s
        while (
            self._carrying or not self._queue.empty()
        ) and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(_LOOK_S)
        for task in list(self._tasks):
            task.cancel()
        if self._session:
            with suppress(UpstreamAway, TimeoutError):
                async with asyncio.timeout(gentle_s):
                    answer = await self._target.ask("DELETE", self._headers())
                    await answer.aclose()
        await self._target.close()
        if not self.over.done():
            self.over.set_result(None)

    def _do(self, moves: Iterable[Move]) -> None:
        for move in moves:
            if isinstance(move, ToClient):
                self._to_client(move.message)
            else:
                self._send(move)

    def _send(self, move: ToServer) -> None:
        asked = envelope_of(move.message)
        taken_back = self._open.get(asked.cancels) if asked.cancels is not None else None
        if taken_back is not None and taken_back[0].version:
            taken_back[1].cancel()  # since 2026-07-28 hanging up says it
            return
        self._queue.put_nowait(asked)
        self._queued_bytes += len(asked.message)
        if self._queued_bytes > _WAITING_BYTES:
            self._busy(True)

    async def _send_in_order(self) -> None:
        """Send one after the other what has an order: a request may come after `initialized`, but never before it."""
        while True:
            asked = await self._queue.get()
            asking = self._task(self._carry(asked))
            self._carrying.add(asking)
            asking.add_done_callback(self._carrying.discard)
            if asked.key is not None:
                self._open[asked.key] = asked, asking
            if asked.method == "initialize":
                await asyncio.wait([asking])
            elif asked.key is None:
                await asyncio.wait([asking], timeout=_ORDER_S)
            full = self._queued_bytes > _WAITING_BYTES
            self._queued_bytes -= len(asked.message)
            if full and self._queued_bytes <= _WAITING_BYTES:
                self._busy(False)

    async def _carry(self, asked: Envelope) -> None:
        """Ask the server, and hand on what it answers."""
        try:
            if asked.method == "initialize":
                self._forget()
            if not await self._post(asked) and asked.key is not None:
                self._hear(asked.refused(f"{self._target.origin}: ended without an answer"))
        except UpstreamAway as error:
            self._say(str(error))
            if asked.key is not None:
                self._hear(asked.refused(str(error)))
        except (
            Exception
        ) as error:  # the outermost loop: whatever a server says, who asked hears of it
            reason = f"{self._target.origin}: its answer could not be handled"
            self._say(f"{reason}: {type(error).__name__} at {place(error.__traceback__)}")
            if asked.key is not None:
                self._hear(asked.refused(reason))
        finally:
            if asked.key is not None and self._open.get(asked.key, (None,))[0] is asked:
                del self._open[asked.key]

    async def _post(self, asked: Envelope) -> bool:
        """Post a message; return whether it was answered, as far as it awaits that."""
        schema = self._schemas.of(asked.name) if asked.method == "tools/call" else None
        headers = [(b"content-type", JSON.encode()), *self._headers(asked.headers(schema))]
        waits = asked.method == "subscriptions/listen"
        answer = await self._target.ask("POST", headers, asked.message, waits=waits)
        async with aclosing(answer):
            if signs_in(answer):
                raise UpstreamAway(sign_in(self._target))
            if answer.status_code == _GONE and self._proven and asked.method != "initialize":
                self._begin_anew()
                return True
            self._proven |= bool(self._session) and answer.status_code < _REFUSED
            if asked.method == "initialize":
                self._session = answer.headers.get(SESSION.decode(), "")
            last, told = await self._read(answer, asked)
            if asked.method == "notifications/initialized" and self._session:
                self._news = self._task(self._follow_news())
        if not told and last[0] and asked.key is not None:
            return await self._resume(asked, last)
        if not told and answer.status_code >= _REFUSED:
            raise UpstreamAway(f"{self._target.origin}: answered with status {answer.status_code}")
        return told

    async def _read(
        self, answer: httpx2.Response, asked: Envelope
    ) -> tuple[tuple[str, float], bool]:
        """Hand on the messages of an answer; return where it can be taken up again, and whether it was whole."""
        kind = media_type(answer.headers)
        last, told = ("", _PAUSES_S[0]), False
        with self._target.watched():
            if kind == JSON:
                body = await _all_of(answer)
                if body is None:
                    raise UpstreamAway(self._too_large)
                if speaks(body):
                    told = self._arrived(one_line(body, asked.identity), asked)
                return last, told
            if kind != STREAM:
                return last, told
            async for event in self._events(answer):
                last = _place(event, last)
                data = data_of(event)
                if data is not None:
                    told = self._arrived(one_line(data), asked) or told
        return last, told

    def _arrived(self, message: bytes, asked: Envelope) -> bool:
        """Hand on a message; return whether it is the answer to what was asked."""
        if asked.method == "initialize":
            self._agreed = version_agreed(message) or self._agreed
        self._schemas.see(message)
        self._hear(message)
        head = head_of(message)
        if head is None:
            return parts(message) is not None
        says = bytes(head.result) or bytes(head.error)
        return bool(says) and not head.method and key_of(head.id) == asked.key

    def _hear(self, message: bytes) -> None:
        self._do(self._exchange.server_said(message))

    async def _resume(self, asked: Envelope, last: tuple[str, float]) -> bool:
        """Take up an answer whose stream ended before it."""
        for _ in range(_TRIES):
            await asyncio.sleep(last[1])
            headers = self._headers([(b"last-event-id", last[0].encode("utf-8"))])
            answer = await self._target.ask("GET", headers)
            async with aclosing(answer):
                if answer.status_code >= _REFUSED:
                    return False
                last, told = await self._read(answer, asked)
            if told:
                return True
        return False

    async def _follow_news(self) -> None:
        """Listen to what the server says unasked, for as long as the session lasts."""
        last, tries = ("", _PAUSES_S[0]), 0
        while self._session:
            headers = self._headers(
                [(b"last-event-id", last[0].encode("utf-8"))] if last[0] else []
            )
            try:
                answer = await self._target.ask("GET", headers, waits=True)
                async with aclosing(answer):
                    if answer.status_code >= _REFUSED or media_type(answer.headers) != STREAM:
                        return
                    with self._target.watched():
                        async for event in self._events(answer):
                            last, tries = _place(event, last), 0
                            data = data_of(event)
                            if data is not None:
                                self._hear(one_line(data))
            except UpstreamAway:
                pass
            except Exception as error:  # the outermost loop of the news, as above
                self._say(f"news: {type(error).__name__} at {place(error.__traceback__)}")
            await asyncio.sleep(max(last[1], _PAUSES_S[min(tries, len(_PAUSES_S) - 1)]))
            tries += 1

    def _begin_anew(self) -> None:
        """Begin the session again that the server has forgotten; what was open in it is lost."""
        reason = f"{self._target.origin}: has forgotten the session"
        self._say(f"{reason}; it is begun anew")
        self._forget()
        current = asyncio.current_task()
        for _, task in list(self._open.values()):
            if task is not current:
                task.cancel()
        self._do(self._exchange.fell(reason))
        self._do(self._exchange.again())

    def _forget(self) -> None:
        self._session = self._agreed = ""
        self._proven = False
        if self._news is not None:
            self._news.cancel()
            self._news = None

    def _headers(self, more: Pairs | None = None) -> Pairs:
        """Return the headers of a request; what a message says of its version goes before what was agreed."""
        headers = [(b"accept", f"{JSON}, {STREAM}".encode()), *(more or ())]
        if self._session:
            headers.append((SESSION, self._session.encode("latin-1")))
        if self._agreed and not any(name == VERSION for name, _ in headers):
            headers.append((VERSION, self._agreed.encode("latin-1", "replace")))
        return headers

    async def _events(self, answer: httpx2.Response) -> AsyncIterator[bytes]:
        events = Events()
        async for piece in answer.aiter_bytes():
            for event, whole in events.feed(piece):
                await self._flowing.wait()
                if whole:
                    yield event
                else:
                    raise UpstreamAway(self._too_large)

    @property
    def _too_large(self) -> str:
        return f"{self._target.origin}: sent a message above {EVENT_BYTES:,} bytes"

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _place(event: bytes, last: tuple[str, float]) -> tuple[str, float]:
    """Return where a stream can be taken up after an event, and after which pause."""
    identity, retry = field_of(event, b"id"), field_of(event, b"retry")
    pause = int(retry[:_DIGITS]) / 1000 if retry is not None and retry.isdigit() else last[1]
    return (last[0] if identity is None else identity.decode("utf-8", "replace")), min(
        pause, _PAUSES_S[-1]
    )


async def _all_of(answer: httpx2.Response) -> bytes | None:
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > EVENT_BYTES:
            return None
    return bytes(body)
