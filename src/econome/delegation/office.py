"""Takes orders in, has them carried out by turns, and sees that each ends in the journal exactly once (D3, D4).

An id is given out once the register on disk has it, and an end is told once the journal on disk has it. It runs in the
process that holds the ledger's lock, in one event loop. What a model writes it never looks into.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from econome.delegation.floor import Floor
from econome.delegation.keeping import Keeping
from econome.delegation.options import Options
from econome.delegation.order import Caller, Order, Standing
from econome.delegation.ports import Proposal
from econome.delegation.register import Accepted
from econome.delegation.request import Request
from econome.delegation.states import ENDED
from econome.delegation.wire import REFUSED, TO_REVIEW, Ended
from econome.delegation.work import Desk
from econome.errors import DelegationRefused, EconomeError, WrongMoment

__all__ = ["Office"]

_CANCELLED = "it was cancelled"
_REJECTED = "its changes were rejected"
_LOOK_S = 1.0
_Told = Callable[[Standing], Awaitable[None]]


class Office:
    """The queue, the workers and what they keep; use it between `open` and `close`."""

    def __init__(
        self,
        *,
        directory: str,
        options: Options,
        desk: Desk,
        log: Callable[[str], None],
        monotonic: Callable[[], float],
        instant: Callable[[], str],
    ) -> None:
        self._options, self._desk, self._log = options, desk, log
        self._monotonic, self._instant = monotonic, instant
        self._keeping = Keeping(directory, options.answers_days, log, instant)
        self._floor = Floor(options, self._keeping, log, monotonic, instant)
        self._unwanted: set[asyncio.Task[str]] = set()

    async def open(self) -> None:
        """Open the files; what a process that is no more left open is ended in the journal first.

        Raises:
            LedgerBroken: a file cannot be opened, read or repaired.
            LedgerUnwritable: the disk does not take the ends of what was left.
        """
        await self._keeping.open()

    async def submit(self, order: Order, caller: Caller) -> str:
        """Take an order in and return its request id; whoever is cancelled meanwhile wants it no more.

        Raises:
            EconomeError: it is refused, and the journal says so; or the disk takes nothing, and nothing is kept.
        """
        coming = self._floor.spawn(self._take(order, caller))
        try:
            return await asyncio.shield(coming)
        except asyncio.CancelledError:
            self._unwanted.add(coming)
            coming.add_done_callback(self._drop)
            raise

    def _drop(self, coming: asyncio.Task[str]) -> None:
        self._unwanted.discard(coming)
        if not coming.cancelled() and coming.exception() is None:
            self._floor.stop(coming.result(), "cancel", _CANCELLED)

    async def _take(self, order: Order, caller: Caller) -> str:
        try:
            if self._floor.stopping:
                raise DelegationRefused("the server is stopping; ask again when it is back")
            task = await self._desk.take(order, caller)
            try:
                self._floor.expect(task)
            except DelegationRefused:
                await task.close()
                raise
        except EconomeError as error:
            await self.refuse(order, caller, str(error))
            raise
        try:
            request_id = await self._keeping.new_id()
            request = Request(request_id, order, caller, task, self._monotonic())
            await self._keeping.accept(self._line(request))
            self._floor.queue(request)
        except EconomeError:
            await task.close()
            raise
        finally:
            self._floor.arrived(task)
        return request_id

    async def refuse(self, order: Order, caller: Caller, reason: str) -> None:
        """Have the journal say that an order was refused.

        Raises:
            LedgerUnwritable: the disk does not take it.
        """
        ended = Ended(
            date=self._instant(),
            tool_use_id=caller.tool_use,
            status=REFUSED,
            session=caller.session,
            preset=order.preset,
            format=order.format,
            reply=order.reply,
            output=order.output,
            error=reason,
        )
        await self._keeping.refuse(ended)

    def _line(self, request: Request) -> Accepted:
        caller, task = request.caller, request.task
        return Accepted(
            id=request.id,
            date=self._instant(),
            place=task.place,
            client=caller.client,
            session=caller.session,
            tool_use=caller.tool_use,
            preset=task.preset,
            format=task.format,
            reply=request.order.reply,
            output=task.output,
        )

    async def standing(
        self, request_id: str, wait_s: float = 0.0, progress: _Told | None = None
    ) -> Standing:
        """Return how a request stands, once it ended or needs its caller, at most after *wait_s*.

        *progress* is told how it stands about each second meanwhile.

        Raises:
            RequestUnknown: there is no such request.
        """
        request = self._floor.requests.get(request_id)
        if request is None:
            return await self._keeping.standing(request_id)
        until = self._monotonic() + wait_s
        while not request.settled and (left := until - self._monotonic()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, _LOOK_S)):
                    await request.turn()
                continue
            if progress is not None and not request.settled:
                await progress(self._floor.shown(request))
        if request.state in ENDED:
            return await self._keeping.standing(request_id)
        return self._floor.shown(request)

    async def cancel(self, request_id: str) -> Standing:
        """End a request, and return how it stands then; one that has ended stays as it is.

        Raises:
            RequestUnknown: there is no such request.
        """
        request = self._floor.requests.get(request_id)
        while request is not None and request.state not in ENDED:
            # Again: what was about to end it may have been refused, as an application of changes can be.
            self._floor.stop(request_id, "cancel", _CANCELLED)
            await request.turn()
        return await self.standing(request_id)

    async def allow(self, request_id: str, allowed: bool) -> Standing:
        """Answer a coder's question.

        Raises:
            RequestUnknown: there is no such request.
            WrongMoment: it asks nothing.
        """
        request = await self._to_review(request_id)
        if request.reply_to is None or request.reply_to.done():
            raise WrongMoment(request_id, request.state, "it asks nothing; review its changes")
        request.reply_to.set_result(allowed)
        self._floor.move(request, "answer")
        return self._floor.shown(request)

    async def review(self, request_id: str, path: str | None = None) -> str:
        """Return the diff of the changes that wait for review, of one file or of all.

        Raises:
            RequestUnknown: there is no such request.
            WrongMoment: it has no changes to review.
        """
        _, proposal = await self._changed(request_id)
        return await proposal.diff(path)

    async def apply(self, request_id: str) -> Standing:
        """Apply the changes, all or none.

        Raises:
            RequestUnknown: there is no such request.
            WrongMoment: it has no changes to apply.
            ChangeRefused: they cannot be applied as they are; they can still be reviewed.
        """
        request, proposal = await self._changed(request_id)
        request.ending = "apply", None
        await asyncio.shield(self._floor.spawn(self._apply(request, proposal)))
        return await self.standing(request_id)

    async def _apply(self, request: Request, proposal: Proposal) -> None:
        try:
            await proposal.apply()
        except BaseException:
            self._floor.review_again(request)
            raise
        await self._keeping.keep_answer(request.id, proposal.written.text)
        await self._floor.end(request)

    async def reject(self, request_id: str) -> Standing:
        """Throw the changes away.

        Raises:
            RequestUnknown: there is no such request.
            WrongMoment: it has no changes to reject.
        """
        request, _ = await self._changed(request_id)
        request.ending = "reject", _REJECTED
        await asyncio.shield(self._floor.spawn(self._floor.end(request)))
        return await self.standing(request_id)

    async def _to_review(self, request_id: str) -> Request:
        request = self._floor.requests.get(request_id)
        if request is None:
            ended = await self._keeping.standing(request_id)
            raise WrongMoment(request_id, ended.status, "it has ended")
        if request.state != TO_REVIEW or request.ending is not None:
            raise WrongMoment(request_id, request.state, "it waits for nobody; follow it")
        return request

    async def _changed(self, request_id: str) -> tuple[Request, Proposal]:
        request = await self._to_review(request_id)
        if request.proposal is None:
            raise WrongMoment(request_id, request.state, "it asks a question first; answer it")
        return request, request.proposal

    def open_requests(self) -> list[Standing]:
        """Return how the requests stand that have not ended, in the order in which they came."""
        return [self._floor.shown(one) for one in self._floor.requests.values()]

    async def wait_idle(self) -> None:
        """Return when nothing is open."""
        await self._floor.calm.wait()

    async def close(self) -> None:
        """End what is open as failed, then let go of everything."""
        while self._unwanted:
            await asyncio.wait(self._unwanted)
        await self._floor.close()
        await self._desk.close()
        await self._keeping.close()
