"""What a coder left in its clone is read by us alone, and nothing that it left there is obeyed (D7)."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from econome.delegation.coder.changes import BINARY, FILE_LIMIT
from econome.delegation.coder.diffs import make_diffs
from econome.delegation.coder.paths import runs_code
from econome.delegation.order import Change
from tests.delegation.repositories import Bench, bench_in, git, refused, write
from tests.requirements import requirement

pytestmark = requirement("D7")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return bench_in(tmp_path)


def _told(bench: Bench) -> list[tuple[str, str, str | None]]:
    return [(each.path, each.kind, each.reason) for each in bench.changes()]


def test_a_clone_that_nobody_touched_has_no_changes(bench: Bench) -> None:
    assert bench.changes() == []


def test_a_clone_shares_no_file_with_the_repository_and_knows_no_remote(bench: Bench) -> None:
    def inodes(top: Path) -> set[int]:
        return {path.stat().st_ino for path in top.rglob("*") if path.is_file()}

    assert inodes(bench.repository) & inodes(bench.clone) == set()
    assert git(bench.clone, "remote") == ""
    assert not (bench.clone / ".git" / "hooks").exists()


def test_every_kind_of_change_is_told_with_its_lines(bench: Bench) -> None:
    (bench.clone / "a.txt").write_text("one\nTWO\nthree\nfour\nfive\nsix\nseven\n", "utf-8")
    (bench.clone / "src" / "x.py").unlink()
    (bench.clone / "Makefile").write_text("all:\n\ttrue\n", "utf-8")
    diffs = make_diffs(bench.changes())
    assert diffs.changes == (
        Change("Makefile", 2, 0, "added", True),
        Change("a.txt", 1, 1, "changed", False),
        Change("src/x.py", 0, 1, "deleted", False),
    )
    assert "-two\n+TWO\n" in diffs.text("a.txt")
    whole = diffs.text(None)
    assert whole.startswith("# These files can make programs run:\n\ndiff --git a/Makefile")
    assert whole.index("Makefile") < whole.index("# The other files:") < whole.index("a/a.txt")
    assert refused(lambda: diffs.text("b.txt")) == ("b.txt", "it is not among the changes")


def test_a_diff_can_be_applied_by_git(bench: Bench, tmp_path: Path) -> None:
    (bench.clone / "a.txt").write_text('one\n"two"\r\nthree', "utf-8")
    (bench.clone / "new dir").mkdir()
    (bench.clone / "new dir" / "é\"'.txt").write_bytes(b"caf\xe9\n-- \n+++ b\ndiff --git a b\n")
    diff = make_diffs(bench.changes())
    (tmp_path / "patch").write_text(diff.text("a.txt"), "utf-8", newline="")
    git(bench.repository, "apply", str(tmp_path / "patch"))
    assert (bench.repository / "a.txt").read_bytes() == b'one\n"two"\r\nthree'
    assert [change.path for change in diff.changes] == ["a.txt", "new dir/é\"'.txt"]


def test_what_the_commit_ignores_is_left_out_whatever_the_coder_made_of_the_rules(
    bench: Bench,
) -> None:
    (bench.clone / ".gitignore").write_text("src/\n", "utf-8")
    (bench.clone / "out.log").write_text("noise\n", "utf-8")
    (bench.clone / "build").mkdir()
    (bench.clone / "build" / "x.o").symlink_to("/etc/passwd")
    (bench.clone / "src" / "z.py").write_text("print(3)\n", "utf-8")
    assert _told(bench) == [(".gitignore", "changed", None), ("src/z.py", "added", None)]


PROGRAM = "#!/bin/sh\necho ran >> {ran}\ncat\n"


def test_nothing_that_the_coder_wrote_into_the_clone_is_run(bench: Bench, tmp_path: Path) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(PROGRAM.format(ran=ran), "utf-8")
    program.chmod(0o755)
    hooks = bench.clone / ".git" / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit", "fsmonitor-watchman", "post-index-change"):
        (hooks / name).write_text(PROGRAM.format(ran=ran), "utf-8")
        (hooks / name).chmod(0o755)
    for name, value in {
        "core.fsmonitor": str(program),
        "core.hooksPath": str(hooks),
        "core.pager": str(program),
        "core.sshCommand": str(program),
        "diff.external": str(program),
        "diff.bad.textconv": str(program),
        "diff.bad.command": str(program),
        "filter.bad.clean": str(program),
        "filter.bad.smudge": str(program),
        "merge.bad.driver": str(program),
        "alias.diff": f"!{program}",
        "alias.ls-tree": f"!{program}",
        "core.worktree": "/",
    }.items():
        git(bench.clone, "config", name, value)
    (bench.clone / ".gitattributes").write_text("* filter=bad diff=bad merge=bad\n", "utf-8")
    (bench.clone / "a.txt").write_text("other\n", "utf-8")
    diffs = make_diffs(bench.changes())
    assert "+other\n" in diffs.text("a.txt")
    bench.commit("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n8\n")
    refused(bench.apply)
    assert not ran.exists()


def test_attributes_hide_nothing_from_the_diff(bench: Bench) -> None:
    (bench.clone / ".gitattributes").write_text("*.txt -diff binary\n", "utf-8")
    (bench.clone / "a.txt").write_text("other\n", "utf-8")
    assert "+other\n" in make_diffs(bench.changes()).text("a.txt")


def test_a_link_is_never_read_through(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret words\n", "utf-8")
    (bench.clone / "a.txt").unlink()
    (bench.clone / "a.txt").symlink_to(secret)
    (bench.clone / "linked").symlink_to(tmp_path)
    (bench.clone / "src" / "deep" / "y.py").unlink()
    (bench.clone / "src" / "deep").rmdir()
    (bench.clone / "src" / "deep").symlink_to(tmp_path)
    kept = make_diffs(bench.changes()).text(None)
    assert "secret words" not in kept
    assert _told(bench) == [
        ("a.txt", "changed", "it became a link, or something else that is no file"),
        ("linked", "added", "it is a link, or something else that is no file"),
        ("src/deep", "added", "it is a link, or something else that is no file"),
        ("src/deep/y.py", "deleted", None),
    ]


def test_what_is_no_file_is_not_opened(bench: Bench) -> None:
    os.mkfifo(bench.clone / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(bench.clone)
        server.bind("door")
        os.chdir("/")
    reason = "it is a link, or something else that is no file"
    assert _told(bench) == [("door", "added", reason), ("pipe", "added", reason)]


def test_links_of_the_repository_are_plain_files_in_the_clone(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    bench = bench_in(tmp_path)
    (repository / "link").symlink_to("/etc")
    bench.commit("b.txt", "b\n")
    again = tmp_path / "again"
    again.mkdir()
    import asyncio

    from econome.delegation.coder.clone import clone

    bench = Bench(
        repository,
        again / "clone",
        asyncio.run(clone(str(repository), str(again / "clone"))),
    )
    assert (bench.clone / "link").read_text("utf-8") == "/etc"
    assert not (bench.clone / "link").is_symlink()
    assert bench.changes() == []
    (bench.clone / "link").write_text("/root", "utf-8")
    assert _told(bench) == [("link", "changed", "it is a link")]
    (bench.clone / "link").unlink()
    assert _told(bench) == [("link", "deleted", "it is a link")]


def test_modes_are_shown_as_what_is_not_applied(bench: Bench) -> None:
    (bench.clone / "a.txt").chmod(0o755)
    (bench.clone / "src" / "x.py").write_text("print(9)\n", "utf-8")
    (bench.clone / "src" / "x.py").chmod(0o755)
    (bench.clone / "run").write_text("#!/bin/sh\n", "utf-8")
    (bench.clone / "run").chmod(0o755)
    assert _told(bench) == [
        ("a.txt", "changed", "only its mode changed, which is not applied"),
        ("run", "added", "it is new and may be executed, which is not applied"),
        ("src/x.py", "changed", "its mode changed, which is not applied"),
    ]
    assert stat.S_IMODE((bench.repository / "a.txt").stat().st_mode) & 0o111 == 0


def test_another_repository_in_the_clone_is_one_thing_that_is_not_applied(bench: Bench) -> None:
    inner = bench.clone / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    assert _told(bench) == [
        ("inner/.git", "added", "it is a link, or something else that is no file")
    ]
    for name in (".GIT", ".g\u200cit", "GIT~1"):
        (bench.clone / name).mkdir()
        assert name in [path for path, _, _ in _told(bench)]
        (bench.clone / name).rmdir()


@pytest.mark.parametrize(
    "path", [".zlogin", "a/.BASH_LOGIN", ".cl\u200daude/x", ".VSCode /tasks.json", "MAKEFILE."]
)
def test_what_programs_obey_is_marked_in_every_spelling(path: str) -> None:
    assert runs_code(path)


def test_a_submodule_stays_as_it_is(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "o.txt").write_text("o\n", "utf-8")
    git(other, "add", "-A")
    git(other, "commit", "-q", "-m", "first")
    bench = bench_in(tmp_path, {"a.txt": "a\n"}, "submodule", "add", "-q", str(other), "sub")
    assert bench.changes() == []
    (bench.clone / "sub" / "new.txt").write_text("new\n", "utf-8")
    (bench.clone / ".gitmodules").write_text("[submodule]\n", "utf-8")
    assert _told(bench) == [
        (".gitmodules", "changed", "it says which submodules there are; change those yourself"),
        ("sub/new.txt", "added", "it lies in a submodule"),
    ]


@pytest.mark.parametrize("name", [b"bad\nname", b"caf\xe9", b"esc\x1b[31m", b"a\\b", b"dot."])
def test_a_name_that_could_deceive_is_told_escaped_and_not_applied(
    bench: Bench, name: bytes
) -> None:
    Path(os.fsdecode(os.fsencode(bench.clone) + b"/" + name)).write_bytes(b"x\n")
    (change,) = make_diffs(bench.changes()).changes
    assert change.path.isprintable()
    assert change.path.encode("utf-8")
    assert bench.changes()[0].reason is not None


def test_binary_content_is_not_applied(bench: Bench) -> None:
    (bench.clone / "logo.png").write_bytes(b"\x89PNG\0\0")
    (bench.clone / "a.txt").write_bytes(b"one\0")
    assert _told(bench) == [("a.txt", "changed", BINARY)]
    diffs = make_diffs(bench.changes(), bench.left_out())
    assert (diffs.left_out, diffs.refusal) == (("logo.png",), f"a.txt: {BINARY}")
    assert diffs.text(None).startswith("# Left out, not applied: logo.png\n\n# a.txt: it is")
    assert refused(bench.apply) == ("a.txt", BINARY)


def test_a_new_binary_file_of_any_size_keeps_nothing_else_from_being_applied(bench: Bench) -> None:
    (bench.clone / "logo.png").write_bytes(b"\x89PNG\0\0")
    with open(bench.clone / "data.db", "wb") as file:
        file.truncate(FILE_LIMIT + 1)
    (bench.clone / "a.out").write_bytes(b"\0")
    (bench.clone / "a.out").chmod(0o755)
    (bench.clone / "src" / "x.py").write_text("print(9)\n", "utf-8")
    assert bench.left_out() == ["a.out", "data.db", "logo.png"]
    assert make_diffs(bench.changes()).refusal is None
    before = bench.now()
    assert bench.apply() == ("src/x.py",)
    assert bench.now() == {**before, "src/x.py": b"print(9)\n"}


def test_what_tools_leave_behind_is_no_change_unless_something_of_it_is_committed(
    tmp_path: Path,
) -> None:
    committed = {"a.py": "a\n", "lib/node_modules/own.js": "x\n", ".gitignore": ".tox/\n"}
    bench = bench_in(tmp_path, committed)
    for path in (
        "__pycache__/a.cpython-311.pyc", "src/__pycache__/deep/b.txt", "node_modules/x/index.js", ".DS_Store", "b.pyc",
        "lib/node_modules/new.js", "build/made.js", ".pytest_cache/v/x", ".tox/y",
    ):  # fmt: skip
        write(bench.clone, path, "x\n")
    assert [path for path, _, _ in _told(bench)] == ["build/made.js", "lib/node_modules/new.js"]
    assert bench.left_out() == [
        ".DS_Store", ".pytest_cache/", "__pycache__/", "b.pyc", "node_modules/", "src/__pycache__/",
    ]  # fmt: skip


def test_what_is_left_out_is_told_briefly(bench: Bench) -> None:
    for number in range(25):
        write(bench.clone, f"{number:02}\u202e.pyc", "x")
    told = make_diffs([], bench.left_out()).left_out
    assert (told[0], told[-1], len(told)) == ("00\\u202e.pyc", "5 more", 21)


def test_a_file_too_large_to_review_is_refused_unread(bench: Bench) -> None:
    with open(bench.clone / "huge", "wb") as file:
        file.truncate(5 << 30)
    with open(bench.clone / "a.txt", "wb") as file:
        file.truncate(FILE_LIMIT + 1)
    path, reason = refused(bench.changes)
    assert (path, reason.split("(")[0]) == (None, "too much changed to be reviewed ")


def test_line_ends_and_filters_of_the_repository_change_nothing_in_the_clone(
    tmp_path: Path,
) -> None:
    attributes = "*.txt text eol=crlf\n*.py filter=upper ident\n"
    files = {".gitattributes": attributes, "a.txt": "one\ntwo\n", "b.py": "x = '$Id$'\n"}
    bench = bench_in(tmp_path, files, "config", "core.autocrlf", "true")
    assert (bench.clone / "a.txt").read_bytes() == b"one\ntwo\n"
    assert (bench.clone / "b.py").read_bytes() == b"x = '$Id$'\n"
    assert bench.changes() == []
