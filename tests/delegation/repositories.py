"""Real repositories to change, clones of them that a coder of a few lines works in, and programs that must never run."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from econome.delegation.coder.apply import apply_changes
from econome.delegation.coder.changes import Changed, find_changes
from econome.delegation.coder.clone import Base, clone
from econome.errors import ChangeRefused

__all__ = ["FILES", "THREE", "Bench", "bench_in", "change_three", "git", "refused", "write"]

FILES: Mapping[str, str] = {
    "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n",
    "src/x.py": "print(1)\n",
    "src/deep/y.py": "print(2)\n",
    ".gitignore": "*.log\nbuild/\n",
}


def git(directory: Path, *arguments: str) -> str:
    """Run git as its user would, without a configuration of theirs."""
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "ines@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }  # fmt: skip
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=directory,
        env=own,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


@dataclass
class Bench:
    """A repository with one commit, and a clone of it."""

    repository: Path
    clone: Path
    base: Base

    def changes(self) -> list[Changed]:
        return find_changes(self.base, str(self.clone)).changes

    def left_out(self) -> list[str]:
        """Return the new files that are no change."""
        return find_changes(self.base, str(self.clone)).left_out

    def apply(self) -> tuple[str, ...]:
        return apply_changes(self.base, self.changes())

    def commit(self, path: str, text: str) -> None:
        """Commit another content in the repository itself."""
        (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
        (self.repository / path).write_text(text, encoding="utf-8")
        git(self.repository, "add", "-A")
        git(self.repository, "commit", "-q", "-m", "another")

    def now(self) -> dict[str, bytes]:
        """Return all that stands in the work tree, git's own directory aside."""
        return contents(self.repository)


def contents(top: Path) -> dict[str, bytes]:
    """Return what is below a directory; of what is no file its kind."""
    found = {}
    for directory, names, files in os.walk(top):
        if ".git" in names:
            names.remove(".git")
        for name in (*names, *files):
            path = Path(directory, name)
            shown = os.path.relpath(path, top)
            if path.is_symlink():
                found[shown] = b"-> " + os.fsencode(os.readlink(path))
            elif path.is_file():
                found[shown] = path.read_bytes()
    return found


def bench_in(directory: Path, files: Mapping[str, str | bytes] = FILES, *more: str) -> Bench:
    """Make the repository and the clone; *more* is a last git command before the commit."""
    repository, target = directory / "repository", directory / "scratch" / "clone"
    repository.mkdir()
    target.parent.mkdir(mode=0o700)
    git(repository, "init", "-q", "-b", "main")
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    git(repository, "add", "-A")
    if more:
        git(repository, *more)
    git(repository, "commit", "-q", "-m", "first")
    return Bench(repository, target, asyncio.run(clone(str(repository), str(target))))


def refused(act: Callable[[], object]) -> tuple[str | None, str]:
    """Return what was refused, and why."""
    with pytest.raises(ChangeRefused) as caught:
        act()
    return caught.value.path, caught.value.reason


def write(top: Path, path: str, text: str | bytes) -> None:
    (top / path).parent.mkdir(parents=True, exist_ok=True)
    (top / path).write_bytes(text.encode() if isinstance(text, str) else text)


def change_three(bench: Bench) -> None:
    """Change a file, add one and remove one."""
    write(bench.clone, "a.txt", FILES["a.txt"].replace("two", "TWO"))
    write(bench.clone, "new/deep/b.txt", "b\n")
    (bench.clone / "src" / "x.py").unlink()


THREE = {
    "a.txt": FILES["a.txt"].replace("two", "TWO").encode(),
    "src/deep/y.py": b"print(2)\n",
    ".gitignore": FILES[".gitignore"].encode(),
    "new/deep/b.txt": b"b\n",
}
