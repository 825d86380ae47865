"""The tools that hand work over, for a command of this machine: in the running server, else in this very process.

Where no server runs, the command takes the ledger's lock at the first call that needs it, opens an office of its own,
and lets go once nothing is open in it any more. Where another command has the lock, the call waits for it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from econome.durable import make_directory
from econome.errors import EconomeError, LedgerBroken, LedgerHeld, ServerAway
from econome.savings.lock import Holder, Lock, holder
from econome.server.delegating import wire
from econome.server.delegating.call import Asking, Carrier, Said
from econome.server.delegating.opening import open_office
from econome.server.delegating.remote import Remote
from econome.server.delegating.tools import Counter
from econome.settings import Settings

if TYPE_CHECKING:
    from econome.delegation.office import Office

__all__ = ["Local"]

_LOOK_SECONDS = 0.1
_WAITING_TOOLS = (wire.DELEGATE, wire.FOLLOW)


class Local:
    """Carries the tools out for the process called *what*, which was started in the directory *base*.

    *waits* is told, once for each call that waits for the ledger, who has it.
    """

    def __init__(
        self,
        settings: Settings,
        what: str,
        base: str,
        log: Callable[[str], None],
        waits: Callable[[str], None] | None = None,
    ) -> None:
        self._settings, self._what, self._base, self._log = settings, what, base, log
        self._waits = waits
        self._mutex = asyncio.Lock()
        """Held while the office is opened or closed."""
        self._lock: Lock | None = None
        self._office: Office | None = None
        self._counter: Counter | None = None
        self._calls = 0
        self._leaving: asyncio.Task[None] | None = None
        self._cancelling: set[asyncio.Task[None]] = set()

    async def carry(self, tool: str, arguments: Mapping[str, Any], asking: Asking) -> Said:
        """Carry out a call.

        Raises:
            ServerAway: another process has the ledger for as long as the call may wait, and answers nobody.
            EconomeError: it cannot be done; the text says what to do instead.
        """
        # The process is what the other end of a connection is elsewhere.
        caller = replace(asking.caller, connection=f"pid {os.getpid()}")
        asking = replace(asking, base=self._base, caller=caller)
        patience = wire.read_wait(tool, arguments) if tool in _WAITING_TOOLS else 0
        self._calls += 1
        try:
            carrier = await self._carrier(patience)
            return await carrier.carry(tool, arguments, asking)
        except asyncio.CancelledError:
            if tool == wire.FOLLOW and asking.withdrawn():
                # It may not have reached who carries it out; then nobody there saw it being taken back.
                cancelling = asyncio.ensure_future(self._cancel(wire.read_id(tool, arguments)))
                self._cancelling.add(cancelling)
                cancelling.add_done_callback(self._cancelling.discard)
            raise
        finally:
            self._calls -= 1
            if self._office is not None and self._leaving is None:
                self._leaving = asyncio.ensure_future(self._leave())

    async def _cancel(self, request_id: str) -> None:
        with suppress(EconomeError):
            await self.carry(wire.CANCEL, wire.follow_arguments(request_id), Asking())

    async def _carrier(self, patience: float) -> Carrier:
        clock = asyncio.get_running_loop().time
        until, told = clock() + patience, False
        while True:
            async with self._mutex:
                if self._counter is not None:
                    return self._counter
                found = await asyncio.to_thread(holder, self._settings.ledger_dir())
                if found is not None and found.url is not None:
                    return Remote(self._settings, found)
                try:
                    return await self._open()
                except LedgerHeld as error:
                    if clock() >= until:
                        reason = f"held by {error.holder}, which answers nobody else"
                        advice = "wait, or start `econome serve`, which serves them all"
                        raise ServerAway(error.path, reason, advice) from None
                    if self._waits is not None and not told:
                        self._waits(error.holder)
                        told = True
            await asyncio.sleep(_LOOK_SECONDS)

    async def _open(self) -> Counter:
        directory = self._settings.ledger_dir()
        try:
            make_directory(directory)
        except OSError as error:
            raise LedgerBroken(directory, error.strerror or str(error)) from None
        lock = await asyncio.to_thread(Lock, directory, Holder(os.getpid(), self._what))
        try:
            office = await open_office(self._settings, self._log)
        except BaseException:
            lock.release()
            raise
        self._lock, self._office, self._counter = lock, office, Counter(office)
        return self._counter

    async def _leave(self) -> None:
        """Let go of the ledger once nothing is open and nobody asks."""
        while (office := self._office) is not None:
            await office.wait_idle()
            async with self._mutex:
                if not self._calls and office is self._office and not office.open_requests():
                    await self._close()
            if self._calls:
                break  # the last of them begins this anew
        self._leaving = None

    async def close(self) -> None:
        """End what is open, and let go of the ledger."""
        while self._cancelling:
            await asyncio.wait(self._cancelling)
        async with self._mutex:  # so that nothing else is in the middle of closing it
            if self._leaving is not None:
                self._leaving.cancel()
            await self._close()

    async def _close(self) -> None:
        office, counter, lock = self._office, self._counter, self._lock
        self._office = self._counter = self._lock = None
        try:
            if counter is not None:
                await counter.settle()
            if office is not None:
                await office.close()
        except EconomeError as error:
            self._log(str(error))
        finally:
            if lock is not None:
                lock.release()
