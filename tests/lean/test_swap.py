"""A file is replaced in one step, as it was but for its content, or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from econome import renames
from econome.errors import ConfigRefused
from econome.lean.install import swap
from econome.lean.install.swap import read_file, replace_file
from tests.requirements import requirement

pytestmark = requirement("L18")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


def names(file: Path) -> list[str]:
    return sorted(path.name for path in file.parent.iterdir())


def test_a_file_is_replaced_and_keeps_its_mode_and_owner(file: Path) -> None:
    before = file.stat()
    replace_file(str(file), b"old", b"new")
    after = file.stat()
    assert (file.read_bytes(), names(file)) == (b"new", ["mcp.json"])
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert after.st_ino != before.st_ino


def test_the_target_of_a_link_is_replaced_and_the_link_stays(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(file)
    replace_file(str(link), b"old", b"new")
    assert (link.is_symlink(), file.read_bytes(), names(file)) == (True, b"new", ["mcp.json"])


def test_a_file_that_changed_since_it_was_read_is_left_as_it_is(file: Path) -> None:
    with pytest.raises(ConfigRefused, match="it changed while it was being edited"):
        replace_file(str(file), b"older", b"new")
    assert (file.read_bytes(), names(file)) == (b"old", ["mcp.json"])


def test_what_another_writes_until_the_last_moment_is_seen(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = os.fsync

    def write_meanwhile(fd: int) -> None:
        synced(fd)
        file.write_bytes(b"theirs")

    monkeypatch.setattr(os, "fsync", write_meanwhile)
    with pytest.raises(ConfigRefused, match="it changed while it was being edited"):
        replace_file(str(file), b"old", b"new")
    assert (file.read_bytes(), names(file)) == (b"theirs", ["mcp.json"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names are exchanged on Linux")
def test_what_others_rename_into_place_after_the_comparison_is_put_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers, one before our name is in place and one before theirs is back: the last of them stays."""
    writes = iter([b"theirs", b"theirs, later"])
    exchanged = renames.exchange

    def exchange_late(fd: int, one: str, other: str) -> bool:
        content = next(writes, None)
        if content is not None:
            (file.parent / "coming").write_bytes(content)
            (file.parent / "coming").rename(file)
        return exchanged(fd, one, other)

    monkeypatch.setattr(swap, "exchange", exchange_late)
    with pytest.raises(ConfigRefused, match="it changed while it was being edited"):
        replace_file(str(file), b"old", b"new")
    assert (file.read_bytes(), names(file)) == (b"theirs, later", ["mcp.json"])


def test_a_system_that_exchanges_no_names_gets_a_rename(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    replace_file(str(file), b"old", b"new")
    assert (file.read_bytes(), names(file)) == (b"new", ["mcp.json"])


def test_a_failure_leaves_no_file_behind(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigRefused, match="No space left on device"):
        replace_file(str(file), b"old", b"new")
    assert (file.read_bytes(), names(file)) == (b"old", ["mcp.json"])


def test_an_owner_that_cannot_be_kept_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, uid: int, gid: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    changed = list(file.stat())
    changed[stat.ST_UID] += 1
    found = os.stat_result(changed)
    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(os, "stat", lambda *args, **more: found)
    with pytest.raises(ConfigRefused, match="it belongs to another user or group"):
        replace_file(str(file), b"old", b"new")
    assert (file.read_bytes(), names(file)) == (b"old", ["mcp.json"])


def test_a_file_with_a_second_name_is_refused(file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / "second")
    with pytest.raises(ConfigRefused, match="it has a second name"):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"old"


def test_the_lock_of_claude_code_is_taken_and_given_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    put = swap._put

    def look(*given: Any) -> None:
        seen.append([name for name in names(file) if name.endswith(".lock")])
        put(*given)

    monkeypatch.setattr(swap, "_put", look)
    replace_file(str(file), b"old", b"new", locked=True)
    assert (seen, names(file)) == ([["mcp.json.lock"]], ["mcp.json"])


def test_a_file_that_claude_code_is_writing_is_refused(file: Path) -> None:
    lock = file.with_name("mcp.json.lock")
    lock.mkdir()
    with pytest.raises(ConfigRefused, match="its client is writing it right now"):
        replace_file(str(file), b"old", b"new", locked=True)
    assert (file.read_bytes(), names(file)) == (b"old", ["mcp.json", "mcp.json.lock"])


def test_a_lock_that_was_forgotten_holds_nobody_up_and_stays(file: Path) -> None:
    lock = file.with_name("mcp.json.lock")
    lock.mkdir()
    os.utime(lock, (1, 1))
    replace_file(str(file), b"old", b"new", locked=True)
    assert (file.read_bytes(), names(file)) == (b"new", ["mcp.json", "mcp.json.lock"])


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(ConfigRefused, match="it is not a regular file"):
            read_file(str(path))
    assert read_file(str(tmp_path / "absent")) is None
