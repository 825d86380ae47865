"""How requests end other than well, and what of an end is told, kept and counted."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest

from econome.delegation import floor
from econome.delegation.order import Caller, Order, Standing
from econome.delegation.ports import Ask, Written
from econome.durable import LineFile
from econome.errors import (
    BackendFailed,
    DelegationRefused,
    FileRefused,
)
from tests.delegation.desks import (
    CALLER,
    ORDER,
    Changes,
    Piece,
    Scene,
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


async def _wrong_kind(piece: Piece, ask: Ask) -> str:
    raise ZeroDivisionError("secret")


async def _fails(piece: Piece, ask: Ask) -> str:
    raise BackendFailed("it crashed")


def test_a_failure_is_told_and_one_that_nobody_expected_only_by_its_place(tmp_path: Path) -> None:
    log: list[str] = []

    async def work() -> list[Standing]:
        async with office_on(tmp_path, Scene(Piece(_fails), Piece(_wrong_kind)), log=log) as office:
            ids = [await office.submit(ORDER, CALLER) for _ in range(2)]
            return [await office.standing(one, 30) for one in ids]

    unexpected = "something went wrong here; the server's log says where"
    assert [(one.status, one.error) for one in run(work())] == [
        ("echec", "it crashed"),
        ("echec", unexpected),
    ]
    (said,) = log
    assert said.startswith(f"unexpected ZeroDivisionError at {__name__}:")


@requirement("D7")
def test_an_answer_that_cannot_be_written_is_a_failure_and_is_kept(tmp_path: Path) -> None:
    async def work() -> Standing:
        piece = Piece(refusal=FileRefused("notes.md", "it was changed meanwhile"))
        async with office_on(tmp_path, Scene(piece)) as office:
            return await office.standing(await office.submit(ORDER, CALLER), 30)

    standing = run(work())
    kept = tmp_path / "answers" / f"{standing.request_id}.txt"
    told = f"notes.md: it was changed meanwhile; the answer is kept in {kept}"
    assert (standing.status, standing.error, standing.tokens_out) == ("echec", told, 5)
    assert kept.read_text(encoding="utf-8") == "an answer"


def test_a_deadline_ends_what_runs_and_what_waits(tmp_path: Path) -> None:
    async def work() -> list[str]:
        pieces = [Piece(gate=asyncio.Event()), Piece(gate=asyncio.Event())]
        async with office_on(tmp_path, Scene(*pieces)) as office:
            order = Order("do it", deadline_s=0.02)
            ids = [await office.submit(order, CALLER) for _ in pieces]
            found = [await office.standing(one, 30) for one in ids]
            assert {one.error for one in found} == {
                "it was not done within 0.02 s; ask for less, or give it longer (deadline_s)"
            }
            assert [piece.closed for piece in pieces] == [1, 1]
            return [one.status for one in found]

    assert run(work()) == ["expiree", "expiree"]


def test_what_a_model_wrote_until_it_was_cancelled_is_estimated(tmp_path: Path) -> None:
    async def work() -> Standing:
        piece = Piece(gate=asyncio.Event())
        async with office_on(tmp_path, Scene(piece)) as office:
            request_id = await held(office, piece)
            assert piece.tally is not None
            piece.tally.progress(7)
            assert (await office.standing(request_id)).written == 7
            return await office.cancel(request_id)

    standing = run(work())
    assert (standing.tokens_in, standing.tokens_out, standing.tokens_estimated) == (2, 7, True)
    told = {"tokens_entree": 2, "tokens_sortie": 7, "modele": None, "tokens_estimes": True}
    assert journaled(tmp_path) == [
        line(demande_id=standing.request_id, statut="annulee", erreur="it was cancelled", **told)
    ]


def test_a_model_that_answers_all_the_same_does_not_undo_a_cancellation(tmp_path: Path) -> None:
    async def work() -> tuple[str, list[str]]:
        async def stubborn(piece: Piece, ask: Ask) -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass
            return "too late"

        piece = Piece(stubborn)
        async with office_on(tmp_path, Scene(piece)) as office:
            return (await office.cancel(await held(office, piece))).status, piece.delivered

    assert run(work()) == ("annulee", [])


class _Stubborn:
    """Work that no cancellation of ours stops, until `gate` opens; that of a loop that ends does, or a test would hang."""

    def __init__(self) -> None:
        self.gate, self._left = asyncio.Event(), 2

    async def __call__(self, piece: Piece, ask: Ask) -> str:
        while not self.gate.is_set():
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self._left -= 1
                if not self._left:
                    raise
        return "too late"


def test_a_backend_that_does_not_stop_keeps_its_worker_and_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor, "_GRACE_S", 0.01)
    log: list[str] = []

    async def work() -> tuple[list[str], list[int]]:
        stubborn = _Stubborn()
        piece = Piece(stubborn)
        async with office_on(tmp_path, Scene(piece), log=log) as office:
            request_id = await held(office, piece)
            other = await office.submit(ORDER, CALLER)
            states = [(await office.cancel(request_id)).status]
            states.append((await office.standing(other)).status)
            closed = [piece.closed]
            stubborn.gate.set()
            states.append((await office.standing(other, 30)).status)
            states.append((await office.standing(request_id)).status)
            assert log == [f"model goes on though {request_id} was stopped"]
            assert (len(journaled(tmp_path)), piece.delivered) == (2, [])
            return states, [*closed, piece.closed]

    assert run(work()) == (["annulee", "en_file", "terminee", "annulee"], [0, 1])


def test_a_backend_that_does_not_stop_does_not_keep_the_server_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor, "_CLOSING_GRACE_S", 0.01)
    monkeypatch.setattr(floor, "_CLOSE_S", 0.2)

    async def work() -> None:
        pieces = [Piece(_Stubborn(), "a"), Piece(_Stubborn(), "b")]
        async with office_on(tmp_path, Scene(*pieces)) as office:
            cancelled = asyncio.create_task(office.cancel(await held(office, pieces[0])))
            await held(office, pieces[1])
            await asyncio.sleep(0)
            await office.close()
            assert (await cancelled).status == "annulee"
            for piece in pieces:
                assert isinstance(piece.doing, _Stubborn)
                piece.doing.gate.set()

    run(work())
    assert [one["statut"] for one in journaled(tmp_path)] == ["annulee", "echec"]


@requirement("D4")
def test_what_is_told_is_on_disk_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for step in ("write", "sync"):

        def noting(file: LineFile, *data: bytes, step: str, real: Any) -> None:
            real(file, *data)
            done.append(f"{step} {Path(file.path).name}")

        real = getattr(LineFile, step)
        monkeypatch.setattr(LineFile, step, partialmethod(noting, step=step, real=real))

    async def work() -> None:
        piece = Piece(gate=asyncio.Event())
        async with office_on(tmp_path, Scene(piece)) as office:
            request_id = await office.submit(ORDER, CALLER)
            assert done[:2] == ["write requests.jsonl", "sync requests.jsonl"]
            await piece.begun.wait()
            assert piece.gate is not None
            piece.gate.set()
            await office.standing(request_id, 30)
            written = done.index("write delegations.jsonl")
            assert "sync delegations.jsonl" in done[written:]

    run(work())


def test_a_stop_ends_what_is_open_and_lets_what_is_written_be_written(tmp_path: Path) -> None:
    async def work() -> tuple[Piece, Changes, Scene]:
        writing, gate = asyncio.Event(), asyncio.Event()

        class Slow(Piece):
            async def deliver(self, text: str) -> None:
                writing.set()
                await gate.wait()
                await super().deliver(text)

        slow, runs, changes = Slow(place="a"), Piece(gate=asyncio.Event()), Changes()
        desk = Scene(slow, Piece(proposes(changes), "b"), runs, Piece(gate=asyncio.Event()))
        async with office_on(tmp_path, desk) as office:
            await office.submit(ORDER, CALLER)
            await writing.wait()
            await office.standing(await office.submit(ORDER, CALLER), 30)
            await held(office, runs)
            await office.submit(ORDER, CALLER)
            asyncio.get_running_loop().call_later(0.01, gate.set)
            await office.close()
            with pytest.raises(DelegationRefused):
                await office.submit(ORDER, CALLER)
        return slow, changes, desk

    slow, changes, desk = run(work())
    assert (slow.delivered, changes.done, desk.closed) == (["an answer"], ["discard"], True)
    stopped = ("echec", "the server was stopped; ask again")
    assert Counter((one["statut"], one["erreur"]) for one in journaled(tmp_path)) == {
        ("terminee", None): 1,
        stopped: 3,
    }
    assert registered(tmp_path) == []


def test_text_that_no_file_can_hold_does_not_keep_a_request_from_ending(tmp_path: Path) -> None:
    async def work() -> Standing:
        async def doing(piece: Piece, ask: Ask) -> str:
            raise BackendFailed("half \ud800\na letter " + "x" * 10_000)

        piece = Piece(doing, preset="\udfff")
        async with office_on(tmp_path, Scene(piece)) as office:
            caller = Caller("\ud800", "\ud800", None, "\ud800")
            return await office.standing(await office.submit(ORDER, caller), 30)

    standing = run(work())
    assert (standing.status, standing.preset) == ("echec", "?")
    assert (standing.error or "").startswith("half ? a letter xxx")
    assert len(standing.error or "") <= 600


def test_counts_that_no_reader_takes_are_held_within_bounds(tmp_path: Path) -> None:
    async def work() -> Standing:
        async def doing(piece: Piece, ask: Ask) -> str:
            assert piece.tally is not None
            piece.tally.add(Written("", "m", 2**60, -5))
            return "done"

        async with office_on(tmp_path, Scene(Piece(doing))) as office:
            return await office.standing(await office.submit(ORDER, CALLER), 30)

    standing = run(work())
    assert (standing.tokens_in, standing.tokens_out) == (2**53, 0)


def test_what_cannot_be_cleared_away_keeps_no_request_from_ending(tmp_path: Path) -> None:
    class Stuck(Piece):
        async def close(self) -> None:
            raise ZeroDivisionError("secret")

    class Lost(Scene):
        async def take(self, order: Order, caller: Caller) -> Piece:
            if len(self.taken) == 1:
                raise ZeroDivisionError("secret")
            return await super().take(order, caller)

    log: list[str] = []

    async def work() -> str:
        async with office_on(tmp_path, Lost(Stuck()), log=log) as office:
            standing = await office.standing(await office.submit(ORDER, CALLER), 30)
            await office.wait_idle()
            with pytest.raises(ZeroDivisionError):
                await office.submit(ORDER, CALLER)
            return standing.status

    assert run(work()) == "terminee"
    assert [line.partition(" at ")[0] for line in log] == ["unexpected ZeroDivisionError"] * 2
