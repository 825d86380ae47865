"""What the office keeps on disk: the journal, the register, the answers; and what a stopped process left in them (D3, D4).

Every write goes through here, in threads that do nothing else, so that no answer, however large, is in its way. An end
is written again and again until the disk takes it; what is left in the register when the process dies is ended by the
next one.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import msgspec
from msgspec import UNSET

from econome.delegation.answers import Answers
from econome.delegation.journal import JOURNAL, JournalWriter
from econome.delegation.order import FULL, PREVIEW, Standing
from econome.delegation.past import UsedIds, find
from econome.delegation.pen import Pen
from econome.delegation.register import REGISTER, Accepted, Moved, Register
from econome.delegation.wire import COUNT_LIMIT, DONE, FAILED, QUEUED, Ended
from econome.errors import LedgerUnwritable, RequestUnknown
from econome.settings import ledger_dir

__all__ = [
    "LEFT_RUNNING",
    "LEFT_WAITING",
    "Keeping",
    "sound",
    "standing_of",
]

LEFT_RUNNING = "the server was stopped while it ran; ask again"
LEFT_WAITING = "the server was stopped before it began; ask again"

_RECENT = 1000
_PRUNE_S = 3600.0
_LONGEST_ERROR = 600
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 30.0
_THREADS: Final = 4
"""The journal, the register, and two to look something up."""

_T = TypeVar("_T")


class Keeping:
    """The files of one office; *log* takes a line for the operator, *instant* tells the time as the journal has it."""

    def __init__(
        self,
        data_dir: str,
        answers_days: float,
        log: Callable[[str], None],
        instant: Callable[[], str],
    ) -> None:
        directory = ledger_dir(data_dir)
        self._journal_path = os.path.join(directory, JOURNAL)
        self._register_path = os.path.join(directory, REGISTER)
        self._answers = Answers(os.path.join(data_dir, "answers"), answers_days)
        self._log, self._instant = log, instant
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="econome-keeping")
        self._ids: asyncio.Task[UsedIds] | None = None
        self._recent: OrderedDict[str, Ended] = OrderedDict()
        self._unkept: OrderedDict[str, str] = OrderedDict()
        self._complained = False

    async def open(self) -> None:
        """Open the files and end what a process that is no more left open.

        Raises:
            LedgerBroken: a file cannot be opened, read or repaired.
            LedgerUnwritable: the disk does not take the ends of what was left.
        """
        await self._aside(self.recover)
        self._journal_pen = Pen(self._append, self._threads)
        self._register_pen = Pen(self._register.write, self._threads)
        self._ids = asyncio.create_task(self._aside(UsedIds, self._journal_path))
        self._pruning = asyncio.create_task(self._prune())
        self._ids.add_done_callback(lambda ids: ids.cancelled() or ids.exception())

    async def _aside(self, work: Callable[..., _T], *arguments: object) -> _T:
        """Return what some work returns, done in a thread of ours."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, work, *arguments)

    async def _prune(self) -> None:
        """Look now and then for answers that have grown too old."""
        while True:
            await asyncio.sleep(_PRUNE_S)
            await self._aside(self._answers.prune)

    def recover(self) -> None:
        """Do of `open` what needs no loop: take the files, and end what was left."""
        self._journal = JournalWriter(self._journal_path, self._log)
        try:
            self._register = Register(self._register_path)
            try:
                self._end_what_was_left()
            except BaseException:
                self._register.close()
                raise
        except BaseException:
            self._journal.close()
            raise
        self._answers.begin()

    def _end_what_was_left(self) -> None:
        """Journal what the register holds and the journal lacks; only then is the register emptied.

        Whoever dies in the middle of this leaves the same question to the next.
        """
        if self._register.malformed:
            count = self._register.malformed
            self._log(f"{self._register_path}: lines that are none: {count}; passed over")
        left = self._register.left
        known = find(self._journal_path, [one.id for one, _ in left]) if left else {}
        for one, state in left:
            if one.id not in known:
                ended = self._left(one, LEFT_WAITING if state == QUEUED else LEFT_RUNNING)
                self._journal.append(ended)
                known[one.id] = ended
            if known[one.id].error in (LEFT_WAITING, LEFT_RUNNING):
                self._answers.remove(one.id)  # of an answer that nobody was told of
        self._register.empty()

    def _left(self, one: Accepted, reason: str) -> Ended:
        return Ended(
            date=self._instant(),
            request_id=one.id,
            tool_use_id=one.tool_use,
            status=FAILED,
            session=one.session,
            preset=one.preset,
            format=one.format,
            reply=one.reply,
            output=one.output,
            error=reason,
        )

    async def new_id(self) -> str:
        """Return a request id that was never given out before."""
        assert self._ids is not None
        used = await asyncio.shield(self._ids)
        while (request_id := f"dem-{secrets.token_hex(5)}") in used:
            pass
        used.add(request_id)
        return request_id

    async def accept(self, one: Accepted) -> None:
        """Return once the register on disk has it.

        Raises:
            LedgerUnwritable: it has not.
        """
        await self._register_pen.put(_sound_accepted(one))

    def moved(self, request_id: str, state: str) -> None:
        """Have it written in which state a request is; nobody waits for it."""
        self._register_pen.later(Moved(request_id, state))

    async def end(self, ended: Ended) -> None:
        """Return once the journal on disk has it, however long that takes."""
        line, pause = sound(ended), _FIRST_PAUSE_S
        while True:
            try:
                await self._journal_pen.put(line)
                break
            except LedgerUnwritable as error:
                if not self._complained:
                    self._complained = True
                    self._log(
                        f"{error.path}: {error.reason}; what ends waits until it can be written"
                    )
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        self._complained = False
        assert line.request_id is not None
        self.moved(line.request_id, line.status)
        self._recent[line.request_id] = line
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)

    async def refuse(self, ended: Ended) -> None:
        """Return once the journal on disk has what was refused; after `close` nothing is written any more.

        Raises:
            LedgerUnwritable: it has not.
        """
        if self._ids is not None:
            await self._journal_pen.put(sound(ended))

    async def keep_answer(self, request_id: str, text: str) -> str | None:
        """Keep an answer; return the path of its file, None where the disk took nothing and only memory has it."""
        try:
            return await self._aside(self._answers.keep, request_id, text)
        except OSError as error:
            self._log(f"{self._answers.directory}: {error.strerror or 'no answer can be kept'}")
        self._unkept[request_id] = text
        if len(self._unkept) > _RECENT:
            self._unkept.popitem(last=False)
        return None

    async def standing(self, request_id: str) -> Standing:
        """Return how a request ended, with its answer where that is still kept.

        Raises:
            RequestUnknown: the journal has no such request.
        """
        ended = self._recent.get(request_id)
        if ended is None:
            found = await self._aside(find, self._journal_path, [request_id])
            if request_id not in found:
                raise RequestUnknown(request_id)
            ended = found[request_id]
        answer: tuple[str | None, str | None] = (self._unkept.get(request_id), None)
        if ended.status == DONE and answer[0] is None:
            kept = await self._aside(self._answers.read, request_id)
            answer = kept or (None, None)
        return standing_of(ended, *answer)

    async def close(self) -> None:
        """Let go of the files, once what waits to be written is."""
        if self._ids is None:
            return
        self._ids.cancel()
        self._pruning.cancel()
        self._ids = None
        await self._journal_pen.finish()
        await self._register_pen.finish()
        await self._aside(self._answers.close)
        self._register.close()
        self._journal.close()

    def _append(self, some: list[Ended]) -> None:
        self._journal.append(*some)


def standing_of(
    ended: Ended, answer: str | None = None, answer_path: str | None = None
) -> Standing:
    """Return how a request stands whose line the journal has."""
    return Standing(
        request_id=ended.request_id or "",
        status=ended.status,
        preset=ended.preset,
        format=ended.format,
        model=ended.model,
        tokens_in=ended.tokens_in,
        tokens_out=ended.tokens_out,
        tokens_estimated=ended.tokens_estimated is True,
        cut=ended.cut is True,
        duration_s=ended.duration_s,
        reply=PREVIEW if ended.reply == PREVIEW else FULL,
        output=ended.output,
        error=ended.error,
        answer=answer,
        answer_path=answer_path,
    )


def sound(ended: Ended) -> Ended:
    """Return a line that the journal's readers take: text that is UTF-8, one short line of error, counts in bounds."""
    error = None if ended.error is None else " ".join(ended.error.split())[:_LONGEST_ERROR]
    return Ended(
        date=ended.date,
        request_id=ended.request_id,
        tool_use_id=_sound(ended.tool_use_id),
        status=ended.status,
        session=_sound(ended.session),
        preset=_sound(ended.preset),
        format=_sound(ended.format),
        model=_sound(ended.model),
        tokens_in=_count(ended.tokens_in),
        tokens_out=_count(ended.tokens_out),
        duration_s=None if ended.duration_s is None else round(max(0.0, ended.duration_s), 3),
        reply=ended.reply,
        output=_sound(ended.output),
        error=_sound(error),
        tokens_estimated=True if ended.tokens_estimated is True else UNSET,
        cut=True if ended.cut is True else UNSET,
    )


def _sound_accepted(one: Accepted) -> Accepted:
    texts = {name: _sound(getattr(one, name)) for name in _TEXTS}
    return msgspec.structs.replace(one, **texts)


_TEXTS = ("client", "session", "tool_use", "preset", "format", "output")


def _sound(text: str | None) -> str | None:
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


def _count(number: int | None) -> int | None:
    return None if number is None else max(0, min(number, COUNT_LIMIT))
