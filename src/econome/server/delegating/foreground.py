"""The tools that hand work over, one after another, for a command that a person waits for.

Ctrl-C while a call waits cancels its request, and so do SIGTERM and SIGHUP. It draws nothing and decides nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from econome.delegation.order import Caller, Order, Standing
from econome.savings.lock import holder
from econome.server.delegating import wire
from econome.server.delegating.call import Asking, Said
from econome.server.delegating.ending import Ending
from econome.server.delegating.local import Local
from econome.server.logs import to_standard_error
from econome.settings import Settings

__all__ = ["Foreground"]

_Shown = Callable[[Standing], None]


class Foreground:
    """Use it as a context. *what* names the command to whoever finds the ledger taken; *shown* is told of progress.

    *waits* is told who has the ledger, where a call has to wait for it.
    """

    def __init__(
        self,
        settings: Settings,
        what: str,
        shown: _Shown | None = None,
        waits: Callable[[str], None] | None = None,
    ) -> None:
        self._runner, self._ending = asyncio.Runner(), Ending()
        self._settings, self._what = settings, what
        self._shown, self._waits = shown, waits
        self._local: Local | None = None

    def __enter__(self) -> Foreground:
        self._ending.__enter__()
        self._runner.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._local is not None:
                self._runner.run(self._local.close())
        finally:
            self._runner.__exit__(kind, error, trace)
            self._ending.__exit__(kind, error, trace)

    @property
    def is_served(self) -> bool:
        """Whether a server runs, which holds a request for longer than this command lasts."""
        found = holder(self._settings.ledger_dir())
        return found is not None and found.url is not None

    def delegate(self, order: Order) -> Said:
        """Hand an order over, and wait until it ended or needs its caller.

        Raises:
            EconomeError: it cannot be done.
        """
        given = wire.delegate_arguments(order, wire.WAIT_S_MOST)
        return self._waited(self._call(wire.DELEGATE, given, order.deadline_s))

    def follow(self, request_id: str) -> Said:
        """Wait until a request ended or needs its caller; see `delegate` for what may fail."""
        given = wire.follow_arguments(request_id, wire.WAIT_S_MOST)
        return self._waited(self._call(wire.FOLLOW, given))

    def _waited(self, said: Said) -> Said:
        outcome = wire.read_outcome(said.text)
        if outcome.is_open and outcome.request_id is not None:
            return self.follow(outcome.request_id)
        return said

    def allow(self, request_id: str, allowed: bool) -> Said:
        """Answer a question, and wait on; see `delegate` for what may fail."""
        return self._waited(self._call(wire.ALLOW, wire.allow_arguments(request_id, allowed)))

    def answer(self, request_id: str, allowed: bool) -> Said:
        """Answer a question, and wait for nothing; see `delegate` for what may fail."""
        return self._call(wire.ALLOW, wire.allow_arguments(request_id, allowed))

    def look(self, request_id: str) -> Said:
        """Return how a request stands now; see `delegate` for what may fail."""
        return self._call(wire.FOLLOW, wire.follow_arguments(request_id, 0))

    def call(self, tool: str, request_id: str) -> Said:
        """Call a tool that takes only a request; see `delegate` for what may fail."""
        return self._call(tool, wire.follow_arguments(request_id))

    def _call(self, tool: str, given: Mapping[str, Any], deadline_s: float | None = None) -> Said:
        return self._ending.run(self._runner, self._carry(tool, given, deadline_s))

    async def _carry(self, tool: str, given: Mapping[str, Any], deadline_s: float | None) -> Said:
        if self._local is None:
            place = os.getcwd()
            self._local = Local(self._settings, self._what, place, to_standard_error, self._waits)

        async def tell(standing: Standing) -> None:
            if self._shown is not None:
                self._shown(standing)

        caller = Caller(client=self._what)
        # Nothing but whoever called ends a call here before its time.
        asking = Asking(caller, tell, lambda: True, deadline_s=deadline_s, begun=tell)
        return await self._local.carry(tool, given, asking)
