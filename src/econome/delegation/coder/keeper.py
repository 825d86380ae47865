"""A process that runs one program and leaves nothing of it behind: `python keeper.py PROGRAM ARGUMENT...`.

It ends with its program, or when its standard input closes, which happens too when whoever started it dies. Then every process that
came of the program is killed, those that went into a session of their own as well. It imports nothing of econome, and runs alone.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial

__all__ = ["main"]

_DIE_WITH_PARENT, _ADOPT_ORPHANS = 1, 36
_LOOK_S = 0.5
_PAUSE_S = 0.01
_LONG_S = 10.0


def main(arguments: list[str]) -> int:
    """Run a program and return its exit status; nothing of it runs any more then."""
    _prctl(_ADOPT_ORPHANS, 1)
    try:
        child = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=partial(_die_with, os.getpid()),
        )
    except OSError:
        return 127
    try:
        _wait(child)
    finally:
        _end_all(child)
    return abs(child.wait())


def _prctl(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _die_with(parent: int) -> None:
    _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that was said
        os._exit(1)


def _wait(child: subprocess.Popen[bytes]) -> None:
    """Wait until the program ends or the standard input closes."""
    watched: list[int] = [sys.stdin.fileno()]
    if hasattr(os, "pidfd_open"):
        watched.append(os.pidfd_open(child.pid))
    while child.poll() is None:
        ready, _, _ = select.select(watched, [], [], None if len(watched) > 1 else _LOOK_S)
        if watched[0] in ready and not os.read(watched[0], 4096):
            return


def _end_all(child: subprocess.Popen[bytes]) -> None:
    """Kill what came of the program, until there is nothing left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    until = time.monotonic() + _LONG_S
    while _reap(child) and time.monotonic() < until:
        for pid in _descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_S)


def _reap(child: subprocess.Popen[bytes]) -> bool:
    """Bury the dead; return whether there are still children, orphans among them, which a list may miss as it is made."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == child.pid:
            child.returncode = os.waitstatus_to_exitcode(status)
        if pid == 0:
            return True


def _descendants(of: int) -> list[int]:
    """Return the living processes that came of one; orphans are its own, where the system gives them to it."""
    parents: dict[int, list[int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:  # a system that tells it otherwise; the group is all there is to kill
        return []
    for name in names:
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", "rb") as file:
                about = file.read().rpartition(b")")[2].split()
            if about[0] not in (b"Z", b"X"):
                parents.setdefault(int(about[1]), []).append(int(name))
    found, waiting = [], [of]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
