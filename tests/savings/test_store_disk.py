"""A disk that is really full or really cannot be written: nothing is half kept, and later it succeeds."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome.errors import LedgerBroken, LedgerUnwritable
from econome.savings.batch import Received
from econome.savings.store import Ledger, Receipt
from tests.requirements import requirement
from tests.savings.disks import PATIENCE_SECONDS
from tests.savings.programs import running
from tests.savings.stored import added, kept, ledger_lines, received

pytestmark = requirement("S5")

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def _mount(*words: object) -> None:
    try:
        done = subprocess.run(["mount", *map(str, words)], capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip("nothing can be mounted here")


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 64 KB, apart from the folders that pytest clears: a run that is killed leaves it mounted."""
    if not ROOT:
        pytest.skip("only root mounts")
    place = Path(tempfile.mkdtemp(prefix="econome-disk-"))
    try:
        _mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", place)
        yield place
        subprocess.run(["umount", place], check=True)
    finally:
        place.rmdir()


@requirement("C-R6")
def test_a_full_disk_takes_a_batch_whole_or_not_at_all(small_disk: Path) -> None:
    ledger = Ledger.open(str(small_disk), "test")
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 20_000)
    events = [received(number) for number in range(500)]
    stored: list[int] = []
    failed: list[int] = []
    for start in range(0, 500, 7):
        error = ledger.add(events[start : start + 7], "t").exception(PATIENCE_SECONDS)
        (stored if error is None else failed).append(start)
        assert error is None or isinstance(error, LedgerUnwritable)
        assert ledger_lines(small_disk) == _kept(events, stored)
    assert stored
    assert failed
    filler.unlink()
    assert added(ledger, *events[failed[0] : failed[0] + 7], at="t") == Receipt(7, 0, 0)
    assert ledger_lines(small_disk) == _kept(events, [*stored, failed[0]])
    ledger.close()


def _kept(events: list[Received], starts: list[int]) -> bytes:
    return b"".join(kept(events[start : start + 7], at="t") for start in starts)


@requirement("C-R6")
@pytest.mark.parametrize("limit", [10_000, 10_001, 65_536])
def test_a_file_at_its_limit_keeps_whole_lines_and_goes_on_above_it(
    tmp_path: Path, limit: int
) -> None:
    pytest.importorskip("resource")
    with running("fill", tmp_path, limit) as filler:
        assert filler.stdout is not None
        number, size, *said = filler.stdout.readline().decode("ascii").split()
    last = int(number)
    assert said == ["LedgerUnwritable", "LedgerUnwritable", str(last + 1)]
    assert limit - 1000 < int(size) <= limit
    assert ledger_lines(tmp_path) == kept(map(received, range(last + 1)))


def test_a_ledger_on_a_disk_that_is_only_to_be_read_is_refused(small_disk: Path) -> None:
    Ledger.open(str(small_disk), "test").close()
    _mount("-o", "remount,ro", small_disk)
    with pytest.raises(LedgerBroken):
        Ledger.open(str(small_disk), "test")
    with pytest.raises(LedgerBroken):
        Ledger.open(str(small_disk / "new"), "test")


def test_a_directory_or_a_file_that_is_only_to_be_read_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "mcp"
    Ledger.open(str(place), "test").close()
    for path in (place / "economies.jsonl", place / "economies.conflicts.jsonl", place / "lock"):
        path.chmod(0o400)
        if os.access(path, os.W_OK):
            pytest.skip("this user may write anywhere")
        with pytest.raises(LedgerBroken):
            Ledger.open(str(place), "test")
        path.chmod(0o600)
    tmp_path.chmod(0o500)
    with pytest.raises(LedgerBroken):
        Ledger.open(str(tmp_path / "other"), "test")
    tmp_path.chmod(0o700)
    Ledger.open(str(place), "test").close()


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    (tmp_path / "economies.jsonl").symlink_to("/dev/full")
    with pytest.raises(LedgerBroken, match="not a regular file"):
        Ledger.open(str(tmp_path), "test")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(LedgerBroken):
        Ledger.open(str(tmp_path / "file"), "test")
    with pytest.raises(LedgerBroken):
        Ledger.open(str(tmp_path / "file" / "mcp"), "test")


def test_a_ledger_that_was_refused_leaves_no_lock_behind(tmp_path: Path) -> None:
    (tmp_path / "economies.conflicts.jsonl").mkdir()
    with pytest.raises(LedgerBroken):
        Ledger.open(str(tmp_path), "test")
    (tmp_path / "economies.conflicts.jsonl").rmdir()
    Ledger.open(str(tmp_path), "test").close()
