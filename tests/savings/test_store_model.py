"""Whatever comes, fails and is opened again, the ledger holds what a dictionary would."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.errors import LedgerUnwritable
from econome.savings.batch import Received
from econome.savings.store import Ledger, Receipt
from tests.requirements import requirement
from tests.savings.disks import PATIENCE_SECONDS, Disk, installed
from tests.savings.stored import conflict_lines, kept, ledger_lines, received, settled

pytestmark = requirement("S5", "S6", "C-I2", "C-N16", "C-N17")

Pair = tuple[int, int]
"""The number and the variant of an event."""

pairs = st.tuples(st.integers(0, 5), st.integers(0, 2))
batches = st.lists(pairs, min_size=1, max_size=6)
adding = st.tuples(st.just("add"), st.lists(batches, min_size=1, max_size=4), st.just("none"))
failing = st.tuples(
    st.just("add"),
    st.lists(batches, min_size=1, max_size=4),
    st.sampled_from(["write", "second write", "fsync", "second fsync", "short write", "stuck"]),
)
nothing: list[list[Pair]] = []
opening = st.tuples(
    st.just("open"), st.just(nothing), st.sampled_from(["whole", "torn", "torn conflict", "zeros"])
)
histories = st.lists(adding | failing | opening, max_size=12)


class Model:
    """What a ledger should hold: the first variant of each number, and each later one once."""

    def __init__(self) -> None:
        self.first: dict[int, int] = {}
        self.lines: list[Pair] = []
        self.conflicts: list[Pair] = []

    def copy(self) -> Model:
        other = Model()
        other.first, other.lines = dict(self.first), list(self.lines)
        other.conflicts = list(self.conflicts)
        return other

    def add(self, batch: Sequence[Pair]) -> Receipt:
        new = conflicts = 0
        for number, variant in batch:
            if number not in self.first:
                self.first[number] = variant
                self.lines.append((number, variant))
                new += 1
            elif self.first[number] != variant:
                conflicts += 1
                if (number, variant) not in self.conflicts:
                    self.conflicts.append((number, variant))
        return Receipt(new, len(batch) - new, conflicts)


def _is_stored(model: Model, batch: Sequence[Pair]) -> bool:
    """Return whether everything in a batch was stored before, so that no disk is needed."""
    return all(pair in model.lines or pair in model.conflicts for pair in batch)


def _events(pairs: Sequence[Pair]) -> list[Received]:
    return [_event(*pair) for pair in pairs]


_event = cache(received)


def _post(
    ledger: Ledger, disk: Disk, model: Model, posts: Sequence[Sequence[Pair]], fate: str
) -> Model:
    """Post batches, the later ones while the first is being written; return the model as it then is."""
    before, after = model, model.copy()
    futures: list[tuple[Future[Receipt], Receipt, bool]] = []
    with disk.held("write"):
        for batch in posts:
            stored = _is_stored(before, batch)
            future = ledger.add(_events(batch), "t")
            futures.append((future, after.add(batch), stored))
            if stored:
                assert future.done()
            elif not disk.reached.is_set():
                assert disk.reached.wait(PATIENCE_SECONDS)
        assert ledger.waiting == len(after.lines) - len(before.lines)
        _ordain(disk, fate)
    failed = False
    for future, receipt, stored in futures:
        error = future.exception(PATIENCE_SECONDS)
        if error is None:
            assert settled(future) == receipt
        else:
            assert isinstance(error, LedgerUnwritable)
            assert not stored
            failed = True
    acknowledged = [
        batch
        for (future, _, _), batch in zip(futures, posts, strict=True)
        if not future.exception(0)
    ]
    model = after
    if failed:
        model = before.copy()
        for batch in acknowledged:
            model.add(batch)
    # A failure that could not be cut off lets nothing through; the next batch after it does the cutting.
    new = [(100 + len(model.lines), 0)]
    if fate == "stuck" and failed:
        assert isinstance(
            ledger.add(_events(new), "t").exception(PATIENCE_SECONDS), LedgerUnwritable
        )
    disk.heal()
    disk.piece = 1 << 30
    assert settled(ledger.add(_events(new), "t")) == model.add(new)
    return model


def _ordain(disk: Disk, fate: str) -> None:
    call = "write" if "write" in fate else "fsync"
    if fate == "stuck":
        disk.fail("ftruncate", errno.EIO)
    if fate == "short write":
        disk.piece = 10
        disk.fail("write", errno.ENOSPC, after=3)
    elif fate != "none":
        disk.fail(call, errno.ENOSPC, after=int("second" in fate))


def _open(directory: Path, damage: str) -> Ledger:
    """Open the ledger after a crash that left something behind; see that this is moved aside and told."""
    tail = {"zeros": b"\0" * 5000, "whole": b""}.get(damage, kept([_event(0)])[:-1])
    name = "economies.conflicts" if damage == "torn conflict" else "economies"
    with (directory / f"{name}.jsonl").open("ab") as file:
        file.write(tail)
    number = len(list(directory.glob(f"{name}.torn-*"))) + 1
    logged: list[str] = []
    ledger = Ledger.open(str(directory), "test", log=logged.append)
    if damage == "whole":
        assert logged == []
    else:
        torn = directory / f"{name}.torn-{number}"
        assert torn.read_bytes() == tail
        (line,) = logged
        assert str(torn) in line
    return ledger


@pytest.mark.slow
@settings(deadline=None)
@given(histories)
def test_a_ledger_holds_what_a_dictionary_would(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, list[list[Pair]], str]]
) -> None:
    directory = tmp_path_factory.mktemp("ledger")
    with installed() as disk:
        ledger, model = Ledger.open(str(directory), "test"), Model()
        try:
            for step, posts, fate in history:
                if step == "add":
                    model = _post(ledger, disk, model, posts, fate)
                else:
                    ledger.close()
                    ledger = _open(directory, fate)
                lines = kept(_events(model.lines), at="t")
                assert ledger_lines(directory) == lines
                assert conflict_lines(directory) == kept(_events(model.conflicts), at="t")
                assert (ledger.size, ledger.events, ledger.waiting, ledger.malformed) == (
                    len(lines),
                    len(model.lines),
                    0,
                    0,
                )
        finally:
            disk.heal()
            ledger.close()
