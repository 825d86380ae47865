"""Files that are this user's own, and that one process at a time has to itself.

It knows whose a file is and how the system locks one. It does not know what a file is for, and who has it is not told.
"""

from __future__ import annotations

import errno
import os
import stat

try:
    import fcntl
except ImportError:  # Windows, where a ledger says that it cannot be locked
    fcntl = None  # type: ignore[assignment]

__all__ = ["keep", "let_go", "open_own"]

_LINK = "it is a link, not a regular file; put the file itself there"
_OTHERS_WRITE = 0o022
_NOT_A_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)


def open_own(path: str, flags: int) -> int:
    """Open a regular file that this user owns and no other may write to, made with mode 0600; return its descriptor.

    What it holds is then this user's own word, also in a directory in which others may write. A link is not followed.

    Raises:
        OSError: it is not such a file, or cannot be opened.
    """
    try:
        # Without waiting for the other end of what turns out to be a pipe.
        fd = os.open(path, flags | _NOT_A_LINK | _NO_WAITING, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK) and os.path.islink(path):
            raise OSError(errno.EINVAL, _LINK, path) from None
        raise
    reason = _reason_against(os.fstat(fd))
    if reason is not None:
        os.close(fd)
        raise OSError(errno.EPERM, reason, path)
    return fd


def keep(fd: int) -> None:
    """Keep an open file from every other process that wants it so, until it is let go, closed or its process ends.

    Raises:
        BlockingIOError: another has it.
        OSError: it cannot be locked.
    """
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def let_go(fd: int) -> None:
    """Let another have a file; to close it is not enough where a child between fork and exec has it open too."""
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _reason_against(found: os.stat_result) -> str | None:
    """Return why a file is not to be believed; None for this user's own regular file."""
    if not stat.S_ISREG(found.st_mode):
        return "it is not a regular file; move it away"
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid != os.geteuid():
        return "it belongs to another user; move it away, or run as that one"
    if found.st_mode & _OTHERS_WRITE:
        return "others may write to it; if it is as you left it, close it with `chmod 600`"
    return None
