"""The lean ledger: one file a process, written beside the calls, read tolerantly."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from econome.errors import UsageError
from econome.lean import ledger
from econome.lean.ledger import Reading, Writer, lean_dir
from econome.lean.records import KINDS, Record, line_of, record_of
from tests.requirements import requirement

pytestmark = requirement("L19")

ANSWER = Record(
    kind="answer",
    server="github",
    tool="list_issues",
    client="claude-code",
    method="features-v1",
    before=100,
    after=40,
    cut=30,
    rows_cut=3,
    form="toon-tab",
    added_us=250,
)
NOW = 1_790_000_000.25
AT = "2026-09-21T14:13:20.250Z"

_COUNTS = st.integers(0, 2**53)
_NAMES = st.text(max_size=30)
RECORDS = st.builds(
    Record,
    kind=st.sampled_from(KINDS),
    **dict.fromkeys(("server", "tool", "client", "method", "form"), _NAMES),
    **dict.fromkeys(("before", "after", "cut", "rows_cut", "added_us", "lost"), _COUNTS),
)


def read(directory: Path) -> tuple[list[Record], dict[str, int]]:
    """Return all records, and the counts that are not 0."""
    reading = Reading(lean_dir(str(directory)))
    records = list(reading.records())
    names = ("files", "lines", "malformed", "later", "lost", "unreadable")
    return records, {name: getattr(reading, name) for name in names if getattr(reading, name)}


def writer(directory: Path) -> Writer:
    return Writer(lean_dir(str(directory)), now=lambda: NOW)


@given(RECORDS)
def test_a_record_is_read_as_it_was_written(record: Record) -> None:
    (line,) = line_of(record).splitlines(keepends=True)
    assert record_of(line) == record


def test_a_line_holds_these_fields_and_nothing_else() -> None:
    assert line_of(replace(ANSWER, at=AT)).decode() == (
        '{"v":1,"at":"2026-09-21T14:13:20.250Z","kind":"answer","server":"github","tool":"list_issues",'
        '"client":"claude-code","method":"features-v1","before":100,"after":40,"cut":30,"rows_cut":3,'
        '"form":"toon-tab","added_us":250,"lost":0}\n'
    )


def test_a_name_from_outside_is_cut_and_made_writable() -> None:
    record = record_of(line_of(replace(ANSWER, tool="x" * 5000, client="a\ud800b")))
    assert record == replace(ANSWER, tool="x" * 200, client="a?b")


def test_records_are_written_to_one_file_of_this_user_alone(tmp_path: Path) -> None:
    write = writer(tmp_path)
    for count in range(50):
        write(replace(ANSWER, before=count))
    write.close()
    (file,) = Path(lean_dir(str(tmp_path))).iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert file.name.startswith(f"20260921T141320Z-{os.getpid()}-")
    assert read(tmp_path) == (
        [replace(ANSWER, at=AT, before=count) for count in range(50)],
        {"files": 1, "lines": 50},
    )


def test_nothing_is_made_before_the_first_record(tmp_path: Path) -> None:
    writer(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


def test_files_of_several_processes_are_joined(tmp_path: Path) -> None:
    for count in range(3):
        write = writer(tmp_path)
        write(replace(ANSWER, before=count))
        write.close()
    records, counts = read(tmp_path)
    assert sorted(record.before for record in records) == [0, 1, 2]
    assert counts == {"files": 3, "lines": 3}


def test_a_record_is_counted_in_the_thread_that_writes(tmp_path: Path) -> None:
    threads: list[str] = []

    def count() -> Record:
        threads.append(threading.current_thread().name)
        return ANSWER

    write = writer(tmp_path)
    write(count)
    write.close()
    assert (threads, read(tmp_path)[0]) == (["lean"], [replace(ANSWER, at=AT)])


def held(write: Writer) -> threading.Event:
    """Keep the writing thread busy until the event is set; return once it is."""
    busy, go = threading.Event(), threading.Event()

    def wait() -> Record:
        busy.set()
        go.wait(30)
        return ANSWER

    write(wait)
    assert busy.wait(30)
    return go


def test_a_full_queue_drops_records_at_once_and_the_next_one_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "_MOST_WAITING", 2)
    write = writer(tmp_path)
    go = held(write)
    for _ in range(5):
        write(ANSWER)
    go.set()
    write.close()
    records, counts = read(tmp_path)
    assert (len(records), counts) == (3, {"files": 1, "lines": 3, "lost": 3})


def test_what_waiting_records_hold_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "_MOST_HELD_BYTES", 100)
    write = writer(tmp_path)
    go = held(write)
    for size in (60, 60, 40):
        write(lambda: ANSWER, size)
    go.set()
    write.close()
    assert read(tmp_path)[1] == {"files": 1, "lines": 3, "lost": 1}


@pytest.mark.parametrize("error", [ValueError, KeyError, UsageError])
def test_what_cannot_be_counted_is_lost_and_told(tmp_path: Path, error: type[Exception]) -> None:
    def fail() -> Record:
        raise error("a text that the tokenizer refuses")

    write = writer(tmp_path)
    write(fail)
    write(ANSWER)
    write.close()
    assert read(tmp_path) == ([replace(ANSWER, at=AT, lost=1)], {"files": 1, "lines": 1, "lost": 1})


def test_a_disk_that_takes_nothing_fails_no_call(tmp_path: Path) -> None:
    (tmp_path / "logs").write_bytes(b"in the way")
    write = writer(tmp_path)
    write(ANSWER)
    write.close()
    assert read(tmp_path) == ([], {})


def test_after_the_end_nothing_is_taken(tmp_path: Path) -> None:
    write = writer(tmp_path)
    write.close()
    write(ANSWER)
    assert read(tmp_path) == ([], {})


def test_what_no_reader_can_use_is_counted_and_left_out(tmp_path: Path) -> None:
    directory = Path(lean_dir(str(tmp_path)))
    directory.mkdir(parents=True)
    good = line_of(replace(ANSWER, at=AT))
    lines = [good, b"{\n", b"\xff\n", b"\n", b'{"v":2,"new":true}\n', b'{"v":1,"kind":"answer"}\n']
    lines += [good.replace(b'"before":100', b'"before":-1'), good, good[:50]]
    directory.joinpath("a.jsonl").write_bytes(b"".join(lines))
    directory.joinpath("note.txt").write_bytes(b"no ledger")
    directory.joinpath("b.jsonl").symlink_to(directory / "a.jsonl")
    directory.joinpath("c.jsonl").mkdir()
    assert read(tmp_path) == (
        [replace(ANSWER, at=AT)] * 2,
        {"files": 1, "lines": 8, "malformed": 5, "later": 1, "unreadable": 2},
    )


@given(st.binary(max_size=300))
def test_reading_raises_nothing_for_any_bytes(data: bytes) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(data)
        path.chmod(0o600)
        reading = Reading(folder)
        records = list(reading.records())
        assert len(records) + reading.malformed + reading.later == reading.lines


@given(
    st.dictionaries(
        st.sampled_from([*asdict(ANSWER), "v", "more"]), st.none() | st.text() | _COUNTS
    )
)
def test_a_line_that_is_no_record_is_refused_or_of_a_later_version(fields: dict[str, Any]) -> None:
    import msgspec

    try:
        record = record_of(msgspec.json.encode(fields))
    except ValueError:
        return
    assert record is not None or fields["v"] > 1
