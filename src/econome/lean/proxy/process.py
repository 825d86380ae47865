"""The server's process: how it is started under its keeper, and how it ends with all that came of it.

It knows descriptors and signals. It does not know what is said, nor whether a server that ended is started again. It is
on the fast path: the server starts before anything else is imported.
"""

from __future__ import annotations

import os
import sys

import econome
from econome.errors import UpstreamAway

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Started", "look_for", "spawn"]

_KEEPER = os.path.join(econome.__path__[0], "keeper.py")
_LIFELINE = 3
_TERMINATE = 15


class Started:
    """A process that runs: what writes to its standard input, what reads its output, and what it lives by."""

    __slots__ = ("lifeline", "pid", "status", "stdin", "stdout")

    def __init__(self, pid: int, stdin: int, stdout: int, lifeline: int) -> None:
        self.pid, self.stdin, self.stdout, self.lifeline = pid, stdin, stdout, lifeline
        self.status: int | None = None

    def terminate(self) -> None:
        """Ask the server and its group to end, as SIGTERM does."""
        if self.status is None:
            try:
                os.kill(self.pid, _TERMINATE)
            except ProcessLookupError:
                pass

    def cut(self) -> None:
        """Have all of it killed; the keeper does that."""
        if self.lifeline >= 0:
            os.close(self.lifeline)
            self.lifeline = -1

    def ended(self) -> bool:
        """Return whether the keeper has ended, and so everything below it."""
        if self.status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self.pid, 0
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.cut()
        return self.status is not None

    def manner(self) -> str:
        """Say how it ended, for people."""
        if self.status is None:
            return "closed its output"
        if self.status < 0:
            import signal

            return f"was ended by {signal.Signals(-self.status).name}"
        return f"ended with exit status {self.status}"


def spawn(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    errors: int = 2,
) -> Started:
    """Start a server; its standard error is ours, or *errors*. *env* goes on top of our environment, *cwd* is where it runs.

    Raises:
        UpstreamAway: there is no such program or directory, or the system starts no more.
    """
    environment = {**os.environ, **env} if env else os.environ
    look_for(command[0], environment, cwd)
    (theirs_in, stdin), (stdout, theirs_out), (theirs_life, lifeline) = (
        os.pipe() for _ in range(3)
    )
    moved = [  # so that no number that is still needed is written over
        (os.POSIX_SPAWN_DUP2, source, target)
        for source, target in (
            (errors, 2),
            (theirs_in, 0),
            (theirs_out, 1),
            (theirs_life, _LIFELINE),
        )
    ]
    kept = f"{_LIFELINE}:{cwd}" if cwd else str(_LIFELINE)
    arguments = [sys.executable, "-I", "-S", _KEEPER, kept, *command]
    try:
        pid = os.posix_spawn(
            sys.executable, arguments, environment, file_actions=moved, setpgroup=0
        )
    except (OSError, ValueError) as error:
        for fd in (stdin, stdout, lifeline):
            os.close(fd)
        raise UpstreamAway(f"{command[0]}: it cannot be started: {_why(error)}") from None
    finally:
        for fd in (theirs_in, theirs_out, theirs_life):
            os.close(fd)
    return Started(pid, stdin, stdout, lifeline)


def _why(error: Exception) -> str:
    return (
        error.strerror if isinstance(error, OSError) else None
    ) or "a word or a variable of it cannot be passed on"


def look_for(
    program: str, environment: Mapping[str, str] | None = None, cwd: str | None = None
) -> None:
    """Make sure that there is such a program, as *environment* and *cwd* have it; ours, where they are not given.

    Raises:
        UpstreamAway: there is none that can be run, or no such directory.
    """
    if cwd and not os.path.isdir(cwd):
        raise UpstreamAway(f"{cwd}: no such directory, in which {program} is to be started")
    if os.path.dirname(program):
        places = [os.path.join(cwd or "", program)]
    else:
        places = [os.path.join(place, program) for place in os.get_exec_path(environment)]
    if not any(os.access(place, os.X_OK) and not os.path.isdir(place) for place in places):
        known = [place for place in places if os.path.exists(place)]
        reason = "it is no program that can be run" if known else "no such program"
        raise UpstreamAway(f"{program}: {reason}; it is started as it is given, without a shell")
