"""Programs that a test runs beside itself: `python -m tests.savings.programs NAME ARGUMENTS…`."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from econome.errors import LedgerHeld, LedgerUnwritable
from econome.savings.lock import holder
from econome.savings.store import Ledger
from tests.savings.builders import RECEIVED_AT
from tests.savings.stored import received

__all__ = ["running"]

_REPOSITORY = Path(__file__).resolve().parent.parent.parent


@contextmanager
def running(name: str, *arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program; it reads what the test writes and answers in lines, and is killed at the end."""
    command = [sys.executable, "-m", "tests.savings.programs", name, *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=_REPOSITORY, stdin=pipe, stdout=pipe) as process:
        try:
            yield process
        finally:
            process.kill()
            if process.stdout is not None:
                process.stdout.read()


def _say(*words: object) -> None:
    print(*words, flush=True)


def hold(directory: str) -> None:
    """Hold the ledger until there is nothing more to read."""
    ledger = Ledger.open(directory, "econome serve", "http://127.0.0.1:8090")
    _say("held")
    sys.stdin.read()
    ledger.close()


def hold_with_child(directory: str) -> None:
    """Hold the ledger, start a program and fork; say so and wait to be killed while both live on."""
    ledger = Ledger.open(directory, "econome serve")
    program = [sys.executable, "-c", "import sys; print('started', flush=True); sys.stdin.read()"]
    # Its input is this process's own, which outlives it.
    with subprocess.Popen(program, close_fds=False, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        import multiprocessing

        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        forked = context.Process(target=_forked, args=(ledger, theirs))
        forked.start()
        _say(*ours.recv())
        forked.join()


def _forked(ledger: Ledger, pipe: object) -> None:
    refused = isinstance(ledger.add([received()], RECEIVED_AT).exception(0), LedgerUnwritable)
    ledger.close()
    pipe.send(("refused" if refused else "taken",))  # type: ignore[attr-defined]
    os.read(0, 1)


def look(directory: str) -> None:
    """Ask again and again who holds the ledger."""
    _say("looking")
    while True:
        holder(directory)


def contend(directory: str, times: str) -> None:
    """Open and close the ledger again and again; say how often another had it."""
    refused = 0
    for _ in range(int(times)):
        try:
            Ledger.open(directory, "contender").close()
        except LedgerHeld:
            refused += 1
    _say("refused", refused)


def write(directory: str, first: str) -> None:
    """Add events from several threads for ever, and say the numbers of each batch that was acknowledged."""
    ledger = Ledger.open(directory, "writer")
    numbers, mutex = itertools.count(int(first)), threading.Lock()

    def post() -> None:
        while True:
            with mutex:
                batch = [next(numbers) for _ in range(20)]
            # The last one of a batch comes again in the next, and says something else.
            events = [received(number) for number in batch] + [received(batch[0], variant=1)]
            ledger.add(events, RECEIVED_AT).result()
            with mutex:
                _say(*batch)

    for _ in range(4):
        threading.Thread(target=post, daemon=True).start()
    sys.stdin.read()


def fill(directory: str, limit: str) -> None:
    """Add events until the system lets the files grow no more, then beyond it once it lets them."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    ledger = Ledger.open(directory, "filler")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), limits[1]))
    for number in itertools.count():
        error = ledger.add([received(number)], RECEIVED_AT).exception()
        if error is not None:
            break
    size = ledger.size
    again = ledger.add([received(number)], RECEIVED_AT).exception()
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    ledger.add([received(number)], RECEIVED_AT).result()
    _say(number, size, type(error).__name__, type(again).__name__, ledger.events)
    ledger.close()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
