"""The journal of the requests that ended: one line each, written for good and read tolerantly (D4).

The one writer is whoever holds the ledger's lock; any number of readers may look meanwhile. A line that is no entry is
counted and passed over; a last line without its line end is pending.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import msgspec

from econome.delegation.wire import REFUSED, STATUSES, Ended
from econome.durable import LineFile, LineReader, make_directory
from econome.errors import LedgerBroken, LedgerUnwritable

__all__ = ["Journal", "JournalReader", "JournalWriter", "read_journal"]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Ended).decode


class Journal:
    """What a journal holds.

    `lines` are its entries in their order; they all count in totals. `entries` are those with a request id, by that
    id: should two lines have one, the first is the one to join with, as the first event of an id is in the ledger.
    `malformed` counts the lines that are no entry.
    """

    __slots__ = ("entries", "lines", "malformed")

    def __init__(self) -> None:
        self.entries: dict[str, Ended] = {}
        self.lines: list[Ended] = []
        self.malformed = 0

    def add_lines(self, data: bytes) -> None:
        """Take in whole lines."""
        for line in data.split(b"\n")[:-1]:
            try:
                ended = _decode(line)
            except (ValueError, RecursionError):  # not JSON, no entry, or not UTF-8
                self.malformed += 1
                continue
            self.lines.append(ended)
            if ended.request_id is not None:
                self.entries.setdefault(ended.request_id, ended)


class JournalReader:
    """Reads a journal as it grows.

    Raises:
        LedgerBroken: (by `catch_up`) the file is there and cannot be read.
    """

    def __init__(self, path: str) -> None:
        self._reader = LineReader(path)
        self._journal = Journal()

    def catch_up(self) -> Journal:
        """Return the journal with what was appended since; a new one where the file was written anew."""
        try:
            if not self._reader.goes_on():
                self._journal = Journal()
            for block in self._reader.blocks():
                self._journal.add_lines(block)
        except OSError as error:
            raise LedgerBroken(self._reader.path, error.strerror or str(error)) from None
        return self._journal


def read_journal(path: str) -> Journal:
    """Return what a journal holds; nothing where there is no file.

    Raises:
        LedgerBroken: the file is there and cannot be read.
    """
    return JournalReader(path).catch_up()


class JournalWriter:
    """Appends to a journal. Only the holder of the ledger's lock may have one; its threads may share it."""

    def __init__(self, path: str, log: Callable[[str], None] | None = None) -> None:
        """Open the journal, made where there is none, and move a torn last line aside.

        Raises:
            LedgerBroken: it cannot be opened, made or repaired.
        """
        self.path = path
        self._mutex = threading.Lock()
        try:
            make_directory(os.path.dirname(path))
            self._file = LineFile(path)
            torn = self._file.move_torn_aside()
        except OSError as error:
            raise LedgerBroken(path, error.strerror or str(error)) from None
        if torn is not None and log is not None:
            log(f"{path}: the last line was torn; its {torn[1]} bytes were moved to {torn[0]}")

    def append(self, *some: Ended) -> None:
        """Append entries and return once they are on disk.

        Raises:
            LedgerUnwritable: the disk took nothing of them; they may be appended again.
            ValueError: one ended in no known way, or has no request id though it was queued.
        """
        for ended in some:
            nameless = ended.request_id is None and ended.status != REFUSED
            if ended.status not in STATUSES or nameless:
                reason = f"not how a request ends: {ended.status!r}, id {ended.request_id!r}"
                raise ValueError(reason)
        lines = b"".join(_encode(ended) + b"\n" for ended in some)
        with self._mutex:
            try:
                self._file.append(lines)
            except OSError as error:
                raise LedgerUnwritable(self.path, error.strerror or str(error)) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
