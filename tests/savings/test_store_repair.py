"""What a crash leaves: whole lines count, a torn tail is moved aside and told, a spoilt line hides no other."""

from __future__ import annotations

import errno
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.errors import LedgerBroken
from econome.savings.store import Ledger, Receipt
from tests.requirements import requirement
from tests.savings.builders import RECEIVED_AT, delegation, ledger_line, steering
from tests.savings.disks import PATIENCE_SECONDS, installed
from tests.savings.programs import running
from tests.savings.stored import added, conflict_lines, kept, ledger_lines, received

pytestmark = requirement("S5")


def _give(directory: Path, data: bytes, name: str = "economies.jsonl") -> Path:
    path = directory / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "tail", [b"{", kept([received(2)])[:-1], b"\0" * 70_000, b"\xff" * 300_000], ids=range(4)
)
@pytest.mark.parametrize("name", ["economies", "economies.conflicts"])
def test_a_torn_tail_is_moved_aside_and_told(tmp_path: Path, name: str, tail: bytes) -> None:
    path = _give(tmp_path, kept([received(1)]) + tail, f"{name}.jsonl")
    _give(tmp_path, b"an earlier one", f"{name}.torn-1")
    logged: list[str] = []
    Ledger.open(str(tmp_path), "test", log=logged.append).close()
    torn = tmp_path / f"{name}.torn-2"
    assert path.read_bytes() == kept([received(1)])
    assert torn.read_bytes() == tail
    assert torn.stat().st_mode & 0o777 == 0o600
    assert logged == [f"{path}: the last line was torn; its {len(tail)} bytes are in {torn}"]


def test_a_torn_tail_is_on_disk_elsewhere_before_it_is_cut_off(tmp_path: Path) -> None:
    whole, tail = kept([received(1)]), b'{"schema":1'
    _give(tmp_path, whole + tail)
    with installed() as disk:
        Ledger.open(str(tmp_path), "test").close()
    opened = [("fsync", len(whole + tail)), ("fsync directory", 0)]
    conflicts = [("fsync", 0), ("fsync directory", 0)]
    moved = [("write", len(tail)), ("fsync", len(tail)), ("fsync directory", 0)]
    cut = [("ftruncate", len(whole)), ("fsync", len(whole))]
    assert disk.calls == opened + conflicts + moved + cut


@pytest.mark.parametrize("call", ["write", "fsync", "ftruncate"])
def test_a_repair_that_fails_loses_nothing(tmp_path: Path, call: str) -> None:
    data = kept([received(1)]) + b'{"schema":1'
    path = _give(tmp_path, data)
    with installed() as disk:
        disk.fail(call, errno.ENOSPC)
        with pytest.raises(LedgerBroken):
            Ledger.open(str(tmp_path), "test")
    assert path.read_bytes() == data
    Ledger.open(str(tmp_path), "test").close()
    assert path.read_bytes() == kept([received(1)])


@requirement("C-N16")
def test_ids_are_known_again_after_a_start(tmp_path: Path) -> None:
    ledger = Ledger.open(str(tmp_path), "test")
    added(ledger, received(1), received(1, variant=7))
    ledger.close()
    again = Ledger.open(str(tmp_path), "test")
    assert added(again, received(1), received(1, variant=7), received(2)) == Receipt(1, 2, 1)
    again.close()
    assert ledger_lines(tmp_path) == kept([received(1), received(2)])
    assert conflict_lines(tmp_path) == kept([received(1, variant=7)])


@pytest.mark.parametrize(
    "bad",
    [
        b"\n",
        b"not json\n",
        b"[]\n",
        b"{}\n",
        b'{"id":7}\n',
        b'{"id":"\xff"}\n',
        b"\0" * 300_000 + b"\n",
        b'{"id":' + b"[" * 100_000 + b"\n",
    ],
    ids=range(8),
)
def test_a_spoilt_line_is_counted_and_hides_no_other(tmp_path: Path, bad: bytes) -> None:
    data = kept([received(1)]) + bad + kept([received(2)])
    path = _give(tmp_path, data)
    _give(tmp_path, bad + kept([received(2, variant=7)]), "economies.conflicts.jsonl")
    logged: list[str] = []
    ledger = Ledger.open(str(tmp_path), "test", log=logged.append)
    assert (ledger.events, ledger.malformed, ledger.size) == (2, 1, len(data))
    assert logged == [f"{path}: 1 lines hold no event"]
    batch = [received(1), received(2), received(2, variant=7)]
    assert added(ledger, *batch) == Receipt(0, 3, 1)
    ledger.close()
    assert path.read_bytes() == data


def test_of_lines_with_one_id_the_first_is_the_one_that_stays(tmp_path: Path) -> None:
    _give(tmp_path, kept([received(1), received(1, variant=7)]))
    ledger = Ledger.open(str(tmp_path), "test")
    assert ledger.events == 1
    assert added(ledger, received(1)) == Receipt(0, 1, 0)
    assert added(ledger, received(1, variant=7)) == Receipt(0, 1, 1)
    ledger.close()


def test_a_line_without_an_arrival_is_the_event_that_it_is(tmp_path: Path) -> None:
    _give(tmp_path, received(1).line + b"\n")
    ledger = Ledger.open(str(tmp_path), "test")
    assert added(ledger, received(1), received(1, variant=7)) == Receipt(0, 2, 1)
    ledger.close()


@requirement("C-N12")
def test_lines_of_every_shape_are_known_again(tmp_path: Path) -> None:
    events = [delegation(1, futur={"id": "other", "recu_le": "é"}, recu_le="x"), steering(2)]
    _give(tmp_path, b"".join(map(ledger_line, events)).replace(b'"id":"c', b'"id":"\\u0063'))
    ledger = Ledger.open(str(tmp_path), "test")
    assert (ledger.events, ledger.malformed) == (2, 0)
    assert added(ledger, received(1)) == Receipt(0, 1, 1)
    ledger.close()


@settings(deadline=None)
@given(st.data())
def test_at_any_instant_of_a_write_what_was_acknowledged_is_there_after_a_crash(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    before, crashed = tmp_path_factory.mktemp("before"), tmp_path_factory.mktemp("crashed")
    with installed() as disk:
        ledger = Ledger.open(str(before), "test")
        added(ledger, received(1), received(2))
        acknowledged = ledger.size
        with disk.held("fsync"):
            future = ledger.add([received(number) for number in (2, 3, 4, 5)], RECEIVED_AT)
            assert disk.reached.wait(PATIENCE_SECONDS)
            shutil.copytree(before, crashed, dirs_exist_ok=True)
        future.result(PATIENCE_SECONDS)
        ledger.close()
    # The system may have written any part of what was not synced, and zeros for the rest of it.
    written = ledger_lines(crashed)
    cut = data.draw(st.integers(acknowledged, len(written)))
    zeros = data.draw(st.integers(0, len(written) - cut))
    _give(crashed, written[:cut] + b"\0" * zeros)
    whole = written[:cut].count(b"\n")
    again = Ledger.open(str(crashed), "test")
    assert (again.events, again.malformed) == (whole, 0)
    batch = [received(number) for number in (1, 2, 3, 4, 5)]
    assert added(again, *batch) == Receipt(5 - whole, whole, 0)
    again.close()
    assert ledger_lines(crashed) == kept(batch)


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_loses_nothing_and_stores_nothing_twice(
    tmp_path: Path,
) -> None:
    chance, acknowledged, conflicts = random.Random(5), set[int](), set[int]()
    for turn in range(25):
        lines = chance.randrange(60)
        with running("write", tmp_path, turn * 1_000_000) as writer:
            assert writer.stdout is not None
            said = [writer.stdout.readline() for _ in range(lines)]
            writer.kill()
            said += writer.stdout.read().splitlines(keepends=True)
        for line in said:
            if line.endswith(b"\n"):
                batch = list(map(int, line.split()))
                acknowledged.update(batch)
                conflicts.add(batch[0])
    Ledger.open(str(tmp_path), "test").close()
    stored, differing = ledger_lines(tmp_path), conflict_lines(tmp_path)
    events = {kept([received(number)]): number for number in acknowledged}
    found = [events.get(line) for line in stored.splitlines(keepends=True)]
    assert sorted(number for number in found if number is not None) == sorted(acknowledged)
    assert len(set(stored.splitlines())) == len(found)
    others = {kept([received(number, variant=1)]) for number in conflicts}
    assert others <= set(differing.splitlines(keepends=True))
    assert len(set(differing.splitlines())) == differing.count(b"\n")
