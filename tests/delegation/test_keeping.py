"""What the office keeps on disk: the register, the answers, what the journal already has, and a disk that is full."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation import keeping, register
from econome.delegation.answers import Answers
from econome.delegation.journal import JournalWriter
from econome.delegation.order import Standing
from econome.delegation.past import UsedIds, find
from econome.delegation.register import Accepted, Moved, Register, read_register
from econome.delegation.states import STATES
from econome.delegation.wire import DONE, RUNNING, STATUSES
from econome.durable import LineFile
from econome.errors import LedgerBroken, LedgerUnwritable
from tests.delegation.builders import ended, journal_line
from tests.delegation.desks import (
    CALLER,
    ORDER,
    Piece,
    Scene,
    held,
    journaled,
    office_on,
    registered,
    run,
)
from tests.requirements import requirement

pytestmark = requirement("D3", "D4")

ids = st.integers(0, 20).map("dem-{:010x}".format)
lines = st.lists(
    st.builds(lambda one: Accepted(one, "2026-11-12", "model", client="é"), ids)
    | st.builds(Moved, ids, st.sampled_from(list(STATES)))
)


def _open(some: list[Accepted | Moved]) -> list[tuple[Accepted, str]]:
    """Return what is open after some lines, slowly."""
    found: dict[str, tuple[Accepted, str]] = {}
    for one in some:
        if isinstance(one, Accepted):
            found.setdefault(one.id, (one, "en_file"))
        elif one.moved in found:
            accepted, _ = found.pop(one.moved)
            if one.state not in STATUSES:
                found[one.moved] = accepted, one.state
    return sorted(found.values(), key=lambda pair: pair[0].id)


@given(st.lists(lines.filter(bool), max_size=5), st.integers(0, 2000))
def test_a_register_holds_what_is_open_however_often_it_is_opened_and_written_anew(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Accepted | Moved]], largest: int
) -> None:
    path = str(tmp_path_factory.mktemp("register") / "logs" / "requests.jsonl")
    written: list[Accepted | Moved] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(register, "_LARGEST_BYTES", largest)
        for batch in batches:
            kept = Register(path)
            kept.write(batch)
            written += batch
            assert _sorted(kept.left) == _open(written) == _sorted(read_register(path))
            kept.close()
            assert os.path.getsize(path) == 0 or _open(written)
    assert _sorted(read_register(path)) == _open(written)


def _sorted(some: list[tuple[Accepted, str]]) -> list[tuple[Accepted, str]]:
    return sorted(some, key=lambda pair: pair[0].id)


def test_a_register_is_written_anew_once_it_is_long_and_its_old_lines_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(register, "_LARGEST_BYTES", 500)
    path = tmp_path / "requests.jsonl"
    kept = Register(str(path))
    stays = Accepted("dem-ffffffffff", "2026-11-12", "model")
    kept.write([stays, Moved(stays.id, RUNNING)])
    for number in range(100):
        request_id = f"dem-{number:010x}"
        kept.write([Accepted(request_id, "2026-11-12", "model"), Moved(request_id, DONE)])
        assert path.stat().st_size < 700
    with pytest.raises(LedgerBroken):
        Register(str(path))  # the new file is locked as the first one was
    kept.close()
    assert read_register(str(path)) == [(stays, RUNNING)]
    assert [one.name for one in tmp_path.iterdir()] == ["requests.jsonl"]


def test_lines_of_a_register_that_are_none_are_passed_over_and_told(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "mcp" / "requests.jsonl"
    Register(str(path)).close()
    good = b'{"id":"dem-0123456789","date":"2026-11-12","place":"model"}\n'
    path.write_bytes(b"\0\n[]\n" + good + b'{"id":"dem-1"}\n{"id":"dem-9876543210","da')
    log: list[str] = []

    async def work() -> None:
        async with office_on(tmp_path, Scene(), log=log):
            pass

    run(work())
    assert [one["demande_id"] for one in journaled(tmp_path)] == ["dem-0123456789"]
    assert log == [f"{path}: lines that are none: 3; passed over"]
    assert (tmp_path / "logs" / "mcp" / "requests.torn-1").read_bytes().startswith(b'{"id"')


def test_what_is_asked_for_stands_in_no_file_of_the_office_but_the_answer(tmp_path: Path) -> None:
    async def work() -> None:
        piece = Piece(gate=asyncio.Event())
        async with office_on(tmp_path, Scene(piece)) as office:
            request_id = await held(office, piece)
            while len(registered(tmp_path)) < 2:
                await asyncio.sleep(0)
            line, mark = registered(tmp_path)
            assert mark == {"moved": request_id, "state": "en_cours"}
            assert line == {
                "id": request_id,
                "date": "2026-11-12T09:00:00.000Z",
                "place": "model",
                "client": "claude-code",
                "session": "session-1",
                "tool_use": "toolu_9",
                "format": "text",
                "reply": "complet",
            }

    run(work())


def test_files_of_the_office_are_for_their_owner_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with office_on(tmp_path, Scene()) as office:
            await office.standing(await office.submit(ORDER, CALLER), 30)

    before = os.umask(0)
    try:
        run(work())
    finally:
        os.umask(before)
    found = {one.relative_to(tmp_path): stat.S_IMODE(one.stat().st_mode) for one in _all(tmp_path)}
    assert len(found) == 6
    assert {mode for path, mode in found.items() if path.suffix} == {0o600}
    assert {mode for path, mode in found.items() if not path.suffix} == {0o700}


def _all(place: Path) -> Iterator[Path]:
    return place.rglob("*")


@given(st.lists(st.tuples(ids, st.sampled_from(STATUSES)), max_size=12), st.sets(ids), ids)
def test_what_the_journal_has_is_found_and_used(
    tmp_path_factory: pytest.TempPathFactory,
    written: list[tuple[str, str]],
    wanted: set[str],
    added: str,
) -> None:
    path = tmp_path_factory.mktemp("journal") / "delegations.jsonl"
    data = b"".join(
        journal_line(demande_id=one, statut=status, erreur=f'"demande_id":"{added}"') + b"\xff{}\n"
        for one, status in written
    )
    path.write_bytes(data + b'{"demande_id":"dem-ffffffffff"')
    first = dict(reversed(written))
    found = {one: line.status for one, line in find(str(path), wanted).items()}
    assert found == {one: status for one, status in first.items() if one in wanted}
    used = UsedIds(str(path))
    assert {one for one in wanted if one in used} == wanted & first.keys()
    assert "dem-ffffffffff" not in used
    used.add(added)
    assert added in used


def test_without_a_journal_nothing_is_used(tmp_path: Path) -> None:
    path = str(tmp_path / "delegations.jsonl")
    assert (find(path, ["dem-0123456789"]), "dem-0123456789" in UsedIds(path)) == ({}, False)
    for look in (lambda: find(str(tmp_path), ["x"]), lambda: UsedIds(str(tmp_path))):
        with pytest.raises(LedgerBroken):
            look()


def test_an_id_is_never_given_out_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["0123456789"] * 3 + ["1111111111"] * 2 + ["2222222222"])
    writer = JournalWriter(str(tmp_path / "logs" / "mcp" / "delegations.jsonl"))
    writer.append(ended(request_id="dem-0123456789"))
    writer.close()
    monkeypatch.setattr("secrets.token_hex", lambda size: next(drawn))

    async def work() -> list[str]:
        async with office_on(tmp_path, Scene()) as office:
            return [await office.submit(ORDER, CALLER) for _ in range(2)]

    assert run(work()) == ["dem-1111111111", "dem-2222222222"]


def test_an_answer_is_found_after_a_restart_until_it_is_too_old(tmp_path: Path) -> None:
    async def first() -> str:
        async with office_on(tmp_path, Scene()) as office:
            return (await office.standing(await office.submit(ORDER, CALLER), 30)).request_id

    async def later(request_id: str) -> Standing:
        async with office_on(tmp_path, Scene()) as office:
            return await office.standing(request_id)

    request_id = run(first())
    path = tmp_path / "answers" / f"{request_id}.txt"
    before = run(later(request_id))
    assert (before.answer, before.answer_path) == ("an answer", str(path))
    os.utime(path, (0, 0))
    after = run(later(request_id))
    assert (after.status, after.answer, after.answer_path) == ("terminee", None, None)


def _names(place: Path) -> list[str]:
    return sorted(one.name for one in place.iterdir())


def test_answers_are_pruned_by_age_and_number_and_strangers_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("econome.delegation.answers.MOST", 2)
    kept, now = Answers(str(tmp_path), 7), time.time()
    for number, age_d in enumerate([8, 3, 2, 1]):
        path = kept.keep(f"dem-{number:010x}", "text")
        os.utime(path, (now - age_d * 86_400,) * 2)
    strangers = ["dem-0123456789.md", "notes.txt"]
    for name in (*strangers, ".dem.part"):
        (tmp_path / name).write_bytes(b"")
    last = ["dem-0000000002.txt", "dem-0000000003.txt"]
    kept.prune()
    assert _names(tmp_path) == [".dem.part", *last, *strangers]
    kept.begin()
    kept.close()
    assert _names(tmp_path) == [*last, *strangers]
    assert kept.read("dem-0000000003") == ("text", str(tmp_path / "dem-0000000003.txt"))
    (tmp_path / "dem-aaaaaaaaaa.txt").symlink_to(tmp_path / "notes.txt")
    assert [kept.read(odd) for odd in ("../x", "notes", "", "\0", "dem-aaaaaaaaaa")] == [None] * 5


def test_a_long_life_keeps_no_more_answers_than_may_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("econome.delegation.answers.MOST", 3)
    monkeypatch.setattr("econome.delegation.answers._PRUNED_EACH", 2)
    kept = Answers(str(tmp_path), 7)
    for number in range(12):
        kept.keep(f"dem-{number:010x}", "text")
        assert len(_names(tmp_path)) <= 5


def test_answers_for_no_day_are_there_as_long_as_the_process(tmp_path: Path) -> None:
    kept = Answers(str(tmp_path), 0)
    path = kept.keep("dem-0123456789", "text")
    kept.prune()
    assert kept.read("dem-0123456789") == ("text", path)
    kept.close()
    assert _names(tmp_path) == []
    os.utime(kept.keep("dem-0123456789", "text"), (1, 1))  # and one that was killed left it
    Answers(str(tmp_path), 0).begin()
    assert _names(tmp_path) == []


def test_old_answers_go_while_the_office_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_PRUNE_S", 0.001)
    path = Path(Answers(str(tmp_path / "answers"), 7).keep("dem-0123456789", "text"))

    async def work() -> None:
        async with office_on(tmp_path, Scene()):
            os.utime(path, (1, 1))
            while path.exists():
                await asyncio.sleep(0.001)

    run(work())


class Disk:
    """A disk that is full while `full`, for files whose name ends so."""

    def __init__(self, patch: pytest.MonkeyPatch, end: str) -> None:
        self.full, self.refused = False, asyncio.Event()
        real = LineFile.write

        def write(file: LineFile, data: bytes) -> None:
            if self.full and file.path.endswith(end):
                self._loop.call_soon_threadsafe(self.refused.set)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file.path)
            real(file, data)

        patch.setattr(LineFile, "write", write)
        self._loop: Any = None

    def watch(self) -> None:
        """Tell the running loop of refusals."""
        self._loop = asyncio.get_running_loop()


def _disk_test(
    tmp_path: Path, patch: pytest.MonkeyPatch, end: str, work: Callable[[Disk], Any]
) -> Any:
    patch.setattr(keeping, "_FIRST_PAUSE_S", 0.001)
    disk = Disk(patch, end)
    return run(work(disk))


def test_an_end_that_a_full_disk_does_not_take_is_told_only_once_it_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []

    async def work(disk: Disk) -> None:
        disk.watch()
        async with office_on(tmp_path, Scene(), log=log, clock=time.monotonic) as office:
            disk.full = True
            request_id = await office.submit(ORDER, CALLER)
            await disk.refused.wait()
            assert (await office.standing(request_id)).status == "en_cours"
            other = await office.submit(ORDER, CALLER)  # its worker is free meanwhile
            assert (await office.standing(other, 0.05)).status == "en_cours"
            disk.full = False
            for one in (request_id, other):
                assert (await office.standing(one, 30)).status == "terminee"

    _disk_test(tmp_path, monkeypatch, "delegations.jsonl", work)
    path = tmp_path / "logs" / "mcp" / "delegations.jsonl"
    assert log == [f"{path}: {os.strerror(errno.ENOSPC)}; what ends waits until it can be written"]
    assert [one["statut"] for one in journaled(tmp_path)] == ["terminee"] * 2


def test_a_stop_on_a_full_disk_leaves_the_end_to_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("econome.delegation.floor._CLOSE_S", 0.05)
    log: list[str] = []

    async def work(disk: Disk) -> str:
        disk.watch()
        async with office_on(tmp_path, Scene(), log=log) as office:
            disk.full = True
            return await office.submit(ORDER, CALLER)

    request_id = _disk_test(tmp_path, monkeypatch, "delegations.jsonl", work)
    assert log[-1] == "1 requests could not be ended; the next start ends them"
    assert journaled(tmp_path) == []
    monkeypatch.undo()

    async def next_start() -> Standing:
        async with office_on(tmp_path, Scene()) as office:
            return await office.standing(request_id)

    assert run(next_start()).error == keeping.LEFT_RUNNING


def test_a_request_that_a_full_disk_does_not_take_is_given_no_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(disk: Disk) -> None:
        disk.watch()
        piece = Piece()
        async with office_on(tmp_path, Scene(piece)) as office:
            disk.full = True
            with pytest.raises(LedgerUnwritable):
                await office.submit(ORDER, CALLER)
            assert (office.open_requests(), piece.closed) == ([], 1)
            await office.wait_idle()
            disk.full = False
            await office.standing(await office.submit(ORDER, CALLER), 30)

    _disk_test(tmp_path, monkeypatch, "requests.jsonl", work)
    assert [one["statut"] for one in journaled(tmp_path)] == ["terminee"]


def test_an_answer_that_no_disk_takes_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "answers").write_bytes(b"")  # no directory can be made here
    log: list[str] = []

    async def work() -> Standing:
        async with office_on(tmp_path, Scene(), log=log) as office:
            return await office.standing(await office.submit(ORDER, CALLER), 30)

    standing = run(work())
    assert (standing.answer, standing.answer_path) == ("an answer", None)
    assert log == [f"{tmp_path / 'answers'}: {os.strerror(errno.EEXIST)}"]
