"""Brings what is to be written to disk in a thread, together what comes together, in the order in which it came.

It does not know what is written, nor where.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Generic, TypeVar

__all__ = ["Pen"]

_T = TypeVar("_T")


class Pen(Generic[_T]):
    """Writes with *write*, which is called in *threads* with one or several and takes all of them or raises."""

    def __init__(self, write: Callable[[list[_T]], None], threads: Executor | None = None) -> None:
        self._write, self._threads = write, threads
        self._waiting: list[tuple[_T, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, one: _T) -> None:
        """Return once it is written; to stop waiting does not stop the writing.

        Raises:
            EconomeError: nothing of it was written; it is the error of *write*.
        """
        await asyncio.shield(self.later(one))

    def later(self, one: _T) -> asyncio.Future[None]:
        """Have it written; the future tells when, and whether."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_look)
        self._waiting.append((one, future))
        if self._writer is None:
            self._writer = asyncio.create_task(self._drain())
        return future

    async def finish(self) -> None:
        """Return once nothing waits to be written."""
        while self._writer is not None:
            await asyncio.shield(self._writer)

    async def _drain(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._bring(batch)
        finally:
            self._writer = None

    async def _bring(self, batch: list[tuple[_T, asyncio.Future[None]]]) -> None:
        failure: Exception | None = None
        try:
            some = [one for one, _ in batch]
            await asyncio.get_running_loop().run_in_executor(self._threads, self._write, some)
        except Exception as error:  # whoever waits must hear of it, whatever it is
            failure = error
        for _, future in batch:
            if future.done():
                continue
            if failure is None:
                future.set_result(None)
            else:
                future.set_exception(failure)


def _look(future: asyncio.Future[None]) -> None:
    """Look at how it ended, or asyncio complains of what nobody asked for."""
    if not future.cancelled():
        future.exception()
