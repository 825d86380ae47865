"""The ledger acknowledges what is on disk, counts an id once, and takes back what failed."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome.errors import LedgerUnwritable
from econome.savings.store import Ledger, Receipt
from tests.requirements import requirement
from tests.savings.disks import PATIENCE_SECONDS, Disk, installed
from tests.savings.stored import added, conflict_lines, kept, ledger_lines, received, settled

pytestmark = requirement("S5")


@pytest.fixture
def disk() -> Iterator[Disk]:
    with installed() as disk:
        yield disk


@pytest.fixture
def ledger(disk: Disk, tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger.open(str(tmp_path), "test")
    disk.calls.clear()
    yield ledger
    disk.heal()
    ledger.close()


@requirement("C-N14", "C-N15")
def test_a_new_event_is_one_line_as_it_was_received_with_its_arrival(
    ledger: Ledger, tmp_path: Path
) -> None:
    assert added(ledger, received(1), received(2)) == Receipt(2, 0, 0)
    assert ledger_lines(tmp_path) == kept([received(1), received(2)])


def test_a_batch_is_acknowledged_once_it_was_written_and_synced(
    ledger: Ledger, disk: Disk, tmp_path: Path
) -> None:
    with disk.held("fsync"):
        future = ledger.add([received(1)], "2026-10-30T09:12:10.000Z")
        assert disk.reached.wait(PATIENCE_SECONDS)
        assert (future.done(), ledger.waiting, ledger.events, ledger.size) == (False, 1, 0, 0)
    settled(future)
    size = len(ledger_lines(tmp_path))
    assert disk.calls == [("write", size), ("fsync", size)]
    assert (ledger.waiting, ledger.events, ledger.size) == (0, 1, size)


def test_batches_that_gather_meanwhile_share_one_sync(ledger: Ledger, disk: Disk) -> None:
    with disk.held("fsync"):
        futures = [ledger.add([received(1)], "t")]
        assert disk.reached.wait(PATIENCE_SECONDS)
        futures += [ledger.add([received(number)], "t") for number in range(2, 40)]
        assert ledger.waiting == 39
    assert [settled(future) for future in futures] == [Receipt(1, 0, 0)] * 39
    assert [call for call, _ in disk.calls] == ["write", "fsync", "write", "fsync"]


def test_a_write_that_takes_but_a_part_is_continued(
    ledger: Ledger, disk: Disk, tmp_path: Path
) -> None:
    disk.piece = 7
    assert added(ledger, received(1), received(1, variant=5)) == Receipt(1, 1, 1)
    assert ledger_lines(tmp_path) == kept([received(1)])
    assert conflict_lines(tmp_path) == kept([received(1, variant=5)])


@requirement("S6")
def test_a_repetition_of_what_is_stored_waits_for_no_disk(ledger: Ledger, disk: Disk) -> None:
    added(ledger, received(1))
    with disk.held("fsync"):
        other = ledger.add([received(2)], "t")
        assert disk.reached.wait(PATIENCE_SECONDS)
        again = ledger.add([received(1), received(1)], "t")
        assert (again.done(), other.done()) == (True, False)
        assert settled(again) == Receipt(0, 2, 0)
    assert settled(other) == Receipt(1, 0, 0)


@requirement("S6")
@pytest.mark.parametrize("fails", [False, True])
def test_a_repetition_of_what_is_on_its_way_ends_as_that_does(
    ledger: Ledger, disk: Disk, fails: bool
) -> None:
    with disk.held("fsync"):
        first = ledger.add([received(1)], "t")
        assert disk.reached.wait(PATIENCE_SECONDS)
        again = ledger.add([received(1)], "t")
        gathered = ledger.add([received(2)], "t")
        of_gathered = ledger.add([received(2), received(1)], "t")
        assert not any(future.done() for future in (first, again, gathered, of_gathered))
        if fails:
            disk.fail("fsync", errno.EIO)
    futures = (first, again, gathered, of_gathered)
    if fails:
        errors = [future.exception(PATIENCE_SECONDS) for future in futures]
        assert [type(error) for error in errors] == [LedgerUnwritable] * 4
    else:
        assert [settled(future) for future in futures] == [
            Receipt(1, 0, 0),
            Receipt(0, 1, 0),
            Receipt(1, 0, 0),
            Receipt(0, 2, 0),
        ]


@requirement("S6")
def test_a_conflict_is_kept_once_and_counted_each_time(ledger: Ledger, tmp_path: Path) -> None:
    added(ledger, received(1))
    assert added(ledger, received(1, variant=7), received(1)) == Receipt(0, 2, 1)
    assert added(ledger, received(1, variant=7), received(1, variant=8)) == Receipt(0, 2, 2)
    assert ledger_lines(tmp_path) == kept([received(1)])
    assert conflict_lines(tmp_path) == kept([received(1, variant=7), received(1, variant=8)])
    assert (ledger.received, ledger.duplicates, ledger.conflicts) == (1, 4, 3)


@requirement("S6")
def test_a_conflict_is_acknowledged_once_it_is_on_disk(ledger: Ledger, disk: Disk) -> None:
    added(ledger, received(1))
    with disk.held("fsync"):
        future = ledger.add([received(1, variant=7)], "t")
        assert disk.reached.wait(PATIENCE_SECONDS)
        again = ledger.add([received(1, variant=7)], "t")
        assert (future.done(), again.done(), ledger.waiting) == (False, False, 0)
    assert [settled(future), settled(again)] == [Receipt(0, 1, 1)] * 2


@requirement("C-R6")
@pytest.mark.parametrize("call, number", [("write", errno.ENOSPC), ("fsync", errno.EIO)])
def test_what_failed_is_cut_off_forgotten_and_succeeds_later(
    ledger: Ledger, disk: Disk, tmp_path: Path, call: str, number: int
) -> None:
    added(ledger, received(1))
    disk.fail(call, number)
    batch = [received(1), received(2), received(2, variant=7)]
    error = ledger.add(batch, "t").exception(PATIENCE_SECONDS)
    assert isinstance(error, LedgerUnwritable)
    assert error.reason == os.strerror(number)
    disk.heal()
    assert (ledger.events, ledger.waiting, ledger.received) == (1, 0, 1)
    assert added(ledger, *batch) == Receipt(1, 2, 1)
    assert ledger_lines(tmp_path) == kept([received(1), received(2)])
    assert conflict_lines(tmp_path) == kept([received(2, variant=7)])


@requirement("S6", "C-R8")
@pytest.mark.parametrize("call, number", [("write", errno.ENOSPC), ("fsync", errno.EIO)])
def test_a_conflict_that_cannot_be_kept_takes_its_whole_batch_back(
    ledger: Ledger, disk: Disk, tmp_path: Path, call: str, number: int
) -> None:
    added(ledger, received(1))
    disk.fail(call, number, after=1)  # the line goes to disk, the conflict does not
    batch = [received(2), received(1, variant=7)]
    assert isinstance(ledger.add(batch, "t").exception(PATIENCE_SECONDS), LedgerUnwritable)
    disk.heal()
    assert added(ledger, *batch) == Receipt(1, 1, 1)
    assert ledger_lines(tmp_path) == kept([received(1), received(2)])
    assert conflict_lines(tmp_path) == kept([received(1, variant=7)])


@pytest.mark.parametrize("call", ["ftruncate", "fsync"])
def test_nothing_is_acknowledged_before_what_failed_is_cut_off(
    ledger: Ledger, disk: Disk, tmp_path: Path, call: str
) -> None:
    added(ledger, received(1))
    disk.fail("fsync", errno.EIO)
    disk.fail(call, errno.EIO)
    ledger.add([received(2)], "t").exception(PATIENCE_SECONDS)
    disk.heal()
    disk.fail(call, errno.EIO)
    for number in (2, 3):
        error = ledger.add([received(number)], "t").exception(PATIENCE_SECONDS)
        assert isinstance(error, LedgerUnwritable)
    assert settled(ledger.add([received(1)], "t")) == Receipt(0, 1, 0)
    disk.heal()
    assert added(ledger, received(3), at="later") == Receipt(1, 0, 0)
    assert ledger_lines(tmp_path) == kept([received(1)]) + kept([received(3)], at="later")


def test_a_file_that_was_changed_from_outside_is_left_as_it_is_and_takes_nothing(
    ledger: Ledger, tmp_path: Path
) -> None:
    added(ledger, received(1))
    path, foreign = tmp_path / "economies.jsonl", kept([received(9)])
    with path.open("ab") as file:
        file.write(foreign)
    assert isinstance(ledger.add([received(2)], "t").exception(PATIENCE_SECONDS), LedgerUnwritable)
    assert path.read_bytes() == kept([received(1)]) + foreign
    path.rename(tmp_path / "away")
    assert isinstance(ledger.add([received(2)], "t").exception(PATIENCE_SECONDS), LedgerUnwritable)
    path.write_bytes(kept([received(1)]))
    assert isinstance(ledger.add([received(2)], "t").exception(PATIENCE_SECONDS), LedgerUnwritable)


def test_closing_commits_what_was_taken(disk: Disk, tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path), "test")
    with disk.held("fsync"):
        writing = ledger.add([received(1)], "t")
        assert disk.reached.wait(PATIENCE_SECONDS)
        gathered = ledger.add([received(2)], "t")
        closing = threading.Thread(target=ledger.close)
        closing.start()
    closing.join(PATIENCE_SECONDS)
    assert [writing.result(0), gathered.result(0)] == [Receipt(1, 0, 0)] * 2
    assert ledger_lines(tmp_path) == kept([received(1), received(2)], at="t")
    assert isinstance(ledger.add([received(3)], "t").exception(0), LedgerUnwritable)
    ledger.close()


def test_a_batch_that_nobody_waits_for_any_more_is_kept(ledger: Ledger, tmp_path: Path) -> None:
    future = ledger.add([received(1)], "t")
    assert not future.cancel()
    settled(future)
    assert ledger_lines(tmp_path) == kept([received(1)], at="t")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_a_writer_that_broke_down(disk: Disk, tmp_path: Path) -> None:
    logged: list[str] = []
    ledger = Ledger.open(str(tmp_path), "test", log=logged.append)
    with disk.held("fsync"):
        writing = ledger.add([received(1)], "t")
        assert disk.reached.wait(PATIENCE_SECONDS)
        gathered = ledger.add([received(2)], "t")
        disk.break_down("fsync", MemoryError())
    for future in (writing, gathered, ledger.add([received(3)], "t")):
        assert isinstance(future.exception(PATIENCE_SECONDS), LedgerUnwritable)
    disk.heal()
    ledger.close()
    assert ledger_lines(tmp_path) == b""
    again = Ledger.open(str(tmp_path), "test")
    assert added(again, received(1)) == Receipt(1, 0, 0)
    again.close()


@requirement("S10")
def test_many_threads_at_once_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path), "test")
    threads, batches, receipts = 8, 40, []
    events = [received(number) for number in range(threads * batches * 5 // 2)]

    def post(part: int) -> None:
        for batch in range(batches):
            start = (part * batches + batch) * 5 // 2  # half of each batch is also a neighbour's
            receipts.append(added(ledger, *events[start : start + 5]))

    running = [threading.Thread(target=post, args=(part,)) for part in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(PATIENCE_SECONDS)
    lines = ledger_lines(tmp_path)
    assert sorted(lines.splitlines(True)) == sorted(kept(events).splitlines(True))
    assert sum(receipt.received for receipt in receipts) == len(events)
    assert (ledger.events, ledger.waiting, ledger.size) == (len(events), 0, len(lines))
    ledger.close()


def test_a_new_ledger_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    directory = tmp_path / "data" / "logs" / "mcp"
    before = os.umask(0)
    try:
        Ledger.open(str(directory), "test").close()
    finally:
        os.umask(before)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in [directory.parent.parent, directory.parent, directory, *directory.iterdir()]
    }
    files = ["economies.jsonl", "economies.conflicts.jsonl", "lock"]
    assert modes == dict.fromkeys(["data", "logs", "mcp"], 0o700) | dict.fromkeys(files, 0o600)


def test_what_was_found_is_on_disk_before_it_counts_and_so_are_new_names(
    disk: Disk, tmp_path: Path
) -> None:
    directory = tmp_path / "logs" / "mcp"
    Ledger.open(str(directory), "test").close()
    made = ["fsync directory"] * 2  # the two directories, in the ones above
    opened = ["fsync", "fsync directory"] * 2
    assert [call for call, _ in disk.calls] == made + opened
    disk.calls.clear()
    Ledger.open(str(directory), "test").close()
    assert [call for call, _ in disk.calls] == opened


@requirement("S6")
@pytest.mark.parametrize("name", ["economies.jsonl", "economies.conflicts.jsonl"])
@pytest.mark.parametrize("damage", ["removed", "replaced", "cut"])
def test_what_is_kept_nowhere_any_more_is_not_called_known(
    ledger: Ledger, tmp_path: Path, name: str, damage: str
) -> None:
    batch = [received(1), received(1, variant=7)]
    added(ledger, *batch)
    path, aside = tmp_path / name, tmp_path / "aside"
    lines = path.read_bytes()
    if damage == "cut":
        os.truncate(path, len(lines) - 1)
    else:
        path.rename(aside)
    if damage == "replaced":
        path.write_bytes(lines)
    error = ledger.add(batch, "t").exception(0)
    assert isinstance(error, LedgerUnwritable)
    assert "changed from outside" in error.reason
    assert (ledger.received, ledger.duplicates) == (1, 1)
    if damage == "cut":
        path.write_bytes(lines)
    else:
        aside.rename(path)
    assert settled(ledger.add(batch, "t")) == Receipt(0, 2, 1)


def test_the_operator_is_told_once_that_events_are_refused_and_once_that_they_are_taken(
    disk: Disk, tmp_path: Path
) -> None:
    logged: list[str] = []
    ledger = Ledger.open(str(tmp_path), "test", log=logged.append)
    added(ledger, received(1))
    assert logged == []
    path = tmp_path / "economies.jsonl"
    full = f"{path}: {os.strerror(errno.ENOSPC)}; new events are refused until it takes them again"
    for times in (1, 2):
        disk.fail("write", errno.ENOSPC)
        for number in (2, 3):
            ledger.add([received(10 * times + number)], "t").exception(PATIENCE_SECONDS)
            settled(ledger.add([received(1)], "t"))  # a repetition says nothing of the disk
        disk.heal()
        added(ledger, received(10 * times))
        added(ledger, received(10 * times + 1))
        assert logged == [full, f"{path}: it takes events again"] * times
    ledger.close()
    assert ledger.add([received(9)], "t").exception(0) is not None
    assert len(logged) == 4


def test_the_operator_is_told_once_that_the_ledger_was_changed_from_outside(tmp_path: Path) -> None:
    logged: list[str] = []
    ledger = Ledger.open(str(tmp_path), "test", log=logged.append)
    added(ledger, received(1))
    (tmp_path / "economies.jsonl").unlink()
    for number in (1, 2, 1):  # known, new, known
        error = ledger.add([received(number)], "t").exception(PATIENCE_SECONDS)
        assert isinstance(error, LedgerUnwritable)
        (line,) = logged
        assert "changed from outside" in line
    ledger.close()


def test_the_operator_is_told_what_is_not_cut_off_yet(disk: Disk, tmp_path: Path) -> None:
    logged: list[str] = []
    ledger = Ledger.open(str(tmp_path), "test", log=logged.append)
    disk.fail("fsync", errno.EIO)
    disk.fail("ftruncate", errno.EROFS)
    ledger.add([received(1)], "t").exception(PATIENCE_SECONDS)
    (line,) = logged
    assert os.strerror(errno.EIO) in line
    assert f"not cut off yet: {os.strerror(errno.EROFS)}" in line
    disk.heal()
    ledger.close()


def test_a_log_that_cannot_be_written_stops_no_event(disk: Disk, tmp_path: Path) -> None:
    def log(_: str) -> None:
        raise BrokenPipeError

    ledger = Ledger.open(str(tmp_path), "test", log=log)
    disk.fail("fsync", errno.EIO)
    error = ledger.add([received(1)], "t").exception(PATIENCE_SECONDS)
    assert isinstance(error, LedgerUnwritable)
    disk.heal()
    assert added(ledger, received(1)) == Receipt(1, 0, 0)
    ledger.close()
