"""The lean ledger on disk: one file of lines a process, joined when read.

A `Writer` takes records from any thread and writes them in one of its own, so that no answer waits for a count or a
disk. It never fails a call: what cannot be written is dropped, and the next record says how much was. Nothing is
brought to the disk by force: these figures may lose their last lines to a crash of the machine, and nothing else.
"""

from __future__ import annotations

import errno
import os
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from msgspec.structs import replace

from econome import clock
from econome.durable import make_directory
from econome.lean.records import Record, line_of, record_of
from econome.owned import open_own
from econome.times import instant_text

__all__ = ["Due", "Reading", "Writer", "lean_dir"]

Due = Record | Callable[[], Record]
"""A record, or what makes one: called in the writer's thread, where counting tokens keeps nobody waiting."""

_MOST_WAITING = 4096
_MOST_HELD_BYTES = 64 * 1024 * 1024
_LONGEST_LINE = 65_536
_ENDING_S = 5.0
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would write line ends of its own


def lean_dir(data_dir: str) -> str:
    """Return the directory of the lean ledger in a data directory."""
    return os.path.join(data_dir, "logs", "lean")


class Writer:
    """Takes records and writes them, in a thread of its own, to a file of its own; both begin with the first record.

    Call it with a record, from any thread: it never blocks and never raises. `close` writes what is still waiting.
    """

    def __init__(self, directory: str, *, now: Callable[[], float] = clock.now) -> None:
        """*now* tells the seconds since 1970."""
        self._directory, self._now = directory, now
        self._waiting: deque[tuple[str, Due, int]] = deque()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._file: IO[bytes] | None = None
        self._held_bytes = self._lost = 0
        self._closed = self._torn = False
        self.path: str | None = None

    def __call__(self, due: Due, held_bytes: int = 0) -> None:
        """Take a record; *held_bytes* is what it keeps in memory until it is made."""
        with self._change:
            full = len(self._waiting) >= _MOST_WAITING
            if self._closed or full or self._held_bytes + held_bytes > _MOST_HELD_BYTES:
                self._lost += 1
                return
            self._waiting.append((_stamp(self._now()), due, held_bytes))
            self._held_bytes += held_bytes
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="lean", daemon=True)
                self._thread.start()
            self._change.notify()

    def close(self, timeout_s: float = _ENDING_S) -> None:
        """Take no more records, and wait until those that were taken are written, or for so long."""
        with self._change:
            self._closed = True
            self._change.notify()
            thread = self._thread
        if thread is not None:
            thread.join(timeout_s)

    def _write(self) -> None:
        while taken := self._next():
            at, due, held_bytes = taken
            self._keep(at, due)
            with self._change:
                self._held_bytes -= held_bytes
        if self._file is not None:
            self._file.close()

    def _next(self) -> tuple[str, Due, int] | None:
        """Return the record that waited longest, once there is one; None after the end."""
        with self._change:
            while not self._waiting:
                if self._closed:
                    return None
                self._change.wait()
            return self._waiting.popleft()

    def _keep(self, at: str, due: Due) -> None:
        """Write one record; where that fails it is lost, and counted."""
        with self._change:
            lost, self._lost = self._lost, 0
        try:
            record = due if isinstance(due, Record) else due()
            line = line_of(replace(record, at=record.at or at, lost=record.lost + lost))
            self._append(line)
        # The outermost loop of this thread. Whatever a tokenizer does to a text, or a full disk: the call itself has
        # long been answered, and the next record is to be kept.
        except Exception:
            with self._change:
                self._lost += lost + 1

    def _append(self, line: bytes) -> None:
        if self._file is None:
            self._file = self._open()
        whole = (b"\n" if self._torn else b"") + line
        self._torn = True  # until all of the line is written
        if self._file.write(whole) < len(
            whole
        ):  # the disk is full, which a raw file does not raise
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.path)
        self._torn = False

    def _open(self) -> IO[bytes]:
        make_directory(self._directory)
        begun = _stamp(self._now()).replace("-", "").replace(":", "")[:15]
        name = f"{begun}Z-{os.getpid()}-{secrets.token_hex(3)}.jsonl"
        self.path = os.path.join(self._directory, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY
        return os.fdopen(open_own(self.path, flags), "wb", buffering=0)


def _stamp(now: float) -> str:
    seconds, rest = divmod(int(now * 1000), 1000)
    return f"{instant_text(seconds)[:-1]}.{rest:03}Z"


@dataclass(slots=True)
class Reading:
    """Reads every file of the lean ledger, and counts what was not usable; the counts are whole after `records`.

    `malformed` lines hold no record, `later` ones are of a later econome, `lost` records were dropped while writing;
    `unreadable` files cannot be opened or are not this user's own.
    """

    directory: str
    files: int = 0
    lines: int = 0
    malformed: int = 0
    later: int = 0
    lost: int = 0
    unreadable: int = 0

    def records(self) -> Iterator[Record]:
        """Yield the records of all files, file by file in the order of their names."""
        try:
            names = sorted(os.listdir(self.directory))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self.unreadable += 1
            return
        for name in names:
            if name.endswith(".jsonl"):
                yield from self._file(os.path.join(self.directory, name))

    def _file(self, path: str) -> Iterator[Record]:
        try:
            with os.fdopen(open_own(path, os.O_RDONLY | _BINARY), "rb") as file:
                self.files += 1
                while line := file.readline(_LONGEST_LINE):
                    yield from self._line(line)
        except OSError:
            self.unreadable += 1

    def _line(self, line: bytes) -> Iterator[Record]:
        if not line.strip():
            return
        self.lines += 1
        try:
            record = record_of(line)
        except ValueError:
            self.malformed += 1
            return
        if record is None:
            self.later += 1
        else:
            self.lost += record.lost
            yield record
