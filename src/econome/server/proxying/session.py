"""A session of the older protocol over HTTP, kept by a process of its own.

What the process says goes to the request it belongs to, as far as a line tells: answers by their id, progress by its token,
all else to the request that came last, or to the stream for news. What nobody listens to yet is kept for that stream.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.upstream import Upstream
from econome.lean.proxy.wire import Head, Key, head_of, key_of, members, parts
from econome.server.proxying.channel import Channel

if TYPE_CHECKING:
    from econome.lean.proxy.shared import Lean

__all__ = ["KEPT", "Session", "requests_in"]

_NUMBERS: Final = count(1)

KEPT: Final = 256
"""So many messages are kept for a stream that nobody opened yet; older ones go."""

_NEWS: Final = frozenset({
    "notifications/prompts/list_changed", "notifications/resources/list_changed",
    "notifications/resources/updated", "notifications/tools/list_changed",
})  # fmt: skip
"""What belongs to no request."""


class Session:
    """One client's process; `used` is when it was last spoken to, by the loop's clock."""

    def __init__(self, lean: Lean, command: Sequence[str], log: Callable[[str], None]) -> None:
        self._upstream = Upstream(
            command,
            Exchange(lean, conversation=f"session {next(_NUMBERS)}"),
            self._to_client,
            say=log,
            busy=lambda full: None,
        )
        self._posts: dict[Key, Channel] = {}
        self._tokens: dict[Key, Channel] = {}
        self._news: Channel | None = None
        self._kept: deque[bytes] = deque(maxlen=KEPT)
        self._full = 0
        self._loop = asyncio.get_running_loop()
        self.used = self._loop.time()

    async def start(self) -> asyncio.Future[str | None]:
        """Start the process; return what ends when it has ended for good.

        Raises:
            UpstreamAway: it cannot be started.
        """
        await self._upstream.start()
        return self._upstream.over

    async def close(self) -> None:
        """End the process, and every answer that is open."""
        self.silence()
        await self._upstream.close()

    def silence(self) -> None:
        """End every answer that is open."""
        for channel in (*self._posts.values(), *([self._news] if self._news else [])):
            channel.close()

    @property
    def busy(self) -> bool:
        """Whether a client waits for something."""
        return bool(self._posts) or self._news is not None

    def post(self, body: bytes) -> Channel | None:
        """Take what a client posted; return the answer it waits for, None where it waits for none."""
        self.used = self._loop.time()
        asked = requests_in(body)
        channel = Channel(self._is_full) if asked else None
        if channel is not None:
            channel.waiting = set(asked)
            self._posts |= dict.fromkeys(asked, channel)
            self._tokens |= {token: channel for token in asked.values() if token is not None}
        self._upstream.client_said(body)
        return channel

    def left(self, channel: Channel) -> None:
        """Forget an answer that was given, or whose client hung up."""
        self.used = self._loop.time()
        channel.forget()
        self._posts = {key: one for key, one in self._posts.items() if one is not channel}
        self._tokens = {key: one for key, one in self._tokens.items() if one is not channel}
        if self._news is channel:
            self._news = None

    def listen(self) -> Channel | None:
        """Return the stream for news, None where another client reads it."""
        if self._news is not None:
            return None
        self._news = channel = Channel(self._is_full)
        while self._kept:
            channel.put(self._kept.popleft())
        return channel

    def _to_client(self, message: bytes) -> None:
        message = message.strip()  # some systems end lines with more than is taken away
        if not message:
            return
        head = head_of(message)
        answered, sent = _answers_in(message, head), False
        for key in answered:
            channel = self._posts.pop(key, None)
            if channel is None:
                continue
            if not sent:  # a batch is one message, however many answers it holds
                channel.put(message)
                sent = True
            channel.done(key)
        if answered:
            return
        listening = self._channel_for(head)
        if listening is None:
            self._kept.append(message)
        else:
            listening.put(message)

    def _is_full(self, full: bool) -> None:
        """Read on only once every client has read what waits for it."""
        self._full += 1 if full else -1
        self._upstream.hold_back(self._full > 0)

    def _channel_for(self, head: Head | None) -> Channel | None:
        method = head.method if head is not None else ""
        if method == "notifications/progress" and head is not None:
            token = key_of((members(head.params) or {}).get("progressToken", b""))
            if token in self._tokens:
                return self._tokens[token]
        latest = next((one for one in reversed(self._posts.values()) if not one.closed), None)
        first, second = (self._news, latest) if method in _NEWS else (latest, self._news)
        return first or second


def requests_in(body: bytes) -> dict[Key, Key | None]:
    """Return the requests in what a client posted, one message or several, each with the token of its progress."""
    found: dict[Key, Key | None] = {}
    several = parts(body)
    for message in [body] if several is None else map(bytes, several):
        head = head_of(message)
        key = key_of(head.id) if head is not None and head.method else None
        if head is not None and key is not None:
            meta = members((members(head.params) or {}).get("_meta", b"")) or {}
            found[key] = key_of(meta.get("progressToken", b""))
    return found


def _answers_in(message: bytes, head: Head | None) -> list[Key]:
    heads = [head] if head is not None else [head_of(bytes(one)) for one in parts(message) or ()]
    keys = [key_of(one.id) for one in heads if one is not None and not one.method]
    return [key for key in keys if key is not None]
