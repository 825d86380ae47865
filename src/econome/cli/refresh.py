"""Brings the index up to date in the background, one process at a time however many ask for it.

The lock is held by the process that reads: it is inherited, and ends with it, however it ends. It is
used by the status line, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["begin", "last_begun"]

_LOCK = "refresh.lock"


def last_begun(cache_dir: str) -> float:
    """Return when the last refresh began, in seconds since 1970; 0 where none ever did."""
    try:
        return os.stat(os.path.join(cache_dir, _LOCK)).st_mtime
    except OSError:
        return 0.0


def begin(cache_dir: str, options: Sequence[str] = ()) -> bool:
    """Start to read what changed, on its own, unless that is going on; return whether it was started.

    *options* are those of `econome usage` that say which transcripts.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # no such locks here: the index is brought up to date by the next report
        return False
    try:
        os.makedirs(cache_dir, mode=0o700, exist_ok=True)
        lock = os.open(os.path.join(cache_dir, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        flock(lock, LOCK_EX | LOCK_NB)
        os.utime(lock)
        os.set_inheritable(lock, True)
        _start([sys.executable, "-P", "-m", "econome", "usage", "--json", "--limit", "1", *options])
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def _start(command: list[str]) -> None:
    """Start a process that outlives this one and says nothing."""
    nowhere = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # a system without that flag: at least out of reach of Ctrl-C
        os.posix_spawn(command[0], command, os.environ, file_actions=nowhere, setpgroup=0)
