"""`econome events` without a server: files brought in under the lock, and the last lines shown."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest

from econome.cli import importing
from econome.cli.importing import BODY_BYTES
from econome.savings.batch import BATCH_EVENTS, read_batch
from econome.savings.store import Ledger
from tests.door import Ran, run
from tests.savings.builders import (
    EXAMPLE,
    body,
    correction,
    delegation,
    ledger_line,
    steering,
    text,
)


@pytest.fixture
def ledger(home: Path) -> Path:
    """Return where the ledger of this user lies, which is not there yet."""
    return home / "data" / "econome" / "logs" / "mcp" / "economies.jsonl"


def _import(directory: Path, data: bytes) -> Ran:
    path = directory / "events"
    path.write_bytes(data)
    return run("events", "import", str(path))


def test_without_a_server_the_events_are_written_here(ledger: Path, tmp_path: Path) -> None:
    ran = _import(tmp_path, EXAMPLE)
    assert (ran.code, ran.out, ran.err) == (0, "2 received, 0 duplicates, 0 conflicts.\n", "")
    stored = ledger.read_bytes().splitlines()
    events = [event.line for event in read_batch(EXAMPLE)]
    assert [line.startswith(event[:-1]) for line, event in zip(stored, events, strict=True)] == [
        True,
        True,
    ]
    assert all(line.endswith(b',"recu_le":"2026-10-17T12:00:00.000Z"}') for line in stored)


def test_what_is_there_already_is_counted_and_not_written_again(
    ledger: Path, tmp_path: Path
) -> None:
    _import(tmp_path, EXAMPLE)
    before = ledger.read_bytes()
    assert _import(tmp_path, before).out == "0 received, 2 duplicates, 0 conflicts.\n"
    assert ledger.read_bytes() == before


def test_a_duplicate_that_says_something_else_is_a_conflict(tmp_path: Path) -> None:
    _import(tmp_path, text(delegation(1)))
    ran = _import(tmp_path, text(delegation(1, client="other")))
    assert ran.out == "0 received, 1 duplicate, 1 conflict.\n"


@pytest.mark.parametrize("given", [EXAMPLE, text(delegation(1)), b""])
def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch, given: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
    ran = run("events", "import", "-")
    assert (ran.code, ran.out.split()[0]) == (0, str(given.count(b'"schema"')))


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")
def test_a_pipe_with_a_name_is_read_as_well(tmp_path: Path) -> None:
    from threading import Thread

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(EXAMPLE,))
    writer.start()
    ran = run("events", "import", str(pipe))
    writer.join()
    assert ran.out.startswith("2 received")


def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    ran = run("events", "import", str(tmp_path / "nowhere"))
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"econome: [^\n]*nowhere: [^\n]+\n", ran.err)


def test_one_fault_and_the_ledger_is_not_even_made(ledger: Path, tmp_path: Path) -> None:
    ran = _import(tmp_path, text(delegation(1)) + b"\n" + text(correction(1, outil="Grep")))
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(
        r"econome: [^\n]*events: line 2: outil: [^\n]*; nothing of the file was imported\n", ran.err
    )
    assert not ledger.parent.exists()


def test_who_holds_the_ledger_without_serving_is_named(ledger: Path, tmp_path: Path) -> None:
    held = Ledger.open(str(ledger.parent), "another import")
    try:
        ran = _import(tmp_path, EXAMPLE)
    finally:
        held.close()
    assert (ran.code, ran.out) == (1, "")
    assert f"held by another import (pid {os.getpid()})" in ran.err


def test_a_file_that_grew_since_it_was_checked_is_read_to_where_it_ended(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events"
    path.write_bytes(text(delegation(1)) + b"\n")
    real = importing._batches

    def growing(events: object) -> object:
        with path.open("ab") as file:
            file.write(text(delegation(2)) + b"\nnothing")
        return real(events)  # type: ignore[arg-type]

    monkeypatch.setattr(importing, "_batches", growing)
    assert run("events", "import", str(path)).out.startswith("1 received")


@pytest.mark.parametrize(("count", "length"), [(1, 1), (1201, 1), (700, 4000), (3, 900_000)])
def test_what_is_sent_at_once_stays_within_the_limits_and_keeps_its_order(
    count: int, length: int
) -> None:
    events = [
        event
        for number in range(count)
        for event in read_batch(body(delegation(number, apres="x" * length)))
    ]
    batches = list(importing._batches(events))
    assert [event for batch in batches for event in batch] == events
    sizes = [sum(len(event.line) + 1 for event in batch) for batch in batches]
    assert all(
        len(batch) <= BATCH_EVENTS and (size <= BODY_BYTES or len(batch) == 1)
        for batch, size in zip(batches, sizes, strict=True)
    )
    assert len(batches) <= 1 + sum(sizes) // (BODY_BYTES // 2) + count // BATCH_EVENTS


def _stored(ledger: Path, *lines: bytes) -> bytes:
    ledger.parent.mkdir(parents=True)
    ledger.write_bytes(b"".join(lines))
    return ledger.read_bytes()


def test_the_last_events_are_told_one_a_line(ledger: Path) -> None:
    several = steering(2, demande_ids=["dem-1", "dem-2", "dem-3"])
    lines = map(ledger_line, (delegation(9), delegation(1), several, correction(1)))
    _stored(ledger, *lines)
    assert run("events", "tail", "-n", "3").out.splitlines() == [
        "2026-10-30T09:12:04.512Z  delegation  claude-code  dem-0000000001  avoided 4,000",
        "2026-10-30T09:12:09.031Z  steering    claude-code  dem-1 +2  cost 2,000",
        "2026-10-30T09:14:00.000Z  correction  claude-code  dem-0000000001  cost 300",
    ]


def test_with_json_the_lines_are_printed_as_they_are_stored(ledger: Path) -> None:
    stored = _stored(ledger, ledger_line(delegation(1, client="é")), ledger_line(steering(1)))
    ran = run("events", "tail", "--json")
    assert (ran.code, ran.out.encode(), ran.err) == (0, stored, "")


def test_ten_are_shown_unless_told_otherwise(ledger: Path) -> None:
    _stored(ledger, *(ledger_line(delegation(number)) for number in range(12)))
    assert run("events", "tail").out.count("\n") == 10
    assert run("events", "tail", "-n", "0").out == ""


def test_a_damaged_line_stands_in_its_place(ledger: Path) -> None:
    _stored(ledger, b"{}\n", ledger_line(delegation(1)), b'{"torn')
    first, second = run("events", "tail").out.splitlines()
    assert (first, second.split()[1]) == ("(damaged line)", "delegation")


def test_what_a_terminal_would_obey_is_not_printed(ledger: Path) -> None:
    evil = "\x1b[2J\x9b1m\n"
    _stored(ledger, ledger_line(delegation(1, client=evil, demande_id=evil)))
    out = run("events", "tail").out
    assert out.count("\n") == 1
    assert not {"\x1b", "\x9b"}.intersection(out)


def test_without_an_event_it_says_where_it_looked(ledger: Path) -> None:
    ran = run("events", "tail")
    assert (ran.code, ran.out) == (0, "")
    assert str(ledger) in ran.err
    assert not ledger.parent.exists()
