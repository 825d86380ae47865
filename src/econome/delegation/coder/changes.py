"""What a coder changed: its files against what was committed, both read by us and kept in memory.

No git looks at what the coder left, and nothing of it is read through a link. What is reviewed is then, byte for byte, what
is applied. What may never be applied is found here too, and is shown with the reason.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from econome.delegation.coder.artefacts import is_artefact
from econome.delegation.coder.clone import Base
from econome.delegation.coder.git import LINK, SUBMODULE, Entry, blobs, run
from econome.delegation.coder.paths import refusal
from econome.delegation.coder.tree import Found, TooLarge, Tree
from econome.errors import ChangeRefused

__all__ = ["ALL_LIMIT", "BINARY", "FILE_LIMIT", "Changed", "Work", "find_changes"]

FILE_LIMIT: Final = 4 << 20
"""A changed file is no longer than this, before and after."""

ALL_LIMIT: Final = 16 << 20
"""Nor are all of them together."""

BINARY: Final = "it is binary, and what cannot be read is not applied"
"""Why a file is not applied that no diff shows."""

_COUNT_LIMIT = 1000
_NAMES_LIMIT = 500_000
_SIZE_LIMIT = 1 << 30
_EXECUTABLE = 0o100755


@dataclass(frozen=True, slots=True)
class Changed:
    """One file: what it held and what it is to hold, None where there is none; `reason` where it is never applied."""

    path: str
    kind: Literal["added", "changed", "deleted"]
    old: bytes | None
    new: bytes | None
    oid: str | None = None
    mode: int = 0o100644
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What differs, by path; `left_out` are new paths that are none of it: what tools left behind, and binary files."""

    changes: list[Changed]
    left_out: list[str]


def find_changes(base: Base, clone: str) -> Work:
    """Return what differs in *clone*. What the repository ignores is not looked at.

    Raises:
        ChangeRefused: it is more than can be reviewed, or cannot be read.
    """
    try:
        tree = Tree(os.path.realpath(clone))
    except OSError as error:
        raise ChangeRefused(None, f"the clone cannot be read: {error.strerror}") from None
    try:
        return _compare(base, tree)
    except TooLarge:
        size = FILE_LIMIT >> 20
        reason = f"too much changed to be reviewed (a file above {size} MB, or too many of them)"
        raise ChangeRefused(None, reason) from None
    except OSError as error:
        raise ChangeRefused(None, f"the clone cannot be read: {error.strerror}") from None
    finally:
        tree.close()


def _compare(base: Base, tree: Tree) -> Work:
    committed = {path[:at] for path in base.files for at in _slashes(path)}
    there = dict(tree.paths(_NAMES_LIMIT, lambda path: is_artefact(path, committed)))
    new = sorted(path for path in there if path not in base.files)
    modules = tuple(f"{path}/" for path, entry in base.files.items() if entry.mode == SUBMODULE)
    ignored = _ignored(base, [path for path in new if not path.startswith(modules or ("\0",))])
    left_out = [path for path in new if path not in ignored and is_artefact(path, committed)]
    found = []
    room = ALL_LIMIT
    for path in sorted({*base.files, *new} - ignored - {*left_out}):
        each = _one(base.files.get(path), there.get(path), path, tree, modules)
        if each is None:
            continue
        if each.kind == "added" and each.reason == BINARY:
            left_out.append(path)
            continue
        size = 0 if each.oid is None else base.files[path].size
        room -= size + len(each.new or b"")
        found.append(each)
        if size > FILE_LIMIT or room < 0 or len(found) > _COUNT_LIMIT:
            raise TooLarge
    olds = blobs(base.repository, [each.oid for each in found if each.oid is not None])
    whole = [each if each.oid is None else _with_old(each, olds[each.oid]) for each in found]
    return Work(whole, sorted(left_out))


def _slashes(path: str) -> Iterator[int]:
    return (at for at, letter in enumerate(path) if letter == "/")


def _one(
    entry: Entry | None, at: Found | None, path: str, tree: Tree, modules: tuple[str, ...]
) -> Changed | None:
    """Return how one path differs; None where it does not."""
    if entry is None:
        assert at is not None
        return _added(path, at, tree, modules)
    if entry.mode == SUBMODULE:
        # An empty directory stands for it, which is not worth a word if it is gone.
        return None if at is None else _never(path, "changed", "it is a submodule")
    if at is None:
        reason = "it is a link" if entry.mode == LINK else refusal(path)
        return Changed(path, "deleted", None, None, entry.oid, entry.mode, reason)
    if at.kind != "file":
        return _never(path, "changed", "it became a link, or something else that is no file")
    if at.size == entry.size and _same(tree, path, entry):
        executable = bool(at.mode & 0o100)
        if entry.mode == LINK or executable == (entry.mode == _EXECUTABLE):
            return None
        return _never(path, "changed", "only its mode changed, which is not applied")
    data = tree.read(path, FILE_LIMIT)
    reason = refusal(path) or _reason_of_content(data)
    if entry.mode == LINK:
        reason = "it is a link"
    elif bool(at.mode & 0o100) != (entry.mode == _EXECUTABLE):
        reason = reason or "its mode changed, which is not applied"
    return Changed(path, "changed", None, data, entry.oid, entry.mode, reason)


def _added(path: str, at: Found, tree: Tree, modules: tuple[str, ...]) -> Changed:
    if modules and path.startswith(modules):
        return _never(path, "added", "it lies in a submodule")
    if at.kind != "file":
        return _never(path, "added", "it is a link, or something else that is no file")
    reason = refusal(path)
    if reason is not None:
        return _never(path, "added", reason)
    try:
        data = tree.read(path, FILE_LIMIT)
    except TooLarge:
        if at.size <= _SIZE_LIMIT and _holds_nul(tree, path):
            return _never(path, "added", BINARY)
        raise
    reason = _reason_of_content(data)
    if at.mode & 0o111:
        reason = reason or "it is new and may be executed, which is not applied"
    return Changed(path, "added", None, data, reason=reason)


def _holds_nul(tree: Tree, path: str) -> bool:
    found = [False]

    def look(data: bytes) -> None:
        found[0] |= b"\0" in data

    tree.feed(path, look)
    return found[0]


def _never(path: str, kind: Literal["added", "changed", "deleted"], reason: str) -> Changed:
    return Changed(path, kind, None, None, reason=reason)


def _with_old(each: Changed, old: bytes) -> Changed:
    reason = each.reason or (_reason_of_content(old) if each.kind == "changed" else None)
    return Changed(each.path, each.kind, old, each.new, each.oid, each.mode, reason)


def _reason_of_content(data: bytes) -> str | None:
    return BINARY if b"\0" in data else None


def _same(tree: Tree, path: str, entry: Entry) -> bool:
    """Whether a file holds what was committed, by the id that git gives to it."""
    digest = hashlib.new("sha1" if len(entry.oid) == 40 else "sha256", usedforsecurity=False)
    digest.update(b"blob %d\0" % entry.size)
    tree.feed(path, digest.update)
    return digest.hexdigest() == entry.oid


def _ignored(base: Base, paths: Iterable[str]) -> set[str]:
    """Return which new files the repository ignores, by what was committed, whatever the coder made of that.

    It is asked of git in a place of ours that holds nothing but the committed rules.
    """
    asked = [path for path in paths if "\n" not in path]
    rules = {
        path: entry.oid
        for path, entry in base.files.items()
        if path.rpartition("/")[2] == ".gitignore" and entry.mode not in (LINK, SUBMODULE)
        if entry.size <= FILE_LIMIT and refusal(path) is None
    }
    if not asked or not rules:
        return set()
    texts = blobs(base.repository, rules.values())
    with tempfile.TemporaryDirectory(prefix="econome-") as place:
        run(place, "init", "--quiet", "--template=", ".")
        for path, oid in rules.items():
            whole = os.path.join(place, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "wb") as file:
                file.write(texts[oid])
        given = b"".join(b"./" + os.fsencode(path) + b"\0" for path in asked)
        _, said = run(
            place, "check-ignore", "-z", "--stdin", "--no-index", given=given, taken=(0, 1)
        )
    return {os.fsdecode(path[2:]) for path in said.split(b"\0")[:-1]}
