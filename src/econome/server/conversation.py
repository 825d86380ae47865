"""What stands between the MCP SDK and the standard streams of one client.

The SDK stops when its input ends, in the middle of a call, and waits for a line of input before it can stop otherwise.
Here calls may end first, and nothing waits for input. It knows of a message whether it asks or answers, no more.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from econome.server.surrogates import mended

__all__ = ["END_SECONDS", "Calls", "lines"]

END_SECONDS = 5.0
"""How long calls may go on once the client has said all it had to say."""

_AHEAD = 64
_STANDING = "subscriptions/listen"
"""A request that is answered when its client wants no more news."""


async def lines(source: BinaryIO) -> AsyncIterator[str]:
    """Yield the lines of *source*, which a thread reads that nobody has to wait for.

    Raises:
        OSError: it cannot be read.
    """
    loop = asyncio.get_running_loop()
    read: asyncio.Queue[bytes | OSError] = asyncio.Queue(_AHEAD)

    def hand_on(line: bytes | OSError) -> None:
        asyncio.run_coroutine_threadsafe(read.put(line), loop).result()

    def read_all() -> None:
        try:
            while line := source.readline():
                hand_on(line)
            hand_on(b"")
        except OSError as error:
            hand_on(OSError(error.errno, error.strerror, "standard input"))
        except RuntimeError:
            pass  # the loop has ended

    threading.Thread(target=read_all, name="standard input", daemon=True).start()
    while line := await read.get():
        if isinstance(line, OSError):
            raise line
        yield mended(line).decode("utf-8", "replace")


class Calls:
    """The requests of one client that are not answered yet."""

    def __init__(self) -> None:
        self._open: set[object] = set()
        self._none = asyncio.Event()
        self._none.set()

    def heard(self, stream: Any) -> _Heard:
        """Return the client's messages; they end once its requests are answered, or END_SECONDS later."""
        return _Heard(stream, self)

    def answered(self, stream: Any) -> _Answered:
        """Return the way to the client."""
        return _Answered(stream, self)

    def see_request(self, message: Any) -> None:
        """Look at what the client says."""
        method, number = getattr(message, "method", None), getattr(message, "id", None)
        if method == "notifications/cancelled":  # then no answer has to come
            number = (message.params or {}).get("requestId")
            self._close(number if isinstance(number, str | int) else None)
        elif method is not None and number is not None and method != _STANDING:
            self._open.add(number)
            self._none.clear()

    def see_answer(self, message: Any) -> None:
        """Look at what the client was told."""
        if getattr(message, "method", None) is None:
            self._close(message.id)

    def _close(self, number: object) -> None:
        self._open.discard(number)
        if not self._open:
            self._none.set()

    async def end(self) -> None:
        """Wait until no request is open, for some seconds."""
        try:
            async with asyncio.timeout(END_SECONDS):
                await self._none.wait()
        except TimeoutError:
            pass


class _Stream:
    """A stream of the SDK, seen through."""

    def __init__(self, stream: Any, calls: Calls) -> None:
        self._stream, self._calls = stream, calls

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.aclose()


class _Heard(_Stream):
    """What the client says."""

    async def receive(self) -> Any:
        try:
            return await anext(self)
        except StopAsyncIteration:
            from anyio import EndOfStream

            raise EndOfStream from None

    def __aiter__(self) -> _Heard:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await anext(self._stream)
        except StopAsyncIteration:
            await self._calls.end()
            raise
        self._calls.see_request(getattr(item, "message", None))
        return item

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)


class _Answered(_Stream):
    """What the client is told."""

    async def send(self, item: Any) -> None:
        await self._stream.send(item)
        self._calls.see_answer(item.message)
