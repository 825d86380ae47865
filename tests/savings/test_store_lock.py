"""One process writes a ledger; the lock names it, ends with it, and is not disturbed by who looks."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

import pytest

from econome.errors import LedgerBroken, LedgerHeld
from econome.savings.lock import Holder, holder
from econome.savings.store import Ledger
from tests.requirements import requirement
from tests.savings.disks import PATIENCE_SECONDS
from tests.savings.programs import running

pytestmark = requirement("S5")

URL = "http://127.0.0.1:8090"


def _line(process: Popen[bytes]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().decode("ascii").split()


def test_nobody_holds_a_ledger_that_is_not_there(tmp_path: Path) -> None:
    assert holder(str(tmp_path / "nowhere")) is None


def test_a_ledger_names_its_holder_until_it_is_closed(tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path), "econome serve", URL)
    assert holder(str(tmp_path)) == Holder(os.getpid(), "econome serve", URL)
    ledger.close()
    assert holder(str(tmp_path)) is None


def test_a_second_opener_is_told_who_the_first_is(tmp_path: Path) -> None:
    with running("hold", tmp_path) as first:
        assert _line(first) == ["held"]
        assert holder(str(tmp_path)) == Holder(first.pid, "econome serve", URL)
        with pytest.raises(LedgerHeld) as caught:
            Ledger.open(str(tmp_path), "econome events import")
        assert caught.value.holder == f"econome serve (pid {first.pid}, {URL})"
        assert caught.value.path == str(tmp_path)


def test_a_second_opener_in_the_same_process_is_refused_too(tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path), "first")
    with pytest.raises(LedgerHeld):
        Ledger.open(str(tmp_path), "second")
    ledger.close()
    Ledger.open(str(tmp_path), "second").close()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with running("hold", tmp_path) as first:
        assert _line(first) == ["held"]
        first.kill()
        first.wait(PATIENCE_SECONDS)
        assert holder(str(tmp_path)) is None
        ledger = Ledger.open(str(tmp_path), "second")
        assert holder(str(tmp_path)) == Holder(os.getpid(), "second")
        ledger.close()


def test_neither_a_forked_child_nor_a_started_program_keeps_the_lock(tmp_path: Path) -> None:
    with running("hold_with_child", tmp_path) as first:
        assert _line(first) == ["refused"]
        first.kill()
        first.wait(PATIENCE_SECONDS)
        # Both children live on: they wait for the end of an input that this test keeps open.
        Ledger.open(str(tmp_path), "second").close()
        assert first.stdin is not None
        first.stdin.close()


def test_who_looks_keeps_nobody_from_opening(tmp_path: Path) -> None:
    with running(
        "hold", tmp_path
    ) as killed:  # its name stays, so that those who look must try the lock
        assert _line(killed) == ["held"]
        killed.send_signal(signal.SIGKILL)
        killed.wait(PATIENCE_SECONDS)
    with ExitStack() as stack:
        for _ in range(3):
            assert _line(stack.enter_context(running("look", tmp_path))) == ["looking"]
        named = (tmp_path / "lock").read_bytes()
        for _ in range(100):
            ledger = Ledger.open(str(tmp_path), "opener")
            assert holder(str(tmp_path)) == Holder(os.getpid(), "opener")
            ledger.close()
            (tmp_path / "lock").write_bytes(named)


def test_of_many_that_open_one_has_it_and_the_others_are_refused(tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path), "holder")
    with ExitStack() as stack:
        others = [stack.enter_context(running("contend", tmp_path, 20)) for _ in range(3)]
        assert [_line(other) for other in others] == [["refused", "20"]] * 3
    ledger.close()


def test_a_lock_that_another_shares_for_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr("econome.savings.lock._ATTEMPTS", 3)
    with (tmp_path / "lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        with pytest.raises(LedgerHeld, match="does not give its name"):
            Ledger.open(str(tmp_path), "opener")


def test_a_system_without_such_locks_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(LedgerBroken, match="no file locks"):
        Ledger.open(str(tmp_path), "opener")


def test_a_lock_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(LedgerBroken):
        Ledger.open(str(tmp_path), "opener")
    with pytest.raises(LedgerBroken):
        holder(str(tmp_path))


@requirement("S1")
@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_lock_that_others_may_write_to_names_nobody(tmp_path: Path, mode: int) -> None:
    lock = tmp_path / "lock"
    lock.write_bytes(b'{"pid":1,"what":"econome serve","url":"http://127.0.0.1:6666"}')
    lock.chmod(mode)
    for ask in (holder, lambda directory: Ledger.open(directory, "opener")):
        with pytest.raises(LedgerBroken, match="others may write to it"):
            ask(str(tmp_path))


@requirement("S1")
def test_a_lock_of_another_user_names_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock"
    lock.write_bytes(b'{"pid":1,"what":"econome serve","url":"http://127.0.0.1:6666"}')
    lock.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: lock.stat().st_uid + 1)
    for ask in (holder, lambda directory: Ledger.open(directory, "opener")):
        with pytest.raises(LedgerBroken, match="belongs to another user"):
            ask(str(tmp_path))


@requirement("S1")
def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    for ask in (holder, lambda directory: Ledger.open(directory, "opener")):
        with pytest.raises(LedgerBroken, match="it is a link"):
            ask(str(tmp_path))
    assert (tmp_path / "elsewhere").read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["economies.jsonl", "economies.conflicts.jsonl"])
def test_a_ledger_that_others_may_write_to_is_refused(tmp_path: Path, name: str) -> None:
    Ledger.open(str(tmp_path), "first").close()
    (tmp_path / name).chmod(0o606)
    with pytest.raises(LedgerBroken, match=f"{name}: others may write to it"):
        Ledger.open(str(tmp_path), "second")
    (tmp_path / name).chmod(0o600)
    Ledger.open(str(tmp_path), "second").close()


def test_a_ledger_has_one_writer_though_its_lock_is_removed(tmp_path: Path) -> None:
    with running("hold", tmp_path) as first:
        assert _line(first) == ["held"]
        (tmp_path / "lock").unlink()
        with pytest.raises(LedgerHeld, match="another process that writes it"):
            Ledger.open(str(tmp_path), "second")
        assert first.stdin is not None
        first.stdin.close()
        first.wait(PATIENCE_SECONDS)
    Ledger.open(str(tmp_path), "second").close()
