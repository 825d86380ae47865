"""What is swapped between the check and the use, at every step and by a racing thread, leads nowhere."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from econome.delegation import fresh, outputs
from econome.delegation.files import Limits, read_files
from econome.delegation.outputs import check_output, write_output
from econome.delegation.seen import Eyes, Seen
from econome.errors import FileRefused
from econome.renames import exchange
from tests.delegation.ground import INSIDE, SECRET, Ground, Steps, ground_in, no_space, refusal
from tests.requirements import requirement

pytestmark = requirement("D7")

Swap = Callable[[Ground], None]


def _file_for_link(ground: Ground) -> None:
    (ground.root / "deep" / "b.txt").unlink(missing_ok=True)
    (ground.root / "deep" / "b.txt").symlink_to(ground.outside / "deep" / "b.txt")


def _file_for_fifo(ground: Ground) -> None:
    (ground.root / "deep" / "b.txt").unlink(missing_ok=True)
    os.mkfifo(ground.root / "deep" / "b.txt")


def _file_for_directory(ground: Ground) -> None:
    (ground.root / "deep" / "b.txt").unlink(missing_ok=True)
    (ground.root / "deep" / "b.txt").mkdir()


def _directory_for_link(ground: Ground) -> None:
    (ground.root / "deep").rename(ground.root / "moved")
    (ground.root / "deep").symlink_to(ground.outside / "deep")


def _root_for_link(ground: Ground) -> None:
    ground.root.rename(ground.root.with_name("moved"))
    ground.root.symlink_to(ground.outside)


def _all_gone(ground: Ground) -> None:
    for path in (ground.root / "deep" / "b.txt", ground.root / "deep"):
        with suppress(OSError):
            path.unlink() if path.is_file() else path.rmdir()


SWAPS = [
    _file_for_link, _file_for_fifo, _file_for_directory, _directory_for_link, _root_for_link, _all_gone,
]  # fmt: skip

PATHS = ["deep/b.txt", "deep/new.txt"]
LIMITS = Limits(file_bytes=1000)


@pytest.mark.parametrize("swap", SWAPS)
def test_a_swap_before_any_step_of_reading_gives_nothing_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swap: Swap
) -> None:
    steps, at, read = Steps(monkeypatch), 0, []
    while True:
        ground = ground_in(tmp_path / str(at))

        def reading(ground: Ground = ground) -> None:
            read.extend(read_files(PATHS[:1], None, ground.roots, LIMITS))

        if not steps.run(at, lambda ground=ground: swap(ground), reading):  # type: ignore[misc]
            break
        at += 1
    assert at > 8
    assert set(read) == {(PATHS[0], INSIDE)}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("swap", SWAPS)
def test_a_swap_before_any_step_of_writing_changes_nothing_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swap: Swap, overwrite: bool, path: str
) -> None:
    steps, at = Steps(monkeypatch), 0
    while True:
        ground, eyes = ground_in(tmp_path / str(at)), Seen().by((None, None))
        outside = ground.outside_now()
        read_files(PATHS[:1], None, ground.roots, LIMITS, eyes)

        def writing(ground: Ground = ground, eyes: Eyes = eyes) -> None:
            write_output(path, "ours", None, ground.roots, overwrite=overwrite, eyes=eyes)

        done = steps.run(at, lambda ground=ground: swap(ground), writing)  # type: ignore[misc]
        assert ground.outside_now() == outside
        if not done:
            break
        at += 1
    assert at > 15


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", ["in place", "renamed"])
def test_a_users_edit_before_any_step_of_writing_is_never_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, path: str
) -> None:
    steps, at = Steps(monkeypatch), 0
    while True:
        ground, eyes = ground_in(tmp_path / str(at)), Seen().by((None, None))
        read_files(PATHS[:1], None, ground.roots, LIMITS, eyes)
        target = ground.root / path

        def edit(target: Path = target, ground: Ground = ground) -> None:
            if mode == "in place":
                target.write_text("theirs\n", encoding="utf-8")
            else:
                (ground.root / "draft").write_text("theirs\n", encoding="utf-8")
                (ground.root / "draft").rename(target)

        def writing(ground: Ground = ground, eyes: Eyes = eyes) -> None:
            write_output(path, "ours", None, ground.roots, eyes=eyes)

        if not steps.run(at, edit, writing):
            assert target.read_text(encoding="utf-8") == "ours\n"
            break
        assert target.read_text(encoding="utf-8") == "theirs\n"
        at += 1
    assert at > 15


@pytest.mark.parametrize("second", ["edits", "removes"])
def test_of_two_edits_around_the_exchange_both_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str
) -> None:
    ground, eyes = ground_in(tmp_path), Seen().by((None, None))
    times: list[int] = []
    target, draft = ground.root / "a.txt", ground.root / "draft"
    read_files(["a.txt"], None, ground.roots, LIMITS, eyes)

    def exchanging(*args: object) -> bool:
        times.append(len(times) + 1)
        if times[-1] == 2 and second == "removes":
            target.unlink()
        else:
            draft.write_text(f"edit {times[-1]}\n", encoding="utf-8")
            draft.rename(target)
        return exchange(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(outputs, "exchange", exchanging)
    why = refusal(write_output, "a.txt", "ours", None, ground.roots, eyes=eyes)
    assert why.startswith("it was changed twice meanwhile; one state is in a.txt.")
    held = [text for name, text in ground.inside_now().items() if name.startswith("a.txt")]
    assert sorted(held) == (["edit 1\n", "edit 2\n"] if second == "edits" else ["edit 1\n"])
    assert not list(ground.root.glob(".econome*"))


def test_a_file_is_whole_or_as_it_was_before_any_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, at, found = Steps(monkeypatch), 0, set()
    while True:
        ground, eyes = ground_in(tmp_path / str(at)), Seen().by((None, None))
        read_files(PATHS[:1], None, ground.roots, LIMITS, eyes)
        target = ground.root / PATHS[0]

        def looking(target: Path = target) -> None:
            found.add(target.read_text(encoding="utf-8"))

        def writing(ground: Ground = ground, eyes: Eyes = eyes) -> None:
            write_output(PATHS[0], "ours", None, ground.roots, eyes=eyes)

        if not steps.run(at, looking, writing):
            break
        at += 1
    assert found == {INSIDE, "ours\n"}


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
@pytest.mark.parametrize("path", PATHS)
def test_who_dies_while_an_answer_is_written_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    steps, at, left = Steps(monkeypatch), 0, []
    while True:
        ground, eyes = ground_in(tmp_path / str(at)), Seen().by((None, None))
        read_files(PATHS[:1], None, ground.roots, LIMITS, eyes)

        def looking(ground: Ground = ground) -> None:
            left.append(sorted(one.name for one in ground.root.rglob(".econome*")))

        def writing(ground: Ground = ground, eyes: Eyes = eyes) -> None:
            write_output(path, "ours", None, ground.roots, eyes=eyes)

        if not steps.run(at, looking, writing):
            break
        assert not list(ground.root.rglob(".econome*"))
        at += 1
    assert at > 15
    # Where something is replaced, only from when the two names are exchanged until the old one is gone.
    held = [at for at, names in enumerate(left) if names]
    assert len(held) <= (0 if path not in PATHS[:1] else 10)
    assert held == list(range(held[0], held[0] + len(held))) if held else True


def _without_proc(path: str) -> str:
    return "/nowhere"


@pytest.mark.parametrize("lacking", ["files without a name", "a path to them", "second names"])
def test_a_system_that_lacks_something_writes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    if lacking == "files without a name":
        monkeypatch.setattr(fresh, "_NAMELESS", 0)
    elif lacking == "a path to them":
        monkeypatch.setattr(fresh, "_path", _without_proc)
    else:
        monkeypatch.setattr(os, "link", no_space)
    ground, eyes = ground_in(tmp_path), Seen().by((None, None))
    read_files(["a.txt"], None, ground.roots, LIMITS, eyes)
    (ground.root / "a.txt").chmod(0o640)
    before = ground.inside_now()
    write_output("a.txt", "ours", None, ground.roots, eyes=eyes)
    write_output("new.txt", "ours", None, ground.roots, eyes=eyes)
    write_output("deep/b.txt", "ours", None, ground.roots, overwrite=True)
    ours = {"a.txt": "ours\n", "new.txt": "ours\n", "deep/b.txt": "ours\n"}
    assert ground.inside_now() == {**before, **ours}
    assert stat.S_IMODE((ground.root / "a.txt").stat().st_mode) == 0o640


def _swapping(ground: Ground, over: threading.Event) -> None:
    """Have a directory and a link to its like outside take each other's name, in one step each time."""
    (ground.root / "link").symlink_to(ground.outside / "deep")
    fd = os.open(ground.root, os.O_RDONLY)
    try:
        while not over.is_set() and exchange(fd, "deep", "link"):
            pass
    finally:
        os.close(fd)


def test_a_thread_that_swaps_a_directory_for_a_link_out_wins_nothing(tmp_path: Path) -> None:
    ground, over = ground_in(tmp_path), threading.Event()
    outside, read, refused = ground.outside_now(), [], 0
    thread = threading.Thread(target=_swapping, args=(ground, over))
    thread.start()
    try:
        for _ in range(400):
            try:
                read += read_files(PATHS[:1], None, ground.roots, LIMITS)
                write_output("deep/c.txt", "ours", None, ground.roots, overwrite=True)
            except FileRefused:
                refused += 1
    finally:
        over.set()
        thread.join()
    assert set(read) <= {(PATHS[0], INSIDE)}
    assert len(read) + refused >= 400
    assert ground.outside_now() == outside


def test_a_thread_that_edits_the_file_loses_no_edit(tmp_path: Path) -> None:
    ground, eyes = ground_in(tmp_path), Seen().by((None, None))
    target, draft = ground.root / "a.txt", ground.root / "draft"
    with ThreadPoolExecutor(1) as pool:
        for turn in range(120):
            target.write_text(INSIDE, encoding="utf-8")
            read_files(["a.txt"], None, ground.roots, LIMITS, eyes)
            draft.write_text(f"theirs {turn}\n", encoding="utf-8")
            writing = pool.submit(write_output, "a.txt", "ours", None, ground.roots, eyes=eyes)
            for _ in range(turn * 100):  # so that it comes at another moment each time
                if writing.done():
                    break
            draft.rename(target)
            with suppress(FileRefused):
                writing.result()
            assert target.read_text(encoding="utf-8") == f"theirs {turn}\n"
    assert not list(ground.root.glob(".econome*"))


PIECES = st.sampled_from(
    [
        "..", ".", "", "a.txt", "deep", "b.txt", "out", "link.txt", "outside", "root", ".git", ".GIT", "new", "~", "\0", "\\", "é",
        "x" * 300, ".env",
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    ground = ground_in(tmp_path_factory.mktemp("trap"))
    (ground.root / "out").symlink_to(ground.outside)
    (ground.root / "link.txt").symlink_to(ground.outside / "a.txt")
    (ground.root / ".git").mkdir()
    (ground.root / ".git" / "a.txt").write_text(SECRET, encoding="utf-8")
    return ground


def _paths(ground: Ground) -> st.SearchStrategy[str]:
    tops = st.sampled_from(["", "/", f"{ground.root}/", f"{ground.outside}/", f"{ground.root}/../"])
    made = st.builds(lambda top, parts: top + "/".join(parts), tops, st.lists(PIECES, max_size=5))
    return made | st.text() | st.builds("{}/{}".format, made, st.text(max_size=4))


@given(data=st.data(), narrowed=st.booleans(), based=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_path_nothing_outside_is_read_or_written(
    trap: Ground, data: st.DataObject, narrowed: bool, based: bool
) -> None:
    path = data.draw(_paths(trap))
    outside, closed = trap.outside_now(), (trap.root / ".git").stat().st_mtime_ns
    base = str(trap.root / "deep") if based else None
    roots = trap.roots
    if narrowed:
        roots = type(roots)(
            roots.allowed, (data.draw(st.sampled_from([str(trap.root / "out"), str(trap.root)])),)
        )
    with suppress(FileRefused):
        ((_, text),) = read_files([path], base, roots, LIMITS)
        assert text != SECRET
    with suppress(FileRefused):
        where = check_output(path, base, roots, overwrite=True)
        assert os.path.realpath(where).startswith(f"{os.path.realpath(trap.root)}/")
        assert write_output(path, "ours", base, roots, overwrite=True) == where
    assert trap.outside_now() == outside
    assert (trap.root / ".git").stat().st_mtime_ns == closed
