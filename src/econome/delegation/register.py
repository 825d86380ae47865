"""The requests that were accepted and have not ended, on disk: what a stopped server leaves is found in it (D3).

A line is written before a request's id is given out. It holds names and counters, and never what was asked. Only the
holder of the ledger's lock writes it; anybody may read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from econome.durable import LineFile, LineReader, make_directory
from econome.errors import LedgerBroken, LedgerUnwritable

__all__ = ["REGISTER", "Accepted", "Mark", "Register", "read_register"]

REGISTER = "requests.jsonl"
"""The name of the file in the directory of the journal."""

_LARGEST_BYTES = 1_048_576
"""Where the file grew beyond this, it is written anew with what is still open."""


class Accepted(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request that was accepted: what the journal will say of it, as far as it is known, and who asked."""

    id: str
    date: str
    place: str
    client: str | None = None
    session: str | None = None
    tool_use: str | None = None
    preset: str | None = None
    format: str | None = None
    reply: str | None = None
    output: str | None = None


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """That work on a request began, or that it ended."""

    began: str | None = None
    ended: str | None = None


class _Line(msgspec.Struct):
    """What tells the two kinds of lines apart."""

    id: str | None = None
    began: str | None = None
    ended: str | None = None


_encode = msgspec.json.Encoder().encode
_kind = msgspec.json.Decoder(_Line).decode
_accepted = msgspec.json.Decoder(Accepted).decode


class _Open:
    """What is open, by id: what was accepted, and whether work on it began."""

    def __init__(self) -> None:
        self.requests: dict[str, tuple[Accepted, bool]] = {}
        self.malformed = 0

    def add_lines(self, data: bytes) -> None:
        for line in data.split(b"\n")[:-1]:
            try:
                found = _kind(line)
                self.add(_accepted(line) if found.id else Mark(found.began, found.ended))
            except (ValueError, RecursionError):
                self.malformed += 1

    def add(self, one: Accepted | Mark) -> None:
        if isinstance(one, Accepted):
            self.requests.setdefault(one.id, (one, False))
        elif one.ended is not None:
            self.requests.pop(one.ended, None)
        elif one.began in self.requests:
            self.requests[one.began] = self.requests[one.began][0], True

    def lines(self) -> bytes:
        found: list[Accepted | Mark] = []
        for accepted, began in self.requests.values():
            found += [accepted, Mark(began=accepted.id)] if began else [accepted]
        return _lines(found)


class Register:
    """The register, open for its one writer; one thread at a time."""

    def __init__(self, path: str) -> None:
        """Open it, made where there is none; what stands in it was left by a process that is no more.

        Raises:
            LedgerBroken: it cannot be opened, made or repaired.
        """
        self.path = path
        self._open = _Open()
        try:
            make_directory(os.path.dirname(path))
            self._file = LineFile(path)
            self._file.move_torn_aside()
            for block in self._file.blocks():
                self._open.add_lines(block)
        except OSError as error:
            raise LedgerBroken(path, error.strerror or str(error)) from None

    @property
    def left(self) -> list[tuple[Accepted, bool]]:
        """Return the requests that are open, and whether work on each began, in the order in which they came."""
        return list(self._open.requests.values())

    @property
    def malformed(self) -> int:
        """Return how many lines could not be read."""
        return self._open.malformed

    def write(self, some: Sequence[Accepted | Mark]) -> None:
        """Write lines and return once they are on disk.

        Raises:
            LedgerUnwritable: the disk took nothing of them.
        """
        try:
            self._file.append(_lines(some))
        except OSError as error:
            raise LedgerUnwritable(self.path, error.strerror or str(error)) from None
        for one in some:
            self._open.add(one)
        with suppress(OSError):  # then it is longer than it need be
            if not self._open.requests:
                self._file.empty()
            elif self._file.size > _LARGEST_BYTES:
                self._write_anew()

    def empty(self) -> None:
        """Take everything off, once the journal has it."""
        self._open = _Open()
        with suppress(OSError):
            self._file.empty()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write_anew(self) -> None:
        """Put a file in its place that holds only what is open; whatever happens, one of the two is there whole."""
        path = self.path + ".new"
        with suppress(FileNotFoundError):
            os.unlink(path)
        fresh = LineFile(path)
        try:
            fresh.append(self._open.lines())
            os.replace(path, self.path)
        except OSError:
            fresh.close()
            raise
        fresh.path = self.path
        self._file.close()
        self._file = fresh


def read_register(path: str) -> list[tuple[Accepted, bool]]:
    """Return the requests that are open, and whether work on each began, without a lock; none without a file.

    Raises:
        LedgerBroken: the file is there and cannot be read.
    """
    reader, found = LineReader(path), _Open()
    try:
        reader.goes_on()
        for block in reader.blocks():
            found.add_lines(block)
    except OSError as error:
        raise LedgerBroken(path, error.strerror or str(error)) from None
    return list(found.requests.values())


def _lines(some: Iterable[Accepted | Mark]) -> bytes:
    return b"".join(_encode(one) + b"\n" for one in some)
