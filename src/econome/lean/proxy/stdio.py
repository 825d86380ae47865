"""The proxy of one client, over standard input and output."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from econome.errors import UpstreamAway
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.lines import Cutter, Outlet, intake
from econome.lean.proxy.process import Started
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.upstream import Upstream

__all__ = ["serve_stdio"]

_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
_MOST_WAITING_BYTES: Final = 64 * 1024 * 1024


def serve_stdio(lean: Lean, command: Sequence[str], started: Started) -> None:
    """Stand between standard input and output and a server that was just started, until one of them ends.

    Raises:
        UpstreamAway: the server ended before it answered anything.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(lean, command, started))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        return None
    return uvloop.new_event_loop


async def _serve(lean: Lean, command: Sequence[str], started: Started) -> None:
    loop = asyncio.get_running_loop()
    over: asyncio.Future[bool] = loop.create_future()
    for number in _SIGNALS:
        if number != signal.SIGTERM and signal.getsignal(number) is signal.SIG_IGN:
            continue
        loop.add_signal_handler(number, _end, over, True)
    relay = _Relay(lean, command, lambda: _end(over, False))
    await relay.open(started)
    gc.collect()
    gc.freeze()
    gc.enable()
    waits: list[asyncio.Future[Any]] = [over, relay.upstream.over]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    reason = relay.upstream.over.result() if relay.upstream.over.done() else None
    await relay.close(hurried=over.done() and over.result())
    if reason is not None:
        raise UpstreamAway(reason)


def _end(over: asyncio.Future[bool], hurried: bool) -> None:
    if not over.done():
        over.set_result(hurried)


class _Relay:
    """Standard input and output, and the server."""

    def __init__(self, lean: Lean, command: Sequence[str], ended: Callable[[], None]) -> None:
        self._ended = ended
        self._out = Outlet(self._client_is_slow, ended)
        self.upstream = Upstream(
            command, Exchange(lean), self._to_client, say=_say, busy=self._server_is_slow
        )

    async def open(self, started: Started) -> None:
        await self._out.open(1)
        await self.upstream.start(started)
        cutter = Cutter(self.upstream.client_said, self._too_long)
        self._in = await intake(0, cutter, self._ended)

    async def close(self, *, hurried: bool) -> None:
        self._in.close()
        await self.upstream.close(0.5 if hurried else 2.0)
        self._out.close()
        while self._out.waiting_bytes and not hurried:
            await asyncio.sleep(0.01)

    def _to_client(self, message: bytes) -> None:
        self._out.line(message)

    def _client_is_slow(self, full: bool) -> None:
        self.upstream.hold_back(full)

    def _server_is_slow(self, full: bool) -> None:
        self._in.hold_back(full)

    def _too_long(self, first: bytes, last: bytes, size: int) -> None:
        _say(f"the client sent a message of {size:,} bytes, more than is taken; it was dropped")


def _say(line: str) -> None:
    print(f"econome: {line}", file=sys.stderr, flush=True)
