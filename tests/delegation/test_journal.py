"""The journal of ended requests: what is appended is there, and what is there is read tolerantly."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.journal import Journal, JournalReader, JournalWriter, read_journal
from econome.delegation.wire import COUNT_LIMIT, REFUSED, STATUSES, Ended
from econome.errors import LedgerBroken, LedgerUnwritable
from tests.delegation.builders import ended, journal_line
from tests.requirements import requirement

pytestmark = requirement("D4")

texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]))
counts = st.none() | st.integers(0, COUNT_LIMIT)
queued = st.builds(
    Ended,
    date=st.just("2026-10-30T09:12:04.000Z"),
    request_id=st.integers(0, 4).map("dem-{:010x}".format),
    tool_use_id=texts,
    status=st.sampled_from(STATUSES),
    session=texts,
    preset=texts,
    format=texts,
    model=texts,
    tokens_in=counts,
    tokens_out=counts,
    duration_s=st.none() | st.floats(0, 1e9),
    reply=texts,
    output=texts,
    error=texts,
)
refused = st.builds(
    Ended, date=st.just("2026-10-30"), request_id=st.none(), status=st.just(REFUSED), error=texts
)
endings = st.lists(queued | refused)


def _told(journal: Journal) -> tuple[list[Ended], dict[str, Ended], int]:
    return journal.lines, journal.entries, journal.malformed


def _read(data: bytes) -> Journal:
    journal = Journal()
    journal.add_lines(data)
    return journal


@requirement("C-N1")
def test_a_line_has_the_fields_of_the_contract_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "delegations.jsonl"
    writer = JournalWriter(str(path))
    writer.append(ended())
    writer.close()
    assert path.read_bytes() == journal_line()


@given(appended=endings, again=endings)
def test_what_was_appended_is_read_in_its_order(
    tmp_path_factory: pytest.TempPathFactory, appended: list[Ended], again: list[Ended]
) -> None:
    path = str(tmp_path_factory.mktemp("journal") / "delegations.jsonl")
    reader = JournalReader(path)
    assert _told(reader.catch_up()) == ([], {}, 0)
    for part in (appended, again):
        writer = JournalWriter(path)
        for one in part:
            writer.append(one)
        writer.close()
        reader.catch_up()
    first = {one.request_id: one for one in reversed(appended + again) if one.request_id}
    assert _told(reader.catch_up()) == (appended + again, first, 0)
    assert _told(read_journal(path)) == (appended + again, first, 0)


@requirement("C-N1")
@pytest.mark.parametrize("status", STATUSES)
def test_only_a_refused_request_may_lack_its_id(tmp_path: Path, status: str) -> None:
    path = str(tmp_path / "delegations.jsonl")
    writer, nameless = JournalWriter(path), ended(request_id=None, status=status)
    if status == REFUSED:
        writer.append(nameless)
    else:
        with pytest.raises(ValueError, match="None"):
            writer.append(nameless)
    writer.close()
    assert read_journal(path).lines == ([nameless] if status == REFUSED else [])


def test_an_unknown_ending_is_not_written(tmp_path: Path) -> None:
    writer = JournalWriter(str(tmp_path / "delegations.jsonl"))
    with pytest.raises(ValueError, match="en_cours"):
        writer.append(ended(status="en_cours"))
    writer.close()


@requirement("C-N1")
def test_an_older_line_without_ids_counts_and_joins_with_nothing() -> None:
    line = journal_line().replace(b'"demande_id":"dem-9c8a4d0189","tool_use_id":"toolu_01",', b"")
    assert _told(_read(line)) == ([ended(request_id=None, tool_use_id=None)], {}, 0)


def test_unknown_fields_null_counters_and_unknown_endings_are_taken() -> None:
    odd = journal_line(futur={"x": [1]}, tokens_entree=None, duree_s=None, statut="perdue")
    expected = ended(tokens_in=None, duration_s=None, status="perdue")
    assert _told(_read(odd)) == ([expected], {"dem-9c8a4d0189": expected}, 0)


def test_a_whole_number_of_seconds_is_a_duration() -> None:
    assert _read(journal_line(duree_s=12)).lines == [ended(duration_s=12.0)]


@pytest.mark.parametrize(
    "bad",
    [
        b"\n",
        b"not json\n",
        b"[]\n",
        b"null\n",
        b'{"statut":"terminee"}\n',
        b"\0\0\0\n",
        b"[" * 100_000 + b"\n",
        journal_line(tokens_entree=-1),
        journal_line(tokens_sortie=COUNT_LIMIT + 1),
        journal_line(tokens_sortie=True),
        journal_line(demande_id=7),
        journal_line(sortie="X").replace(b"X", b"\xff"),
    ],
    ids=range(12),
)
def test_a_line_that_is_no_entry_is_counted_and_hides_no_other(bad: bytes) -> None:
    journal = _read(journal_line() + bad + journal_line(demande_id="dem-1"))
    assert (journal.lines, journal.malformed) == ([ended(), ended(request_id="dem-1")], 1)


def test_the_first_line_of_an_id_is_the_one_to_join_with_and_all_count() -> None:
    journal = _read(journal_line(preset="a") + journal_line(preset="b"))
    assert _told(journal) == (
        [ended(preset="a"), ended(preset="b")],
        {"dem-9c8a4d0189": ended(preset="a")},
        0,
    )


@given(endings, st.data())
def test_a_line_counts_once_its_end_is_there(
    tmp_path_factory: pytest.TempPathFactory, written: list[Ended], data: st.DataObject
) -> None:
    place = tmp_path_factory.mktemp("journal")
    writer = JournalWriter(str(place / "whole"))
    for one in written:
        writer.append(one)
    writer.close()
    whole = (place / "whole").read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
    reader = JournalReader(str(place / "growing"))
    for cut in [*cuts, len(whole)]:
        (place / "growing").write_bytes(whole[:cut])
        seen = reader.catch_up()
        assert _told(seen) == (written[: whole[:cut].count(b"\n")], seen.entries, 0)


def test_a_journal_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "delegations.jsonl"
    path.write_bytes(journal_line())
    reader = JournalReader(str(path))
    reader.catch_up()
    path.write_bytes(journal_line(preset="b") + journal_line(preset="c"))
    assert reader.catch_up().lines == [ended(preset="b"), ended(preset="c")]
    path.unlink()
    assert reader.catch_up().lines == []


def test_a_torn_last_line_is_moved_aside_before_the_next_entry(tmp_path: Path) -> None:
    path = tmp_path / "delegations.jsonl"
    path.write_bytes(journal_line() + b'{"date":"2026')
    logged: list[str] = []
    writer = JournalWriter(str(path), logged.append)
    writer.append(ended(preset="b"))
    writer.close()
    torn = tmp_path / "delegations.torn-1"
    assert torn.read_bytes() == b'{"date":"2026'
    assert path.read_bytes() == journal_line() + journal_line(preset="b")
    assert logged == [f"{path}: the last line was torn; its 13 bytes were moved to {torn}"]


def test_threads_may_share_a_writer(tmp_path: Path) -> None:
    path = str(tmp_path / "delegations.jsonl")
    writer = JournalWriter(path)
    names = [f"dem-{number:010x}" for number in range(80)]

    def append(some: list[str]) -> None:
        for name in some:
            writer.append(ended(request_id=name))

    threads = [threading.Thread(target=append, args=(names[part::4],)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    writer.close()
    journal = read_journal(path)
    assert (sorted(journal.entries), len(journal.lines), journal.malformed) == (names, 80, 0)


def test_an_entry_that_a_full_disk_refused_can_be_appended_again(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    import resource
    import signal

    path = tmp_path / "delegations.jsonl"
    writer = JournalWriter(str(path))
    writer.append(ended())
    limits, size = resource.getrlimit(resource.RLIMIT_FSIZE), path.stat().st_size
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
        with pytest.raises(LedgerUnwritable):
            writer.append(ended(preset="b"))
        assert path.read_bytes() == journal_line()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    writer.append(ended(preset="b"))
    writer.close()
    assert path.read_bytes() == journal_line() + journal_line(preset="b")


def test_a_journal_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerBroken):
        JournalWriter(str(tmp_path))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(LedgerBroken):
        JournalWriter(str(tmp_path / "file" / "delegations.jsonl"))
    with pytest.raises(LedgerBroken):
        read_journal(str(tmp_path))


def test_the_journal_and_its_directories_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "mcp" / "delegations.jsonl"
    before = os.umask(0)
    try:
        JournalWriter(str(path)).close()
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(part.stat().st_mode) for part in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]
