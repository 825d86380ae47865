"""Files of lines that only grow, and what it takes that a line survives a crash once it is acknowledged.

It knows files, bytes and line ends, and that a file has one writer. It does not know what a line means, cannot name
another writer and turns no `OSError` into a sentence.
"""

from __future__ import annotations

import errno
import os
import weakref
from contextlib import suppress

from econome.owned import keep, let_go, open_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CHUNK_BYTES", "LineFile", "LineReader", "end_of_lines", "make_directory", "whole_lines"]

CHUNK_BYTES = 262_144
"""How much of a file is read at once: what is split up next is then still in the processor's cache."""

_SEAM_BYTES = 256
_STEP_BYTES = 65_536


def make_directory(path: str) -> None:
    """Make a directory that only its owner may enter, and those above it that are missing.

    Raises:
        OSError: it cannot be made, or something else has its name.
    """
    missing = [os.path.abspath(path)]
    while not os.path.isdir(above := os.path.dirname(missing[-1])) and above != missing[-1]:
        missing.append(above)
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            if not os.path.isdir(each):
                raise
        else:
            _sync_directory(os.path.dirname(each))


def whole_lines(fd: int, start: int, end: int) -> Iterator[bytes]:
    """Yield the lines from the offset *start* in blocks that end in a line end, up to the last one before *end*."""
    pieces: list[bytes] = []  # of a line that is longer than a chunk
    while start < end and (chunk := os.pread(fd, min(CHUNK_BYTES, end - start), start)):
        start += len(chunk)
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((*pieces, chunk[:cut]))
            pieces.clear()
        if cut < len(chunk):
            pieces.append(chunk[cut:])


def end_of_lines(fd: int, end: int) -> int:
    """Return the offset behind the last line end before the offset *end*."""
    while end:
        start = max(0, end - _STEP_BYTES)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


class LineFile:
    """A file of lines, open for its one writer; what is in it at the opening is brought to disk and acknowledged.

    It is locked as long as it is open; a forked child does not have it open.

    What lies beyond `size` is not acknowledged. A writer calls `ready`, `write`, `sync` and `accept`, in this order;
    after an `OSError` in any of them nothing of what was written counts, and `settle` (or the next `ready`) takes it off
    again.
    """

    __slots__ = ("__weakref__", "_fd", "_identity", "_unsettled", "_written", "path", "size")

    def __init__(self, path: str) -> None:
        """Open the file, made with mode 0600 where there is none.

        Raises:
            BlockingIOError: another process writes it.
            OSError: it cannot be opened, or is not this user's own regular file.
        """
        self.path = path
        self._fd = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            try:
                keep(self._fd)
            except BlockingIOError:
                raise BlockingIOError(errno.EAGAIN, "another process writes it", path) from None
            found = os.fstat(self._fd)
            self._identity = (found.st_dev, found.st_ino)
            self.size = self._written = found.st_size
            self._unsettled = False
            # Where it is not new, who wrote or made it may have died before this.
            os.fsync(self._fd)
            _sync_directory(os.path.dirname(path))
        except BaseException:
            os.close(self._fd)
            raise
        _open_files.add(self)

    def blocks(self) -> Iterator[bytes]:
        """Yield the acknowledged lines, in blocks of whole lines."""
        return whole_lines(self._fd, 0, self.size)

    def move_torn_aside(self) -> tuple[str, int] | None:
        """Move what follows the last line end to a file of its own; return that file's path and length.

        The copy is on disk before the file is cut.
        """
        end = end_of_lines(self._fd, self.size)
        if end == self.size:
            return None
        moved = self.size - end
        path = self._copy_aside(end)
        self.size, self._unsettled = end, True
        self.settle()
        return path, moved

    def ready(self) -> None:
        """See that the file is as it was acknowledged: undo what a failure left, refuse what another process did.

        Raises:
            OSError: it cannot be brought back, or it was replaced, removed, cut or written to by somebody else.
        """
        self.settle()
        if self._size_there() != self.size:
            raise self._changed()

    def check(self) -> None:
        """See that what was acknowledged is still there, by one look; a writer may be at work meanwhile.

        Raises:
            OSError: the file was replaced, removed or cut by somebody else.
        """
        size = self.size  # before the look: from here on the writer makes it no shorter than that
        if self._size_there() < size:
            raise self._changed()

    def _size_there(self) -> int:
        """Return how long the file of this name is."""
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            raise self._changed() from None
        if (there.st_dev, there.st_ino) != self._identity:
            raise self._changed()
        return there.st_size

    def _changed(self) -> OSError:
        reason = "it was changed from outside while it was open; start again to read it anew"
        return OSError(errno.ESTALE, reason, self.path)

    def write(self, data: bytes) -> None:
        """Append whole lines; they are neither on disk nor acknowledged yet."""
        self._unsettled = True
        rest = memoryview(data)
        while rest:
            count = os.write(self._fd, rest)
            if not count:
                raise OSError(errno.EIO, os.strerror(errno.EIO), self.path)
            rest = rest[count:]
        self._written += len(data)

    def sync(self) -> None:
        """Bring what was written to the disk."""
        os.fsync(self._fd)

    def accept(self) -> None:
        """Acknowledge what was written and synced."""
        self.size = self._written
        self._unsettled = False

    def settle(self) -> None:
        """Cut off, on disk too, what was written and not accepted.

        Raises:
            OSError: it is still there; nothing else can be written before it is not.
        """
        if self._unsettled:
            os.ftruncate(self._fd, self.size)
            os.fsync(self._fd)
            self._written = self.size
            self._unsettled = False

    def append(self, data: bytes) -> None:
        """Append whole lines and return once they are on disk and acknowledged.

        Raises:
            OSError: nothing of them counts; they may be appended again.
        """
        try:
            self.ready()
            self.write(data)
            self.sync()
        except OSError:
            with suppress(OSError):  # the first failure is the one to tell
                self.settle()
            raise
        self.accept()

    def empty(self) -> None:
        """Take all lines off again, which need not reach the disk at once: call it where they may come back.

        Raises:
            OSError: they are still there.
        """
        self.ready()
        os.ftruncate(self._fd, 0)
        self.size = self._written = 0

    def close(self) -> None:
        """Close the file, without what was never acknowledged where that can be."""
        with suppress(OSError):
            self.settle()
        with suppress(OSError):
            let_go(self._fd)
        self.forget()

    def forget(self) -> None:
        """Close the descriptor and nothing else: whoever else has the file open keeps its lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1  # the number may soon be another file's

    def _copy_aside(self, start: int) -> str:
        """Copy what begins at an offset to `<name>.torn-<n>`, with the first free number; return its path."""
        number, target = 0, -1
        while target < 0:
            number += 1
            path = f"{os.path.splitext(self.path)[0]}.torn-{number}"
            try:
                target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
        try:
            while chunk := os.pread(self._fd, CHUNK_BYTES, start):
                start += os.write(target, chunk)
            os.fsync(target)
        except BaseException:
            os.unlink(path)  # a copy that is not whole is none; the file still has it all
            raise
        finally:
            os.close(target)
        _sync_directory(os.path.dirname(path))
        return path


class LineReader:
    """Reads the whole lines that were appended to a file since it last looked; any number may read.

    Call `goes_on`, then go through `blocks`. A file that is missing has no lines.
    """

    __slots__ = ("_fd", "_identity", "_seam", "offset", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.offset = 0
        self._fd = -1
        self._identity = (0, 0)
        self._seam = b""

    def goes_on(self) -> bool:
        """Open the file as it is now; return whether it still begins with the lines that were read.

        Where it does not (it shrank, was replaced or written anew), what was read is void and `blocks` begins at its
        first line.

        Raises:
            OSError: it is there and cannot be read.
        """
        self._close()
        try:
            self._fd = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return self._begin_again((0, 0))
        found = os.fstat(self._fd)
        identity = (found.st_dev, found.st_ino)
        seam = os.pread(self._fd, len(self._seam), self.offset - len(self._seam))
        if self.offset and identity == self._identity and seam == self._seam:
            return True
        return self._begin_again(identity)

    def blocks(self, limit_bytes: int | None = None) -> Iterator[bytes]:
        """Yield what follows in blocks of whole lines, up to the offset *limit_bytes* (the end of the file for None)."""
        if self._fd < 0:
            return
        try:
            end = os.fstat(self._fd).st_size
            end = end if limit_bytes is None else min(end, limit_bytes)
            for block in whole_lines(self._fd, self.offset, end):
                self.offset += len(block)
                self._seam = (self._seam + block[-_SEAM_BYTES:])[-_SEAM_BYTES:]
                yield block
        finally:
            self._close()

    def _begin_again(self, identity: tuple[int, int]) -> bool:
        went_on = self.offset == 0
        self.offset, self._seam, self._identity = 0, b"", identity
        return went_on

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _sync_directory(path: str) -> None:
    """Bring a directory's own entries to the disk."""
    directory = os.open(path or ".", os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


_open_files: weakref.WeakSet[LineFile] = weakref.WeakSet()


def _forget_in_child() -> None:
    for file in list(_open_files):
        file.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
