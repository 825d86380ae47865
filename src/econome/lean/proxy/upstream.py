"""A server behind one connection: messages to it and from it, and what happens when it crashes.

It is started again after a pause that doubles, and told the handshake again; what came meanwhile waits. It decides
nothing about messages: the exchange does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Final

from econome.errors import UpstreamAway
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.lines import Cutter, Intake, Outlet, intake
from econome.lean.proxy.moves import Move, ToClient
from econome.lean.proxy.process import Started, spawn
from econome.lean.proxy.wire import head_of

__all__ = ["Upstream"]

_PAUSES_S: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
_SOUND_S: Final = 60.0
"""One that ran for so long starts again after the shortest pause."""
_NEVER: Final = "{how} before it answered anything; run it by itself to see why"
_FELL: Final = "{how} before it answered all that it was asked; run it by itself to see why"
_LOOK_S: Final = 0.01
_GENTLE_S: Final = 2.0
"""A server has so long to end once its standard input is closed, and as long again after SIGTERM."""


class Upstream:
    """The process of one connection.

    `over` ends when no server will run any more: with a text that says why, or with None after `close`.
    """

    def __init__(
        self,
        command: Sequence[str],
        exchange: Exchange,
        to_client: Callable[[bytes], None],
        *,
        say: Callable[[str], None],
        busy: Callable[[bool], None] = lambda full: None,
        pauses_s: Sequence[float] = _PAUSES_S,
        started: Started | None = None,
    ) -> None:
        """*say* takes a line for the person who looks at standard error; *busy* is told when the server reads slowly.

        *started* is a process that already runs, to begin with. Without *pauses_s* a server that ends is not started again.
        """
        self._command, self._exchange, self._to_client = list(command), exchange, to_client
        self._say, self._busy, self._pauses_s = say, busy, pauses_s
        self._first = started
        self._process: Started | None = None
        self._out: Outlet | None = None
        self._in: Intake | None = None
        self._crashes = 0
        self._answered = self._sound = self._closing = self._full = False
        self._begun_s = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._drained = asyncio.Event()
        self.over: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    @property
    def pid(self) -> int | None:
        """The process that runs, None while there is none."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the server.

        Raises:
            UpstreamAway: it cannot be started.
        """
        process = self._process = self._first or spawn(self._command)
        self._first = None
        self._answered, self._begun_s = False, asyncio.get_running_loop().time()
        cutter = Cutter(self._server_said, self._too_long, self._stumbled)
        self._out = out = Outlet(self._busy, lambda: None)
        await out.open(process.stdin)
        self._drained.clear()
        self._in = await intake(process.stdout, cutter, lambda: self._silent(process))
        self.hold_back(self._full)

    def client_said(self, message: bytes) -> None:
        """Take a message of the client."""
        self._do(self._exchange.client_said(message))

    def client_overflowed(self, first: bytes, last: bytes, size: int) -> None:
        """Take note of a message of the client that was too long, of which its beginning and its end are left."""
        self._do(self._exchange.client_overflowed(first, last, size))

    def hold_back(self, full: bool) -> None:
        """Read no more from the server while the client does not read, or read on."""
        self._full = full
        if self._in is not None:
            self._in.hold_back(full)

    async def close(self, gentle_s: float = _GENTLE_S) -> None:
        """End the server: close its standard input, then SIGTERM, then SIGKILL."""
        self._closing = True
        if self._out is not None:
            self._out.close()
        process = self._process
        if process is not None:
            self.hold_back(False)
            if not await _gone(process, gentle_s):
                process.terminate()
                await _gone(process, gentle_s)
            process.cut()
            await _gone(process, None)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), gentle_s)
        for task in list(self._tasks):
            task.cancel()
        self._leave(process)

    def _leave(self, process: Started | None) -> None:
        """Answer what is open still; that is a failure where the server never answered anything."""
        how = (
            f"{self._command[0]} {process.manner()}"
            if process is not None
            else "it was not started again"
        )
        left = self._exchange.ended(f"the MCP server is gone: {how}")
        self._do(left)
        self._finish(
            _NEVER.format(how=how) if left and not (self._sound or self._answered) else None
        )

    def _silent(self, process: Started) -> None:
        """Take note that nothing more comes from a process."""
        self._drained.set()
        self._task(self._ended(process))

    def _server_said(self, message: bytes) -> None:
        if not self._answered:  # a line that is no message says nothing about a server
            self._answered = head_of(message) is not None
        self._do(self._exchange.server_said(message))

    def _too_long(self, first: bytes, last: bytes, size: int) -> None:
        self._say(
            f"the server sent a message of {size:,} bytes, more than is taken; it was dropped"
        )
        self._do(self._exchange.server_overflowed(first, last, size))

    def _stumbled(self, line: bytes) -> None:
        self._say(f"a message of the server of {len(line):,} bytes could not be handled")

    def _do(self, moves: Iterable[Move]) -> None:
        for move in moves:
            if isinstance(move, ToClient):
                self._to_client(move.message)
            elif self._out is not None:
                self._out.line(move.message)

    def _task(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ended(self, process: Started) -> None:
        """Its output is closed: it crashed, or ended as it was told to."""
        if self._closing:
            return
        if not await _gone(process, _GENTLE_S):
            process.cut()
            await _gone(process, None)
        if not self._closing:
            await self._crashed(process)

    async def _crashed(self, process: Started) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None
        self._process = None
        self._sound = self._sound or self._answered
        how = f"{self._command[0]} {process.manner()}"
        if not self._sound:
            self._do(self._exchange.ended(f"the MCP server never started: {how}"))
            self._finish(_NEVER.format(how=how))
            return
        if not self._pauses_s:
            self._do(self._exchange.ended(f"the MCP server is gone: {how}"))
            self._finish(_FELL.format(how=how))
            return
        lived = asyncio.get_running_loop().time() - self._begun_s
        self._crashes = 1 if self._answered and lived > _SOUND_S else self._crashes + 1
        await self._restart(how)

    async def _restart(self, how: str) -> None:
        while True:
            pause = self._pauses_s[min(self._crashes, len(self._pauses_s)) - 1]
            self._say(f"{how}; it is started again in {pause:g} s")
            self._do(self._exchange.fell(how))
            await asyncio.sleep(pause)
            try:
                await self.start()
            except UpstreamAway as error:
                how, self._crashes = str(error), self._crashes + 1
                continue
            self._do(self._exchange.again())
            return

    def _finish(self, reason: str | None) -> None:
        if not self.over.done():
            self.over.set_result(reason)


async def _gone(process: Started, within_s: float | None) -> bool:
    """Wait until a process has ended, for so long at most; return whether it has."""
    loop = asyncio.get_running_loop()
    until = None if within_s is None else loop.time() + within_s
    while not process.ended():
        if until is not None and loop.time() >= until:
            return False
        await asyncio.sleep(_LOOK_S)
    return True
