"""What is kept outlasts whoever keeps it: other work is not in its way, and what nobody was told of goes."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from econome.delegation.journal import JOURNAL, JournalWriter
from econome.delegation.keeping import LEFT_RUNNING, Keeping
from econome.delegation.register import Accepted
from econome.delegation.wire import DONE, FAILED, Ended
from econome.settings import ledger_dir
from tests.delegation.desks import journaled
from tests.requirements import requirement

pytestmark = requirement("D3", "D4")

DATE = "2026-11-12T09:00:00.000Z"


def _keeping(place: Path) -> Keeping:
    return Keeping(str(place), 7, lambda line: None, lambda: DATE)


def _ended(request_id: str, status: str, error: str | None = None) -> Ended:
    return Ended(date=DATE, request_id=request_id, status=status, error=error)


def test_no_other_work_in_threads_keeps_an_end_from_the_disk(tmp_path: Path) -> None:
    gate, busy = threading.Event(), threading.Semaphore(0)

    def occupy() -> None:
        busy.release()
        gate.wait(30)

    async def work() -> None:
        with ThreadPoolExecutor(1) as usual:
            asyncio.get_running_loop().set_default_executor(usual)
            taken = asyncio.get_running_loop().run_in_executor(None, occupy)
            try:
                async with asyncio.timeout(20):
                    assert busy.acquire(timeout=10)
                    keeping = _keeping(tmp_path)
                    await keeping.open()
                    request_id = await keeping.new_id()
                    await keeping.accept(Accepted(request_id, DATE, "model"))
                    await keeping.keep_answer(request_id, "four")
                    await keeping.end(_ended(request_id, DONE))
                    assert (await keeping.standing(request_id)).answer == "four"
                    await keeping.close()
            finally:
                gate.set()
                await taken

    asyncio.run(work())
    assert [one["statut"] for one in journaled(tmp_path)] == [DONE]


@pytest.mark.parametrize("journaled_before", [False, True])
def test_an_answer_of_a_request_that_a_stopped_server_left_is_not_kept(
    tmp_path: Path, journaled_before: bool
) -> None:
    left, told = "dem-1111111111", "dem-2222222222"
    keeping = _keeping(tmp_path)

    async def first() -> None:
        await keeping.open()
        for request_id in (left, told):
            await keeping.accept(Accepted(request_id, DATE, "model"))
            await keeping.keep_answer(request_id, "four")
        await keeping.end(_ended(told, DONE))
        await keeping.close()

    asyncio.run(first())
    if journaled_before:  # by a start that was itself killed
        writer = JournalWriter(str(Path(ledger_dir(str(tmp_path))) / JOURNAL))
        writer.append(_ended(left, FAILED, LEFT_RUNNING))
        writer.close()
    later = _keeping(tmp_path)

    async def second() -> None:
        await later.open()
        await later.close()

    asyncio.run(second())
    assert [path.name for path in (tmp_path / "answers").iterdir()] == [f"{told}.txt"]
    assert [one["statut"] for one in journaled(tmp_path)].count(FAILED) == 1
