"""A disk that fails, writes in small pieces or takes its time, as a test wants it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from econome import durable

__all__ = ["PATIENCE_SECONDS", "Disk", "installed"]

PATIENCE_SECONDS = 30.0
"""How long a test waits for what must happen."""


class Disk:
    """The system calls of `econome.durable`. `calls` are those that change something, with the length they left."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.piece = 1 << 30
        self.reached = threading.Event()
        self._failures: dict[str, list[BaseException | None]] = {}
        self._held: dict[str, threading.Event] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def fail(self, call: str, number: int, after: int = 0) -> None:
        """Let a call fail, but for the next *after* times, until it is healed."""
        self.break_down(call, OSError(number, os.strerror(number)), after)

    def break_down(self, call: str, error: BaseException, after: int = 0) -> None:
        """Let a call raise anything."""
        self._failures[call] = [None] * after + [error]

    def heal(self) -> None:
        """Let no call fail any more."""
        self._failures.clear()

    @contextmanager
    def held(self, call: str) -> Iterator[None]:
        """Let a call wait at its beginning for the end of the block; `reached` is set once one does."""
        self.reached.clear()
        gate = self._held[call] = threading.Event()
        try:
            yield
        finally:
            del self._held[call]
            gate.set()

    def write(self, fd: int, data: memoryview) -> int:
        """Write at most a piece."""
        self._pass("write")
        count = os.write(fd, data[: self.piece])
        self._note("write", fd)
        return count

    def fsync(self, fd: int) -> None:
        """Bring a file or a directory to disk."""
        self._pass("fsync")
        os.fsync(fd)
        self._note("fsync", fd)

    def ftruncate(self, fd: int, size: int) -> None:
        """Cut a file."""
        self._pass("ftruncate")
        os.ftruncate(fd, size)
        self._note("ftruncate", fd)

    def _note(self, call: str, fd: int) -> None:
        found = os.fstat(fd)
        directory = found.st_mode & 0o040000
        self.calls.append(
            (f"{call} directory" if directory else call, 0 if directory else found.st_size)
        )

    def _pass(self, call: str) -> None:
        gate = self._held.get(call)
        if gate is not None:
            self.reached.set()
            assert gate.wait(PATIENCE_SECONDS)
        failures = self._failures.get(call, [None])
        failure = failures.pop(0) if len(failures) > 1 else failures[0]
        if failure is not None:
            raise failure


@contextmanager
def installed() -> Iterator[Disk]:
    """Put a disk under everything that is durable."""
    disk = Disk()
    with patch.object(durable, "os", disk):
        yield disk
