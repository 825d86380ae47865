"""A file that takes its place whole: it is written beside that, so that whoever reads there finds the old one or the new.

It knows paths, bytes and modes. It does not know what a file is for, and turns no `OSError` into a sentence.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

__all__ = ["put", "sync_directory"]

_BINARY: int = getattr(os, "O_BINARY", 0)


def put(path: str, data: bytes, mode: int = 0o600, *, keeps_mode: bool = False) -> None:
    """Put *data* in the place of what is at *path*, on disk or not at all.

    The file has *mode*, as far as the process makes such files, or where it *keeps_mode* that of an old one.

    Raises:
        OSError: it cannot be; what was there is still there, and nothing beside it.
    """
    draft = f"{path}.{os.urandom(4).hex()}.new"
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            if keeps_mode:
                with suppress(FileNotFoundError):
                    os.chmod(draft, stat.S_IMODE(os.stat(path).st_mode))
            file.write(data)
            file.flush()
            os.fsync(fd)
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
    sync_directory(os.path.dirname(path) or ".")


def sync_directory(directory: str) -> None:
    """Bring a directory's own entries to the disk, where the system can."""
    with suppress(OSError):  # not every system brings a directory to the disk
        fd = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
