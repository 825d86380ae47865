"""What each caller has last seen in which file, so that nothing unseen is overwritten (D7).

It keeps digests, never contents, and knows no file. Threads may share it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Final

__all__ = ["SEEN_LIMIT", "Eyes", "Seen"]

SEEN_LIMIT: Final = 20_000
"""How many files are remembered. What was forgotten is unseen, and then `overwrite` has to be said."""

_Line = tuple[str | None, str | None]


class Seen:
    """The size and digest of what each caller last read from, or wrote to, a path."""

    def __init__(self, limit: int = SEEN_LIMIT) -> None:
        self._limit = limit
        self._mutex = threading.Lock()
        self._known: OrderedDict[tuple[_Line, str], tuple[int, bytes]] = OrderedDict()

    def by(self, line: _Line) -> Eyes:
        """Return the eyes of one caller (`Caller.line`)."""
        return Eyes(self, line)

    def note(self, line: _Line, path: str, size: int, digest: bytes) -> None:
        """Remember what a caller saw."""
        with self._mutex:
            self._known[line, path] = size, digest
            self._known.move_to_end((line, path))
            while len(self._known) > self._limit:
                self._known.popitem(last=False)

    def known(self, line: _Line, path: str) -> tuple[int, bytes] | None:
        """Return the size and digest that a caller last saw."""
        with self._mutex:
            return self._known.get((line, path))


class Eyes:
    """What one caller has seen."""

    __slots__ = ("_line", "_seen")

    def __init__(self, seen: Seen, line: _Line) -> None:
        self._seen, self._line = seen, line

    def saw(self, path: str, data: bytes) -> None:
        """Remember that *data* is what the file at *path* holds."""
        self._seen.note(self._line, path, len(data), hashlib.sha256(data).digest())

    def known(self, path: str) -> tuple[int, bytes] | None:
        """Return the size and SHA-256 of what was last seen at *path*."""
        return self._seen.known(self._line, path)
