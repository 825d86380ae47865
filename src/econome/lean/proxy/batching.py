"""Records on their way to the ledger: handed over some at a time, so that no message wakes another thread.

They are handed over once nothing came for a moment: what counts them takes the interpreter from the next message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from econome.lean.proxy.shared import Due

__all__ = ["Batching"]

_PAUSE_S: Final = 0.25
_MOST_PAUSES: Final = 8
_MOST_HELD_BYTES: Final = 8 * 1024 * 1024


class Batching:
    """Call it with what makes a record and the bytes that this holds, in the loop; `flush` hands all over."""

    def __init__(self, record: Callable[[Due, int], None]) -> None:
        self._record = record
        self._loop = asyncio.get_running_loop()
        self._waiting: list[tuple[Due, int]] = []
        self._held_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._counted = self._pauses = 0

    def __call__(self, due: Due, held_bytes: int) -> None:
        """Take one."""
        self._waiting.append((due, held_bytes))
        self._held_bytes += held_bytes
        if self._held_bytes > _MOST_HELD_BYTES:
            self.flush()
        elif self._timer is None:
            self._counted = self._pauses = 0
            self._wait()

    def _wait(self) -> None:
        self._timer = self._loop.call_later(_PAUSE_S, self._looked)

    def _looked(self) -> None:
        """Hand over what waits, where nothing came meanwhile."""
        idle, self._counted = self._counted == len(self._waiting), len(self._waiting)
        self._pauses += 1
        if idle or self._pauses >= _MOST_PAUSES:
            self.flush()
        else:
            self._wait()

    def flush(self) -> None:
        """Hand over what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting, self._held_bytes = self._waiting, [], 0
        for due, held_bytes in waiting:
            self._record(due, held_bytes)
