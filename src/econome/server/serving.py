"""Uvicorn as it is run here: bounded connections, no log of its own, and a stop that lets requests end.

It knows an application by how it is called and stopped, and nothing of what it serves.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import uvicorn

from econome.server import heads
from econome.server.answers import Receive, Scope, Send
from econome.server.listening import BACKLOG, room

__all__ = ["Serving", "Stoppable", "Tls"]

_STOP_SECONDS = 5
"""How long a stop waits for answers: a client that reads none must not hold it for ever."""
_TICKS = 10
"""Uvicorn ticks so often in a second."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a certificate chain and of its key."""

    certificate: str
    key: str


class Stoppable(Protocol):
    """An application that is told when the server stops, before connections are waited for."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

    async def stop(self) -> None:
        """End what would not end by itself."""


class Serving(uvicorn.Server):
    """Uvicorn's server, which says when it is ready and ends a stop that was asked for with success."""

    def __init__(
        self, app: Stoppable, tls: Tls | None, on_ready: Callable[[], None] | None
    ) -> None:
        super().__init__(_configuration(app, tls))
        self._app, self._on_ready = app, on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin as the original does, but wait no longer for the handshake of a connection than for its header."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(1)
        config = self.config
        kind: Any = config.http_protocol_class
        connected = partial(
            kind,
            config=config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        self.servers = [
            await asyncio.get_running_loop().create_server(
                connected,
                sock=listener,
                ssl=config.ssl,
                backlog=config.backlog,
                ssl_handshake_timeout=None if config.ssl is None else heads.HEAD_SECONDS,
            )
            for listener in sockets or ()
        ]
        self.started = True
        if self._on_ready is not None:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        """Look, now and then, for connections that are late."""
        if counter % _TICKS == 0:
            heads.close_late(self.server_state.connections, asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and have the application end what waits for news."""
        stopping = asyncio.create_task(self._app.stop())
        await super().shutdown(sockets)
        await stopping

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals that ask to stop; unlike the original, do not raise them anew at the end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        asking = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in asking}
        try:
            yield
        finally:
            for number, action in before.items():
                signal.signal(number, action)


def _configuration(app: Stoppable, tls: Tls | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        interface="asgi3",
        lifespan="on",
        ws="none",
        http=heads.protocol(room()),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=int(heads.IDLE_SECONDS),
        timeout_graceful_shutdown=_STOP_SECONDS,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else tls.key,
    )
