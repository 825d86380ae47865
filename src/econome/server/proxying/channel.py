"""One HTTP answer that is made of messages as they come: JSON where there is but one, else a stream of events.

It knows how messages are written to a client, and how long one waits before it hears a sign of life. It does not know what
they mean.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from econome.lean.proxy.http_events import new_event
from econome.lean.proxy.http_headers import Pairs
from econome.lean.proxy.wire import Key
from econome.server.answers import Receive, Send

__all__ = ["SIGN_SECONDS", "Channel", "answer_json", "gone", "while_there"]

SIGN_SECONDS: Final = 15.0
"""How long a client hears nothing, before a comment tells it that all is well."""

_SIGN: Final = b": waiting\n\n"
_FULL_BYTES: Final = 4_194_304
_STREAM_HEADERS: Final = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class Channel:
    """Messages on their way to one client; `waiting` are the requests that it has no answer to yet."""

    def __init__(self, full: Callable[[bool], None] = lambda is_full: None) -> None:
        """*full* is told when the client does not read what waits for it, and when it has."""
        self.waiting: set[Key] = set()
        self._full = full
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._closed = False
        self._came = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether nothing more comes."""
        return self._closed

    def put(self, message: bytes) -> None:
        """Send a message."""
        if self._closed:
            return
        before, self._held_bytes = self._held_bytes, self._held_bytes + len(message)
        self._held.append(message)
        self._came.set()
        if before <= _FULL_BYTES < self._held_bytes:
            self._full(True)

    def done(self, key: Key) -> None:
        """Wait for the answer to a request no more; the last one that is waited for is the end."""
        self.waiting.discard(key)
        if not self.waiting:
            self.close()

    def close(self) -> None:
        """Send nothing more."""
        self._closed = True
        self._came.set()

    def forget(self) -> None:
        """Send nothing more, and keep nothing of what was not read."""
        self.close()
        self._held.clear()
        before, self._held_bytes = self._held_bytes, 0
        if before > _FULL_BYTES:
            self._full(False)

    async def answer(
        self, send: Send, headers: Pairs, status_of: Callable[[bytes], int] = lambda message: 200
    ) -> None:
        """Write the answer; *status_of* gives the status where it is one message."""
        if not self._held and not self._closed:
            await self._wait()
        if self._closed and len(self._held) == 1:
            message = self._next()
            await answer_json(send, status_of(message), message, headers)
            return
        await self.stream(send, headers)

    async def first(self) -> bytes:
        """Return the first message; for ever none where none comes."""
        while not self._held:
            self._came.clear()
            await self._came.wait()
        return self._held[0]

    async def stream(self, send: Send, headers: Pairs) -> None:
        """Write all that comes as events."""
        start = {"status": 200, "headers": [*_STREAM_HEADERS, *headers]}
        await send({"type": "http.response.start", **start})
        while True:
            while self._held:
                await _piece(send, new_event(self._next()))
            if self._closed:
                break
            await self._wait()
            if not self._held and not self._closed:
                await _piece(send, _SIGN)
        await send({"type": "http.response.body", "body": b""})

    async def _wait(self) -> None:
        self._came.clear()
        try:
            async with asyncio.timeout(SIGN_SECONDS):
                await self._came.wait()
        except TimeoutError:
            pass

    def _next(self) -> bytes:
        message = self._held.popleft()
        before, self._held_bytes = self._held_bytes, self._held_bytes - len(message)
        if before > _FULL_BYTES >= self._held_bytes:
            self._full(False)
        return message


async def answer_json(
    send: Send, status: int, message: bytes, headers: Pairs | None = None
) -> None:
    """Answer with one message, or with nothing but a status."""
    kind = [(b"content-type", b"application/json")] if message else []
    length = (b"content-length", str(len(message)).encode("ascii"))
    start = {"status": status, "headers": [*kind, length, *(headers or ())]}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": message})


async def _piece(send: Send, piece: bytes) -> None:
    await send({"type": "http.response.body", "body": piece, "more_body": True})


async def while_there(
    answering: Coroutine[Any, Any, None],
    receive: Receive,
    left: Callable[[], None] = lambda: None,
    until: asyncio.Event | None = None,
) -> None:
    """Answer a client until it has the answer or hangs up, or *until* is set; then tell *left*."""
    task = asyncio.create_task(answering)
    others = [asyncio.create_task(gone(receive))]
    if until is not None:
        others.append(asyncio.create_task(_set(until)))
    try:
        await asyncio.wait({task, *others}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        left()
        for other in others:
            other.cancel()
        if not task.done():
            task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _set(event: asyncio.Event) -> None:
    await event.wait()


async def gone(receive: Receive) -> None:
    """Return when the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
