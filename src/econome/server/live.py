"""News for pages: a stream that says that something changed on disk, and never what.

All pages share one watch, which is there while somebody listens. A stream ends when its client goes, when the server
stops, and after a quarter of an hour: whoever still wants news then comes back and is looked at by the gate again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.datastructures import QueryParams

from econome.server.answers import ALWAYS, Receive, Scope, Send, json_answer
from econome.server.gate import API
from econome.server.queries import LIVE_PARAMETERS, read_query
from econome.server.watching import Looks, Watch
from econome.server.wire import fault
from econome.usage.watched import concerns

if TYPE_CHECKING:
    from econome.settings import Settings

__all__ = ["CALM_SECONDS", "EVENT", "KEEP_SECONDS", "LISTENERS", "LONGEST_SECONDS", "PATH", "Live"]

PATH: Final = f"{API}v1/live"
EVENT: Final = "changed"

CALM_SECONDS: Final = 2.0
"""Two events of a stream are at least so far apart."""
KEEP_SECONDS: Final = 15.0
"""So long a stream may be silent before it says that it is still there."""
LONGEST_SECONDS: Final = 900.0
LISTENERS: Final = 32
"""At most so many streams are open at once."""

_JOIN_SECONDS = 2.0
_RETRY_MS = 2000
_HEADERS: Final = {
    **ALWAYS,
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",  # a proxy in front must not keep news back
}
_FULL: Final = json_answer(503, fault("too many pages wait for news; close some of them"))


@dataclass(eq=False, slots=True)
class _Listener:
    """One stream: of which session it hears, empty for all and the ledger, and whether there is news for it."""

    session: str
    news: asyncio.Event = field(default_factory=asyncio.Event)


class Live:
    """The endpoint of news; *watch* begins a watch that calls what it is given with the paths of what changed."""

    def __init__(
        self,
        settings: Settings,
        watch: Callable[[Looks, Callable[[Iterable[str]], None]], Watch] = Watch,
    ) -> None:
        self._looks, self._begin = Looks(settings), watch
        self._listeners: set[_Listener] = set()
        self._watch: Watch | None = None
        self._stopping = asyncio.Event()
        self._count = 0

    @property
    def watching(self) -> bool:
        """Whether a watch is going on."""
        return self._watch is not None

    async def stop(self) -> None:
        """End all streams at once, and the watch."""
        self._stopping.set()
        watch = self._watch
        if watch is not None:
            self._end()
            await asyncio.to_thread(watch.join, _JOIN_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        values = read_query(LIVE_PARAMETERS, QueryParams(scope["query_string"]).multi_items())
        if len(self._listeners) >= LISTENERS:
            await _FULL(scope, receive, send)
            return
        head = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        if scope["method"] == "GET" and not self._stopping.is_set():
            await self._listen(_Listener(str(values["session"] or "")), receive, send)
        await send({"type": "http.response.body", "body": b""})

    async def _listen(self, listener: _Listener, receive: Receive, send: Send) -> None:
        """Send news until there is a reason to end."""
        self._listeners.add(listener)
        if self._watch is None:
            loop = asyncio.get_running_loop()
            self._watch = self._begin(self._looks, partial(_into, loop, self._heard))
        ends = [
            asyncio.ensure_future(part)
            for part in (self._news(listener, send), _gone(receive), self._stopping.wait())
        ]
        try:
            await asyncio.wait(ends, timeout=LONGEST_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._listeners.discard(listener)
            if not self._listeners:
                self._end()
            for end in ends:
                end.cancel()
            await asyncio.gather(*ends, return_exceptions=True)

    async def _news(self, listener: _Listener, send: Send) -> None:
        await _say(send, f"retry: {_RETRY_MS}\n\n")
        # A page was made a moment before it listens: what changed meanwhile gave no notice.
        self._mark(listener, await asyncio.to_thread(self._looks.young))
        while True:
            try:
                async with asyncio.timeout(KEEP_SECONDS):
                    await listener.news.wait()
            except TimeoutError:
                await _say(send, ":\n\n")
                continue
            listener.news.clear()
            self._count += 1
            await _say(send, f"event: {EVENT}\ndata: {self._count}\n\n")
            await asyncio.sleep(CALM_SECONDS)

    def _heard(self, paths: Iterable[str]) -> None:
        for listener in self._listeners:
            self._mark(listener, paths)

    def _mark(self, listener: _Listener, paths: Iterable[str]) -> None:
        session = listener.session
        if any(not session or concerns(path, session) for path in paths):
            listener.news.set()

    def _end(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None


def _into(
    loop: asyncio.AbstractEventLoop, heard: Callable[[Iterable[str]], None], paths: Iterable[str]
) -> None:
    """Hand paths to the loop; one that has ended hears nothing any more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(heard, paths)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _say(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
