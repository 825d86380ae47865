"""Brings the events of a file into the ledger: through the server that writes it, else by writing it here."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import BinaryIO

from econome import clock
from econome.durable import CHUNK_BYTES
from econome.savings.batch import BATCH_EVENTS, Received
from econome.savings.foreign import read_foreign
from econome.settings import Settings

__all__ = ["BODY_BYTES", "STANDARD_INPUT", "Totals", "bring", "opened"]

STANDARD_INPUT = "-"

BODY_BYTES = 1_000_000
"""What is posted at once stays below the server's limit."""


class Totals:
    """What became of the events of a file."""

    __slots__ = ("conflicts", "duplicates", "received")

    def __init__(self) -> None:
        self.received = self.duplicates = self.conflicts = 0


def opened(name: str) -> BinaryIO:
    """Return the file of that name, or standard input, so that it can be read twice."""
    if name == STANDARD_INPUT:
        return _copied(None if sys.stdin is None else sys.stdin.buffer)
    file = open(name, "rb")  # noqa: SIM115 - it is the caller's
    if file.seekable():
        return file
    with file:
        return _copied(file)


def _copied(source: BinaryIO | None) -> BinaryIO:
    """Return what a source that is read once holds, in a file without a name."""
    copy = tempfile.TemporaryFile(prefix="econome-")  # noqa: SIM115
    if source is not None:
        shutil.copyfileobj(source, copy)
    copy.seek(0)
    return copy


def bring(file: BinaryIO, name: str, found: Settings) -> Totals:
    """Check every event of *file*, then send them all.

    Raises:
        ImportRefused: one of them breaks the contract; none was sent.
        LedgerHeld: another process that takes no events writes the ledger.
    """
    for _ in read_foreign(file, name):
        pass
    end = file.tell()  # what is added to the file from here on was not checked
    file.seek(0)
    batches = _batches(read_foreign(file, name, end))
    from econome.savings.lock import holder

    writer = holder(found.ledger_dir())
    if writer is None or writer.url is None:
        return _write(batches, found)
    return _post(batches, found)


def _batches(events: Iterable[Received]) -> Iterator[list[Received]]:
    batch: list[Received] = []
    size = 0
    for event in events:
        size += len(event.line) + 1
        if batch and (len(batch) == BATCH_EVENTS or size > BODY_BYTES):
            yield batch
            batch, size = [], len(event.line) + 1
        batch.append(event)
    if batch:
        yield batch


def _post(batches: Iterable[list[Received]], found: Settings) -> Totals:
    from econome.server.client import running

    totals = Totals()
    before = _conflicts(found)
    with running(found) as client:
        for batch in batches:
            received, duplicates = client.post_events([event.line for event in batch])
            totals.received += received
            totals.duplicates += duplicates
    totals.conflicts = _conflicts(found) - before
    return totals


def _write(batches: Iterable[list[Received]], found: Settings) -> Totals:
    from econome.savings.store import Ledger

    totals = Totals()
    ledger = Ledger.open(found.ledger_dir(), "econome events import")
    try:
        for batch in batches:
            kept = ledger.add(batch, _arrival()).result()
            totals.received += kept.received
            totals.duplicates += kept.duplicates
            totals.conflicts += kept.conflicts
    finally:
        ledger.close()
    return totals


def _arrival() -> str:
    moment = datetime.fromtimestamp(clock.now(), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _conflicts(found: Settings) -> int:
    """Return how many contents the ledger keeps beside those they differ from: the server's answer does not say."""
    from econome.savings.reading import CONFLICTS

    path = os.path.join(found.ledger_dir(), CONFLICTS)
    try:
        with open(path, "rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK_BYTES), b""))
    except FileNotFoundError:
        return 0
