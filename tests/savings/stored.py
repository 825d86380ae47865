"""Events as the store takes them, and what a ledger's directory then holds."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from econome.savings.batch import Received, read_event, stored_line
from econome.savings.reading import CONFLICTS, LEDGER
from econome.savings.store import Ledger, Receipt
from tests.savings.builders import RECEIVED_AT, delegation, text
from tests.savings.disks import PATIENCE_SECONDS

__all__ = ["added", "conflict_lines", "kept", "ledger_lines", "received", "settled"]


def received(number: int = 1, variant: int = 0) -> Received:
    """Return the event with that number; those of another variant have its id and say something else."""
    return read_event(text(delegation(number, tokens_sortie=variant)), None)


def added(ledger: Ledger, *events: Received, at: str = RECEIVED_AT) -> Receipt:
    """Add a batch and wait until it is acknowledged."""
    return settled(ledger.add(events, at))


def settled(future: Future[Receipt]) -> Receipt:
    """Wait for a batch."""
    return future.result(PATIENCE_SECONDS)


def kept(events: Iterable[Received], at: str = RECEIVED_AT) -> bytes:
    """Return the lines of *events* as the ledger keeps them."""
    return b"".join(stored_line(event.line, at) for event in events)


def ledger_lines(directory: Path) -> bytes:
    """Return what the ledger's file holds."""
    return (directory / LEDGER).read_bytes()


def conflict_lines(directory: Path) -> bytes:
    """Return what the file of conflicts holds."""
    return (directory / CONFLICTS).read_bytes()
