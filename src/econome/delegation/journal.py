"""The journal of the requests that ended: one line each, written for good and read tolerantly (D4).

The one writer is whoever holds the ledger's lock; any number of readers may look meanwhile. A line that is no entry is
passed over; a last line without its line end is pending.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import msgspec

from econome.delegation.wire import REFUSED, STATUSES, Ended
from econome.durable import LineFile, make_directory
from econome.errors import LedgerBroken, LedgerUnwritable

__all__ = ["JOURNAL", "JournalWriter", "read_entry"]

JOURNAL = "delegations.jsonl"
"""The name of its file in the directory of the ledger."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Ended).decode


def read_entry(line: bytes) -> Ended | None:
    """Return the entry that a line of a journal is; None for a line that is none."""
    try:
        line.decode("utf-8")  # the decoder does not look into the strings that it skips
        return _decode(line)
    except (ValueError, RecursionError):  # not JSON, no entry, or not UTF-8
        return None


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
