"""The office of the server that runs, opened beside the rest of its start, since what it needs takes long to import.

Where it cannot be opened, a wrong setting for instance, each call says why and tries anew; the server goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from econome.errors import DelegationRefused, EconomeError
from econome.server.delegating.call import Asking, Said
from econome.server.delegating.tools import Counter
from econome.traces import place

if TYPE_CHECKING:
    from econome.delegation.office import Office

__all__ = ["CLOSE_SECONDS", "Standby"]

CLOSE_SECONDS = 4.0
"""How long a stop waits for the office: less than for answers, whose calls wait for it."""


class Standby:
    """Carries the tools out in this process; *opens* gives the office, and *log* takes lines for the operator."""

    def __init__(self, opens: Callable[[], Awaitable[Office]], log: Callable[[str], None]) -> None:
        self._opens, self._log = opens, log
        self._opening: asyncio.Task[tuple[Office, Counter]] | None = None
        self._closing: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start opening the office, and tell the operator where that fails."""
        self._begun().add_done_callback(self._look)

    def _begun(self) -> asyncio.Task[tuple[Office, Counter]]:
        if self._opening is None or (self._opening.done() and _failed(self._opening)):
            self._opening = asyncio.ensure_future(self._open())
        return self._opening

    async def _open(self) -> tuple[Office, Counter]:
        office = await self._opens()
        return office, Counter(office)

    def _look(self, opening: asyncio.Task[tuple[Office, Counter]]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if isinstance(error, EconomeError):
            self._log(f"no delegation: {error}")
        elif error is not None:
            self._log(f"no delegation: {type(error).__name__} at {place(error.__traceback__)}")

    async def carry(self, tool: str, arguments: Mapping[str, Any], asking: Asking) -> Said:
        """Carry out a call.

        Raises:
            EconomeError: it cannot be done; the text says what to do instead.
        """
        if self._closing is not None:
            raise DelegationRefused("the server is being stopped; ask the next one")
        _, counter = await asyncio.shield(self._begun())
        return await counter.carry(tool, arguments, asking)

    async def close(self) -> None:
        """End what is open as the office does when it is closed; a disk that takes nothing does not hold it for ever."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        opening = self._opening
        if opening is None:
            return
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.wait([opening])
                if not _failed(opening):
                    office, counter = opening.result()
                    await counter.settle()
                    await office.close()
        except TimeoutError:
            self._log("what is being done could not be ended in time; the next start ends it")


def _failed(opening: asyncio.Task[Any]) -> bool:
    return opening.cancelled() or opening.exception() is not None
