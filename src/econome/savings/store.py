"""The ledger: the one writer of `economies.jsonl`, which says that an event is kept once it is on disk (S5, S6).

It knows the digest of every id that is stored, what is on its way to disk and what a failure takes back. What an event
means, and whether it may be one, was decided before it came here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass

from econome.durable import LineFile, make_directory
from econome.errors import LedgerBroken, LedgerHeld, LedgerUnwritable
from econome.savings.batch import Received, stored_line
from econome.savings.ids import learn_lines, line_digests
from econome.savings.lock import Holder, Lock
from econome.savings.reading import CONFLICTS, LEDGER

__all__ = ["Ledger", "Receipt"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a batch: its new events, those already there, and how many of the latter say something else."""

    received: int
    duplicates: int
    conflicts: int


class _Group:
    """What goes to disk together: the new lines with their ids, the conflicts, and who waits for it."""

    __slots__ = ("conflict_lines", "conflicts", "keys", "lines", "waiters")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.keys: set[bytes] = set()
        self.conflict_lines: list[bytes] = []
        self.conflicts: set[tuple[bytes, int]] = set()
        self.waiters: list[tuple[Future[Receipt], Receipt]] = []


class Ledger:
    """An open ledger; its threads may share it.

    One thread of its own writes. While that one waits for the disk, batches gather; they then go to disk together.
    A failure takes back what was being written and what was gathered since, whose duplicates were judged by it.

    `malformed` counts the lines without an id; `received`, `duplicates` and `conflicts` what was acknowledged since
    it was opened.
    """

    def __init__(self, directory: str, lock: Lock, log: Callable[[str], None]) -> None:
        self._lock, self._log = lock, log
        self._known: dict[bytes, int] = {}
        """The digest of each id, on disk or on its way, with that of its content."""
        self._conflicts: set[tuple[bytes, int]] = set()
        self.malformed = self.received = self.duplicates = self.conflicts = 0
        self._lines = LineFile(os.path.join(directory, LEDGER))
        try:
            self._conflict_lines = LineFile(os.path.join(directory, CONFLICTS))
            try:
                self._load()
            except BaseException:
                self._conflict_lines.close()
                raise
        except BaseException:
            self._lines.close()
            raise
        self._closed = self._failing = False
        self._gathering, self._writing = _Group(), _Group()
        self._changed = threading.Condition(threading.Lock())
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()

    @classmethod
    def open(
        cls,
        directory: str,
        what: str,
        url: str | None = None,
        log: Callable[[str], None] | None = None,
        *,
        local: str | None = None,
        certificate: str | None = None,
        key: str | None = None,
    ) -> Ledger:
        """Take the lock on the ledger in *directory*, repair what a crash left, and learn which ids it holds.

        *what* and *url* name this process to whoever finds the lock taken, *local*, *certificate* and *key* say how it
        is reached from here (see `Holder`); *log* is told what was repaired.

        Raises:
            LedgerHeld: another process writes it.
            LedgerBroken: it cannot be made, read or repaired.
        """
        try:
            make_directory(directory)
        except OSError as error:
            raise LedgerBroken(directory, error.strerror or str(error)) from None
        lock = Lock(directory, Holder(os.getpid(), what, url, local, certificate, key))
        try:
            return cls(directory, lock, log or (lambda _: None))
        except BlockingIOError:
            lock.release()
            reason = "another process that writes it, and whose lock file somebody removed"
            raise LedgerHeld(directory, reason) from None
        except OSError as error:
            lock.release()
            place = error.filename or os.path.join(directory, LEDGER)
            raise LedgerBroken(place, error.strerror or str(error)) from None
        except BaseException:
            lock.release()
            raise

    @property
    def size(self) -> int:
        """How many bytes of the file are on disk and acknowledged; all of them are whole lines."""
        return self._lines.size

    @property
    def waiting(self) -> int:
        """How many new events are not on disk yet."""
        with self._changed:
            return len(self._writing.lines) + len(self._gathering.lines)

    @property
    def events(self) -> int:
        """How many events are on disk and acknowledged, each id once."""
        with self._changed:
            return len(self._known) - len(self._writing.lines) - len(self._gathering.lines)

    def add(self, events: Sequence[Received], received_at: str) -> Future[Receipt]:
        """Take a batch whole or not at all; the future ends once what is new in it is on disk.

        It never waits for the disk itself. The future cannot be cancelled. It fails with `LedgerUnwritable` where the
        disk took nothing, what is known is no longer there, or the ledger is closed; the same batch may then be added
        again.
        """
        future: Future[Receipt] = Future()
        future.set_running_or_notify_cancel()
        lost = None
        if self._lock.held:  # a forked child has no lock, and no thread that would ever write
            with self._changed:
                if not self._closed:
                    receipt, group = self._take(events, received_at)
                    if group is not None:
                        if not group.waiters:
                            self._changed.notify()
                        group.waiters.append((future, receipt))
                        return future
                    lost = self._lost(receipt)
                    if lost is None:
                        self._count(receipt)
                        future.set_result(receipt)
                        return future
        if lost is not None:
            self._fails(lost)
        future.set_exception(self._unwritable(lost or "the ledger is closed"))
        return future

    def _lost(self, receipt: Receipt) -> str | None:
        """Return why what is known may be kept nowhere any more; None where the files are the ones that hold it."""
        try:
            self._lines.check()
            if receipt.conflicts:
                self._conflict_lines.check()
        except OSError as error:
            return error.strerror or str(error)
        return None

    def close(self) -> None:
        """Bring to disk what was taken, and let another process have the ledger."""
        if not self._lock.held:
            return
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()
        self._lines.close()
        self._conflict_lines.close()
        self._lock.release()

    def _take(self, events: Sequence[Received], received_at: str) -> tuple[Receipt, _Group | None]:
        """Sort a batch into new events, duplicates and conflicts; return the group that it ends with, if any."""
        known, gathering, writing = self._known, self._gathering, self._writing
        lines, keys = gathering.lines, gathering.keys
        before, conflicts, late = len(lines), 0, False
        gathers = False
        for event in events:
            key, content = event.key, event.content
            first = known.get(key)
            if first is None:
                known[key] = content
                keys.add(key)
                lines.append(stored_line(event.line, received_at))
                continue
            gathers = gathers or key in keys
            late = late or key in writing.keys
            if first != content:
                conflicts += 1
                conflict = (key, content)
                if conflict not in self._conflicts:
                    self._conflicts.add(conflict)
                    gathering.conflicts.add(conflict)
                    gathering.conflict_lines.append(stored_line(event.line, received_at))
                gathers = gathers or conflict in gathering.conflicts
                late = late or conflict in writing.conflicts
        new = len(lines) - before
        receipt = Receipt(new, len(events) - new, conflicts)
        if new or gathers:
            return receipt, gathering
        return receipt, writing if late else None

    def _count(self, receipt: Receipt) -> None:
        self.received += receipt.received
        self.duplicates += receipt.duplicates
        self.conflicts += receipt.conflicts

    def _run(self) -> None:
        try:
            while (group := self._next()) is not None:
                try:
                    self._write(group)
                except OSError as error:
                    self._take_back(error.strerror or str(error))
                else:
                    self._acknowledge()
        except BaseException:  # nobody foresaw it: nobody may be left waiting
            self._closed = True
            self._take_back("the ledger stopped writing; start again")
            raise

    def _next(self) -> _Group | None:
        """Wait for a batch; return what has gathered, or None at the end."""
        with self._changed:
            while not (self._gathering.waiters or self._closed):
                self._changed.wait()
            if not self._gathering.waiters:
                return None
            self._writing, self._gathering = self._gathering, _Group()
            return self._writing

    def _write(self, group: _Group) -> None:
        """Bring a group to disk; the conflicts after the lines, so that none is there without its event."""
        self._lines.ready()
        self._conflict_lines.ready()
        for file, lines in (
            (self._lines, group.lines),
            (self._conflict_lines, group.conflict_lines),
        ):
            if lines:
                file.write(b"".join(lines))
                file.sync()
        self._lines.accept()
        self._conflict_lines.accept()

    def _acknowledge(self) -> None:
        with self._changed:
            waiters, self._writing = self._writing.waiters, _Group()
            failed, self._failing = self._failing, False
            for _, receipt in waiters:
                self._count(receipt)
        if failed:
            self._tell("it takes events again")
        for future, receipt in waiters:
            future.set_result(receipt)

    def _take_back(self, reason: str) -> None:
        """Undo what was being written and forget it, with all that gathered meanwhile."""
        told = reason
        try:
            for file in (self._lines, self._conflict_lines):
                file.settle()
        except OSError as error:  # `ready` tries again before anything else is written
            told = f"{reason}; what was written is not cut off yet: {error.strerror or error}"
        finally:
            self._fails(told)
            self._forget(reason)

    def _fails(self, reason: str) -> None:
        """Tell the operator, once until it works again: clients keep their events and say nothing."""
        with self._changed:
            failed, self._failing = self._failing, True
        if not failed:
            self._tell(f"{reason}; new events are refused until it takes them again")

    def _tell(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a log that is closed, or full as well, stops no event
            self._log(f"{self._lines.path}: {text}")

    def _forget(self, reason: str) -> None:
        with self._changed:
            groups = self._writing, self._gathering
            self._writing, self._gathering = _Group(), _Group()
            for group in groups:
                for key in group.keys:
                    del self._known[key]
                self._conflicts -= group.conflicts
        for group in groups:
            for future, _ in group.waiters:
                future.set_exception(self._unwritable(reason))

    def _unwritable(self, reason: str) -> LedgerUnwritable:
        return LedgerUnwritable(self._lines.path, reason)

    def _load(self) -> None:
        """Move torn tails aside and learn which events and conflicts are stored."""
        for file in (self._lines, self._conflict_lines):
            torn = file.move_torn_aside()
            if torn is not None:
                path, length = torn
                self._log(f"{file.path}: the last line was torn; its {length} bytes are in {path}")
        for block in self._lines.blocks():
            self.malformed += learn_lines(self._known, block)
        for block in self._conflict_lines.blocks():
            digests = map(line_digests, block.split(b"\n")[:-1])
            self._conflicts.update(conflict for conflict in digests if conflict is not None)
        if self.malformed:
            self._log(f"{self._lines.path}: {self.malformed} lines hold no event")
