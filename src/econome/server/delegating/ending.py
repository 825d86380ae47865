"""SIGTERM and SIGHUP end what a process waits for as Ctrl-C does, whatever became of SIGINT.

A shell starts what runs behind a script with SIGINT ignored, and whoever ends that sends SIGTERM; a terminal that is
closed sends SIGHUP. It knows signals and one piece of work, and nothing of what the work is.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine
from types import FrameType, TracebackType
from typing import Any, TypeVar

__all__ = ["Ending"]

_Made = TypeVar("_Made")
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Ending:
    """Use it as a context, in which `run` is told to stop by a signal; outside of `run` it interrupts at once.

    SIGHUP stays ignored where it was, which is what `nohup` is for.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._working = self._asked = False
        self._task: asyncio.Task[Any] | None = None

    def __enter__(self) -> Ending:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                before = signal.getsignal(number)
                if number != signal.SIGTERM and before is signal.SIG_IGN:
                    continue
                self._before[number] = before
                signal.signal(number, self._end)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def run(self, runner: asyncio.Runner, work: Coroutine[Any, Any, _Made]) -> _Made:
        """Return what *work* gives.

        Raises:
            KeyboardInterrupt: a signal came; the work was cancelled, and has ended.
        """

        async def named() -> _Made:
            self._task = asyncio.current_task()
            if self._asked:
                work.close()
                raise asyncio.CancelledError
            return await work

        self._asked, self._working = False, True
        try:
            made = runner.run(named())
        except asyncio.CancelledError:
            if not self._asked:
                raise
        finally:
            self._working, self._task = False, None
        if self._asked:
            raise KeyboardInterrupt
        return made

    def _end(self, number: int, frame: FrameType | None) -> None:
        if not self._working or self._asked:  # nothing to end in good order, or asked twice
            raise KeyboardInterrupt
        self._asked = True
        if self._task is not None:
            self._task.cancel()
            # Else a loop that waits for something long would not look.
            self._task.get_loop().call_soon_threadsafe(lambda: None)
