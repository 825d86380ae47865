"""Claude Code transcripts: lines to rows. Takes bytes, opens no file.

Four lines in ten carry usage. They are found by the bytes `"usage"`, which cannot stand inside a JSON string
(there the quotes are escaped), whatever the order and spacing of keys. Of the other lines short ones are checked
whole, and a long one that begins with `{` and ends with `}` is taken for a record that is not ours.

The parser here reads every usage line leniently. It serves a few lines; where there are many, `claude_typed` goes
before it.
"""

from __future__ import annotations

import stringzilla

from econome.usage.occurrences import FileFold
from econome.usage.rows import Rejected, claude_row, usage_of
from econome.usage.salvage import salvage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CHECKED_WHOLE", "ClaudeParser", "parser"]

_NEEDLE = b'"usage"'
_BRACE, _CLOSE = b"{}"
CHECKED_WHOLE = 512  # bytes: checking every line without usage would double the time of a scan


class ClaudeParser:
    """Reads the lines of one transcript."""

    def __init__(self, home: str, stem: str, salt: str) -> None:
        self.fold = FileFold(home, stem, salt)
        self.lines = self.malformed = self.rejected = 0

    def state(self) -> Any:
        """Return nothing: no line depends on an earlier one."""
        return None

    def feed(
        self, data: bytes | bytearray, base: int, start: int = 0, stop: int | None = None
    ) -> None:
        """Read the whole lines in *data* from *start* to *stop*; the first begins at the file's byte *base*."""
        find, search, quick = data.find, stringzilla.find, self._quick
        stop = len(data) if stop is None else stop
        view = memoryview(data)
        base -= start
        at, lines = start, 0
        hit = search(data, _NEEDLE, at, stop)
        end = find(b"\n", at, stop)
        while end >= 0:
            lines += 1
            if hit < 0 or hit > end:
                if end - at < CHECKED_WHOLE or data[at] != _BRACE or data[end - 1] != _CLOSE:
                    self._plain(bytes(view[at:end]))
            else:
                if not quick(view[at:end], base + at):
                    self._slowly(bytes(view[at:end]), base + at)
                hit = search(data, _NEEDLE, end, stop)
            at = end + 1
            end = find(b"\n", at, stop)
        self.lines += lines

    def _quick(self, line: memoryview, offset: int) -> bool:
        """Fold a line where that can be done quickly; False where it must be read leniently."""
        return False

    def _plain(self, line: bytes) -> None:
        """Judge a line without usage that is short, or does not look like a record from outside."""
        self.malformed += salvage(line)[1]

    def _slowly(self, line: bytes, offset: int) -> None:
        """Read a line leniently."""
        records, damaged = salvage(line)
        for position, record in enumerate(records):
            usage = usage_of(record)
            if usage is None:
                continue
            try:
                row = claude_row(record, usage)
            except Rejected:
                self.rejected += 1
                continue
            if row is not None:
                self.fold.add(row, offset + position)
        self.malformed += damaged

    def last(self, data: bytes, base: int) -> bool:
        """Read a last line without its end; say whether it parses. One that does not gives no row (R3)."""
        self.lines += 1
        if salvage(data)[1]:
            return False
        self._slowly(data, base)
        return True


def parser(home: str, stem: str, salt: str, state: Any, many: bool) -> ClaudeParser:
    """Return a parser of one transcript; *many* says whether there is much to read."""
    if many:
        from econome.usage.readers.claude_typed import TypedParser

        return TypedParser(home, stem, salt)
    return ClaudeParser(home, stem, salt)
