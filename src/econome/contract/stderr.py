"""What a server writes to standard error while it is asked: the end of it is kept in memory, for when it fails."""

from __future__ import annotations

import os
import threading

from econome.unseen import seen

__all__ = ["Errors"]

_KEPT_BYTES = 4096
_PATIENCE_S = 0.5


class Errors:
    """The standard error of one server; it never has to wait for a reader, however much it writes."""

    def __init__(self) -> None:
        self._tail = b""
        self._write = -1
        self._reader: threading.Thread | None = None

    def begin(self) -> int:
        """Return the descriptor that a process is to write to."""
        read, self._write = os.pipe()
        self._reader = threading.Thread(target=self._read, args=(read,), daemon=True)
        self._reader.start()
        return self._write

    def close(self) -> None:
        """Let go of what processes write to; they may hold it for as long as they live."""
        if self._write >= 0:
            os.close(self._write)
            self._write = -1

    def said(self) -> str:
        """Return the end of what was heard, without blank lines and what would steer a terminal."""
        if self._reader is not None:
            self._reader.join(_PATIENCE_S)
        lines = self._tail.decode("utf-8", "replace").splitlines()
        return "\n".join(filter(None, map(_plain, lines)))

    def _read(self, read: int) -> None:
        with open(read, "rb", buffering=0) as pipe:
            while heard := pipe.read(65536):
                self._tail = (self._tail + heard)[-_KEPT_BYTES:]


def _plain(line: str) -> str:
    return "".join(letter if seen(letter) else " " for letter in line).rstrip()
