"""Where work goes on: requests wait by turns, workers carry them out, and each ends in the journal exactly once (D3).

It moves requests along the table of states. Whom it tells, and what may be asked of it when, is the office's concern.
What a model writes it never looks into.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

from econome.delegation.fair import FairQueue
from econome.delegation.keeping import Keeping
from econome.delegation.options import Options
from econome.delegation.order import Question, Standing
from econome.delegation.ports import Proposal
from econome.delegation.request import Request
from econome.delegation.states import Event, advance
from econome.delegation.wire import QUEUED, TO_REVIEW
from econome.delegation.work import Task
from econome.errors import DelegationRefused, EconomeError
from econome.traces import place

__all__ = ["STOPPED", "Floor"]

STOPPED: Final = "the server was stopped; ask again"

_UNEXPECTED = "something went wrong here; the server's log says where"
_CLOSE_S = 3.0
_GRACE_S = 5.0
_CLOSING_GRACE_S = 1.5
"""So long a backend may take to stop; its request ends then all the same."""
_LOOK_S = 0.5
_Made = TypeVar("_Made")


class Floor:
    """The queues and workers of one office; `requests` are those that have not ended, `calm` is set while none is."""

    def __init__(
        self,
        options: Options,
        keeping: Keeping,
        log: Callable[[str], None],
        monotonic: Callable[[], float],
        instant: Callable[[], str],
    ) -> None:
        self._options, self._keeping, self._log = options, keeping, log
        self._monotonic, self._instant = monotonic, instant
        self.requests: dict[str, Request] = {}
        self.stopping = False
        self.calm = asyncio.Event()
        self.calm.set()
        self._queues: dict[str, FairQueue[Request]] = {}
        self._workers: dict[str, int] = {}
        self._running: Counter[str] = Counter()
        self._coming: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[Any]] = set()

    def expect(self, task: Task) -> None:
        """Keep room for a request that is being taken in, if it may wait or can begin at once.

        Raises:
            DelegationRefused: too many wait.
        """
        most, place = self._options.queue, task.place
        self._workers[place] = task.workers
        waiting = sum(map(len, self._queues.values()))
        for each, workers in self._workers.items():
            coming = self._coming[each] + (each == place)
            waiting += max(0, coming - max(0, workers - self._running[each]))
        if waiting > most:
            reason = f"{most} requests are waiting; try again later, or cancel one"
            raise DelegationRefused(reason)
        if sum(one.proposal is not None for one in self.requests.values()) >= most:
            reason = f"the changes of {most} requests wait for review; apply or reject some first"
            raise DelegationRefused(reason)
        self._coming[place] += 1
        self.calm.clear()

    def arrived(self, task: Task) -> None:
        """Keep no more room: it is queued, or does not come."""
        self._coming[task.place] -= 1
        self._look_whether_calm()

    def queue(self, request: Request) -> None:
        """Let a request wait, which the register has; its deadline runs from now on."""
        request.move("queue")
        self.requests[request.id] = request
        self._queues.setdefault(request.task.place, FairQueue()).put(request.line, request)
        seconds = request.order.deadline_s or self._options.deadline_s
        self._arm_deadline(request, seconds)
        if self.stopping:
            self.stop(request.id, "fail", STOPPED)
        self._dispatch(request.task.place)

    def move(self, request: Request, event: Event) -> None:
        """Let something happen to a request that does not end it."""
        request.move(event)
        self._keeping.moved(request.id, request.state)

    def _arm_deadline(self, request: Request, left_s: float) -> None:
        whole_s = request.order.deadline_s or self._options.deadline_s
        reason = f"it was not done within {whole_s:g} s; ask for less, or give it longer"
        self._arm(request, left_s, f"{reason} (deadline_s)")

    def _arm(self, request: Request, seconds: float, reason: str) -> None:
        request.set_timer(seconds, self.stop, request.id, "expire", reason)

    def _dispatch(self, place: str) -> None:
        """Let work begin where a worker is free."""
        while self._running[place] < self._workers[place]:
            request = self._queues[place].take()
            if request is None:
                return
            self._running[place] += 1
            self.move(request, "begin")
            request.began_s = self._monotonic()
            working = request.task.work(request.id, request.tally, partial(self._ask, request))
            request.runner = asyncio.create_task(working)
            self.spawn(self._run(request, request.runner))

    async def _run(self, request: Request, runner: asyncio.Task[str | Proposal]) -> None:
        place = request.task.place
        try:
            await asyncio.wait({runner})
            self._note_work(request)
            made = self._made(request, runner)
            if isinstance(made, str) and request.ending is None:
                request.ending = "finish", None  # from here on nothing stops it
                request.ending = await self._deliver(request, made)
        finally:
            request.runner = None
            self._running[place] -= 1
            self._dispatch(place)
        if made is not None and not isinstance(made, str):
            request.proposal = made
        if request.given_up:
            await self._clear(request)
        elif request.ending is None:
            self._let_review(request)
        else:
            await self.end(request)

    def _note_work(self, request: Request) -> None:
        """Note how long it was worked on: without the time in which it waited for its caller."""
        if request.worked_s is None and request.began_s is not None:
            request.worked_s = self._monotonic() - request.began_s - request.asked_s

    def _made(
        self, request: Request, runner: asyncio.Task[str | Proposal]
    ) -> str | Proposal | None:
        """Return what was made; where it was not, settle how the request ends."""
        if runner.cancelled():
            request.ending = request.ending or ("fail", STOPPED)
            return None
        error = runner.exception()
        if error is None:
            return runner.result()
        if request.ending is None:
            request.ending = "fail", self._told(error)
        return None

    def _told(self, error: BaseException) -> str:
        """Return what is told of a failure; of one that nobody expected only the log hears, and only the place."""
        if isinstance(error, EconomeError):
            return str(error)
        self._log(f"unexpected {type(error).__name__} at {place(error.__traceback__)}")
        return _UNEXPECTED

    async def _deliver(self, request: Request, answer: str) -> tuple[Event, str | None]:
        path = await self._keeping.keep_answer(request.id, answer)
        try:
            await request.task.deliver(answer)
        except Exception as error:
            kept = "" if path is None else f"; the answer is kept in {path}"
            return "fail", self._told(error) + kept
        return "finish", None

    def _let_review(self, request: Request) -> None:
        self.move(request, "ask")
        self.review_again(request)

    def review_again(self, request: Request) -> None:
        """Let changes wait for their review, from now on, whatever was tried before."""
        request.ending = None
        hours = self._options.review_h
        self._arm(request, hours * 3600, f"its changes were not reviewed within {hours:g} h")
        request.wake()

    async def _ask(self, request: Request, question: Question) -> bool:
        """Put a question of a coder to the caller; one at a time."""
        async with request.asking:
            request.question = question
            request.reply_to = asyncio.get_running_loop().create_future()
            began, left_s, hours = self._monotonic(), request.timer_left_s, self._options.review_h
            self._arm(request, hours * 3600, f"its question was not answered within {hours:g} h")
            self.move(request, "ask")
            try:
                return await request.reply_to
            finally:
                request.question = request.reply_to = None
                request.asked_s += self._monotonic() - began
                if request.ending is None:
                    self._arm_deadline(request, left_s)
                    if request.state == TO_REVIEW:
                        self.move(request, "answer")  # it is asked no more

    def stop(self, request_id: str, event: Event, reason: str) -> None:
        """Have a request end so, unless it is already settled how it ends."""
        request = self.requests.get(request_id)
        if request is None or request.ending is not None:
            return
        request.ending = event, reason
        if request.runner is not None:
            request.runner.cancel()  # whoever waits for it ends the request
            grace_s = _CLOSING_GRACE_S if self.stopping else _GRACE_S
            request.set_timer(grace_s, self._give_up, request)
            return
        if request.state == QUEUED:
            self._queues[request.task.place].remove(request.line, request)
        self.spawn(self.end(request))

    def _give_up(self, request: Request) -> None:
        """End a request whose backend does not stop; it keeps its worker until it does."""
        if request.runner is None or request.runner.done() or request.given_up:
            return
        request.given_up = True
        self._note_work(request)
        self._log(f"{request.task.place} goes on though {request.id} was stopped")
        self.spawn(self.end(request))

    async def end(self, request: Request) -> None:
        """Bring its end to the journal, then tell it, then clear away."""
        assert request.ending is not None
        event, reason = request.ending
        request.stop_timer()
        status = advance(request.state, event)
        await self._keeping.end(request.ended(self._instant(), status, reason))
        request.move(event)
        try:
            if not request.given_up:  # else whoever works on it clears away at last
                await self._clear(request)
        finally:
            del self.requests[request.id]
            self._look_whether_calm()

    async def _clear(self, request: Request) -> None:
        """Clear away what the work left, once nobody works on it any more."""
        try:
            if request.proposal is not None:
                await request.proposal.discard()
            await request.task.close()
        except Exception as error:
            self._told(error)

    def _look_whether_calm(self) -> None:
        if not self.requests and not self._coming.total():
            self.calm.set()
        else:
            self.calm.clear()

    def spawn(self, work: Coroutine[Any, Any, _Made]) -> asyncio.Task[_Made]:
        """Begin something that `close` waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._look_at)
        return task

    def _look_at(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, EconomeError):
            self._told(error)

    def shown(self, request: Request) -> Standing:
        """Return how it stands."""
        position = None
        if request.state == QUEUED:
            waiting = self._queues[request.task.place]
            position = next((n for n, one in enumerate(waiting, 1) if one is request), None)
        return request.standing(self._monotonic(), position)

    async def close(self) -> None:
        """End what is open as failed, and wait until it is in the journal."""
        self.stopping = True
        try:
            # What a full disk does not take now is ended by the next process.
            async with asyncio.timeout(_CLOSE_S):
                for request in self.requests.values():
                    if request.runner is not None and request.ending is not None:
                        request.set_timer(_CLOSING_GRACE_S, self._give_up, request)
                while self.requests or self._tasks:
                    for request_id in list(self.requests):
                        self.stop(request_id, "fail", STOPPED)
                    await asyncio.wait(set(self._tasks), timeout=_LOOK_S)
        except TimeoutError:
            if self.requests:
                count = len(self.requests)
                self._log(f"{count} requests could not be ended; the next start ends them")
        for task in set(self._tasks):
            task.cancel()
