"""What a file says is believed only where nobody else can have written it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from econome.owned import keep, let_go, open_own


def _refused(path: Path, flags: int = os.O_RDONLY) -> str:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(OSError, match=path.name) as caught:
        open_own(str(path), flags)
    assert not before or len(os.listdir("/proc/self/fd")) == before
    return str(caught.value.strerror)


def test_a_new_file_is_for_its_owner_alone_and_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "own"
    before = os.umask(0)
    try:
        os.close(open_own(str(path), os.O_RDWR | os.O_CREAT))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    os.close(open_own(str(path), os.O_RDONLY))


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "own"
    path.touch()
    path.chmod(mode)
    assert "others may write to it" in _refused(path)
    path.chmod(0o644)
    os.close(open_own(str(path), os.O_RDONLY))


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "theirs"
    path.touch(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    assert "belongs to another user" in _refused(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "own").touch(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    (tmp_path / "nowhere").symlink_to(tmp_path / "new")
    for name in ("link", "nowhere"):
        assert "it is a link" in _refused(tmp_path / name, os.O_RDWR | os.O_CREAT)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR])
def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path, flags: int) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "not a regular file" in _refused(tmp_path / "pipe", flags)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir(0o700)
    assert "not a regular file" in _refused(tmp_path / "place")


def test_a_file_that_was_let_go_is_free_though_a_child_has_it_open(tmp_path: Path) -> None:
    flags = os.O_RDWR | os.O_CREAT
    first, second = (open_own(str(tmp_path / "own"), flags) for _ in range(2))
    of_child = os.dup(first)
    keep(first)
    with pytest.raises(BlockingIOError):
        keep(second)
    let_go(first)
    keep(second)
    for fd in (first, second, of_child):
        os.close(fd)
