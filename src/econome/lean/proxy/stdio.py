"""The proxy of one client, over standard input and output."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable
from typing import Any, Final, Protocol

from econome.errors import UpstreamAway
from econome.lean.proxy.batching import Batching
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.lines import Cutter, Outlet, intake
from econome.lean.proxy.shared import Lean

__all__ = ["Connect", "Server", "loop_factory", "serve_stdio"]

_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
_SWITCH_S: Final = 0.0005
"""The thread of the ledger gives way that soon while it counts."""
_GARBAGE: Final = 50_000
"""Objects more than were freed before rings of them are looked for: an answer with many rows has none, and waits for that."""
_GENTLE_S, _HURRIED_S = 2.0, 0.5
_LOOK_S: Final = 0.01


class Server(Protocol):
    """A server behind one connection, whatever it is reached by.

    `over` ends when the connection does: with a text that says why it can go on no more, or with None.
    """

    over: asyncio.Future[str | None]

    async def start(self) -> None:
        """Be ready for messages."""

    def client_said(self, message: bytes) -> None:
        """Take a message of the client."""

    def client_overflowed(self, first: bytes, last: bytes, size: int) -> None:
        """Take note of a message of the client that was too long, of which its beginning and its end are left."""

    def hold_back(self, full: bool) -> None:
        """Read no more from the server while the client does not read, or read on."""

    async def close(self, gentle_s: float = ...) -> None:
        """End it, within about so many seconds."""


Connect = Callable[
    [Exchange, Callable[[bytes], None], Callable[[str], None], Callable[[bool], None]], Server
]
"""Makes a server of an exchange, of what takes messages for the client, of what takes lines for people to read, and of
what is told whether the server reads too slowly."""


def serve_stdio(lean: Lean, connect: Connect) -> None:
    """Stand between standard input and output and a server, until one of them ends.

    Raises:
        UpstreamAway: the server ended before it answered anything, or cannot be started.
    """
    sys.setswitchinterval(_SWITCH_S)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(lean, connect))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the quickest loop there is, None for the usual one."""
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        return None
    return uvloop.new_event_loop


async def _serve(lean: Lean, connect: Connect) -> None:
    loop = asyncio.get_running_loop()
    over: asyncio.Future[bool] = loop.create_future()
    for number in _SIGNALS:
        if number != signal.SIGTERM and signal.getsignal(number) is signal.SIG_IGN:
            continue  # `nohup` is for that
        loop.add_signal_handler(number, _end, over, True)
    lean.record = batching = Batching(lean.record)
    relay = _Relay(lean, connect, lambda: _end(over, False))
    await relay.open()
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    gc.enable()
    waits: list[asyncio.Future[Any]] = [over, relay.server.over]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    await relay.close(hurried=over.done() and over.result())
    batching.flush()
    reason = relay.server.over.result()
    if reason is not None:
        raise UpstreamAway(reason)


def _end(over: asyncio.Future[bool], hurried: bool) -> None:
    if not over.done():
        over.set_result(hurried)


class _Relay:
    """Standard input and output, and the server."""

    def __init__(self, lean: Lean, connect: Connect, ended: Callable[[], None]) -> None:
        self._ended, self._warn = ended, lean.warn
        self._out = Outlet(self._client_is_slow, ended)
        self.server = connect(
            Exchange(lean, conversation="process"), self._to_client, lean.warn, self._server_is_slow
        )

    async def open(self) -> None:
        await self._out.open(1)
        await self.server.start()
        cutter = Cutter(self.server.client_said, self._too_long, self._stumbled)
        self._in = await intake(0, cutter, self._ended)

    async def close(self, *, hurried: bool) -> None:
        self._in.close()
        await self.server.close(_HURRIED_S if hurried else _GENTLE_S)
        self._out.close()
        while self._out.waiting_bytes and not hurried:
            await asyncio.sleep(_LOOK_S)

    def _to_client(self, message: bytes) -> None:
        self._out.line(message)

    def _client_is_slow(self, full: bool) -> None:
        self.server.hold_back(full)

    def _server_is_slow(self, full: bool) -> None:
        self._in.hold_back(full)

    def _too_long(self, first: bytes, last: bytes, size: int) -> None:
        self._warn(
            f"the client sent a message of {size:,} bytes, more than is taken; it was dropped"
        )
        self.server.client_overflowed(first, last, size)

    def _stumbled(self, line: bytes) -> None:
        self._warn(f"a message of the client of {len(line):,} bytes could not be handled")
