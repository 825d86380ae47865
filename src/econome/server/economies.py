"""`POST /economies`: a batch of events in, how many of them were new out.

It is the busy endpoint, so it stands on ASGI itself: read, judge, hand to the ledger, answer once the disk has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

from econome.savings.batch import Received, read_batch
from econome.server.answers import Answer, Receive, Scope, Send
from econome.server.body import JsonBody
from econome.server.wire import receipt

if TYPE_CHECKING:
    from econome.savings.store import Receipt

__all__ = ["PATH", "Economies", "Events"]

PATH = "/economies"


class Events(Protocol):
    """Where events are kept."""

    def add(self, events: Sequence[Received], received_at: str) -> Future[Receipt]:
        """Take a batch whole or not at all; the future ends once it is on disk."""


class Economies:
    """The endpoint; *arrival* gives the text of the present moment."""

    def __init__(self, events: Events, arrival: Callable[[], str]) -> None:
        self._events, self._arrival = events, arrival

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one batch."""
        body = await JsonBody(scope).read(receive)
        if body is None:
            return
        kept = await _settled(self._events.add(read_batch(body), self._arrival()))
        await Answer(200, receipt(kept.received, kept.duplicates))(scope, receive, send)


def _settled(future: Future[Receipt]) -> asyncio.Future[Receipt]:
    """Return the future of the ledger's thread as one of the loop's.

    Unlike `asyncio.wrap_future` it never cancels the ledger's: a batch that is on its way to disk stays on it.
    """
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[Receipt] = loop.create_future()

    def settle() -> None:
        if waiter.done():  # the request was given up
            return
        error = future.exception()
        if error is not None:
            waiter.set_exception(error)
        else:
            waiter.set_result(future.result())

    def wake(_: Future[Receipt]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle)

    future.add_done_callback(wake)
    return waiter
