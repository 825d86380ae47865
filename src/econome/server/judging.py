"""Has the rules judge a period, beside the desk: what takes a while holds up nobody who asks something else.

A judgement is kept until the transcripts, the ledger or the day are others. Pages and programs get the same one; a page
shows the last one while a newer one is made.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from econome.server.desk import Desk, Moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from econome.usage.asking import Asked

__all__ = ["Judged", "judged_now", "judgement"]

_Report = dict[str, Any]

_PATIENCE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a period: the last report, None before the first; *current* says that none is being made."""

    report: _Report | None
    current: bool


class _Last:
    """The judgement of a period that was begun last, what it was begun for, and the last that was made."""

    begun: Future[_Report] | None = None
    stamp: object = None
    made: _Report | None = None


def judged_now(desk: Desk, since: int | None, until: int | None, *, again: bool = True) -> Judged:
    """Return what is known of a period, and have it judged where that is out of date; in the desk's thread only.

    Without *again* the last judgement will do: who only waits for one would wait for ever where transcripts grow.
    """
    key, stamp, work = _question(desk, since, until, None)
    last = desk.kept((*key, "last"), None, _Last)
    begun = last.begun
    if begun is not None and begun.done():
        if begun.exception() is None:
            last.made = begun.result()
        if again and last.stamp != stamp:
            begun = None
    if begun is None:
        begun = desk.begun(key, stamp, work)
        last.begun, last.stamp = begun, stamp
    if not wait([begun], _PATIENCE_SECONDS).done:
        return Judged(last.made, current=False)
    if begun.exception() is not None:  # it is told once, and judged anew for who asks again
        last.begun = None
        desk.forget_failed(key, begun)
    last.made = begun.result()
    return Judged(last.made, current=True)


async def judgement(desk: Desk, asked: Asked) -> _Report:
    """Return the judgement that a query string asks for, once there is one.

    Who stops waiting for it leaves it be: others may wait for the same one.
    """

    def begun() -> tuple[object, Future[_Report]]:
        since, until = asked.period(Moment(desk.settings, asked.timezone).today)
        key, stamp, work = _question(desk, since, until, asked.timezone)
        return key, desk.begun(key, stamp, work)

    key, begun_now = await desk.answer(begun)
    made = asyncio.wrap_future(begun_now)
    await asyncio.wait([made])
    if made.exception() is not None:
        await desk.answer(lambda: desk.forget_failed(key, begun_now))
    return made.result()


def _question(
    desk: Desk, since: int | None, until: int | None, timezone: str | None
) -> tuple[tuple[object, ...], object, Callable[[], _Report]]:
    """Return what the judgement is kept by, what it must be made anew for, and how it is made."""
    moment = Moment(desk.settings, timezone)

    def work() -> _Report:
        from econome.diagnosis.collecting import diagnose

        with desk.tree() as tree:
            return diagnose(desk.settings, tree, since, until, moment.zone, moment.today)

    with desk.tree() as tree:
        prices = tuple(tree.prices.label().items())
        of_tree = tuple(tree.roots), tree.scanned_at, prices
    stamp = *of_tree, desk.ledger_stamp(), moment.today
    return ("diagnosis", since, until, timezone), stamp, work
