"""The tools that hand work over, carried out by the office of this process.

Each reads its arguments, asks the office one thing and says how the request stands. It knows no protocol. A call that
is cancelled because its caller does not want it any more cancels its request; one that ends otherwise leaves it (D9).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import msgspec

from econome.delegation.order import Caller, Order, Standing
from econome.errors import (
    BackendAway,
    ChangeRefused,
    DelegationRefused,
    EconomeError,
    FileRefused,
    PresetError,
)
from econome.server.delegating import wire
from econome.server.delegating.call import Asking, Said, Tell

__all__ = ["Counter", "Serving", "said"]


class Serving(Protocol):
    """What of an office the tools use; see `econome.delegation.office`."""

    async def submit(self, order: Order, caller: Caller) -> str:
        """Take an order in and return its id."""

    async def refuse(self, order: Order, caller: Caller, reason: str) -> None:
        """Have the journal say that an order was refused."""

    async def standing(
        self,
        request_id: str,
        wait_s: float = 0.0,
        progress: Callable[[Standing], Awaitable[None]] | None = None,
    ) -> Standing:
        """Return how a request stands, once it ended, needs its caller, or the time is over."""

    async def cancel(self, request_id: str) -> Standing:
        """End a request."""

    async def allow(self, request_id: str, allowed: bool) -> Standing:
        """Answer a question."""

    async def review(self, request_id: str, path: str | None) -> str:
        """Return the diff."""

    async def apply(self, request_id: str) -> Standing:
        """Apply the changes."""

    async def reject(self, request_id: str) -> Standing:
        """Throw the changes away."""


_Given = Mapping[str, Any]
_REFUSALS = (BackendAway, ChangeRefused, DelegationRefused, FileRefused, PresetError)
"""What a request is refused for before it is queued; the office has journaled it by then."""


def said(answer: dict[str, Any]) -> Said:
    """Return an answer as the one compact text that it is on the wire."""
    return Said(msgspec.json.encode(answer).decode("utf-8"), wire.is_failure(answer))


class Counter:
    """Carries the tools out on an office."""

    def __init__(self, office: Serving) -> None:
        self._office = office
        self._cancelling: set[asyncio.Task[None]] = set()
        self._tools: dict[str, Callable[[_Given, Asking], Awaitable[dict[str, Any]]]] = {
            wire.DELEGATE: self._delegate,
            wire.FOLLOW: self._follow,
            wire.CANCEL: self._cancel,
            wire.REVIEW: self._review,
            wire.ALLOW: self._allow,
            wire.APPLY: self._apply,
            wire.REJECT: self._reject,
        }

    async def carry(self, tool: str, arguments: _Given, asking: Asking) -> Said:
        """Carry out a call.

        Raises:
            EconomeError: it cannot be done; the text says what to do instead.
        """
        return said(await self._tools[tool](arguments, asking))

    async def settle(self) -> None:
        """Wait until what withdrawn calls asked for is cancelled."""
        while self._cancelling:
            await asyncio.wait(self._cancelling)

    async def _delegate(self, given: _Given, asking: Asking) -> dict[str, Any]:
        order = wire.read_order(given, asking.base, deadline_s=asking.deadline_s)
        wait_s = wire.read_wait(wire.DELEGATE, given)
        try:
            order = await self._within_roots(order, given, asking)
            request_id = await self._office.submit(order, asking.caller)
        except _REFUSALS as error:
            return wire.refused_answer(str(error))
        return await self._until(request_id, wait_s, asking, asking.begun)

    async def _within_roots(self, order: Order, given: _Given, asking: Asking) -> Order:
        """Return an order with the client's own roots, where it matters which they are."""
        if not wire.touches_files(wire.DELEGATE, given):
            return order
        try:
            return replace(order, roots=await asking.roots())
        except DelegationRefused as error:
            await self._office.refuse(order, asking.caller, str(error))
            raise

    async def _follow(self, given: _Given, asking: Asking) -> dict[str, Any]:
        request_id = wire.read_id(wire.FOLLOW, given)
        return await self._until(request_id, wire.read_wait(wire.FOLLOW, given), asking)

    async def _until(
        self, request_id: str, wait_s: int, asking: Asking, begun: Tell | None = None
    ) -> dict[str, Any]:
        try:
            if begun is not None:
                await begun(await self._office.standing(request_id))
            return wire.envelope(await self._office.standing(request_id, wait_s, asking.tell))
        except asyncio.CancelledError:
            if asking.withdrawn():
                # The task that was cancelled can wait for nothing any more.
                task = asyncio.ensure_future(self._cancel_quietly(request_id))
                self._cancelling.add(task)
                task.add_done_callback(self._cancelling.discard)
            raise

    async def _cancel_quietly(self, request_id: str) -> None:
        try:
            await self._office.cancel(request_id)
        except EconomeError:
            pass  # it ended meanwhile

    async def _cancel(self, given: _Given, asking: Asking) -> dict[str, Any]:
        found = await self._office.cancel(wire.read_id(wire.CANCEL, given))
        return wire.ended_answer(found)

    async def _review(self, given: _Given, asking: Asking) -> dict[str, Any]:
        request_id = wire.read_id(wire.REVIEW, given)
        diff = await self._office.review(request_id, wire.read_path(given))
        return wire.diff_answer(request_id, diff)

    async def _allow(self, given: _Given, asking: Asking) -> dict[str, Any]:
        allowed = wire.read_allowed(given)
        return wire.envelope(await self._office.allow(wire.read_id(wire.ALLOW, given), allowed))

    async def _apply(self, given: _Given, asking: Asking) -> dict[str, Any]:
        return wire.envelope(await self._office.apply(wire.read_id(wire.APPLY, given)))

    async def _reject(self, given: _Given, asking: Asking) -> dict[str, Any]:
        return wire.ended_answer(await self._office.reject(wire.read_id(wire.REJECT, given)))
