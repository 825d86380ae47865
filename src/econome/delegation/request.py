"""A request that was accepted, from then until its line is in the journal: what is known of it, and who waits for it.

It follows the table of states and decides nothing; the floor moves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import UNSET

from econome.delegation.order import Caller, Order, Question, Standing
from econome.delegation.ports import Proposal
from econome.delegation.states import ENDED, START, Event, advance
from econome.delegation.wire import TO_REVIEW, Ended
from econome.delegation.work import Tally, Task

__all__ = ["Request"]


class Request:
    """One accepted request.

    `ending` is the event that ends it, with the reason, from the moment at which that is settled; until then `state`
    stays what it was, since nobody is told of an end that is not on disk. `asked_s` are the seconds in which it waited for
    an answer of its caller. `given_up` says that it ended though who worked on it did not stop.
    """

    __slots__ = (
        "_timer", "_turn", "asked_s", "asking", "began_s", "caller", "ending", "given_up", "id", "order",
        "proposal", "question", "queued_s", "reply_to", "runner", "state", "tally", "task", "worked_s",
    )  # fmt: skip

    def __init__(
        self, request_id: str, order: Order, caller: Caller, task: Task, now: float
    ) -> None:
        self.id, self.order, self.caller, self.task = request_id, order, caller, task
        self.state = START
        self.tally = Tally()
        self.queued_s = now
        self.began_s: float | None = None
        self.asked_s = 0.0
        self.given_up = False
        self.worked_s: float | None = None
        self.ending: tuple[Event, str | None] | None = None
        self.question: Question | None = None
        self.reply_to: asyncio.Future[bool] | None = None
        self.proposal: Proposal | None = None
        self.asking = asyncio.Lock()
        self.runner: asyncio.Task[str | Proposal] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._turn = asyncio.Event()

    @property
    def line(self) -> tuple[str | None, str | None]:
        """Return the line in which it waits."""
        return self.caller.line

    @property
    def settled(self) -> bool:
        """Whether its caller is to be told: it ended, or needs them."""
        return self.state in ENDED or (self.state == TO_REVIEW and self.ending is None)

    def move(self, event: Event) -> None:
        """Let something happen to it, and wake who waits for it.

        Raises:
            ValueError: that cannot happen now.
        """
        self.state = advance(self.state, event)
        self.wake()

    def wake(self) -> None:
        """Have whoever waits for it look again."""
        self._turn.set()
        self._turn = asyncio.Event()

    async def turn(self) -> None:
        """Return when something happens to it."""
        await self._turn.wait()

    def set_timer(self, seconds: float, act: Callable[..., None], *arguments: object) -> None:
        """Have something done to it after some time, in place of what was to be done before."""
        self.stop_timer()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, act, *arguments)

    def stop_timer(self) -> None:
        """Have nothing done to it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def timer_left_s(self) -> float:
        """Return the time until something is done to it."""
        if self._timer is None:
            return 0.0
        return max(0.0, self._timer.when() - asyncio.get_running_loop().time())

    def ended(self, date: str, status: str, error: str | None) -> Ended:
        """Return its line of the journal."""
        return Ended(
            date=date,
            request_id=self.id,
            tool_use_id=self.caller.tool_use,
            status=status,
            session=self.caller.session,
            preset=self.task.preset,
            format=self.task.format,
            model=self.tally.model,
            tokens_in=self.tally.tokens_in,
            tokens_out=self.tally.tokens_out,
            duration_s=self.worked_s,
            reply=self.order.reply,
            output=self.task.output,
            error=error,
            tokens_estimated=True if self.tally.estimated else UNSET,
            cut=True if self.tally.cut else UNSET,
        )

    def standing(self, now: float, position: int | None) -> Standing:
        """Return how it stands."""
        shown = self.state == TO_REVIEW
        proposal = self.proposal if shown else None
        return Standing(
            request_id=self.id,
            status=self.state,
            preset=self.task.preset,
            format=self.task.format,
            model=self.tally.model,
            reply=self.order.reply,
            output=self.task.output,
            position=position,
            waiting_s=now - self.queued_s,
            written=self.tally.pieces,
            question=self.question if shown else None,
            changes=None if proposal is None else proposal.changes,
            refusal=None if proposal is None else proposal.refusal,
            left_out=() if proposal is None else proposal.left_out,
        )
