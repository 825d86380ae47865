"""What would be written to the repository, file by file, or why nothing can be: dirty files, conflicts, what stands in the way.

It looks at the repository and writes nothing. A file is clean where it holds what is committed, byte for byte or with the line
ends of Windows; what a filter made of it is not taken apart.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from econome.delegation.coder.changes import ALL_LIMIT, Changed
from econome.delegation.coder.clone import Base
from econome.delegation.coder.git import SUBMODULE, Entry, Staged, blobs, head, run, staged, tree
from econome.delegation.coder.tree import TooLarge, Tree
from econome.errors import ChangeRefused

__all__ = ["Step", "plan"]

_DIRTY = "it has changes of yours that are not committed; commit or undo them first"
_UNMERGED = "a merge left it unresolved"
_CONFLICT = "it was changed since by a commit too, and the two do not go together"
_IN_THE_WAY = "something of that name is there already"
_PLAIN = (0o100644, 0o100755)


@dataclass(frozen=True, slots=True)
class Step:
    """One file: what it holds and what it is to hold, None where it is not there or is not to be."""

    path: str
    old: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class _State:
    """The repository as it is: its open directory, the commit that is checked out, its files, and the index."""

    tree: Tree
    commit: str
    files: Mapping[str, Entry]
    index: Mapping[str, list[Staged]]
    repository: str


def plan(base: Base, changes: Sequence[Changed], top: Tree) -> tuple[str, list[Step]]:
    """Return the commit that is checked out now, and what would be done to the work tree *top*.

    Raises:
        ChangeRefused: not all of it can be applied.
    """
    for each in changes:
        if each.reason is not None:
            raise ChangeRefused(each.path, each.reason)
    commit = head(base.repository)
    files = base.files if commit == base.commit else tree(base.repository, commit)
    state = _State(top, commit, files, staged(base.repository), base.repository)
    steps = []
    for each in changes:
        try:
            step = _added(state, each) if each.kind == "added" else _kept(state, each)
        except TooLarge:
            raise ChangeRefused(each.path, _DIRTY) from None
        except OSError as error:
            raise ChangeRefused(each.path, _words(error)) from None
        if step.old != step.new:
            steps.append(step)
    return commit, steps


def _words(error: OSError) -> str:
    if isinstance(error, NotADirectoryError) or error.errno in (errno.ELOOP, errno.EMLINK):
        return "a link, or something else that is no directory, lies on the way"
    if isinstance(error, FileNotFoundError):
        return _DIRTY
    return error.strerror or "it cannot be read"


def _added(state: _State, each: Changed) -> Step:
    if each.path in state.files or each.path in state.index:
        raise ChangeRefused(each.path, _IN_THE_WAY)
    _refuse_on_the_way(state, each.path)
    if state.tree.look(each.path) is not None:
        raise ChangeRefused(each.path, _IN_THE_WAY)
    return Step(each.path, None, each.new)


def _refuse_on_the_way(state: _State, path: str) -> None:
    """Refuse a new file below a submodule or below another repository."""
    above = path.split("/")[:-1]
    for depth in range(1, len(above) + 1):
        place = "/".join(above[:depth])
        entry = state.files.get(place)
        in_index = any(one.mode == SUBMODULE for one in state.index.get(place, ()))
        if in_index or (entry is not None and entry.mode == SUBMODULE):
            raise ChangeRefused(path, "it lies in a submodule")
        if state.tree.look(f"{place}/.git") is not None:
            raise ChangeRefused(path, "it lies in another repository")


def _kept(state: _State, each: Changed) -> Step:
    """Return what is done to a file that was there."""
    entry, assigned = state.files.get(each.path), state.index.get(each.path, [])
    if any(one.stage for one in assigned):
        raise ChangeRefused(each.path, _UNMERGED)
    if entry is None:
        raise ChangeRefused(each.path, "a commit removed it since")
    if entry.mode != each.mode or entry.mode not in _PLAIN:
        raise ChangeRefused(each.path, "a commit changed its mode, or what it is, since")
    if [(one.mode, one.oid) for one in assigned] != [(entry.mode, entry.oid)]:
        raise ChangeRefused(each.path, _DIRTY)
    if entry.size > ALL_LIMIT:
        raise TooLarge
    committed = blobs(state.repository, [entry.oid])[entry.oid]
    there = _clean(state, each.path, committed)
    if each.new is None:
        if entry.oid != each.oid:
            raise ChangeRefused(each.path, _CONFLICT)
        return Step(each.path, there, None)
    assert each.old is not None
    new = each.new
    if entry.oid != each.oid:
        new = _merged(each.path, committed, each.old, each.new)
    return Step(each.path, there, new if there == committed else _windows(new))


def _clean(state: _State, path: str, committed: bytes) -> bytes:
    """Return what a file holds.

    Raises:
        ChangeRefused: it is not what was committed.
    """
    there = state.tree.read(path, 2 * len(committed))
    if there == committed or (b"\r" not in committed and there == _windows(committed)):
        return there
    raise ChangeRefused(path, _DIRTY)


def _windows(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _merged(path: str, ours: bytes, base: bytes, theirs: bytes) -> bytes:
    """Return both changes in one, made of copies.

    Raises:
        ChangeRefused: they do not go together.
    """
    if ours == theirs:
        return ours
    if any(b"\0" in data for data in (ours, base, theirs)):
        raise ChangeRefused(path, _CONFLICT)
    with tempfile.TemporaryDirectory(prefix="econome-") as place:
        # A repository of its own, or git would look for one above.
        run(place, "init", "--quiet", "--template=", ".")
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            with open(os.path.join(place, name), "wb") as file:
                file.write(data)
        status, merged = run(
            place, "merge-file", "-p", "-q", "ours", "base", "theirs", taken=range(256)
        )
    if status:
        raise ChangeRefused(path, _CONFLICT)
    return merged
