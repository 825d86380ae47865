"""F12: an index that is damaged, in the way, out of date or shared changes nothing but time."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import Tree, assistant, line
from tests.door import Ran, arguments, cache, finish, forget, run, spawn, text
from tests.requirements import requirement
from tests.usage.forest import grow


@pytest.fixture
def grown(tree: Tree) -> Tree:
    """A tree with some dozens of files."""
    chance = random.Random(11)
    for _ in range(12):
        grow(tree, chance)
    for number in range(30):
        tree.main(f"t{number}", *(assistant(f"{number}-{n}") for n in range(20)), slug="-t")
    return tree


def index_files() -> list[Path]:
    """The files of the index, the greatest first."""
    files = [path for path in cache().rglob("*") if path.is_file()]
    return sorted(files, key=lambda path: -path.stat().st_size)


def flip(path: Path, chance: random.Random) -> None:
    """Change a few bytes."""
    data = bytearray(path.read_bytes())
    for _ in range(chance.randrange(1, 20)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def clear(path: Path, chance: random.Random) -> None:
    """Overwrite some pages with zeros."""
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice((512, 4096, 20_000)))
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


def cut(path: Path, chance: random.Random) -> None:
    """Cut the file."""
    os.truncate(path, chance.randrange(path.stat().st_size))


def empty(path: Path, chance: random.Random) -> None:
    """Leave nothing."""
    path.write_bytes(b"")


def garbage(path: Path, chance: random.Random) -> None:
    """Replace it all."""
    path.write_bytes(chance.randbytes(path.stat().st_size))


def strange(path: Path, chance: random.Random) -> None:
    """Put another database there."""
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE file (x)")
    other.close()


def journals(path: Path, chance: random.Random) -> None:
    """Put nonsense where SQLite keeps its journals."""
    for end in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + end).write_bytes(chance.randbytes(5000))


def folder(path: Path, chance: random.Random) -> None:
    """Put a directory there."""
    path.unlink()
    path.mkdir()


def shift(path: Path, chance: random.Random) -> None:
    """Swap two pages."""
    data = path.read_bytes()
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    if len(pages) > 3:
        one, two = chance.sample(range(1, len(pages)), 2)
        pages[one], pages[two] = pages[two], pages[one]
    path.write_bytes(b"".join(pages))


DAMAGES: tuple[tuple[Callable[[Path, random.Random], None], int], ...] = (
    (flip, 25),
    (clear, 8),
    (cut, 6),
    (shift, 4),
    (empty, 1),
    (garbage, 1),
    (strange, 1),
    (journals, 1),
    (folder, 1),
)


@pytest.mark.slow
@requirement("F12")
@pytest.mark.parametrize(("damage", "times"), DAMAGES, ids=[d.__name__ for d, _ in DAMAGES])
@pytest.mark.parametrize("change", [False, True])
def test_a_damaged_index_gives_the_same_bytes_without_a_word(
    grown: Tree,
    damage: Callable[[Path, random.Random], None],
    times: int,
    change: bool,
    tmp_path: Path,
) -> None:
    cold = text(grown.root, args=("--no-index",))
    assert text(grown.root) == cold
    whole = tmp_path / "whole"
    shutil.copytree(cache(), whole)
    for seed in range(times):
        shutil.rmtree(cache())
        shutil.copytree(whole, cache())
        damage(index_files()[0], random.Random(seed))
        if change:
            path = grown.root / "projects" / "-t" / "t0.jsonl"
            with path.open("ab") as out:
                out.write(line(assistant(f"new{seed}", sessionId="t0")) + b"\n")
            cold = text(grown.root, args=("--no-index",))
        assert text(grown.root) == cold, f"seed {seed}"
        assert text(grown.root) == cold, f"seed {seed}, again"


@requirement("F12")
def test_a_cache_that_cannot_be_written_is_gone_without(
    grown: Tree, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cold = text(grown.root, args=("--no-index",))
    (home / "file").write_bytes(b"in the way")
    for path in (home / "file", home / "file" / "below", Path("/proc/none"), Path("/dev/null")):
        monkeypatch.setenv("XDG_CACHE_HOME", str(path))
        assert text(grown.root) == cold


@requirement("F12")
def test_the_index_lies_in_the_cache_directory_alone(grown: Tree, home: Path) -> None:
    text(grown.root)
    found = {path.relative_to(home).parts[0] for path in home.rglob("*") if path.is_file()}
    assert found == {"cache"}


@pytest.mark.slow
@requirement("F12")
def test_several_first_runs_at_once_all_answer(grown: Tree) -> None:
    cold = text(grown.root, args=("--no-index",))
    for _ in range(3):
        forget()
        line_ = arguments((grown.root,), ())
        ran = [finish(process) for process in [spawn(*line_) for _ in range(4)]]
        assert [(one.code, one.err) for one in ran] == [(0, "")] * 4
        assert {one.out for one in ran} == {cold}
        assert text(grown.root) == cold


@pytest.mark.slow
@requirement("F12")
def test_readers_and_writers_of_one_index_do_not_disturb_each_other(grown: Tree) -> None:
    text(grown.root)
    path = grown.root / "projects" / "-t" / "t1.jsonl"
    for number in range(6):
        with path.open("ab") as out:
            out.write(line(assistant(f"more{number}", sessionId="t1")) + b"\n")
        cold = text(grown.root, args=("--no-index",))
        processes = [spawn(*arguments((grown.root,), ("--by", "day"))) for _ in range(2)]
        assert text(grown.root) == cold
        ran = [finish(process) for process in processes]
        assert [(one.code, one.err, one.out) for one in ran] == [(0, "", cold)] * 2


@requirement("F12")
def test_another_tree_at_the_same_time_is_no_trouble(grown: Tree, tmp_path: Path) -> None:
    other = Tree(tmp_path / "other")
    other.main("s1", assistant("a"))
    want = [text(root, args=("--no-index",)) for root in (grown.root, other.root)]
    for _ in range(2):
        forget()
        roots = (grown.root, other.root, grown.root, other.root)
        ran = [finish(p) for p in [spawn(*arguments((root,), ())) for root in roots]]
        assert [(one.code, one.err) for one in ran] == [(0, "")] * 4
        assert [one.out for one in ran] == want * 2


@requirement("F12")
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_run_that_is_killed_leaves_an_index_that_works(grown: Tree) -> None:
    cold = text(grown.root, args=("--no-index",))
    forget()
    killed = 0
    for _ in range(6):
        process = spawn(*arguments((grown.root,), ()))
        while process.poll() is None and not index_files():
            pass
        process.send_signal(signal.SIGKILL)
        finish(process)
        killed += process.returncode == -signal.SIGKILL
        assert text(grown.root) == cold
        forget()
    assert killed


@requirement("F12")
def test_an_index_locked_by_another_program_is_waited_for_or_gone_without(grown: Tree) -> None:
    cold = text(grown.root)
    lock = sqlite3.connect(index_files()[0], isolation_level=None)
    process = spawn(*arguments((grown.root,), ()))
    try:
        lock.execute("BEGIN IMMEDIATE")
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        pass  # it waits
    finally:
        lock.close()
    assert finish(process) == Ran(0, cold, "")


@requirement("F12", "R5")
def test_a_broken_pipe_is_no_traceback(grown: Tree) -> None:
    process = spawn(*arguments((grown.root,), ("--by", "session")))
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()
    assert run(*arguments((grown.root,), ())).code == 0


@requirement("F12")
def test_an_index_of_another_parser_version_is_made_anew(
    grown: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    cold = text(grown.root, args=("--no-index",))
    with monkeypatch.context() as older:
        older.setattr("econome.usage.index._FORMAT", "0:0")
        older.setattr("econome.usage.rows.counter", lambda value: 7)
        assert text(grown.root) != cold
        assert text(grown.root) != cold
    assert text(grown.root) == cold
    assert text(grown.root) == cold
