"""Where questions that need files are answered: in a thread of their own, one at a time, never on the loop.

Both figures come from the use cases that the command line calls. A balance is kept until the files or the day are others,
so that asking often costs little.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from econome import clock
from econome.delegation.journal import JOURNAL
from econome.delegation.scores import FILE as SCORES
from econome.delegation.shipped import presets_path
from econome.jsontext import dumps
from econome.savings import report
from econome.savings.lean import lean_report, lean_stamp
from econome.savings.question import Question
from econome.savings.reading import CONFLICTS, LEDGER, Shelf
from econome.settings import Settings
from econome.usage.asking import Asked
from econome.usage.open import read_tree
from econome.usage.report import usage_report
from econome.usage.tree import Tree

__all__ = ["Desk", "Moment"]

_Given = TypeVar("_Given")

_KEPT, _KEPT_ROWS = 32, 1000
"""So many balances are kept at once, and none with more rows: one row of each delegation may be a million."""


class Moment:
    """Now, in a zone."""

    def __init__(self, settings: Settings, timezone: str | None) -> None:
        self.zone = clock.zone(timezone or settings.timezone)
        now = int(clock.now() // 1)
        self.today: int = (now + self.zone.offset(now)) // 86400


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

    async def answer(self, work: Callable[[], _Given]) -> _Given:
        """Return what *work* returns, once it is its turn."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Answer no more questions."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def usage_text(self, asked: Asked) -> bytes:
        """Return what `econome usage --json` prints."""
        return await self.answer(lambda: _text(self._usage(asked)))

    async def usage(self, asked: Asked) -> dict[str, Any]:
        """Return the report of `econome usage`."""
        return await self.answer(lambda: self._usage(asked))

    async def balance(
        self, ask: Callable[[int], Question], timezone: str | None = None, *, usd: bool = False
    ) -> dict[str, Any]:
        """Return the balance; *ask* makes the question of the day that it is."""
        return await self.answer(lambda: self._balance(ask, timezone, usd))

    async def balance_text(
        self, ask: Callable[[int], Question], timezone: str | None = None, *, usd: bool = False
    ) -> bytes:
        """Return what `econome balance --json` prints."""
        return await self.answer(lambda: _text(self._balance(ask, timezone, usd)))

    async def lean_text(self, ask: Callable[[int], Question], timezone: str | None) -> bytes:
        """Return what menus and answers of MCP servers came to."""
        return await self.answer(lambda: _text(self._lean(ask, timezone)))

    def _lean(self, ask: Callable[[int], Question], timezone: str | None) -> dict[str, Any]:
        moment = Moment(self.settings, timezone)
        return lean_report(self.settings, ask(moment.today), moment.zone, moment.today)

    def _usage(self, asked: Asked) -> dict[str, Any]:
        moment = Moment(self.settings, asked.timezone)
        with self._tree() as tree:
            query = asked.query(moment.today)
            return usage_report(tree, query, moment.zone, moment.today)

    def _balance(
        self, ask: Callable[[int], Question], timezone: str | None, usd: bool
    ) -> dict[str, Any]:
        moment = Moment(self.settings, timezone)
        question = ask(moment.today)
        if usd:  # rests on the transcripts too, which change by themselves
            return self._computed(question, moment, usd=True)
        stamp = self._now()
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
        with self._tree() as tree:
            return report.balance(
                self._shelf, self.settings, *facts, usd=True, tree=tree, limit_bytes=size
            )

    def _tree(self) -> Tree:
        # One process: this one has threads, which a fork would not take along.
        return read_tree(None, self.settings, processes=1)

    def _now(self) -> tuple[object, ...]:
        """Return what is another one whenever the files are, or what counts of them."""
        names = LEDGER, CONFLICTS, JOURNAL
        paths = [os.path.join(self._shelf.directory, name) for name in names]
        beside = [os.path.join(self.settings.data_dir, SCORES), presets_path(self.settings)]
        return self._acknowledged(), lean_stamp(self.settings), *map(_facts, paths + beside)


def _facts(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _text(value: dict[str, Any]) -> bytes:
    return (dumps(value) + "\n").encode("ascii")
