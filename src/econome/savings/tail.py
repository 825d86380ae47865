"""Reads the last lines of the ledger, and what is added to it from then on. It never writes, and takes no lock."""

from __future__ import annotations

import os
from collections.abc import Iterator

from econome.durable import whole_lines

__all__ = ["Tail"]

_STEP_BYTES = 65_536


class Tail:
    """The end of a file that only grows, in whole lines.

    Where the file became shorter, what it lost was never acknowledged; where it was replaced, it is read from its
    beginning.
    """

    __slots__ = ("_at", "_file", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._at = self._file = 0

    def last(self, count: int) -> list[bytes]:
        """Return the last *count* whole lines, without their ends; none where there is no file yet."""
        fd = self._open()
        if fd is None:
            return []
        try:
            self._at = _behind_last_line(fd, os.fstat(fd).st_size)
            return _before(fd, self._at, count)
        finally:
            os.close(fd)

    def added(self) -> Iterator[bytes]:
        """Yield the whole lines added since the last call of this or of `last`."""
        known = self._file
        fd = self._open()
        if fd is None:
            return
        try:
            size = os.fstat(fd).st_size
            self._at = min(self._at, size) if self._file == known else 0
            for block in whole_lines(fd, self._at, size):
                self._at += len(block)
                yield from block.splitlines()
        finally:
            os.close(fd)

    def _open(self) -> int | None:
        try:
            fd = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        self._file = os.fstat(fd).st_ino
        return fd


def _behind_last_line(fd: int, size: int) -> int:
    """Return the offset behind the last line end."""
    while size > 0:
        begin = max(0, size - _STEP_BYTES)
        found = os.pread(fd, size - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        size = begin
    return 0


def _before(fd: int, end: int, count: int) -> list[bytes]:
    """Return the last *count* lines before the offset *end*, which is behind a line end."""
    pieces: list[bytes] = []
    ends = 0
    while end > 0 and ends <= count:
        begin = max(0, end - _STEP_BYTES)
        pieces.append(os.pread(fd, end - begin, begin))
        ends += pieces[-1].count(b"\n")
        end = begin
    lines = b"".join(reversed(pieces)).split(b"\n")[:-1]
    return lines[len(lines) - count :] if count < len(lines) else lines
