"""Has the rules judge a period, beside the desk: what takes a while holds up nobody who asks something else.

A judgement is kept until the transcripts, the ledger or the day are others. Pages and programs get the same one.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from econome.server.desk import Desk, Moment, Pending

if TYPE_CHECKING:
    from econome.usage.asking import Asked

__all__ = ["judged_now", "judgement"]

_Report = dict[str, Any]


def judged_now(
    desk: Desk, since: int | None, until: int | None, timezone: str | None
) -> _Report | Pending:
    """Return the judgement of a period, or that it is pending; for work that is in the desk's thread."""
    return desk.later(*_question(desk, since, until, timezone))


async def judgement(desk: Desk, asked: Asked) -> _Report:
    """Return the judgement that a query string asks for, once there is one."""

    def begun() -> Future[_Report]:
        since, until = asked.period(Moment(desk.settings, asked.timezone).today)
        return desk.begun(*_question(desk, since, until, asked.timezone))

    return await asyncio.wrap_future(await desk.answer(begun))


def _question(
    desk: Desk, since: int | None, until: int | None, timezone: str | None
) -> tuple[Any, ...]:
    """Return what the judgement is kept by, what it must be made anew for, and how it is made."""
    moment = Moment(desk.settings, timezone)

    def work() -> _Report:
        from econome.diagnosis.collecting import diagnose

        with desk.tree() as tree:
            return diagnose(desk.settings, tree, since, until, moment.zone, moment.today)

    with desk.tree() as tree:
        stamp = (
            tuple(tree.roots), tree.scanned_at, repr(tree.prices.label()), desk.ledger_stamp(), moment.today,
        )  # fmt: skip
    return ("diagnosis", since, until, timezone), stamp, work
