"""A file that is written before it has a name, where the system has such files: who dies over it leaves nothing behind (D7).

Elsewhere it has a name of its own from the start, beside the one it is for. What it holds, and which name it takes in the
end, others say.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from econome.delegation.folders import NO_LINK

__all__ = ["Fresh", "fresh_file"]

_NAMELESS: int = getattr(os, "O_TMPFILE", 0)


class Fresh:
    """A new file in the open directory *directory*, open as `fd`."""

    def __init__(self, directory: int, mode: int) -> None:
        """Make it.

        Raises:
            OSError: there can be none.
        """
        self._directory = directory
        self._name: str | None = None
        fd = _nameless(directory, mode)
        self.fd = self._make(mode) if fd is None else fd

    def link(self, name: str) -> None:
        """Give it a name that nothing has.

        Raises:
            FileExistsError: something has it.
            OSError: the file system knows no second names.
        """
        if self._name is None:
            os.link(_path(self.fd), name, dst_dir_fd=self._directory, follow_symlinks=True)
        else:
            names = {"src_dir_fd": self._directory, "dst_dir_fd": self._directory}
            os.link(self._name, name, **names, follow_symlinks=False)

    def named(self) -> str:
        """Return a name that it has for the moment, given now where it had none; whatever has it goes at the end.

        Raises:
            OSError: it can be given none.
        """
        if self._name is None:
            name = _drawn()
            try:
                self.link(name)
            except OSError:
                self._copy()
            else:
                self._name = name
        assert self._name is not None
        return self._name

    def _make(self, mode: int) -> int:
        name = _drawn()
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK
        fd = os.open(name, flags, mode, dir_fd=self._directory)
        self._name = name
        return fd

    def _copy(self) -> None:
        """Make a file with a name of one that can be given none."""
        nameless, self.fd = self.fd, self._make(0o600)
        try:
            with (
                open(nameless, "rb", closefd=False) as old,
                open(self.fd, "wb", closefd=False) as new,
            ):
                old.seek(0)
                shutil.copyfileobj(old, new)
            os.fchmod(self.fd, stat.S_IMODE(os.fstat(nameless).st_mode))
            os.fsync(self.fd)
        finally:
            os.close(nameless)

    def close(self) -> None:
        """Let go of it, and of the name that it had for the moment."""
        os.close(self.fd)
        if self._name is not None:
            with suppress(FileNotFoundError):
                os.unlink(self._name, dir_fd=self._directory)


@contextmanager
def fresh_file(directory: int, mode: int) -> Iterator[Fresh]:
    """Give a new file; of what is not given another name nothing stays."""
    file = Fresh(directory, mode)
    try:
        yield file
    finally:
        file.close()


def _nameless(directory: int, mode: int) -> int | None:
    """Open a file without a name that can be given one; None where this system or file system has none."""
    if not _NAMELESS:
        return None
    try:
        fd = os.open(".", _NAMELESS | os.O_RDWR | NO_LINK, mode, dir_fd=directory)
    except OSError:  # what is really wrong is told when one with a name is made
        return None
    try:
        if os.path.samestat(os.stat(_path(fd)), os.fstat(fd)):
            return fd
    except OSError:  # no /proc
        pass
    os.close(fd)
    return None


def _path(fd: int) -> str:
    return f"/proc/self/fd/{fd}"


def _drawn() -> str:
    return f".econome-{secrets.token_hex(8)}.tmp"
