"""Changes reach the work tree all together or not at all, over nothing of the user's and through no link (D7)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from econome.delegation.coder.apply import apply_changes
from econome.delegation.coder.changes import Changed
from tests.delegation.ground import no_space
from tests.delegation.repositories import (
    FILES,
    THREE,
    Bench,
    bench_in,
    change_three,
    git,
    refused,
    write,
)
from tests.requirements import requirement

pytestmark = requirement("D7")

A_TEXT = FILES["a.txt"]
_DIRTY = "it has changes of yours that are not committed; commit or undo them first"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return bench_in(tmp_path)


def test_changes_are_applied_to_the_work_tree_and_to_nothing_else(bench: Bench) -> None:
    (bench.repository / "a.txt").chmod(0o640)
    change_three(bench)
    index = (bench.repository / ".git" / "index").read_bytes()
    assert bench.apply() == ("a.txt", "new/deep/b.txt", "src/x.py")
    assert bench.now() == THREE
    assert stat.S_IMODE((bench.repository / "a.txt").stat().st_mode) == 0o640
    assert (bench.repository / ".git" / "index").read_bytes() == index
    assert git(bench.repository, "status", "--porcelain") == " M a.txt\n D src/x.py\n?? new/\n"


def _dirty(bench: Bench) -> None:
    write(bench.repository, "a.txt", A_TEXT + "mine\n")


def _gone(bench: Bench) -> None:
    (bench.repository / "a.txt").unlink()


def _staged(bench: Bench) -> None:
    write(bench.repository, "a.txt", A_TEXT + "mine\n")
    git(bench.repository, "add", "a.txt")
    write(bench.repository, "a.txt", A_TEXT)


def _removed_from_index(bench: Bench) -> None:
    git(bench.repository, "rm", "-q", "--cached", "a.txt")


def _dirty_where_removed(bench: Bench) -> None:
    write(bench.repository, "src/x.py", "print('mine')\n")


def _hidden(bench: Bench) -> None:
    git(bench.repository, "update-index", "--assume-unchanged", "a.txt")
    write(bench.repository, "a.txt", A_TEXT + "mine\n")


def _huge(bench: Bench) -> None:
    os.truncate(bench.repository / "a.txt", 5 << 30)


@pytest.mark.parametrize(
    "act, path",
    [
        (_dirty, "a.txt"),
        (_gone, "a.txt"),
        (_staged, "a.txt"),
        (_removed_from_index, "a.txt"),
        (_dirty_where_removed, "src/x.py"),
        (_hidden, "a.txt"),
        (_huge, "a.txt"),
    ],
)
def test_a_file_that_is_not_as_it_was_committed_is_not_touched_nor_any_other(
    bench: Bench, act: Callable[[Bench], None], path: str
) -> None:
    change_three(bench)
    act(bench)
    if act is not _huge:
        before = bench.now()
        assert refused(bench.apply) == (path, _DIRTY)
        assert bench.now() == before
    else:
        assert refused(bench.apply) == (path, _DIRTY)
        assert not (bench.repository / "new").exists()


def test_what_was_committed_since_is_kept_where_both_go_together(bench: Bench) -> None:
    change_three(bench)
    bench.commit("a.txt", A_TEXT.replace("seven", "SEVEN"))
    bench.apply()
    both = A_TEXT.replace("two", "TWO").replace("seven", "SEVEN")
    assert bench.now() == {**THREE, "a.txt": both.encode()}


@pytest.mark.parametrize(
    "path, text, reason",
    [
        ("a.txt", A_TEXT.replace("two", "2"), "it was changed since by a commit too"),
        ("src/x.py", "print(7)\n", "it was changed since by a commit too"),
        ("new/deep/b.txt", "other\n", "something of that name is there already"),
        ("new", "other\n", "a link, or something else that is no directory"),
    ],
)
def test_what_does_not_go_together_with_a_later_commit_is_refused(
    bench: Bench, path: str, text: str, reason: str
) -> None:
    change_three(bench)
    bench.commit(path, text)
    before = bench.now()
    told, why = refused(bench.apply)
    assert (told, why.startswith(reason)) == (path if path != "new" else "new/deep/b.txt", True)
    assert bench.now() == before


def test_what_a_commit_removed_since_is_refused(bench: Bench) -> None:
    change_three(bench)
    git(bench.repository, "rm", "-q", "a.txt")
    git(bench.repository, "commit", "-q", "-m", "removed")
    assert refused(bench.apply) == ("a.txt", "a commit removed it since")


def test_a_conflict_that_a_merge_left_is_refused(bench: Bench) -> None:
    change_three(bench)
    git(bench.repository, "switch", "-q", "-c", "side")
    bench.commit("a.txt", "side\n")
    git(bench.repository, "switch", "-q", "main")
    bench.commit("a.txt", "main\n")
    with pytest.raises(Exception, match="merge"):
        git(bench.repository, "merge", "side")
    assert refused(bench.apply) == ("a.txt", "a merge left it unresolved")


def _untracked(top: Path) -> None:
    write(top, "new/deep/b.txt", "mine\n")


def _a_link(top: Path) -> None:
    (top / "new").mkdir()
    (top / "new" / "deep").symlink_to(top.parent)


def _a_dangling_link(top: Path) -> None:
    (top / "new" / "deep").mkdir(parents=True)
    (top / "new" / "deep" / "b.txt").symlink_to(top.parent / "nowhere")


def _a_repository(top: Path) -> None:
    (top / "new").mkdir()
    git(top / "new", "init", "-q")


@pytest.mark.parametrize("act", [_untracked, _a_link, _a_dangling_link, _a_repository])
def test_what_stands_in_the_way_of_a_new_file_stays(
    bench: Bench, act: Callable[[Path], None]
) -> None:
    change_three(bench)
    act(bench.repository)
    before = bench.now()
    assert refused(bench.apply)[0] == "new/deep/b.txt"
    assert bench.now() == before
    assert sorted(path.name for path in bench.repository.parent.iterdir()) == [
        "repository",
        "scratch",
    ]


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/post-commit",
        ".GIT/config",
        "src/.Git/config",
        ".git./config",
        ".git /config",
        "GIT~1/config",
        ".git::$INDEX_ALLOCATION/config",
        ".g\u200cit/config",
        ".gi\u200dt/config",
        "\ufeff.git/config",
        "../outside",
        "src/../../outside",
        "/etc/outside",
        "src//x",
        "./src/z",
        "src/",
        "",
        ".gitmodules",
        ".GitModules",
        "a\\..\\b",
        "c:x",
        "a\0b",
        "a\nb",
        "bidi\u202e.py",
        "\udce9.txt",
    ],
)
def test_a_path_that_leads_elsewhere_is_never_applied(bench: Bench, path: str) -> None:
    from econome.delegation.coder.paths import refusal

    reason = refusal(path)
    assert reason is not None
    change = Changed(path, "added", None, b"evil\n", reason=reason)
    before, outside = bench.now(), sorted(os.listdir(bench.repository.parent))
    assert refused(lambda: apply_changes(bench.base, [change])) == (path, reason)
    assert (bench.now(), sorted(os.listdir(bench.repository.parent))) == (before, outside)


def test_a_tracked_link_is_not_written_through(bench: Bench, tmp_path: Path) -> None:
    change_three(bench)
    aside = tmp_path / "aside.txt"
    (bench.repository / "a.txt").rename(aside)
    (bench.repository / "a.txt").symlink_to(aside)
    assert refused(bench.apply)[0] == "a.txt"
    assert aside.read_text("utf-8") == A_TEXT


def test_a_repository_that_became_a_link_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    change_three(bench)
    moved = tmp_path / "moved"
    bench.repository.rename(moved)
    bench.repository.symlink_to(moved)
    told = (str(bench.repository), "it is gone, or a link leads there now")
    assert refused(bench.apply) == told
    assert (moved / "a.txt").read_text("utf-8") == A_TEXT


def test_a_submodule_in_the_repository_is_not_written_into(bench: Bench, tmp_path: Path) -> None:
    change_three(bench)
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    write(inner, "i.txt", "i\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "first")
    git(bench.repository, "submodule", "add", "-q", str(inner), "new")
    assert refused(bench.apply) == ("new/deep/b.txt", "it lies in a submodule")


def test_line_ends_of_the_work_tree_stay_as_they_are(tmp_path: Path) -> None:
    files = {".gitattributes": "*.txt text eol=crlf\n", "a.txt": "one\ntwo\n"}
    bench = bench_in(tmp_path, files)
    (bench.repository / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    git(bench.repository, "add", "a.txt")
    write(bench.clone, "a.txt", "one\n2\nthree\n")
    bench.apply()
    assert (bench.repository / "a.txt").read_bytes() == b"one\r\n2\r\nthree\r\n"


def test_no_filter_of_the_repository_is_run_and_what_one_made_is_not_replaced(
    tmp_path: Path,
) -> None:
    ran = tmp_path / "ran"
    bench = bench_in(tmp_path, {".gitattributes": "*.txt filter=up\n", "a.txt": "one\n"})
    for kind in ("clean", "smudge", "process"):
        git(bench.repository, "config", f"filter.up.{kind}", f"touch {ran}; cat")
    write(bench.repository, "a.txt", "ONE\n")
    write(bench.clone, "a.txt", "two\n")
    assert refused(bench.apply) == ("a.txt", _DIRTY)
    assert not ran.exists()


def test_what_does_not_reach_the_disk_is_not_applied(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_three(bench)
    changes, before = bench.changes(), bench.now()
    monkeypatch.setattr(os, "fsync", no_space)
    _, reason = refused(lambda: apply_changes(bench.base, changes))
    assert reason == "No space left on device; nothing was applied"
    assert bench.now() == before


def test_nothing_is_applied_while_git_is_at_work(bench: Bench) -> None:
    change_three(bench)
    lock = bench.repository / ".git" / "index.lock"
    lock.write_bytes(b"theirs")
    before = bench.now()
    assert refused(bench.apply)[1] == "git is at work in the repository; try again when it is done"
    assert (bench.now(), lock.read_bytes()) == (before, b"theirs")
    lock.unlink()
    bench.apply()
    assert (bench.now(), lock.exists()) == (THREE, False)


def test_applying_twice_is_refused(bench: Bench) -> None:
    change_three(bench)
    bench.apply()
    assert refused(bench.apply)[0] == "a.txt"
    assert bench.now() == THREE
