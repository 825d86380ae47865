"""The office: what is accepted ends once, in turn, in time, and as its caller asks."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

import pytest

from econome.delegation.options import Options
from econome.delegation.order import PREVIEW, Caller, Order, Standing
from econome.delegation.ports import Ask
from econome.errors import (
    BackendAway,
    DelegationRefused,
    EconomeError,
    FileRefused,
    RequestUnknown,
)
from tests.delegation.desks import (
    CALLER,
    ORDER,
    Changes,
    Clock,
    Piece,
    Scene,
    asks,
    held,
    journaled,
    line,
    office_on,
    proposes,
    registered,
    run,
)
from tests.requirements import requirement

pytestmark = requirement("D3")


@requirement("D2", "D4")
def test_an_answer_comes_back_with_what_it_cost(tmp_path: Path) -> None:
    async def work() -> tuple[str, Standing]:
        clock = Clock()

        async def slow(piece: Piece, ask: Ask) -> str:
            clock.now += 12.5
            return "an answer"

        piece = Piece(slow, preset="summarise", output="notes.md")
        async with office_on(tmp_path, Scene(piece), clock=clock) as office:
            request_id = await office.submit(Order("do it", reply=PREVIEW, output="x"), CALLER)
            standing = await office.standing(request_id, 30)
            assert (piece.delivered, piece.closed) == (["an answer"], 1)
            return request_id, standing

    request_id, standing = run(work())
    assert standing == Standing(
        request_id=request_id,
        status="terminee",
        preset="summarise",
        format="text",
        model="model-1",
        tokens_in=10,
        tokens_out=5,
        duration_s=12.5,
        reply=PREVIEW,
        output="notes.md",
        answer="an answer",
        answer_path=str(tmp_path / "answers" / f"{request_id}.txt"),
    )
    told = {"preset": "summarise", "sortie": "notes.md", "retour": "apercu", "duree_s": 12.5}
    assert journaled(tmp_path) == [line(demande_id=request_id, **told)]
    assert registered(tmp_path) == []


@requirement("D4")
def test_the_time_in_the_queue_is_not_of_the_work(tmp_path: Path) -> None:
    async def work() -> None:
        clock, gate = Clock(), asyncio.Event()

        async def slow(piece: Piece, ask: Ask) -> str:
            clock.now += 3
            return "an answer"

        first = Piece(slow, gate=gate)
        async with office_on(tmp_path, Scene(first, Piece(slow)), clock=clock) as office:
            ids = [await held(office, first), await office.submit(ORDER, CALLER)]
            clock.now += 100
            gate.set()
            found = [(await office.standing(one, 30)).duration_s for one in ids]
            assert found == [103, 3]

    run(work())
    assert [one["duree_s"] for one in journaled(tmp_path)] == [103, 3]


@requirement("D4")
@pytest.mark.parametrize(
    "error", [DelegationRefused("no"), FileRefused("x", "no"), BackendAway("no")], ids=type
)
def test_what_is_refused_is_journaled_without_an_id(tmp_path: Path, error: EconomeError) -> None:
    async def work() -> None:
        async with office_on(tmp_path, Scene(error)) as office:
            with pytest.raises(type(error)):
                await office.submit(Order("do it", preset="p", format="json"), CALLER)

    run(work())
    none = dict.fromkeys(("demande_id", "modele", "tokens_entree", "tokens_sortie", "duree_s"))
    told = {"statut": "refusee", "preset": "p", "format": "json", "erreur": str(error)}
    assert journaled(tmp_path) == [line(**none, **told)]


def test_one_too_many_is_refused_and_one_that_begins_at_once_does_not_wait(tmp_path: Path) -> None:
    async def work() -> list[str]:
        gate = asyncio.Event()
        desk = Scene(*(Piece(gate=gate, workers=2) for _ in range(9)))
        async with office_on(tmp_path, desk, Options(queue=3)) as office:
            together = (office.submit(ORDER, CALLER) for _ in range(7))
            found = await asyncio.gather(*together, return_exceptions=True)
            assert [type(one) for one in found] == [str] * 5 + [DelegationRefused] * 2
            assert [one.closed for one in desk.taken] == [0] * 5 + [1] * 2
            places = [(one.status, one.position) for one in office.open_requests()]
            assert places == [("en_cours", None)] * 2 + [("en_file", place) for place in (1, 2, 3)]
            gate.set()
            await office.wait_idle()
        return [one["statut"] for one in journaled(tmp_path)]

    assert Counter(run(work())) == {"refusee": 2, "terminee": 5}


def test_callers_are_served_by_turns(tmp_path: Path) -> None:
    async def work() -> list[str | None]:
        gate, order = asyncio.Event(), list[str | None]()

        async def note(piece: Piece, ask: Ask) -> str:
            order.append(piece.id)
            return "done"

        async with office_on(
            tmp_path, Scene(*(Piece(note, gate=gate) for _ in range(7)))
        ) as office:
            ids = [await office.submit(ORDER, Caller("a", "1")) for _ in range(4)]
            ids.append(await office.submit(ORDER, Caller("a", "2")))
            ids.append(await office.submit(ORDER, Caller("b", "1")))
            ids.append(await office.submit(ORDER, Caller(connection="1")))
            gate.set()
            await office.wait_idle()
        return [names[ids.index(one or "")] for one in order]

    names = ["a1", "a2", "a3", "a4", "b", "c", "d"]
    assert run(work()) == ["a1", "a2", "c", "d", "b", "a3", "a4"]


def test_each_place_has_workers_of_its_own(tmp_path: Path) -> None:
    async def work() -> None:
        gate = asyncio.Event()
        stuck, other = Piece(gate=gate), Piece(place="other", workers=2)
        async with office_on(tmp_path, Scene(stuck, other)) as office:
            await held(office, stuck)
            request_id = await office.submit(ORDER, CALLER)
            assert (await office.standing(request_id, 30)).status == "terminee"

    run(work())


def test_a_cancelled_request_ends_at_once_wherever_it_is(tmp_path: Path) -> None:
    async def work() -> None:
        runs, changes = Piece(gate=asyncio.Event()), Changes()
        asking, proposing = Piece(asks("edit", []), "coder"), Piece(proposes(changes), "coder2")
        async with office_on(tmp_path, Scene(runs, Piece(), asking, proposing)) as office:
            ids = [await held(office, runs)]
            ids += [await office.submit(ORDER, CALLER) for _ in range(3)]
            before = [
                (await office.standing(one, 0 if n < 2 else 30)).status for n, one in enumerate(ids)
            ]
            assert before == ["en_cours", "en_file", "a_valider", "a_valider"]
            after = [await office.cancel(one) for one in reversed(ids)]
            assert {(one.status, one.error) for one in after} == {("annulee", "it was cancelled")}
            assert [await office.cancel(one) for one in reversed(ids)] == after
            assert office.open_requests() == []
        assert changes.done == ["discard"]
        assert [one.closed for one in (runs, asking, proposing)] == [1, 1, 1]
        assert Counter(one["demande_id"] for one in journaled(tmp_path)) == Counter(ids)

    run(work())


@requirement("D9")
def test_who_hangs_up_while_it_is_taken_in_wants_it_no_more(tmp_path: Path) -> None:
    async def work() -> None:
        async with office_on(tmp_path, Scene(Piece(gate=asyncio.Event()))) as office:
            coming = asyncio.create_task(office.submit(ORDER, CALLER))
            await asyncio.sleep(0)
            coming.cancel()
            with pytest.raises(asyncio.CancelledError):
                await coming
            while not journaled(tmp_path):
                await asyncio.sleep(0)
            await office.wait_idle()
        assert [one["statut"] for one in journaled(tmp_path)] == ["annulee"]

    run(work())


@requirement("D9")
def test_who_waits_is_told_how_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("econome.delegation.office._LOOK_S", 0.01)

    async def work() -> list[tuple[str, int | None]]:
        piece, told = Piece(gate=asyncio.Event()), list[tuple[str, int | None]]()
        async with office_on(tmp_path, Scene(piece), clock=time.monotonic) as office:
            await held(office, piece)
            waits = await office.submit(ORDER, CALLER)

            async def progress(standing: Standing) -> None:
                told.append((standing.status, standing.position))
                if piece.gate is not None:
                    piece.gate.set()

            assert (await office.standing(waits, 30, progress)).status == "terminee"
            return told

    assert run(work())[0] == ("en_file", 1)


def test_who_waits_for_what_lasts_is_told_that_it_still_runs(tmp_path: Path) -> None:
    async def work() -> Standing:
        piece = Piece(gate=asyncio.Event(), preset="p")
        async with office_on(tmp_path, Scene(piece), clock=time.monotonic) as office:
            request_id = await held(office, piece)
            return await office.standing(request_id, 0.01)

    standing = run(work())
    assert (standing.status, standing.preset, standing.answer) == ("en_cours", "p", None)


def test_an_id_that_nobody_gave_out_is_unknown(tmp_path: Path) -> None:
    async def work() -> None:
        async with office_on(tmp_path, Scene()) as office:
            for asked in (office.standing, office.cancel, office.apply, office.reject):
                for request_id in ("dem-0123456789", "../../etc/passwd", "", "dem-\0"):
                    with pytest.raises(RequestUnknown):
                        await asked(request_id)

    run(work())


@requirement("D4")
def test_two_hundred_at_once_all_end_in_the_journal_once(tmp_path: Path) -> None:
    async def work() -> list[str]:
        async def slow(piece: Piece, ask: Ask) -> str:
            for _ in range(3):
                await asyncio.sleep(0)
            return "done"

        desk = Scene(*(Piece(slow, workers=3) for _ in range(200)))
        async with office_on(tmp_path, desk, Options(queue=200)) as office:
            callers = [Caller("c", str(number % 7)) for number in range(200)]
            ids = await asyncio.gather(*(office.submit(ORDER, one) for one in callers))
            found = await asyncio.gather(*(office.standing(one, 30) for one in ids))
            assert {one.status for one in found} == {"terminee"}
        return ids

    ids = run(work())
    assert len(set(ids)) == 200
    assert sorted(one["demande_id"] for one in journaled(tmp_path)) == sorted(ids)
    assert registered(tmp_path) == []
