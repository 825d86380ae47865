"""What a journal holds, looked up without keeping it: a million lines cost eight bytes each, and only once asked for.

It reads tolerantly and never writes; a last line without its end is pending.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator

from econome.delegation.journal import read_entry
from econome.delegation.wire import Ended
from econome.durable import LineReader
from econome.errors import LedgerBroken

__all__ = ["UsedIds", "find"]

_ID = re.compile(rb'"demande_id"\s*:\s*"(dem-[0-9a-f]{10})"')


def find(path: str, wanted: Collection[str]) -> dict[str, Ended]:
    """Return the entries of those request ids; of several lines with one id the first, which is the one to join with.

    Raises:
        LedgerBroken: the journal is there and cannot be read.
    """
    sought = {request_id.encode() for request_id in wanted}
    found: dict[str, Ended] = {}
    for block in _blocks(path):
        if len(found) == len(sought):
            break
        for match in _ID.finditer(block):
            request_id = match[1].decode()
            if match[1] in sought and request_id not in found:
                start = block.rfind(b"\n", 0, match.start()) + 1
                ended = read_entry(block[start : block.index(b"\n", start)])
                if ended is not None and ended.request_id == request_id:
                    found[request_id] = ended
    return found


class UsedIds:
    """The request ids that were given out: those of a journal, and those that are added."""

    def __init__(self, path: str) -> None:
        """Read the journal at *path*.

        Raises:
            LedgerBroken: it is there and cannot be read.
        """
        numbers = array("Q")
        for block in _blocks(path):
            numbers.extend(int(found[4:], 16) for found in _ID.findall(block))
        self._old = array("Q", sorted(numbers))
        self._new: set[int] = set()

    def __contains__(self, request_id: str) -> bool:
        number = int(request_id[4:], 16)
        place = bisect_left(self._old, number)
        return number in self._new or (place < len(self._old) and self._old[place] == number)

    def add(self, request_id: str) -> None:
        """Remember that it was given out."""
        self._new.add(int(request_id[4:], 16))


def _blocks(path: str) -> Iterator[bytes]:
    reader = LineReader(path)
    try:
        reader.goes_on()
        yield from reader.blocks()
    except OSError as error:
        raise LedgerBroken(path, error.strerror or str(error)) from None
