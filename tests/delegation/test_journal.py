"""The journal of ended requests: what is appended is there, and what is there is read tolerantly."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.journal import JournalWriter, read_entry
from econome.delegation.wire import COUNT_LIMIT, REFUSED, STATUSES, Ended
from econome.errors import LedgerBroken, LedgerUnwritable
from econome.savings.account import read_account
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


def _read(path: Path) -> list[Ended | None]:
    """Return what each whole line of a journal is."""
    return [read_entry(line) for line in path.read_bytes().split(b"\n")[:-1]]


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
    path = tmp_path_factory.mktemp("journal") / "delegations.jsonl"
    for one_by_one, part in ((True, appended), (False, again)):
        writer = JournalWriter(str(path))
        for some in [[one] for one in part] if one_by_one else [part]:
            writer.append(*some)
        writer.close()
    assert _read(path) == appended + again


def test_an_estimated_count_and_a_cut_answer_are_marked_and_every_other_line_is_as_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "delegations.jsonl"
    writer = JournalWriter(str(path))
    writer.append(ended(tokens_estimated=True), ended(), ended(cut=True))
    writer.close()
    assert path.read_bytes() == b"".join(
        (journal_line(tokens_estimes=True), journal_line(), journal_line(tronquee=True))
    )
    assert _read(path) == [ended(tokens_estimated=True), ended(), ended(cut=True)]


@requirement("S11")
@pytest.mark.parametrize("value", [True, False, None, 1, "yes"])
def test_both_readers_take_the_same_marks(value: object) -> None:
    for name in ("tokens_estimes", "tronquee"):
        line = journal_line(**{name: value})
        taken = value is None or isinstance(value, bool)
        assert (read_entry(line) is not None) == taken
        assert len(read_account([], [], [line]).journal) == taken


@requirement("C-N1")
@pytest.mark.parametrize("status", STATUSES)
def test_only_a_refused_request_may_lack_its_id(tmp_path: Path, status: str) -> None:
    path = tmp_path / "delegations.jsonl"
    writer, nameless = JournalWriter(str(path)), ended(request_id=None, status=status)
    if status == REFUSED:
        writer.append(nameless)
    else:
        with pytest.raises(ValueError, match="None"):
            writer.append(nameless)
    writer.close()
    assert _read(path) == ([nameless] if status == REFUSED else [])


def test_an_unknown_ending_is_not_written(tmp_path: Path) -> None:
    writer = JournalWriter(str(tmp_path / "delegations.jsonl"))
    with pytest.raises(ValueError, match="en_cours"):
        writer.append(ended(status="en_cours"))
    writer.close()


@requirement("C-N1")
def test_an_older_line_without_ids_is_an_entry() -> None:
    line = journal_line().replace(b'"demande_id":"dem-9c8a4d0189","tool_use_id":"toolu_01",', b"")
    assert read_entry(line) == ended(request_id=None, tool_use_id=None)


def test_unknown_fields_null_counters_and_unknown_endings_are_taken() -> None:
    odd = journal_line(futur={"x": [1]}, tokens_entree=None, duree_s=None, statut="perdue")
    assert read_entry(odd) == ended(tokens_in=None, duration_s=None, status="perdue")


def test_a_whole_number_of_seconds_is_a_duration() -> None:
    assert read_entry(journal_line(duree_s=12)) == ended(duration_s=12.0)


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
def test_a_line_that_is_no_entry_is_none(bad: bytes) -> None:
    assert read_entry(bad) is None


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
    path = tmp_path / "delegations.jsonl"
    writer = JournalWriter(str(path))
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
    assert sorted(one.request_id or "" for one in _read(path) if one is not None) == names


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


def test_the_journal_and_its_directories_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "mcp" / "delegations.jsonl"
    before = os.umask(0)
    try:
        JournalWriter(str(path)).close()
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(part.stat().st_mode) for part in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]
