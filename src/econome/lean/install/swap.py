"""Replaces a file in one step, if it still is what was read.

Another program may write the same file at any moment. What it wrote is never overwritten knowingly: the file is compared
right before the names are exchanged and what comes out right after, under the lock that Claude Code itself takes where the
file is its own. A link stays a link, and mode, owner and extended attributes stay what they were.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from econome.drafts import sync_directory
from econome.errors import ConfigRefused
from econome.renames import exchange

__all__ = ["MOST_BYTES", "read_file", "replace_file"]

MOST_BYTES = 64 * 1024 * 1024
"""A configuration that is larger than this is none."""

_CHANGED = "it changed while it was being edited; nothing was written, try again"
_BEING_WRITTEN = "its client is writing it right now; try again in a moment"
_STALE_S = 60
_TRIES = 100
_BINARY: int = getattr(os, "O_BINARY", 0)


def read_file(path: str) -> bytes | None:
    """Return what is in a regular file, None where there is no file.

    Raises:
        ConfigRefused: it cannot be read, or is no such file.
    """
    try:
        found = os.stat(path)
        if not stat.S_ISREG(
            found.st_mode
        ):  # before it is opened: a pipe would keep whoever opens it
            raise ConfigRefused(path, "it is not a regular file")
        if found.st_size > MOST_BYTES:
            raise ConfigRefused(path, f"it is larger than {MOST_BYTES} bytes")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigRefused(path, error.strerror or "it cannot be read") from None


def replace_file(path: str, read: bytes, new: bytes, *, locked: bool = False) -> None:
    """Put *new* in the place of *read*; with *locked*, under the lock that Claude Code takes.

    Raises:
        ConfigRefused: it is not what was read any more, or cannot be replaced as it should; it is as it was.
    """
    target = os.path.realpath(path)
    try:
        with _held(path) if locked else nullcontext():
            _replace(path, target, read, new)
    except OSError as error:
        raise ConfigRefused(path, error.strerror or "it cannot be replaced") from None


@contextmanager
def _held(path: str) -> Iterator[None]:
    """Hold Claude Code's lock of a file, a directory beside it; one that was forgotten is passed by."""
    lock = f"{path}.lock"
    try:
        os.mkdir(lock)
    except FileExistsError:
        with suppress(FileNotFoundError):
            if abs(time.time() - os.stat(lock).st_mtime) < _STALE_S:
                raise ConfigRefused(path, _BEING_WRITTEN) from None
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            os.rmdir(lock)


def _replace(path: str, target: str, read: bytes, new: bytes) -> None:
    found = os.stat(target)
    if found.st_nlink > 1:
        raise ConfigRefused(
            path, "it has a second name (a hard link), which would keep the old content"
        )
    temporary = f"{target}.econome-{secrets.token_hex(4)}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(new)
            file.flush()
            _as_before(path, target, fd, found)
            os.fsync(fd)
        if read_file(target) != read:
            raise ConfigRefused(path, _CHANGED)
        _put(path, target, temporary, read, new)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    sync_directory(os.path.dirname(target))


def _put(path: str, target: str, temporary: str, read: bytes, new: bytes) -> None:
    """Let *target* name the new file, and no more where another program replaced it after it was compared."""
    if not _exchange(target, temporary):
        os.replace(temporary, target)
        return
    if read_file(temporary) != read:
        # What came out is another's: it goes back, and so does what is written in its place meanwhile.
        for _ in range(_TRIES):
            _exchange(target, temporary)
            if read_file(temporary) == new:
                break
        raise ConfigRefused(path, _CHANGED)
    os.unlink(temporary)


def _exchange(target: str, temporary: str) -> bool:
    if not hasattr(os, "O_DIRECTORY"):
        return False
    fd = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY)
    try:
        return exchange(fd, os.path.basename(target), os.path.basename(temporary))
    finally:
        os.close(fd)


def _as_before(path: str, target: str, fd: int, found: os.stat_result) -> None:
    """Give the new file the owner, the mode and the attributes of the old one."""
    if hasattr(os, "fchown"):
        made = os.fstat(fd)
        if (made.st_uid, made.st_gid) != (found.st_uid, found.st_gid):
            try:
                os.fchown(fd, found.st_uid, found.st_gid)
            except OSError:
                reason = "it belongs to another user or group, which the new file could not"
                raise ConfigRefused(path, reason) from None
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # a file system without them
            for name in os.listxattr(target):
                with suppress(OSError):
                    os.setxattr(fd, name, os.getxattr(target, name))
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(found.st_mode))
