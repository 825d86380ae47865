"""The files are read as they grow: whole lines, once, and anew where they are no longer the same."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from econome.errors import LedgerBroken
from econome.savings.balance import balance_report
from econome.savings.question import Question
from econome.savings.reading import Shelf
from tests.requirements import requirement
from tests.savings.builders import Payload, delegation, ledger_line
from tests.savings.ledgers import TODAY, UTC, ended

pytestmark = requirement("S7")

LEDGER, CONFLICTS, JOURNAL = (
    "economies.jsonl",
    "economies.conflicts.jsonl",
    "delegations.jsonl",
)


def _append(path: Path, *events: Payload) -> int:
    """Append events to a ledger; return its size."""
    with path.open("ab") as file:
        file.write(b"".join(map(ledger_line, events)))
    return path.stat().st_size


def _counts(shelf: Shelf, limit_bytes: int | None = None) -> tuple[int, int, int, int]:
    """Return how many events, bytes, conflicts and journal lines a shelf holds, after it caught up."""
    books = shelf.catch_up(limit_bytes)
    return books.events, books.size, len(books.conflicts.events), len(books.endings)


def _presets(shelf: Shelf) -> list[str | None]:
    report = balance_report(shelf.catch_up(), Question(by="preset"), UTC, TODAY)
    return [row["preset"] for row in report["clients"][0]["rows"]]


def _report(shelf: Shelf) -> dict[str, Any]:
    with shelf.lock:
        return balance_report(shelf.catch_up(), Question(by="delegation"), UTC, TODAY)


def test_missing_files_are_an_empty_ledger(tmp_path: Path) -> None:
    assert _counts(Shelf(str(tmp_path / "nowhere"))) == (0, 0, 0, 0)


def test_what_was_appended_is_read_and_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    shelf = Shelf(str(tmp_path))
    size = _append(tmp_path / LEDGER, delegation(1), delegation(2))
    _append(tmp_path / CONFLICTS, delegation(1))
    (tmp_path / JOURNAL).write_text(json.dumps(ended("dem-1")) + "\n", encoding="utf-8")
    assert _counts(shelf) == (2, size, 1, 1)
    assert _counts(shelf) == (2, size, 1, 1)
    size = _append(tmp_path / LEDGER, delegation(3))
    _append(tmp_path / CONFLICTS, delegation(2))
    assert _counts(shelf) == (3, size, 2, 1)
    assert shelf.catch_up().duplicates == 0
    assert _report(shelf) == _report(Shelf(str(tmp_path)))


@requirement("S5")
def test_a_torn_last_line_is_pending_and_counts_once_it_is_whole(tmp_path: Path) -> None:
    path, shelf = tmp_path / LEDGER, Shelf(str(tmp_path))
    size = _append(path, delegation(1))
    line = ledger_line(delegation(2))
    path.write_bytes(path.read_bytes() + line[:-1])
    books = shelf.catch_up()
    assert (books.events, books.size, books.malformed) == (1, size, 0)
    path.write_bytes(path.read_bytes() + b"\n")
    assert _counts(shelf)[:2] == (2, size + len(line))


def test_what_lies_beyond_the_limit_does_not_count_yet(tmp_path: Path) -> None:
    path, shelf = tmp_path / LEDGER, Shelf(str(tmp_path))
    first = _append(path, delegation(1))
    second = _append(path, delegation(2))
    assert _counts(shelf, first)[:2] == (1, first)
    assert _counts(shelf, second - 1)[:2] == (1, first)
    assert _counts(shelf, second)[:2] == (2, second)
    assert _counts(shelf, first)[:2] == (1, first), "what was read is forgotten too"
    assert _counts(shelf)[:2] == (2, second)


def test_a_file_that_shrank_is_read_anew(tmp_path: Path) -> None:
    path, shelf = tmp_path / LEDGER, Shelf(str(tmp_path))
    size = _append(path, delegation(1))
    _append(path, delegation(2))
    _append(tmp_path / CONFLICTS, delegation(1))
    shelf.catch_up()
    os.truncate(path, size)
    assert _counts(shelf) == (1, size, 1, 0)
    path.unlink()
    assert _counts(shelf) == (0, 0, 1, 0)


@pytest.mark.parametrize("name", [LEDGER, CONFLICTS])
def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path, name: str) -> None:
    path, shelf = tmp_path / name, Shelf(str(tmp_path))
    _append(path, delegation(1), delegation(2))
    shelf.catch_up()
    _append(tmp_path / "new", delegation(3), delegation(4), delegation(5))
    os.replace(tmp_path / "new", path)
    books = shelf.catch_up()
    events = books.events if name == LEDGER else len(books.conflicts.events)
    assert (events, list(books.requests)) == (
        (3, ["dem-0000000003", "dem-0000000004", "dem-0000000005"]) if name == LEDGER else (3, [])
    )


def test_a_journal_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path, shelf = tmp_path / JOURNAL, Shelf(str(tmp_path))
    _append(tmp_path / LEDGER, delegation(1))
    path.write_text(json.dumps(ended("dem-0000000001", preset="old")) + "\n", encoding="utf-8")
    assert _presets(shelf) == ["old"]
    new = tmp_path / "new"
    lines = [ended("dem-0000000001", preset="new"), ended("dem-0000000009", preset="old")]
    new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    os.replace(new, path)
    assert _presets(shelf) == ["new"]
    assert _counts(shelf)[3] == 2
    path.unlink()
    assert _presets(shelf) == [None]


def test_a_ledger_read_anew_is_joined_with_the_journal_as_before(tmp_path: Path) -> None:
    path, shelf = tmp_path / LEDGER, Shelf(str(tmp_path))
    _append(path, delegation(3), delegation(1), delegation(2))
    journal = json.dumps(ended("dem-0000000001", preset="own")) + "\n"
    (tmp_path / JOURNAL).write_text(journal, encoding="utf-8")
    assert _presets(shelf) == ["own", None]
    path.write_bytes(ledger_line(delegation(2)) + ledger_line(delegation(1)))
    assert _presets(shelf) == ["own", None]
    assert _counts(shelf)[3] == 1


def test_a_file_written_anew_in_its_place_is_read_anew(tmp_path: Path) -> None:
    path, shelf = tmp_path / LEDGER, Shelf(str(tmp_path))
    _append(path, delegation(1))
    shelf.catch_up()
    path.write_bytes(ledger_line(delegation(7)) + ledger_line(delegation(8)))
    assert list(shelf.catch_up().requests) == ["dem-0000000007", "dem-0000000008"]


def test_a_ledger_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / LEDGER).mkdir()
    with pytest.raises(LedgerBroken, match=LEDGER):
        Shelf(str(tmp_path)).catch_up()


def test_threads_that_ask_at_once_get_whole_answers(tmp_path: Path) -> None:
    shelf, reports = Shelf(str(tmp_path)), list[dict[str, Any]]()
    for number in range(40):
        _append(tmp_path / LEDGER, delegation(number))
        threads = [
            threading.Thread(target=lambda: reports.append(_report(shelf))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [report["ledger"]["events"] for report in reports] == [
        number for number in range(1, 41) for _ in range(3)
    ]
    assert all(
        len(report["clients"][0]["rows"]) == report["ledger"]["events"] for report in reports
    )


def test_reading_writes_nothing(tmp_path: Path) -> None:
    _append(tmp_path / LEDGER, delegation(1))
    (tmp_path / LEDGER).chmod(0o400)
    Shelf(str(tmp_path)).catch_up()
    assert os.listdir(tmp_path) == [LEDGER]
