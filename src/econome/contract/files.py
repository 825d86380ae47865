"""The file of a lock: read once, replaced in one step, and never written over where it is no lock.

It knows paths and bytes; what they mean is `lockfile`'s. A link is read through and not written through.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from econome.contract import lockfile
from econome.drafts import put
from econome.errors import LockBroken
from econome.owned import keep as hold
from econome.owned import let_go

__all__ = ["MOST_BYTES", "alone", "content", "keep", "replace"]

MOST_BYTES = 64 * 1024 * 1024
"""A lock that is larger than this is none."""

_MISSING = "no such file; make one with `econome lock`"
_PATIENCE_S: Final = 60.0
_PAUSE_S: Final = 0.01
_NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


def content(path: str) -> bytes:
    """Return what is in the file of a lock, for who looks at its signature before it is read.

    Raises:
        LockBroken: it is missing, no regular file, or too large.
    """
    found = _content(path)
    if found is None:
        raise LockBroken(path, _MISSING)
    return found


@contextmanager
def alone(path: str, patience_s: float = _PATIENCE_S) -> Iterator[None]:
    """Keep every other process that asks for it here from writing a lock in the same directory.

    Where a directory cannot be held, as on Windows, nobody is kept from anything.

    Raises:
        LockBroken: another has it for longer than so many seconds.
    """
    try:
        fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    except OSError:
        yield
        return
    until = time.monotonic() + patience_s
    try:
        while True:
            try:
                hold(fd)
            except BlockingIOError:
                if time.monotonic() > until:
                    reason = "another process is writing a lock here; try again once it has ended"
                    raise LockBroken(path, reason) from None
                time.sleep(_PAUSE_S)
                continue
            except OSError:  # not every file system holds directories
                pass
            break
        yield
        with suppress(OSError):
            let_go(fd)
    finally:
        os.close(fd)


def keep(path: str, new: bytes) -> bool:
    """Write what `lockfile.written` made of a lock; return False where the file already holds these bytes, and is left as it is.

    Raises:
        LockBroken: what stands there is no lock, or cannot be replaced; it is as it was.
    """
    old = _content(path)
    if old == new:
        return False
    if old is not None:
        lockfile.read(old, path)  # what is no lock was not put there by us
    replace(path, new)
    return True


def replace(path: str, data: bytes) -> None:
    """Put *data* into a file, whole and on disk or not at all; the mode of an old one stays.

    Raises:
        LockBroken: it cannot be; what was there is still there.
    """
    if os.path.islink(path):
        raise LockBroken(path, "it is a link; name the file that it leads to")
    try:
        put(path, data, 0o666, keeps_mode=True)
    except OSError as error:
        raise LockBroken(path, f"it cannot be written: {error.strerror or error}") from None


def _content(path: str) -> bytes | None:
    """Return what is in a regular file, None where there is none."""
    try:
        # Without waiting for the other end of what turns out to be a pipe.
        fd = os.open(path, os.O_RDONLY | _NO_WAITING | _BINARY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LockBroken(path, f"it cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise LockBroken(path, "no file can have that name") from None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise LockBroken(path, "it is not a regular file")
        if found.st_size > MOST_BYTES:
            raise LockBroken(path, f"it is larger than {MOST_BYTES >> 20} MB, so it is no lock")
        with open(fd, "rb", closefd=False) as file:
            return file.read(MOST_BYTES)
    except OSError as error:
        raise LockBroken(path, f"it cannot be read: {error.strerror or error}") from None
    finally:
        os.close(fd)
