"""A file takes its place whole, or what was there is still there and nothing beside it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from econome.drafts import put, sync_directory

_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    for data in (b"old", b"new\r\n\0"):
        put(str(path), data)
        assert (path.read_bytes(), os.listdir(tmp_path)) == (data, ["kept"])


def test_a_name_alone_is_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put("kept", b"new")
    assert (tmp_path / "kept").read_bytes() == b"new"


@_POSIX
def test_only_its_owner_reads_a_file_unless_more_is_said(tmp_path: Path) -> None:
    path, other = tmp_path / "kept", tmp_path / "other"
    put(str(path), b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    other.touch()
    put(str(path), b"new", 0o666)
    assert path.stat().st_mode == other.stat().st_mode


@_POSIX
def test_the_mode_of_an_old_file_stays_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    put(str(path), b"old", keeps_mode=True)
    path.chmod(0o640)
    put(str(path), b"new", keeps_mode=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    put(str(path), b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_failure_on_the_way_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "kept"
    put(str(path), b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="No space left on device"):
        put(str(path), b"new")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"old", ["kept"])


def test_a_directory_that_cannot_be_brought_to_the_disk_is_let_be(tmp_path: Path) -> None:
    sync_directory(str(tmp_path / "missing"))
