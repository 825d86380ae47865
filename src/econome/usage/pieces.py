"""Reads a file in pieces of whole lines, cut at LF only (R3); memory stays bounded by the longest line.

One buffer serves every file of a process: a new one for each piece would be given back to the system and
faulted in again, which costs as much as the search for usage in it.
"""

from __future__ import annotations

import io
import os
from typing import Any

__all__ = ["LONGEST_LINE", "hash_beginning", "open_file", "read_pieces"]

LONGEST_LINE = 256 << 20
"""A longer line is skipped and counted as malformed; the longest seen in 1.7 GB of real transcripts is 2.3 MB."""

_PIECE = 512 << 10  # stays in the cache of a core
_HEAD = 64  # some processors copy far slower to the very start of a large block

_buffer = bytearray(_HEAD + _PIECE)


def open_file(path: str) -> int:
    """Return a descriptor to read a file, which does not wait where the file is a pipe.

    Raises:
        OSError: it cannot be opened.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0))


def hash_beginning(descriptor: int, limit: int, hasher: Any) -> int | None:
    """Give *hasher* the first *limit* bytes and stay behind them; return its digest, None where the file is shorter."""
    read = 0
    while read < limit and (piece := os.read(descriptor, min(_PIECE, limit - read))):
        hasher.update(piece)
        read += len(piece)
    return int(hasher.digest()) if read == limit else None


def read_pieces(descriptor: int, parser: Any, base: int, hasher: Any) -> tuple[int, bytes]:
    """Feed a parser the whole lines from the file's byte *base* on, where the descriptor stands.

    Returns where the last line ended and what stands behind it. *hasher* is given the same bytes as the parser.

    Raises:
        OSError: the file cannot be read.
    """
    source = io.FileIO(descriptor, closefd=False)
    buffer, filled, skipping = _buffer, _HEAD, False
    view = memoryview(buffer)
    while read := source.readinto(view[filled:]):
        stop = filled + read
        cut = buffer.rfind(b"\n", filled, stop) + 1
        if not cut:
            filled = stop
            if skipping or filled - _HEAD > LONGEST_LINE:
                hasher.update(view[_HEAD:filled])
                base += filled - _HEAD
                filled, skipping = _HEAD, True
            elif filled == len(buffer):
                larger = bytearray(2 * len(buffer))
                larger[:filled] = view
                buffer, view = larger, memoryview(larger)
            continue
        start = _HEAD
        if skipping:
            start = buffer.find(b"\n", _HEAD, cut) + 1
            parser.lines += 1
            parser.malformed += 1
            skipping = False
        hasher.update(view[_HEAD:cut])
        parser.feed(buffer, base + start - _HEAD, start, cut)
        base += cut - _HEAD
        rest = stop - cut
        view[_HEAD : _HEAD + rest] = view[cut:stop]
        filled = _HEAD + rest
    return base, bytes(view[_HEAD:filled])
