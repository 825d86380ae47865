"""A clone is made of whatever repository it is, and runs nothing that the repository names (D7)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from econome.delegation.coder.clone import clone
from tests.delegation.repositories import (
    FILES,
    THREE,
    Bench,
    bench_in,
    change_three,
    git,
    refused,
)
from tests.requirements import requirement

pytestmark = requirement("D7")


def _clone(repository: Path, target: Path) -> Bench:
    target.parent.mkdir(exist_ok=True)
    base = asyncio.run(clone(str(repository), str(target)))
    return Bench(repository, target, base)


def test_nothing_that_the_repository_names_is_run(tmp_path: Path) -> None:
    bench, ran, program = bench_in(tmp_path), tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\ncat\n", "utf-8")
    program.chmod(0o755)
    hooks = bench.repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(program.read_text("utf-8"), "utf-8")
        (hooks / name).chmod(0o755)
    for name in (
        "core.fsmonitor", "uploadpack.packObjectsHook", "core.alternateRefsCommand", "core.sshCommand", "core.pager",
        "diff.external", "alias.checkout", "filter.bad.smudge", "filter.bad.clean", "merge.bad.driver", "credential.helper",
    ):  # fmt: skip
        git(bench.repository, "config", name, f"!{program}" if "alias" in name else str(program))
    (bench.repository / ".git" / "info").mkdir(exist_ok=True)
    (bench.repository / ".git" / "info" / "attributes").write_text("* filter=bad merge=bad\n")
    again = _clone(bench.repository, tmp_path / "again" / "clone")
    change_three(again)
    again.apply()
    assert (again.now(), ran.exists()) == (THREE, False)


@pytest.mark.parametrize("kind", ["worktree", "detached", "sha256", "shallow", "bare config"])
def test_repositories_of_other_kinds_are_worked_on_alike(tmp_path: Path, kind: str) -> None:
    bench, other = bench_in(tmp_path), tmp_path / "other"
    if kind == "worktree":
        git(bench.repository, "worktree", "add", "-q", "-b", "side", str(other))
    elif kind == "detached":
        git(bench.repository, "checkout", "-q", "--detach")
        other = bench.repository
    elif kind == "sha256":
        other.mkdir()
        git(other, "init", "-q", "--object-format=sha256")
        for name, text in FILES.items():
            (other / name).parent.mkdir(parents=True, exist_ok=True)
            (other / name).write_text(text, "utf-8")
        git(other, "add", "-A")
        git(other, "commit", "-q", "-m", "first")
    elif kind == "shallow":
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{bench.repository}", str(other))
    else:
        git(bench.repository, "config", "core.autocrlf", "input")
        other = bench.repository
    worked = _clone(other, tmp_path / "again" / "clone")
    assert worked.changes() == []
    change_three(worked)
    worked.apply()
    found = {path: data for path, data in worked.now().items() if path != ".git"}
    assert found == THREE


def test_what_is_no_whole_repository_is_refused(tmp_path: Path) -> None:
    bench, empty, plain = bench_in(tmp_path), tmp_path / "empty", tmp_path / "plain"
    empty.mkdir()
    plain.mkdir()
    git(empty, "init", "-q")
    (bench.repository / "src" / ".git").mkdir()  # none of its own, and lies in another
    target = tmp_path / "again" / "clone"
    reasons = [
        refused(lambda at=at: _clone(at, target))[1].split(";")[0].split(":")[0]  # type: ignore[misc]
        for at in (empty, plain, bench.repository / "src")
    ]
    assert reasons == [
        "the repository has no commit yet",
        "git rev-parse failed",
        f"{bench.repository / 'src'} is not the top of a repository",
    ]
    assert not target.exists()


def test_a_clone_that_is_cancelled_leaves_no_git_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_in(tmp_path)
    line, programs = tmp_path / "line", tmp_path / "programs"
    os.mkfifo(line)
    programs.mkdir()
    real = os.environ["PATH"]
    slow = f'#!/bin/sh\ncase "$*" in *clone*) echo >{line}; sleep 1000;; esac\nPATH={real}\nexec git "$@"\n'
    (programs / "git").write_text(slow, "utf-8")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{real}")

    async def cancel() -> None:
        work = asyncio.ensure_future(clone(str(bench.repository), str(tmp_path / "again")))
        with open(await asyncio.to_thread(os.open, line, os.O_RDONLY), "rb") as began:
            assert began.read() == b"\n"
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(cancel())
    assert not (tmp_path / "again").exists()
