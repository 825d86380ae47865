"""A process that runs one program and leaves nothing of it behind: `python keeper.py LIFELINE[:DIRECTORY] PROGRAM ARGUMENT...`.

The lifeline is a descriptor: when it closes, which happens too when whoever started this dies, every process that came of
the program is killed, those that went into a session of their own as well; so they are when the program ends by itself.
The program runs in the directory, where one is named. Where the lifeline is standard input, the program has none; else standard input, output and error are the program's own.
SIGTERM goes on to the program's group. It imports nothing of econome, and runs alone; it ends as the program ended.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from types import FrameType

__all__ = ["main"]

_DIE_WITH_PARENT, _ADOPT_ORPHANS = 1, 36
_LOOK_S = 0.2
_PAUSE_S = 0.01
_LONG_S = 5.0
_ABSENT, _UNUSABLE = 127, 126
"""What a shell answers for a program that is not there, and for one that cannot be run."""


def main(arguments: list[str]) -> int:
    """Run a program and return its exit status, or end by the signal that ended it; nothing of it runs any more then."""
    _prctl(_ADOPT_ORPHANS, 1)
    number, _, directory = arguments[0].partition(":")
    own, lifeline = os.getpid(), int(number)
    nowhere = os.open(os.devnull, os.O_RDWR)
    if lifeline == 0:
        lifeline = os.dup(0)
        os.dup2(nowhere, 0)
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)  # whoever started this carries these out
    child = os.fork()
    if child == 0:
        os.close(lifeline)
        _become(arguments[1:], own, directory)
    signal.signal(signal.SIGTERM, lambda number, frame: _pass_on(child, number, frame))
    for stream in (0, 1):
        os.dup2(nowhere, stream)  # else the program's ends of the pipes would stay open
    status = _end_all(child, _wait(child, lifeline))
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in _FIXED else None
        os.kill(own, -code)
        time.sleep(_LOOK_S)
    return abs(code)


_FIXED = (signal.SIGKILL, signal.SIGSTOP)


def _prctl(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _become(arguments: list[str], parent: int, directory: str) -> None:
    """Turn into the program; say on standard error why, where that fails."""
    os.setsid()
    _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that was said
        os._exit(1)
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGHUP"):  # as they were before Python
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        if directory:
            os.chdir(directory)
        os.execvp(arguments[0], arguments)
    except OSError as error:
        os.write(2, f"econome: {arguments[0]}: {error.strerror}\n".encode())
        os._exit(_ABSENT if isinstance(error, FileNotFoundError) else _UNUSABLE)


def _pass_on(child: int, number: int, frame: FrameType | None) -> None:
    try:
        os.killpg(child, number)
    except (ProcessLookupError, PermissionError):
        pass


def _wait(child: int, lifeline: int) -> int | None:
    """Wait until the program ends or the lifeline closes; return its status where it ended."""
    watched: list[int] = [lifeline]
    if hasattr(os, "pidfd_open"):
        watched.append(os.pidfd_open(child))
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        ready, _, _ = select.select(watched, [], [], None if len(watched) > 1 else _LOOK_S)
        if lifeline in ready and not os.read(lifeline, 4096):
            return None


def _end_all(child: int, status: int | None) -> int:
    """Kill what came of the program, until there is nothing left; return the program's status."""
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    until = time.monotonic() + _LONG_S
    while time.monotonic() < until:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == child:
            status = ended
        if pid == 0:
            for each in _descendants(os.getpid()):
                try:
                    os.kill(each, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            time.sleep(_PAUSE_S)
    return signal.SIGKILL if status is None else status


def _descendants(of: int) -> list[int]:
    """Return the living processes that came of one; orphans are its own, where the system gives them to it."""
    parents: dict[int, list[int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:  # a system that tells it otherwise; the group is all there is to kill
        return []
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                about = file.read().rpartition(b")")[2].split()
            if about[0] not in (b"Z", b"X"):
                parents.setdefault(int(about[1]), []).append(int(name))
        except (OSError, ValueError, IndexError):
            pass
    found, waiting = [], [of]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
