"""The requests that were accepted and have not ended, on disk: what a stopped server leaves is found in it (D3).

A line is written before a request's id is given out. It holds names and counters, and never what was asked. Only the
holder of the ledger's lock writes it; anybody may read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from econome.delegation.states import ENDED
from econome.delegation.wire import QUEUED
from econome.durable import LineFile, LineReader, make_directory
from econome.errors import LedgerBroken, LedgerUnwritable

__all__ = ["REGISTER", "Accepted", "Moved", "Register", "read_register"]

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


class Moved(msgspec.Struct, frozen=True):
    """That a request came into another state; one that has ended is open no more."""

    moved: str
    state: str


class _Line(msgspec.Struct):
    """What tells the two kinds of lines apart."""

    id: str | None = None


_encode = msgspec.json.Encoder().encode
_kind = msgspec.json.Decoder(_Line).decode
_accepted = msgspec.json.Decoder(Accepted).decode
_moved = msgspec.json.Decoder(Moved).decode


class _Open:
    """What is open, by id: what was accepted, and its state."""

    def __init__(self) -> None:
        self.requests: dict[str, tuple[Accepted, str]] = {}
        self.malformed = 0

    def add_lines(self, data: bytes) -> None:
        for line in data.split(b"\n")[:-1]:
            try:
                self.add(_moved(line) if _kind(line).id is None else _accepted(line))
            except (ValueError, RecursionError):
                self.malformed += 1

    def add(self, one: Accepted | Moved) -> None:
        if isinstance(one, Accepted):
            self.requests.setdefault(one.id, (one, QUEUED))
        elif one.state in ENDED:
            self.requests.pop(one.moved, None)
        elif one.moved in self.requests:
            self.requests[one.moved] = self.requests[one.moved][0], one.state

    def lines(self) -> bytes:
        found: list[Accepted | Moved] = []
        for accepted, state in self.requests.values():
            found += [accepted] if state == QUEUED else [accepted, Moved(accepted.id, state)]
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
    def left(self) -> list[tuple[Accepted, str]]:
        """Return the requests that are open, and the state of each, in the order in which they came."""
        return list(self._open.requests.values())

    @property
    def malformed(self) -> int:
        """Return how many lines could not be read."""
        return self._open.malformed

    def write(self, some: Sequence[Accepted | Moved]) -> None:
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


def read_register(path: str) -> list[tuple[Accepted, str]]:
    """Return the requests that are open, and the state of each, without a lock; none without a file.

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


def _lines(some: Iterable[Accepted | Moved]) -> bytes:
    return b"".join(_encode(one) + b"\n" for one in some)
