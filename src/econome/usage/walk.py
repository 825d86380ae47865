"""Finds the transcripts below the roots: every file once, under its smallest path (R2).

It looks at names and stat values only. It is run by every report, so it imports nothing heavy.
"""

from __future__ import annotations

import os
import stat as modes

from econome.usage.readers import READERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Snapshot", "Stat", "is_companion", "unreadable_paths", "walk"]

Stat = tuple[int, int, int, int, int]  # device, inode, size, mtime, ctime (both in ns)

_READ_ERRORS = "not a regular file"


class Snapshot:
    """The files below the roots at one moment.

    `files` has one dictionary a root: path below the root, with `/`, to its `Stat`; transcripts and companions
    both. `unreadable` lists (path, reason) of what could not be looked at.
    """

    __slots__ = ("files", "unreadable")

    def __init__(self, files: list[dict[str, Stat]], unreadable: list[tuple[str, str]]) -> None:
        self.files, self.unreadable = files, unreadable


def is_companion(name: str) -> bool:
    """Say whether a path names a small file that says more of a transcript."""
    return name.endswith(".meta.json")


class _Walk:
    """One pass over the roots; *careful* follows linked directories, in the order of paths."""

    def __init__(self, careful: bool) -> None:
        self.careful = careful
        self.linked = False
        self.seen_directories: set[tuple[int, int]] = set()
        self.found: dict[str, Stat] = {}
        self.unreadable: list[tuple[str, str]] = []

    def directory(self, path: str, below: str, names: tuple[tuple[str, str], ...]) -> None:
        stack = [(path, below)]
        while stack:
            path, below = stack.pop()
            try:
                if self.careful and not self._new(path):
                    continue
                with os.scandir(path) as entries:
                    inner = list(self._entries(entries, below, names))
            except OSError as error:
                self.unreadable.append((path, error.strerror or "unreadable"))
                continue
            if self.careful:
                self._in_order(inner, below, names)
            else:
                stack.extend((entry.path, f"{below}/{entry.name}") for entry in inner)

    def _in_order(
        self, inner: list[os.DirEntry[str]], below: str, names: tuple[tuple[str, str], ...]
    ) -> None:
        for entry in sorted(inner, key=lambda entry: os.fsencode(entry.name) + b"/"):
            self.directory(entry.path, f"{below}/{entry.name}", names)

    def _new(self, path: str) -> bool:
        status = os.stat(path)
        identity = status.st_dev, status.st_ino
        if identity in self.seen_directories:
            return False
        self.seen_directories.add(identity)
        return True

    def _entries(
        self, entries: Iterator[os.DirEntry[str]], below: str, names: tuple[tuple[str, str], ...]
    ) -> Iterator[os.DirEntry[str]]:
        """Note the files that are read; yield the directories to go into."""
        found = self.found
        for entry in entries:
            name = entry.name
            for prefix, suffix in names:
                if name.endswith(suffix) and name.startswith(prefix):
                    break
            else:
                try:
                    if entry.is_dir() and self._follow(entry):
                        yield entry
                except OSError:  # a link that leads to itself
                    pass
                continue
            try:
                status = entry.stat()
            except OSError as error:
                self.unreadable.append((entry.path, error.strerror or "unreadable"))
                continue
            mode = status.st_mode
            if modes.S_ISREG(mode):
                found[f"{below}/{name}"] = (
                    status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
                )  # fmt: skip
            elif modes.S_ISDIR(mode):
                if self._follow(entry):
                    yield entry
            else:
                self.unreadable.append((entry.path, _READ_ERRORS))

    def _follow(self, entry: os.DirEntry[str]) -> bool:
        if self.careful or not entry.is_symlink():
            return True
        self.linked = True
        return False


def _walk_roots(
    roots: list[str], careful: bool
) -> tuple[list[dict[str, Stat]], list[tuple[str, str]], bool]:
    walk = _Walk(careful)
    files = []
    for root in roots:
        walk.found = {}
        for layout in READERS:
            folder = os.path.join(root, layout.folder)
            if os.path.isdir(folder):
                walk.linked = walk.linked or os.path.islink(folder)
                names = tuple(filter(None, (layout.transcript, layout.companion)))
                walk.directory(folder, layout.folder, names)
        files.append(walk.found)
    return files, walk.unreadable, walk.linked


def walk(roots: list[str]) -> Snapshot:
    """Return the files below the roots; a missing root or folder holds none.

    Linked directories are followed once and loops end; of several paths to one file the smallest counts, by the
    order of roots and then by the bytes of the path below the root.
    """
    files, unreadable, linked = _walk_roots(roots, careful=False)
    if linked:
        files, unreadable, _ = _walk_roots(roots, careful=True)
    total = sum(map(len, files))
    if len({stat[:2] for found in files for stat in found.values()}) < total:
        seen: set[tuple[int, int]] = set()
        for found in files:
            for path in sorted(found, key=os.fsencode):
                if is_companion(path):
                    continue  # it is looked for under the name of its transcript
                if found[path][:2] in seen:
                    del found[path]
                else:
                    seen.add(found[path][:2])
    return Snapshot(files, sorted(set(unreadable)))


def unreadable_paths(
    roots: list[str], walked: list[tuple[str, str]], files: dict[tuple[int, str], str]
) -> list[tuple[str, str]]:
    """Return (path, reason) of all that could not be read: what the walk met, and files by (root, path below)."""
    found = {os.path.join(roots[root], path): reason for (root, path), reason in files.items()}
    return sorted({**dict(walked), **found}.items())
