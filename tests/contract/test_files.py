"""The file of a lock is replaced whole or not at all, and what is no lock is never written over."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from econome.contract.captured import Captured
from econome.contract.files import alone, content, keep, replace
from econome.contract.lockfile import Lock, read, written
from econome.contract.promises import promise
from econome.errors import LockBroken
from tests.contract.captures import count, tool
from tests.requirements import requirement

pytestmark = requirement("L16")

LOCK = Lock("features-v1", {"shop": promise(Captured("shop", (tool(),)), count=count)})
OTHER = Lock(LOCK.tokenizer, {**LOCK.servers, "till": promise(Captured("till"), count=count)})


def load(path: str) -> Lock:
    return read(content(path), path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "econome.lock"


_WRITER = """
import sys
from econome.contract import files, lockfile
from econome.contract.lockfile import Lock
path, mark = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for turn in range(4):
    with files.alone(path):
        lock = lockfile.read(files.content(path), path)
        servers = {**lock.servers, f"{mark}{turn}": lock.servers["shop"]}
        files.keep(path, lockfile.written(Lock(lock.tokenizer, servers)))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="directories cannot be held here")
def test_no_process_that_writes_at_the_same_moment_loses_what_another_wrote(path: Path) -> None:
    keep(str(path), written(LOCK))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), mark],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )
        for mark in "abcdefgh"
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0] * 8
    assert load(str(path)).servers.keys() == {"shop", *(f"{mark}{turn}" for mark in "abcdefgh" for turn in range(4))}  # fmt: skip
    assert names(path) == ["econome.lock"]


@pytest.mark.skipif(sys.platform == "win32", reason="directories cannot be held here")
def test_who_waits_too_long_for_another_is_told(path: Path) -> None:
    with alone(str(path)):
        waiting = alone(str(path), 0)
        with pytest.raises(LockBroken, match="another process is writing a lock here"):
            waiting.__enter__()
    with alone(str(path), 0):
        pass


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def reason_of(path: Path) -> str:
    with pytest.raises(LockBroken) as caught:
        load(str(path))
    assert caught.value.path == str(path)
    return caught.value.reason


def test_a_lock_that_was_kept_is_loaded(path: Path) -> None:
    assert keep(str(path), written(LOCK)) is True
    assert load(str(path)) == LOCK
    assert (content(str(path)), names(path)) == (written(LOCK), ["econome.lock"])


def test_a_lock_in_the_working_directory_is_named_by_its_name_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    assert keep("econome.lock", written(LOCK)) is True
    assert load("econome.lock") == LOCK


def test_the_same_lock_again_leaves_the_file_as_it_is(path: Path) -> None:
    keep(str(path), written(LOCK))
    before = path.stat()
    assert keep(str(path), written(LOCK)) is False
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_another_lock_takes_the_place_of_the_old_one_and_its_mode(path: Path) -> None:
    keep(str(path), written(LOCK))
    path.chmod(0o640)
    assert keep(str(path), written(OTHER)) is True
    assert (load(str(path)), names(path)) == (OTHER, ["econome.lock"])
    assert sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_a_new_lock_has_the_mode_of_any_new_file(path: Path) -> None:
    keep(str(path), written(LOCK))
    other = path.with_name("other")
    other.touch()
    assert path.stat().st_mode == other.stat().st_mode


@requirement("LC20")
def test_a_lock_that_is_missing_is_told_with_what_makes_one(path: Path) -> None:
    assert reason_of(path) == "no such file; make one with `econome lock`"
    assert reason_of(path / "below") == "no such file; make one with `econome lock`"


@requirement("LC20")
@pytest.mark.skipif(sys.platform == "win32", reason="a directory cannot even be opened there")
def test_a_directory_is_no_lock(path: Path) -> None:
    path.mkdir()
    assert reason_of(path) == "it is not a regular file"
    with pytest.raises(LockBroken):
        keep(str(path), written(LOCK))


@requirement("LC20")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_no_lock_and_keeps_nobody_waiting(path: Path) -> None:
    os.mkfifo(path)
    assert reason_of(path) == "it is not a regular file"
    with pytest.raises(LockBroken, match="not a regular file"):
        keep(str(path), written(LOCK))


@requirement("LC20")
def test_a_file_that_is_far_too_large_is_not_read(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    assert reason_of(path) == "it is larger than 64 MB, so it is no lock"


@requirement("LC20")
def test_a_name_that_no_file_has_is_told(path: Path) -> None:
    with pytest.raises(LockBroken, match="no file can have that name"):
        load(f"{path}\0")


@requirement("LC20")
@pytest.mark.parametrize("held", [b"", b"my notes\n", written(LOCK).replace(b"list", b"lost")])
def test_what_is_no_lock_is_not_written_over(path: Path, held: bytes) -> None:
    path.write_bytes(held)
    with pytest.raises(LockBroken):
        keep(str(path), written(LOCK))
    assert (path.read_bytes(), names(path)) == (held, ["econome.lock"])


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_is_read_through_and_not_written_through(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    keep(str(target), written(LOCK))
    path.symlink_to(target)
    assert load(str(path)) == LOCK
    with pytest.raises(LockBroken, match="it is a link"):
        keep(str(path), written(OTHER))
    assert (path.is_symlink(), target.read_bytes()) == (True, written(LOCK))


def test_a_folder_that_is_missing_is_not_made(path: Path) -> None:
    with pytest.raises(LockBroken, match="it cannot be written"):
        keep(str(path / "below" / "econome.lock"), written(LOCK))
    assert names(path) == []


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_failure_on_the_way_leaves_the_old_lock_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    keep(str(path), written(LOCK))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(LockBroken, match="it cannot be written: No space left on device"):
        keep(str(path), written(OTHER))
    assert (load(str(path)), names(path)) == (LOCK, ["econome.lock"])


def test_the_bytes_are_on_disk_before_they_have_the_name(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def told(*given: object, name: str = name, real: object = real) -> None:
            done.append(name)
            real(*given)  # type: ignore[operator]

        monkeypatch.setattr(os, name, told)
    replace(str(path), b"new")
    assert done[:2] == ["fsync", "replace"]
    assert path.read_bytes() == b"new"
