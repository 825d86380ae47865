"""Where questions that need files are answered: in a thread of their own, one at a time, never on the loop.

Both figures come from the use cases that the command line calls. A balance is kept until the files or the day are others,
so that asking often costs little.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from econome import clock
from econome.delegation.journal import JOURNAL
from econome.delegation.scores import FILE as SCORES
from econome.delegation.shipped import presets_path
from econome.jsontext import dumps
from econome.savings import report
from econome.savings.asking import AskedEvents
from econome.savings.events import events_report
from econome.savings.lean import lean_report, lean_stamp
from econome.savings.question import Question
from econome.savings.reading import CONFLICTS, LEDGER, Shelf
from econome.settings import Settings
from econome.usage.asking import Asked
from econome.usage.open import read_tree, warm_tree
from econome.usage.report import usage_report
from econome.usage.session_asking import one_session
from econome.usage.sessions import sessions_report
from econome.usage.tree import Tree

__all__ = ["PENDING", "Desk", "Moment", "Pending"]

_Given = TypeVar("_Given")

_KEPT, _KEPT_ROWS = 32, 1000
"""So many balances are kept at once, and none with more rows: one row of each delegation may be a million."""

_MEMOS = 64
_PATIENCE_SECONDS = 0.05
"""So long a page waits for what is made in the other thread before it says that it is being made."""


class Moment:
    """Now, in a zone; *now* is the second in UTC."""

    def __init__(self, settings: Settings, timezone: str | None) -> None:
        self.zone = clock.zone(timezone or settings.timezone)
        self.now = int(clock.now() // 1)
        self.today: int = (self.now + self.zone.offset(self.now)) // 86400


class Pending:
    """What `Desk.later` returns for work that is not done yet."""


PENDING = Pending()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Have no cycles looked for: what is made of a large tree is in none, and looking takes longer than making it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Desk:
    """The one who answers; *acknowledged* tells how many bytes of the ledger count, None for all of them."""

    def __init__(
        self, settings: Settings, acknowledged: Callable[[], int | None] | None = None
    ) -> None:
        self.settings = settings
        self._thread = ThreadPoolExecutor(1, "desk")
        self._shelf = Shelf(settings.ledger_dir())
        self._acknowledged = acknowledged or (lambda: None)
        self._stamp: object = None
        self._kept: dict[object, dict[str, Any]] = {}
        self._slow = ThreadPoolExecutor(1, "judge")
        self._memos: dict[object, tuple[object, Any]] = {}

    async def answer(self, work: Callable[[], _Given]) -> _Given:
        """Return what *work* returns, once it is its turn."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Answer no more questions."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._slow.shutdown(wait=False, cancel_futures=True)

    def tree(self, *, again: bool = True) -> Tree:
        """Return the transcripts as they are on disk now; for work that is in one of the desk's threads.

        Without *again* the disk is not looked at where it was before: a part of a page goes on with what the page shows.
        """
        seen = None if again else warm_tree(None, self.settings)
        # One process: this one has threads, which a fork would not take along.
        return seen or read_tree(None, self.settings, processes=1)

    def kept(self, key: object, stamp: object, work: Callable[[], _Given]) -> _Given:
        """Return what *work* returned the last time for a key, as long as the stamp is the same; in the desk's thread only."""
        found = self._memos.pop(key, None)
        if found is None or found[0] != stamp:
            with _uncollected():
                found = stamp, work()
        self._memos[key] = found  # the last of them is the one used last
        while len(self._memos) > _MEMOS:
            del self._memos[next(iter(self._memos))]
        given: _Given = found[1]
        return given

    def later(self, key: object, stamp: object, work: Callable[[], _Given]) -> _Given | Pending:
        """Return what *work* returns, which is done in the other thread, or that it is pending."""
        begun = self.begun(key, stamp, work)
        if not wait([begun], _PATIENCE_SECONDS).done:
            return PENDING
        self.forget_failed(key, begun)
        return begun.result()

    def begun(self, key: object, stamp: object, work: Callable[[], _Given]) -> Future[_Given]:
        """Have *work* done in the other thread, unless it is already; in the desk's thread only."""
        return self.kept(key, stamp, lambda: self._slow.submit(work))

    def forget_failed(self, key: object, begun: Future[_Given]) -> None:
        """Have work that is done, and failed, done anew the next time: it may succeed then, though its stamp is the same."""
        found = self._memos.get(key)
        if begun.exception() is not None and found is not None and found[1] is begun:
            del self._memos[key]

    def ledger_stamp(self) -> tuple[object, ...]:
        """Return what is another one whenever the ledger and the files beside it are, or what counts of them."""
        names = LEDGER, CONFLICTS, JOURNAL
        paths = [os.path.join(self._shelf.directory, name) for name in names]
        beside = [os.path.join(self.settings.data_dir, SCORES), presets_path(self.settings)]
        return self._acknowledged(), lean_stamp(self.settings), *map(_facts, paths + beside)

    async def usage_text(self, asked: Asked) -> bytes:
        """Return what `econome usage --json` prints."""
        return await self.answer(lambda: _text(self._usage(asked)))

    async def sessions_text(self, asked: Asked) -> bytes:
        """Return what `econome session --json` prints."""
        return await self.answer(lambda: _text(self._sessions(asked)))

    async def session_text(self, begin: str) -> bytes:
        """Return what `econome session ID --json` prints; *begin* is the id or the beginning of it."""
        return await self.answer(lambda: _text(self._session(begin)))

    async def usage(self, asked: Asked) -> dict[str, Any]:
        """Return the report of `econome usage`."""
        return await self.answer(lambda: self._usage(asked))

    async def balance(
        self, ask: Callable[[int], Question], timezone: str | None = None, *, usd: bool = False
    ) -> dict[str, Any]:
        """Return the balance; *ask* makes the question of the day that it is."""
        return await self.answer(lambda: self.balance_now(ask, timezone, usd=usd))

    async def balance_text(
        self, ask: Callable[[int], Question], timezone: str | None = None, *, usd: bool = False
    ) -> bytes:
        """Return what `econome balance --json` prints."""
        return await self.answer(lambda: _text(self.balance_now(ask, timezone, usd=usd)))

    async def events_text(self, asked: AskedEvents) -> bytes:
        """Return a page of the events that a figure of the balance is made of."""
        return await self.answer(lambda: _text(self.events_now(asked)))

    def events_now(self, asked: AskedEvents) -> dict[str, Any]:
        """Return a page of events; for work that is in the desk's thread."""
        moment = Moment(self.settings, asked.shared.timezone)
        return events_report(
            self._shelf,
            asked.of_day(moment.today),
            moment.zone,
            moment.today,
            page=asked.page,
            limit=asked.limit,
            limit_bytes=self._acknowledged(),
        )

    async def lean_text(self, ask: Callable[[int], Question], timezone: str | None) -> bytes:
        """Return what menus and answers of MCP servers came to."""
        return await self.answer(lambda: _text(self._lean(ask, timezone)))

    def _lean(self, ask: Callable[[int], Question], timezone: str | None) -> dict[str, Any]:
        moment = Moment(self.settings, timezone)
        return lean_report(self.settings, ask(moment.today), moment.zone, moment.today)

    def _sessions(self, asked: Asked) -> dict[str, Any]:
        moment = Moment(self.settings, asked.timezone)
        with self.tree() as tree:
            return sessions_report(tree, moment.zone, asked.limit)

    def _session(self, begin: str) -> dict[str, Any]:
        with self.tree() as tree:
            return one_session(tree, begin)

    def _usage(self, asked: Asked) -> dict[str, Any]:
        moment = Moment(self.settings, asked.timezone)
        with self.tree() as tree:
            query = asked.query(moment.today)
            return usage_report(tree, query, moment.zone, moment.today)

    def balance_now(
        self, ask: Callable[[int], Question], timezone: str | None = None, *, usd: bool = False
    ) -> dict[str, Any]:
        """Return the balance; for work that is in the desk's thread."""
        moment = Moment(self.settings, timezone)
        question = ask(moment.today)
        if usd:  # rests on the transcripts too, which change by themselves
            return self._computed(question, moment, usd=True)
        stamp = self.ledger_stamp()
        if stamp != self._stamp or len(self._kept) >= _KEPT:
            self._kept.clear()
            self._stamp = stamp
        key = question, timezone, moment.today
        found = self._kept.get(key)
        if found is None:
            found = self._computed(question, moment, usd=False)
            if sum(len(client.get("rows", ())) for client in found["clients"]) <= _KEPT_ROWS:
                self._kept[key] = found
        return found

    def _computed(self, question: Question, moment: Moment, *, usd: bool) -> dict[str, Any]:
        size = self._acknowledged()
        facts = question, moment.zone, moment.today
        if not usd:
            return report.balance(self._shelf, self.settings, *facts, limit_bytes=size)
        with self.tree() as tree:
            return report.balance(
                self._shelf, self.settings, *facts, usd=True, tree=tree, limit_bytes=size
            )


def _facts(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _text(value: dict[str, Any]) -> bytes:
    return (dumps(value) + "\n").encode("ascii")
