"""Whole answers, each in a file of its own that only this user can read, kept for some days and up to a number.

An answer is a model's text: it is kept as it is, and nothing here looks into it. A file's name is a request's id.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from contextlib import suppress

from econome.durable import make_directory
from econome.owned import open_own

__all__ = ["LARGEST_BYTES", "MOST", "Answers"]

MOST = 1000
"""More answers are not kept; the oldest go."""

LARGEST_BYTES = 16 * 1024 * 1024
"""What is larger is not read back: no answer of a model is."""

_NAME = re.compile(r"dem-[0-9a-f]{10}\.txt")
_PARTIAL = ".part"
_DAY_S = 86_400
_PRUNED_EACH = 50
"""After so many answers it is looked whether they are too many."""


class Answers:
    """The answers in a directory, kept for so many days; 0 keeps them only as long as this process."""

    def __init__(self, directory: str, days: float) -> None:
        self.directory, self._days = directory, days
        self._since = 0

    def keep(self, request_id: str, text: str) -> str:
        """Keep an answer; return the path of its file.

        Raises:
            OSError: it cannot be written.
        """
        make_directory(self.directory)
        self._since += 1
        if self._since >= _PRUNED_EACH:
            self.prune()
        path = self._path(request_id)
        fd, partial = tempfile.mkstemp(dir=self.directory, prefix=".", suffix=_PARTIAL)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(partial)
            raise
        return path

    def read(self, request_id: str) -> tuple[str, str] | None:
        """Return an answer and the path of its file; None where it is no longer kept."""
        path = self._path(request_id)
        if not _NAME.fullmatch(os.path.basename(path)):
            return None
        try:
            fd = open_own(path, os.O_RDONLY)
        except OSError:
            return None
        with os.fdopen(fd, "rb") as file:
            return file.read(LARGEST_BYTES).decode("utf-8", "replace"), path

    def remove(self, request_id: str) -> None:
        """Remove an answer, if it is kept."""
        path = self._path(request_id)
        if _NAME.fullmatch(os.path.basename(path)):
            with suppress(OSError):
                os.unlink(path)

    def prune(self) -> None:
        """Remove what is too old and what is too many."""
        self._since = 0
        self._remove(time.time() - self._days * _DAY_S if self._days else 0.0)

    def begin(self) -> None:
        """Remove what an earlier process left half written or kept no longer than itself, and `prune`."""
        self._remove(time.time() if not self._days else 0.0, partial=True)
        self.prune()

    def close(self) -> None:
        """Remove what is kept no longer than this process."""
        if not self._days:
            self._remove(float("inf"))

    def _remove(self, oldest: float, *, partial: bool = False) -> None:
        kept = []
        for entry in self._entries():
            with suppress(OSError):
                written = entry.stat(follow_symlinks=False).st_mtime
                if entry.name.endswith(_PARTIAL):
                    if partial:
                        os.unlink(entry.path)
                elif written < oldest:
                    os.unlink(entry.path)
                else:
                    kept.append((written, entry.path))
        for _, path in sorted(kept)[: max(0, len(kept) - MOST)]:
            with suppress(OSError):
                os.unlink(path)

    def _entries(self) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.directory) as found:
                return [
                    one
                    for one in found
                    if _NAME.fullmatch(one.name)
                    or (one.name.startswith(".") and one.name.endswith(_PARTIAL))
                ]
        except OSError:
            return []

    def _path(self, request_id: str) -> str:
        return os.path.join(self.directory, f"{request_id}.txt")
