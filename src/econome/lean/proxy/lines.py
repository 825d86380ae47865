"""Messages over pipes: one a line, cut as they come, written with a limit on what waits.

It knows a loop's transports, and that a line has an end and a size. It knows nothing of what a line says.
"""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Callable
from typing import Final

__all__ = ["LINE_LIMIT", "Cutter", "Intake", "Outlet", "TooLong", "intake"]

LINE_LIMIT: Final = 64 * 1024 * 1024
"""A line that is longer is thrown away as it comes, and said to be: nobody's model reads that."""

_WAITING_BYTES: Final = 1024 * 1024
_CHUNK_BYTES: Final = 256 * 1024
_ENDS_BYTES: Final = 4096

TooLong = Callable[[bytes, bytes, int], None]
"""Told of a line that was thrown away: its beginning, its end, and its size in bytes."""


class Cutter:
    """Cuts what comes into lines, and gives each to *taken*, whatever is in it.

    A line that *taken* fails at is given to *stumbled*, and the next one follows: nothing that is said may end the reading.
    """

    def __init__(
        self,
        taken: Callable[[bytes], None],
        too_long: TooLong,
        stumbled: Callable[[bytes], None] = lambda line: None,
    ) -> None:
        self._take, self._too_long, self._stumbled = taken, too_long, stumbled
        self._held: list[bytes] = []
        self._size = 0
        self._first = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        if self._held:
            cut = data.find(b"\n")
            if cut < 0:
                self._hold(data)
                return
            self._hold(data[:cut])
            self._whole()
            data = data[cut + 1 :]
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._taken(line)
        if rest:
            self._hold(rest)

    def end(self) -> None:
        """Take what stands behind the last line end for a line: some programs end without one."""
        if self._held:
            self._whole()

    def _hold(self, data: bytes) -> None:
        self._size += len(data)
        self._held.append(data)
        if self._size > LINE_LIMIT:
            last = b"".join(self._held[-2:])[-_ENDS_BYTES:]
            self._first = self._first or b"".join(self._held[:2])[:_ENDS_BYTES]
            self._held = [last]

    def _whole(self) -> None:
        held, size, first = self._held, self._size, self._first
        self._held, self._size, self._first = [], 0, b""
        line = b"".join(held)
        if not first:
            self._taken(line)
            return
        self._taken(line, lambda last: self._too_long(first, last[-_ENDS_BYTES:], size))

    def _taken(self, line: bytes, take: Callable[[bytes], None] | None = None) -> None:
        try:
            (take or self._take)(line)
        except (
            Exception
        ):  # the outermost loop: of a line that nothing can be made of, only that is known
            self._stumbled(line)


class Intake(asyncio.Protocol):
    """Reads a descriptor: by the loop where it is a pipe, else, a file for one, in a thread of its own."""

    def __init__(self, fd: int, cutter: Cutter, ended: Callable[[], None]) -> None:
        self._fd, self._cutter, self._ended = fd, cutter, ended
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.ReadTransport | None = None
        self._going = threading.Event()
        self._going.set()

    async def open(self) -> None:
        """Begin to read."""
        if not _is_pipe(self._fd):
            threading.Thread(target=self._read, name="reading", daemon=True).start()
            return
        file = os.fdopen(self._fd, "rb", buffering=0, closefd=self._fd > 2)
        self._transport, _ = await self._loop.connect_read_pipe(lambda: self, file)

    def hold_back(self, full: bool) -> None:
        """Read no more for now, or read on."""
        if self._transport is None:
            self._going.clear() if full else self._going.set()
        elif not self._transport.is_closing():
            self._transport.pause_reading() if full else self._transport.resume_reading()

    def close(self) -> None:
        """Read no more."""
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        """Cut it."""
        self._cutter.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Say so."""
        self._cutter.end()
        self._ended()

    def _read(self) -> None:
        try:
            while True:
                self._going.wait()
                try:
                    data = os.read(self._fd, _CHUNK_BYTES)
                except OSError:
                    data = b""
                if not data:
                    self._loop.call_soon_threadsafe(self.connection_lost, None)
                    return
                self._loop.call_soon_threadsafe(self._cutter.feed, data)
        except RuntimeError:  # the loop is closed
            return


async def intake(fd: int, cutter: Cutter, ended: Callable[[], None]) -> Intake:
    """Read a descriptor from now on, until `close`; `ended` is called once nothing more comes."""
    reading = Intake(fd, cutter, ended)
    await reading.open()
    return reading


def _is_pipe(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


class Outlet(asyncio.BaseProtocol):
    """Writes lines to a descriptor; what the other end does not read yet waits here, and `full` is told of it."""

    def __init__(self, full: Callable[[bool], None], lost: Callable[[], None]) -> None:
        """*full* is called with whether more than enough waits, each time that changes; *lost* once nobody reads."""
        self._full, self._lost = full, lost
        self._transport: asyncio.WriteTransport | None = None
        self._fd = -1
        self._closed = False

    async def open(self, fd: int) -> None:
        """Write to this descriptor."""
        self._fd = fd
        if _is_pipe(fd):
            file = os.fdopen(fd, "wb", buffering=0, closefd=fd > 2)
            loop = asyncio.get_running_loop()
            transport, _ = await loop.connect_write_pipe(lambda: self, file)
            self._transport = transport
            self._transport.set_write_buffer_limits(_WAITING_BYTES)

    def line(self, message: bytes) -> None:
        """Write a message and its line end."""
        if self._closed:
            return
        if self._transport is not None:
            self._transport.write(message + b"\n")
            return
        try:
            rest = memoryview(message + b"\n")
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            self._closed = True
            self._lost()

    @property
    def waiting_bytes(self) -> int:
        """What was not taken yet."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def close(self) -> None:
        """Write no more; what waits is written out first."""
        self._closed = True
        if self._transport is not None:
            self._transport.close()

    def pause_writing(self) -> None:
        """Tell that more than enough waits."""
        self._full(True)

    def resume_writing(self) -> None:
        """Tell that it was taken."""
        self._full(False)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that nobody reads, where that is not what was asked for."""
        if not self._closed:
            self._closed = True
            self._lost()
