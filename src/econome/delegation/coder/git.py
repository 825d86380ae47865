"""Runs git so that it runs nothing else: no hook, no filter, no watcher, no pager, no helper program, no network.

It is run in repositories of the user's own and in those that are made here, never in one that a coder could write to:
what such a one says of itself would be obeyed. It decides nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from econome.errors import ChangeRefused

__all__ = [
    "LINK",
    "SUBMODULE",
    "Entry",
    "Staged",
    "at_work",
    "blobs",
    "command",
    "environment",
    "head",
    "run",
    "staged",
    "tree",
]

LINK: Final = 0o120000
"""The mode of a symbolic link in a tree."""

SUBMODULE: Final = 0o160000
"""The mode of another repository in a tree."""

_LONG_S = 300.0
_SAID_LIMIT = 200

_SETTINGS = (
    "core.fsmonitor=false", "core.untrackedCache=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null", "core.pager=cat", "core.quotePath=true", "gc.auto=0", "maintenance.auto=false",
    "submodule.recurse=false", "protocol.allow=never", "protocol.file.allow=always", "credential.helper=",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a tree: its mode, the id of its content and that content's size."""

    mode: int
    oid: str
    size: int


@dataclass(frozen=True, slots=True)
class Staged:
    """A file in the index; `stage` is 0 unless a merge left it unresolved."""

    mode: int
    oid: str
    stage: int


def command(arguments: Sequence[str]) -> list[str]:
    """Return the command line of a git that runs nothing else.

    Raises:
        ChangeRefused: there is no git.
    """
    program = shutil.which("git")
    if program is None:
        raise ChangeRefused(None, "git is not installed; changes cannot be made without it")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    return [program, "--no-pager", *settings, *arguments]


def environment() -> dict[str, str]:
    """Return the environment of such a git, made from nothing."""
    program = shutil.which("git") or "git"
    return {
        "PATH": os.pathsep.join(filter(None, (os.path.dirname(program), os.defpath))),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }


def run(
    directory: str, *arguments: str, given: bytes = b"", taken: Iterable[int] = (0,)
) -> tuple[int, bytes]:
    """Run git in *directory*; return its exit status, one of *taken*, and what it printed.

    Raises:
        ChangeRefused: it failed.
    """
    try:
        done = subprocess.run(
            command(arguments),
            cwd=directory,
            env=environment(),
            input=given,
            capture_output=True,
            timeout=_LONG_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ChangeRefused(None, f"git {arguments[0]} took too long") from None
    except (OSError, ValueError) as error:
        raise ChangeRefused(None, f"git cannot be run in {directory}: {error}") from None
    if done.returncode not in taken:
        raise ChangeRefused(None, f"git {arguments[0]} failed: {_said(done.stderr)}")
    return done.returncode, done.stdout


def _said(errors: bytes) -> str:
    """Return the first line that git complained with."""
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    line = "".join(letter for letter in (lines or ["?"])[0] if letter.isprintable())
    return line[:_SAID_LIMIT]


def head(repository: str) -> str:
    """Return the commit that is checked out.

    Raises:
        ChangeRefused: it is no repository, or has no commit.
    """
    _, top = run(repository, "rev-parse", "--show-toplevel")
    if os.path.realpath(os.fsdecode(top.rstrip(b"\n"))) != os.path.realpath(repository):
        raise ChangeRefused(None, f"{repository} is not the top of a repository")
    status, said = run(
        repository, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", taken=(0, 1)
    )
    if status:
        raise ChangeRefused(None, "the repository has no commit yet; commit something first")
    return said.decode("ascii").strip()


def tree(repository: str, commit: str) -> dict[str, Entry]:
    """Return the files of a commit."""
    _, said = run(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    found = {}
    for line in said.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, _, oid, size = about.split()
        length = 0 if size == b"-" else int(size)
        found[os.fsdecode(path)] = Entry(int(mode, 8), oid.decode("ascii"), length)
    return found


def staged(repository: str) -> dict[str, list[Staged]]:
    """Return what the index holds."""
    _, said = run(repository, "ls-files", "-s", "-z", "--full-name")
    found: dict[str, list[Staged]] = {}
    for line in said.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, oid, stage = about.split()
        entry = Staged(int(mode, 8), oid.decode("ascii"), int(stage))
        found.setdefault(os.fsdecode(path), []).append(entry)
    return found


def blobs(repository: str, oids: Iterable[str]) -> Mapping[str, bytes]:
    """Return the contents of those ids."""
    wanted = sorted(set(oids))
    if not wanted:
        return {}
    _, said = run(repository, "cat-file", "--batch", given="\n".join(wanted).encode() + b"\n")
    found, start = {}, 0
    for oid in wanted:
        end = said.index(b"\n", start)
        about = said[start:end].split()
        if len(about) != 3 or about[1] != b"blob":
            raise ChangeRefused(None, f"the repository lacks the content {oid}")
        size = int(about[2])
        found[oid] = said[end + 1 : end + 1 + size]
        start = end + 1 + size + 1
    return found


def at_work(repository: str) -> str:
    """Return the path of the file by which git says that it is changing the index."""
    _, said = run(repository, "rev-parse", "--git-path", "index.lock")
    return os.path.join(repository, os.fsdecode(said.rstrip(b"\n")))
