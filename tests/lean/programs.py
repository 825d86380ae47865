"""Servers that are no processes, and a clock that nobody waits for: what takes minutes is seen in a moment.

All of it happens in one thread, so what is said over the pipes is there before the clock goes on.
"""

from __future__ import annotations

import asyncio
import json
import os
import selectors
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from econome.errors import UpstreamAway
from econome.lean.proxy.process import Started

__all__ = ["Program", "Programs", "at_once"]

Script = Callable[[Any], object]
"""What a program answers a message with, the whole of it; None: nothing."""


class Program(Started):
    """A server at the other end of two pipes; `asked` is all that it heard, `begun_s` when it was started."""

    __slots__ = ("_in", "_out", "_rest", "_script", "asked", "begun_s", "running")

    def __init__(self, script: Script) -> None:
        self._in, stdin = os.pipe()
        stdout, self._out = os.pipe()
        super().__init__(0, stdin, stdout, -1)
        self._script, self._rest = script, b""
        self.asked: list[Any] = []
        self.running = True
        loop = asyncio.get_running_loop()
        self.begun_s = loop.time()
        loop.add_reader(self._in, self._hear)

    def say(self, message: object) -> None:
        """Send a message."""
        os.write(self._out, json.dumps(message).encode() + b"\n")

    def end(self, status: int = 3) -> None:
        """End, as a crash does."""
        if self.running:
            self.running, self.status = False, status
            asyncio.get_running_loop().remove_reader(self._in)
            os.close(self._in)
            os.close(self._out)

    def ended(self) -> bool:
        """Return whether it has."""
        return not self.running

    def terminate(self) -> None:
        """End as it is told to."""
        self.end(0)

    cut = terminate

    def _hear(self) -> None:
        data = os.read(self._in, 1 << 16)
        if not data:
            self.end(0)
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.asked.append(json.loads(line))
            said = self._script(self.asked[-1])
            if said is not None:
                self.say(said)


class Programs:
    """What `spawn` starts, in the order of their beginning; the next `missing` times there is no such program."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.begun: list[Program] = []
        self.missing = 0
        self._more = asyncio.Event()

    def spawn(self, command: Sequence[str]) -> Program:
        """Start one."""
        if self.missing:
            self.missing -= 1
            raise UpstreamAway(f"{command[0]}: no such program")
        program = Program(self._script)
        self.begun.append(program)
        self._more.set()
        return program

    async def next(self) -> Program:
        """Wait until one more is started; return it."""
        self._more.clear()
        await self._more.wait()
        return self.begun[-1]


class _Jumping(selectors.DefaultSelector):
    """Goes on to the next appointment at once where nothing has come."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout != 0:
            assert timeout is not None, "nothing will ever happen"
            self.now_s += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now_s


def at_once(body: Callable[[], Awaitable[None]]) -> None:
    """Run an asynchronous test whose clock begins at 0 and jumps."""

    async def whole() -> None:
        await body()

    with asyncio.Runner(loop_factory=_Loop) as runner:
        runner.run(whole())
