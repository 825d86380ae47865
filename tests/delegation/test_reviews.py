"""What waits for its caller: a coder's question, and changes to review."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from econome.delegation.options import Options
from econome.delegation.order import Order, Question, Standing
from econome.delegation.ports import Ask
from econome.errors import ChangeRefused, DelegationRefused, WrongMoment
from tests.delegation.desks import (
    CALLER,
    CHANGE,
    ORDER,
    Changes,
    Clock,
    Piece,
    Scene,
    asks,
    journaled,
    office_on,
    proposes,
    run,
)
from tests.requirements import requirement

pytestmark = requirement("D3")


@pytest.mark.parametrize("allowed", [True, False])
def test_a_question_waits_for_its_answer_and_the_work_goes_on(
    tmp_path: Path, allowed: bool
) -> None:
    async def work() -> list[bool]:
        answers: list[bool] = []
        async with office_on(tmp_path, Scene(Piece(asks("edit", answers)))) as office:
            request_id = await office.submit(ORDER, CALLER)
            asked = await office.standing(request_id, 30)
            assert (asked.status, asked.question) == ("a_valider", Question("edit", "src/a.py"))
            with pytest.raises(WrongMoment):
                await office.apply(request_id)
            with pytest.raises(WrongMoment):
                await office.review(request_id)
            after = await office.allow(request_id, allowed)
            assert (after.status, after.question) == ("en_cours", None)
            with pytest.raises(WrongMoment):
                await office.allow(request_id, allowed)
            assert (await office.standing(request_id, 30)).status == "terminee"
            with pytest.raises(WrongMoment):
                await office.allow(request_id, allowed)
        return answers

    assert run(work()) == [allowed]


def test_two_questions_are_put_one_after_the_other(tmp_path: Path) -> None:
    async def work() -> list[str]:
        seen: list[str] = []

        async def doing(piece: Piece, ask: Ask) -> str:
            both = await asyncio.gather(ask(Question("edit", "a")), ask(Question("bash", "b")))
            return repr(both)

        async with office_on(tmp_path, Scene(Piece(doing))) as office:
            request_id = await office.submit(ORDER, CALLER)
            for allowed in (True, False):
                asked = await office.standing(request_id, 30)
                assert asked.question is not None
                seen.append(asked.question.subject)
                await office.allow(request_id, allowed)
            seen.append((await office.standing(request_id, 30)).answer or "")
        return seen

    assert run(work()) == ["a", "b", "[True, False]"]


def test_the_deadline_stands_still_while_a_question_waits_and_then_runs_on(
    tmp_path: Path,
) -> None:
    async def work() -> list[str]:
        async def doing(piece: Piece, ask: Ask) -> str:
            await ask(Question("bash", "make"))
            await asyncio.Event().wait()
            return "never"

        order = Order("do it", deadline_s=0.05)
        desk = Scene(Piece(doing), Piece(place="other", gate=asyncio.Event()))
        async with office_on(tmp_path, desk) as office:
            asking = await office.submit(order, CALLER)
            states = [(await office.standing(asking, 30)).status]
            # What came later is late before; by then the one that asks would be late too.
            later = await office.submit(order, CALLER)
            states.append((await office.standing(later, 30)).status)
            states.append((await office.standing(asking)).status)
            await office.allow(asking, True)
            ended = await office.standing(asking, 30)
            assert "not done within 0.05 s" in (ended.error or "")
            return [*states, ended.status]

    assert run(work()) == ["a_valider", "expiree", "a_valider", "expiree"]


def test_a_question_that_nobody_answers_expires(tmp_path: Path) -> None:
    async def work() -> Standing:
        options = Options(review_h=0.00002)
        async with office_on(tmp_path, Scene(Piece(asks("edit", []))), options) as office:
            request_id = await office.submit(ORDER, CALLER)
            await office.wait_idle()
            return await office.standing(request_id)

    standing = run(work())
    told = "its question was not answered within 2e-05 h"
    assert (standing.status, standing.error) == ("expiree", told)


@requirement("D4")
def test_the_time_in_which_a_question_waited_is_no_time_of_work(tmp_path: Path) -> None:
    clock = Clock()

    async def work() -> Standing:
        async def doing(piece: Piece, ask: Ask) -> str:
            for second in (2, 3):
                clock.now += second
                await ask(Question("bash", "make"))
            clock.now += 4
            return "done"

        async with office_on(tmp_path, Scene(Piece(doing)), clock=clock) as office:
            request_id = await office.submit(ORDER, CALLER)
            for _ in range(2):
                assert (await office.standing(request_id, 30)).status == "a_valider"
                clock.now += 5000
                await office.allow(request_id, True)
            return await office.standing(request_id, 30)

    assert run(work()).duration_s == 9


def test_changes_are_reviewed_then_applied_and_meanwhile_the_worker_is_free(tmp_path: Path) -> None:
    async def work() -> Standing:
        changes = Changes()
        async with office_on(tmp_path, Scene(Piece(proposes(changes)))) as office:
            request_id = await office.submit(ORDER, CALLER)
            waits = await office.standing(request_id, 30)
            assert (waits.status, waits.changes, waits.question) == ("a_valider", (CHANGE,), None)
            other = await office.submit(ORDER, CALLER)
            assert (await office.standing(other, 30)).status == "terminee"
            assert await office.review(request_id, "src/a.py") == "diff of src/a.py"
            with pytest.raises(WrongMoment):
                await office.allow(request_id, True)
            done = await office.apply(request_id)
            assert changes.done == ["apply", "discard"]
            for again in (office.apply, office.reject, office.review):
                with pytest.raises(WrongMoment):
                    await again(request_id)
        return done

    done = run(work())
    assert (done.status, done.answer) == ("terminee", "I changed one file.")


def test_changes_that_cannot_be_applied_can_still_be_rejected(tmp_path: Path) -> None:
    async def work() -> Standing:
        changes = Changes([ChangeRefused("src/a.py", "it was changed meanwhile")])
        async with office_on(tmp_path, Scene(Piece(proposes(changes)))) as office:
            request_id = await office.submit(ORDER, CALLER)
            await office.standing(request_id, 30)
            with pytest.raises(ChangeRefused):
                await office.apply(request_id)
            assert (await office.standing(request_id)).status == "a_valider"
            assert await office.review(request_id) == "diff of None"
            rejected = await office.reject(request_id)
        assert changes.done == ["discard"]
        return rejected

    rejected = run(work())
    assert (rejected.status, rejected.error) == ("annulee", "its changes were rejected")


def test_no_more_changes_wait_for_review_than_requests_may_wait(tmp_path: Path) -> None:
    async def work() -> None:
        pieces = [Piece(proposes(Changes()), "coder") for _ in range(3)]
        async with office_on(tmp_path, Scene(*pieces), Options(queue=1)) as office:
            request_id = await office.submit(ORDER, CALLER)
            assert (await office.standing(request_id, 30)).status == "a_valider"
            with pytest.raises(DelegationRefused, match="changes of 1 requests wait for review"):
                await office.submit(ORDER, CALLER)
            await office.reject(request_id)
            other = await office.submit(ORDER, CALLER)
            assert (await office.standing(other, 30)).status == "a_valider"
        assert [piece.closed for piece in pieces] == [1, 1, 1]

    run(work())
    assert [one["statut"] for one in journaled(tmp_path)] == ["refusee", "annulee", "echec"]


def test_changes_that_nobody_reviews_expire(tmp_path: Path) -> None:
    async def work() -> Standing:
        changes = Changes([ChangeRefused(None, "no")])
        options = Options(review_h=0.00002)
        async with office_on(tmp_path, Scene(Piece(proposes(changes))), options) as office:
            request_id = await office.submit(ORDER, CALLER)
            await office.wait_idle()
            assert changes.done == ["discard"]
            return await office.standing(request_id)

    standing = run(work())
    assert (standing.status, standing.error) == (
        "expiree",
        "its changes were not reviewed within 2e-05 h",
    )


def test_who_asks_while_changes_are_applied_waits_for_the_outcome(tmp_path: Path) -> None:
    async def work() -> list[str]:
        gate, applying = asyncio.Event(), asyncio.Event()

        class Slow(Changes):
            async def apply(self) -> tuple[str, ...]:
                applying.set()
                await gate.wait()
                return await super().apply()

        async with office_on(tmp_path, Scene(Piece(proposes(Slow())))) as office:
            request_id = await office.submit(ORDER, CALLER)
            await office.standing(request_id, 30)
            calls = [asyncio.create_task(office.apply(request_id))]
            await applying.wait()
            for again in (office.apply, office.reject, office.review):
                with pytest.raises(WrongMoment):
                    await again(request_id)
            calls.append(asyncio.create_task(office.cancel(request_id)))
            calls.append(asyncio.create_task(office.standing(request_id, 30)))
            calls[0].cancel()  # what has begun is not undone by who hangs up
            gate.set()
            return [(await one).status for one in calls[1:]]

    assert run(work()) == ["terminee", "terminee"]


def test_who_cancels_while_an_application_fails_has_it_cancelled(tmp_path: Path) -> None:
    async def work() -> str:
        gate, applying = asyncio.Event(), asyncio.Event()

        class Slow(Changes):
            async def apply(self) -> tuple[str, ...]:
                applying.set()
                await gate.wait()
                raise ChangeRefused(None, "no")

        async with office_on(tmp_path, Scene(Piece(proposes(Slow())))) as office:
            request_id = await office.submit(ORDER, CALLER)
            await office.standing(request_id, 30)
            applied = asyncio.create_task(office.apply(request_id))
            await applying.wait()
            cancelled = asyncio.create_task(office.cancel(request_id))
            gate.set()
            with pytest.raises(ChangeRefused):
                await applied
            return (await cancelled).status

    assert run(work()) == "annulee"
