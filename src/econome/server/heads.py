"""HTTP as uvicorn reads it, with an end to what one connection, and all of them together, may take.

Without one, whoever reaches the port can fill the memory with a header that never ends, or use up the files that this
process may have open with requests that never come; token or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = [
    "BODY_SECONDS",
    "HEAD_BYTES",
    "HEAD_SECONDS",
    "IDLE_SECONDS",
    "Bounded",
    "close_late",
    "protocol",
]

HEAD_BYTES = 65_536
HEAD_SECONDS = 15.0
"""How long a request may take to come, from the connection or from its first byte on, until its header is whole."""
BODY_SECONDS = 30.0
"""How long its body may take after that."""
IDLE_SECONDS = 75.0
"""How long a connection may lie idle, or its client leave an answer unread; the contract's client comes every 5 s."""

_NEVER = float("inf")
_CLOSING_SECONDS = 5.0


class Bounded(HttpToolsProtocol):
    """A connection that is closed when too much comes in and nothing comes of it, or nothing comes in time.

    There are at most `most` of them.
    """

    most = 1
    unused_bytes = 0
    since = _NEVER
    """Since when it waits for a header, by the loop's clock."""
    until = _NEVER
    """When it is late: while it is the client's turn to send or to read."""
    message_complete = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, in the place of another where there are enough."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._expect_header(HEAD_SECONDS)
        if len(self.connections) > self.most:
            _waiting_longest(self.connections, self).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take bytes."""
        self.unused_bytes += len(data)
        super().data_received(data)
        if self.unused_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.transport.close()

    def on_message_begin(self) -> None:
        """Expect the rest of a header."""
        self.message_complete = False
        self._expect_header(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Expect a body."""
        self.unused_bytes = 0
        self.since, self.until = _NEVER, self.loop.time() + BODY_SECONDS
        if self.url[:1] != b"/":
            self._take_authority()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self.unused_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Let an answer take its time."""
        self.unused_bytes = 0
        self.message_complete = True
        super().on_message_complete()
        self._set_deadline()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if self.message_complete:
            self._set_deadline()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self.until = min(self.until, self.loop.time() + IDLE_SECONDS)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        if self.message_complete:
            self._set_deadline()

    def _set_deadline(self) -> None:
        if self.cycle.response_complete:
            self._expect_header(IDLE_SECONDS)
        else:
            self.since = self.until = _NEVER

    def _expect_header(self, seconds: float) -> None:
        self.since = self.loop.time()
        self.until = self.since + seconds

    def _take_authority(self) -> None:
        """Let the authority of a target that has one stand for `Host`, whatever that says (RFC 9112, 3.2.2)."""
        _, found, rest = self.url.partition(b"://")
        if not found:
            return
        authority = rest.replace(b"?", b"/").replace(b"#", b"/").partition(b"/")[0]
        self.headers[:] = [
            (name, authority if name == b"host" else value) for name, value in self.headers
        ]


def protocol(most: int) -> type[Bounded]:
    """Return what connections are made of where there are at most so many."""
    return type("Limited", (Bounded,), {"most": most})


def _waiting_longest(connections: Iterable[Any], newest: Bounded) -> Bounded:
    """Return the connection to part with: the one that has waited longest for a header, the newest where no other does."""
    waiting = (
        other
        for other in connections
        if other is not newest and other.since < _NEVER and not other.transport.is_closing()
    )
    return min(waiting, key=lambda other: other.since, default=newest)


def close_late(connections: Iterable[Any], now: float) -> None:
    """Close the connections that are late, by the loop's clock; for good where their clients do not read either."""
    for connection in list(connections):
        if connection.until > now:
            continue
        if connection.flow.read_paused:  # it is this server that does not read
            connection.until = now + BODY_SECONDS
        elif connection.transport.is_closing():
            connection.transport.abort()
        else:
            connection.transport.close()
            connection.until = now + _CLOSING_SECONDS
