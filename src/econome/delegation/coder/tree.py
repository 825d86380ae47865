"""A directory that is walked name by name, so that no link and nothing that is swapped meanwhile leads out of it.

It opens, lists and reads, and makes and removes directories. What a file is for it does not know.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from econome.delegation.folders import NO_LINK
from econome.delegation.places import GIT, folded

__all__ = ["Found", "TooLarge", "Tree", "read_in"]

_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | NO_LINK
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | NO_LINK
_STEP_BYTES = 1 << 20


class TooLarge(Exception):
    """A file, or a directory, holds more than is looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path."""

    kind: Literal["file", "link", "other"]
    mode: int
    size: int


class Tree:
    """An open directory and what is below it; *path* itself is a real path."""

    def __init__(self, path: str) -> None:
        """Open it.

        Raises:
            OSError: it is no directory, or a link lies on the way.
        """
        self._made: list[tuple[str, ...]] = []
        self._top = os.open("/", _DIRECTORY)
        try:
            for part in path.split("/"):
                if part:
                    below = os.open(part, _DIRECTORY, dir_fd=self._top)
                    os.close(self._top)
                    self._top = below
        except BaseException:
            os.close(self._top)
            raise

    def close(self) -> None:
        """Let go of it."""
        os.close(self._top)

    def directory(self, parts: tuple[str, ...], *, make: bool = False) -> int:
        """Return a descriptor of the directory below, made where it is missing and *make* says so.

        Raises:
            OSError: it is not there, is no directory, or a link lies on the way.
        """
        fd = os.dup(self._top)
        try:
            for depth, part in enumerate(parts):
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=fd)
                        self._made.append(parts[: depth + 1])
                below = os.open(part, _DIRECTORY, dir_fd=fd)
                os.close(fd)
                fd = below
        except BaseException:
            os.close(fd)
            raise
        return fd

    @contextmanager
    def standing_in(self, parts: tuple[str, ...]) -> Iterator[int]:
        """Give the open directory below for a while."""
        fd = self.directory(parts)
        try:
            yield fd
        finally:
            os.close(fd)

    def remove_made(self) -> None:
        """Remove the directories that were made here, where nothing is in them."""
        for parts in reversed(self._made):
            with suppress(OSError), self.standing_in(parts[:-1]) as fd:
                os.rmdir(parts[-1], dir_fd=fd)
        self._made.clear()

    def look(self, path: str) -> Found | None:
        """Return what stands at a path; None where nothing does.

        Raises:
            OSError: something on the way is no directory.
        """
        *above, name = path.split("/")
        try:
            with self.standing_in(tuple(above)) as fd:
                return _found(os.stat(name, dir_fd=fd, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def read(self, path: str, limit_bytes: int) -> bytes:
        """Return the content of a regular file.

        Raises:
            TooLarge: it is longer.
            OSError: it cannot be read, or is no regular file.
        """
        *above, name = path.split("/")
        with self.standing_in(tuple(above)) as fd:
            return read_in(fd, name, limit_bytes)

    def feed(self, path: str, take: Callable[[bytes], object]) -> None:
        """Give the content of a regular file piece by piece.

        Raises:
            OSError: it cannot be read, or is no regular file.
        """
        *above, name = path.split("/")
        with self.standing_in(tuple(above)) as directory:
            fd = _open_regular(directory, name)
        try:
            while piece := os.read(fd, _STEP_BYTES):
                take(piece)
        finally:
            os.close(fd)

    def paths(
        self, limit: int, is_closed: Callable[[str], bool] = lambda path: False
    ) -> Iterator[tuple[str, Found]]:
        """Yield what is below, but for a repository's own directory; another repository's is one thing.

        So is a directory that *is_closed*; the path of such a one ends in a slash.

        Raises:
            TooLarge: there is more than *limit*.
        """
        waiting: list[tuple[str, ...]] = [()]
        while waiting:
            parts = waiting.pop()
            with self.standing_in(parts) as fd:
                names = sorted(os.listdir(fd))
                limit -= len(names)
                if limit < 0:
                    raise TooLarge
                for name in names:
                    at = os.stat(name, dir_fd=fd, follow_symlinks=False)
                    own = folded(name) in GIT
                    if own and not parts and name == ".git":
                        continue
                    path = "/".join((*parts, name))
                    if not stat.S_ISDIR(at.st_mode) or own:
                        yield path, _found(at)
                    elif is_closed(f"{path}/"):
                        yield f"{path}/", _found(at)
                    else:
                        waiting.append((*parts, name))


def _found(at: os.stat_result) -> Found:
    kind: Literal["file", "link", "other"] = "other"
    if stat.S_ISREG(at.st_mode):
        kind = "file"
    elif stat.S_ISLNK(at.st_mode):
        kind = "link"
    return Found(kind, stat.S_IMODE(at.st_mode), at.st_size)


def read_in(directory: int, name: str, limit_bytes: int) -> bytes:
    """Return the content of a regular file in an open directory.

    Raises:
        TooLarge: it is longer.
        OSError: it cannot be read, or is no regular file.
    """
    fd = _open_regular(directory, name)
    try:
        pieces, left = [], limit_bytes + 1
        while left and (piece := os.read(fd, min(left, _STEP_BYTES))):
            pieces.append(piece)
            left -= len(piece)
        if not left:
            raise TooLarge
        return b"".join(pieces)
    finally:
        os.close(fd)


def _open_regular(directory: int, name: str) -> int:
    fd = os.open(name, _READING, dir_fd=directory)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is no regular file", name)
    return fd
