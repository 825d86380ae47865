"""The slower pass reads tolerantly, reads on where it stopped, and can lose its database (F12, R3)."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from econome.demo import tree as demo
from econome.usage import pieces
from econome.usage.detail_lines import DetailLines
from econome.usage.readers.claude_detail import Detail, machine_salt, refresh
from tests.builders import SLUG, lines
from tests.requirements import requirement
from tests.usage.details import ID, SALT, Place, call, result

pytestmark = requirement("F16")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# Bytes


@requirement("R3")
def test_damaged_lines_are_counted_and_lose_no_other(place: Place) -> None:
    good = json.dumps(call()).encode()
    place.write(
        b"no line at all",
        b'{"type":"user","message":{"content":[NaN]}}',
        b'{"type":"user","message":7}',
        b'{"type":"assistant","message":{"content":[7,{"type":"tool_use"}]}}',
        b"\xef\xbb\xbf" + good + b"\r",
        good[: len(good) // 2] + json.dumps(result()).encode(),
    )
    with place.refresh() as detail:
        found = [(one.id, one.characters) for one in detail.calls()]
        assert sorted(found) == [("", 0), (ID, 4)]
        coverage = detail.coverage()
    assert (coverage.files, coverage.lines, coverage.malformed, coverage.pending) == (1, 6, 3, 0)


@requirement("R3")
@pytest.mark.parametrize("ended", [True, False])
def test_a_giant_line_is_skipped(
    place: Place, monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    monkeypatch.setattr(pieces, "_buffer", bytearray(1000))
    monkeypatch.setattr(pieces, "LONGEST_LINE", 20_000)
    file = place.write(call(), result("x", "a" * 50_000), result())
    if not ended:
        file.write_bytes(file.read_bytes()[:30_000])
    with place.refresh() as detail:
        (one,) = detail.calls()
        coverage = detail.coverage()
    assert one.characters == (4 if ended else 0)
    assert (coverage.malformed, coverage.pending) == ((1, 0) if ended else (0, 1))
    assert [len(found) for found in (place.calls(),)] == [1]


@requirement("R3")
def test_a_time_beyond_the_calendar_is_none(place: Place) -> None:
    place.write(call() | {"timestamp": "9999-01-01T00:00:00Z"}, result() | {"timestamp": "soon"})
    assert [(one.called_ns, one.returned_ns) for one in place.calls()] == [(None, None)]


@requirement("R2")
def test_a_file_that_cannot_be_read_is_named_and_the_rest_counts(place: Place) -> None:
    place.write(call())
    (place.root / "projects" / SLUG / "dead.jsonl").symlink_to(place.root / "nowhere")
    with place.refresh() as detail:
        assert [one.id for one in detail.calls()] == [ID]
        (unreadable,) = detail.coverage().unreadable
    assert unreadable[0].endswith("dead.jsonl")


# Reading on


@requirement("F12")
def test_a_result_that_arrives_later_is_joined(place: Place) -> None:
    file = place.write(call())
    assert [one.failed for one in place.calls()] == [None]
    with file.open("ab") as more:
        more.write(lines([result()]))
    assert [one.characters for one in place.calls()] == [4]


@requirement("F12")
def test_a_last_line_without_its_end_counts_when_it_parses_and_once(place: Place) -> None:
    whole = lines([call(), result()])
    file = place.write()
    for end in (len(whole) - 20, len(whole) - 1, len(whole)):
        file.write_bytes(whole[:end])
        with place.refresh() as detail:
            seen = [one.characters for one in detail.calls()]
            pending = detail.coverage().pending
        assert (seen, pending) == (([0], 1) if end < len(whole) - 1 else ([4], 0))


def everything(detail: Detail) -> tuple[Any, ...]:
    with detail:
        return (
            list(detail.calls()),
            list(detail.attributions()),
            detail.tools(),
            detail.touches(),
            detail.compactions(),
            detail.pauses(),
            detail.coverage(),
        )


@pytest.mark.slow
@requirement("F12")
@pytest.mark.parametrize("seed", range(3))
def test_reading_on_gives_what_a_fresh_reading_gives(tmp_path: Path, seed: int) -> None:
    """Random appends, cuts, rewrites of equal size, deletions and renames of a part of the demo."""
    dice = random.Random(seed)
    tree = demo.write(tmp_path / "demo", 20_742)
    files = sorted((tree.claude / "projects").rglob("*.jsonl"))
    for file in files[40:]:
        file.unlink()
    warm = tmp_path / "warm.db"
    for turn in range(15):
        mutate(dice, tree.claude / "projects", turn)
        fresh = tmp_path / f"fresh{turn}.db"
        assert everything(refresh([tree.claude], warm, SALT)) == everything(
            refresh([tree.claude], fresh, SALT)
        )


def mutate(dice: random.Random, folder: Path, turn: int) -> None:
    """Change one or two files as an agent, a clean-up or a person might."""
    for _ in range(dice.randrange(1, 3)):
        files = sorted(folder.rglob("*.jsonl"))
        file, other = dice.choice(files), dice.choice(files)
        data = file.read_bytes()
        kind = dice.randrange(7)
        if kind == 0:
            file.write_bytes(data + b"".join(dice.sample(other.read_bytes().splitlines(True), 3)))
        elif kind == 1:
            file.write_bytes(data[: dice.randrange(len(data) + 1)])
        elif kind == 2:
            place = dice.randrange(len(data) + 1)
            file.write_bytes(data[:place] + b"7" * min(50, len(data) - place) + data[place + 50 :])
        elif kind == 3 and len(files) > 20:
            file.unlink()
        elif kind == 4:
            file.rename(file.with_name(f"moved-{turn}.jsonl"))
        elif kind == 5:
            (folder / f"copy-{turn}").mkdir(exist_ok=True)
            (folder / f"copy-{turn}" / other.name).write_bytes(other.read_bytes())
        else:
            with file.open("ab") as more:
                more.write(data[-300:])


# The database


def test_a_damaged_database_is_made_anew(place: Place) -> None:
    place.write(call(), result())
    place.calls()
    for data in (b"not a database at all" * 500, b""):
        for path in place.database.parent.glob("detail.db-*"):
            path.unlink()
        place.database.write_bytes(data)
        assert [one.id for one in place.calls()] == [ID]


def test_a_database_of_another_format_is_made_anew(place: Place) -> None:
    place.write(call(), result())
    place.calls()
    with sqlite3.connect(place.database) as database:
        database.execute("UPDATE memo SET value = CAST('1' || substr(value, 2) AS BLOB)")
        database.execute("DROP TABLE attribution")
    database.close()
    assert [one.id for one in place.calls()] == [ID]


def test_what_left_the_roots_leaves_the_database(place: Place) -> None:
    file = place.write(call(attributionSkill="review"), result())
    place.calls()
    file.unlink()
    assert place.calls() == []
    with sqlite3.connect(place.database) as database:
        sizes = [
            database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
            for table in ("file", "call", "result", "part", "attribution", "compaction", "pause")
        ]
    database.close()
    assert sizes == [0] * 7


@requirement("R5")
def test_nothing_is_written_below_a_root(place: Place) -> None:
    place.write(call(), result())
    before = sorted((path, path.stat().st_mtime_ns) for path in place.root.rglob("*"))
    place.calls()
    assert sorted((path, path.stat().st_mtime_ns) for path in place.root.rglob("*")) == before


def test_the_database_and_the_salt_are_for_their_owner_only(place: Place, tmp_path: Path) -> None:
    place.calls()
    salt = machine_salt(str(tmp_path / "own"))
    assert machine_salt(str(tmp_path / "own")) == salt
    assert (len(salt), salt != machine_salt(str(tmp_path / "other"))) == (32, True)
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in tmp_path.rglob("*.salt")]
    assert {*modes, stat.S_IMODE(place.database.stat().st_mode)} == {0o600}


def test_a_salt_cut_short_is_made_anew(tmp_path: Path) -> None:
    machine_salt(str(tmp_path))
    (tmp_path / "detail.salt").write_bytes(b"short")
    assert len(machine_salt(str(tmp_path))) == 32


def test_lines_read_in_pieces_give_the_same_rows_as_at_once(tmp_path: Path) -> None:
    tree = demo.write(tmp_path, 20_742)
    file = max((tree.claude / "projects").rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    data = file.read_bytes()
    whole = DetailLines(file.stem, True, SALT)
    whole.feed(data, 0)
    cut = data.index(b"\n", len(data) // 2) + 1
    first = DetailLines(file.stem, True, SALT)
    first.feed(data[:cut], 0)
    second = DetailLines(file.stem, True, SALT, first.state())
    second.feed(data[cut:], cut)
    for name in ("calls", "results", "parts", "attributions", "compactions", "pauses"):
        assert getattr(first, name) + getattr(second, name) == getattr(whole, name)
