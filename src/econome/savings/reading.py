"""Reads the ledger, what lies beside it and the journal as they grow, once or again and again.

It opens files to read and nothing else: it works while a server appends, and a file that is missing is an empty one.
What a line means is known to the books.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from econome.delegation.journal import JOURNAL
from econome.durable import LineReader
from econome.errors import LedgerBroken
from econome.savings.books import Books, Conflicts
from econome.savings.endings import Endings

__all__ = ["CONFLICTS", "LEDGER", "Shelf", "stored_lines"]

LEDGER, CONFLICTS = "economies.jsonl", "economies.conflicts.jsonl"
"""The names of the files in the directory of the ledger."""


class Shelf:
    """What was read so far of the files in a ledger's directory.

    One thread at a time may use what `catch_up` returns, since the next call changes it: hold `lock` until the answer is
    made.
    """

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.lock = threading.RLock()
        self._books = Books()
        self._ledger = LineReader(os.path.join(directory, LEDGER))
        self._conflicts = LineReader(os.path.join(directory, CONFLICTS))
        self._journal = LineReader(os.path.join(directory, JOURNAL))

    def catch_up(self, limit_bytes: int | None = None) -> Books:
        """Return the books with the whole lines that were appended since the last call.

        What lies beyond *limit_bytes* of the ledger does not count: a server gives the length that it acknowledged. A
        file that shrank, was replaced or was written anew is read anew.

        Raises:
            LedgerBroken: a file is there and cannot be read.
        """
        with self.lock:
            with _named(self._ledger.path):
                self._read_ledger(limit_bytes)
            with _named(self._conflicts.path):
                self._read_conflicts()
            with _named(self._journal.path):
                self._read_journal()
            return self._books

    def _read_ledger(self, limit_bytes: int | None) -> None:
        if limit_bytes is not None and limit_bytes < self._books.size:
            self._ledger = LineReader(self._ledger.path)
            self._begin_again()
        if not self._ledger.goes_on():
            self._begin_again()
        for block in self._ledger.blocks(limit_bytes):
            self._books.add_lines(block)

    def _begin_again(self) -> None:
        """Forget the ledger, and the journal, whose requests have their places in the ledger's books."""
        conflicts, self._books = self._books.conflicts, Books()
        self._books.conflicts = conflicts
        self._journal = LineReader(self._journal.path)

    def _read_journal(self) -> None:
        if not self._journal.goes_on():
            self._books.endings = Endings(self._books.requests)
        for block in self._journal.blocks():
            self._books.endings.add_lines(block)

    def _read_conflicts(self) -> None:
        if not self._conflicts.goes_on():
            self._books.conflicts = Conflicts()
        for block in self._conflicts.blocks():
            self._books.conflicts.add_lines(block)


def stored_lines(directory: str, name: str, size: int) -> Iterator[bytes]:
    """Yield the lines in the first *size* bytes of a file, with their line ends; fewer where it is shorter.

    Raises:
        LedgerBroken: the file is there and cannot be read.
    """
    path = os.path.join(directory, name)
    if not size:
        return
    with _named(path), open(path, "rb") as file:
        for line in file:
            size -= len(line)
            if size < 0:
                return
            yield line


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Name the file at *path* in what fails."""
    try:
        yield
    except OSError as error:
        raise LedgerBroken(path, error.strerror or str(error)) from None
