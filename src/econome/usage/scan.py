"""Reads one transcript from disk into what an index keeps of it. It decides nothing: the rules are in `fold`.

How its lines are cut is in `pieces`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import stringzilla

from econome.usage.agents import called_type, meta_type
from econome.usage.fold import HELPERS, FileFacts
from econome.usage.occurrences import UNDATED, Groups
from econome.usage.pieces import hash_beginning, open_file, read_pieces
from econome.usage.readers import new_parser, source_of
from econome.usage.tree import Flaws

__all__ = ["FileState", "SessionFiles", "begins_with", "facts_of", "flaws_of", "scan_file"]

SessionFiles = Callable[[str, str], list[str]]

_PIECE = 512 << 10


class _NoHash:
    """Stands for the hasher where nothing is kept that a later scan could compare with."""

    def update(self, data: bytes) -> None:
        """Do nothing."""

    def digest(self) -> int:
        """Return 0."""
        return 0


class FileState:
    """What is known of a file up to *offset*, and of the last line without an end behind it.

    *digest* is of the bytes before *offset*, to tell an append from a rewrite (F12). *asked* says that the
    parent's files were searched for the agent's type (F10). *reason* is why the file could not be read, or "".
    """

    __slots__ = (
        "agent", "asked", "digest", "first", "lines", "malformed", "offset", "parser", "pending", "reason",
        "rejected", "rows", "sessions", "tail",
    )  # fmt: skip

    def __init__(self, values: tuple[Any, ...] | None = None) -> None:
        self.offset = self.digest = self.lines = self.malformed = self.rejected = self.rows = 0
        self.first = UNDATED
        self.tail = self.pending = self.asked = False
        self.agent = self.reason = ""
        self.parser: Any = None
        self.sessions: tuple[str, ...] = ()
        if values is not None:
            for name, value in zip(self.__slots__, values, strict=True):
                setattr(self, name, value)

    def flaws(self) -> tuple[int, int, int]:
        """Return how many lines are malformed, rejected and pending."""
        return self.malformed, self.rejected, int(self.pending)

    def values(self) -> tuple[Any, ...]:
        """Return the state as a value `marshal` can write."""
        return tuple(getattr(self, name) for name in self.__slots__)


def _stem(relative: str) -> str:
    return os.path.basename(relative).removesuffix(".jsonl")


def facts_of(root: int, relative: str, state: FileState) -> FileFacts:
    """Return what ownership needs to know of a file (F5)."""
    parts = relative.split("/")
    slug = parts[1] if len(parts) > 2 and parts[0] == "projects" else "unknown"
    order = (root, os.fsencode(relative))
    return FileFacts(source_of(relative), order, slug, _stem(relative), state.agent, state.first)


def begins_with(path: str, state: FileState) -> bool:
    """Say whether a file begins with the bytes that were read of another."""
    try:
        descriptor = open_file(path)
    except OSError:
        return False
    try:
        return hash_beginning(descriptor, state.offset, stringzilla.Hasher()) == state.digest
    except OSError:
        return False
    finally:
        os.close(descriptor)


def scan_file(
    root: str,
    relative: str,
    salt: str,
    known: FileState | None,
    session_files: SessionFiles,
    passing: bool = False,
    many: bool = True,
) -> tuple[FileState, Groups, bool]:
    """Read a transcript; return its state, the groups of the part read, and whether they follow on *known*.

    With a *known* state whose bytes still begin the file only what follows them is read. *session_files(slug
    folder, session)* lists the paths of a session's transcripts, for the search of F10; *passing* says that
    nothing of the result is kept, *many* that there is much to read, here or in other files.
    """
    path = os.path.join(root, relative)
    try:
        descriptor = open_file(path)
    except OSError as error:
        return _unreadable(error), {}, False
    try:
        return _scan(descriptor, path, relative, salt, known, session_files, passing, many)
    except OSError as error:
        return _unreadable(error), {}, False
    finally:
        os.close(descriptor)


def _unreadable(error: OSError) -> FileState:
    state = FileState()
    state.reason = error.strerror or "unreadable"
    return state


def _scan(
    descriptor: int,
    path: str,
    relative: str,
    salt: str,
    known: FileState | None,
    session_files: SessionFiles,
    passing: bool,
    many: bool,
) -> tuple[FileState, Groups, bool]:
    stem = _stem(relative)
    agent_file = stem.startswith("agent-") and relative.startswith("projects/")
    state, follows = FileState(), False
    hasher: Any = _NoHash() if passing else stringzilla.Hasher()
    if known is not None and not known.reason and not known.tail and not known.asked:
        follows = hash_beginning(descriptor, known.offset, hasher) == known.digest
        if follows:
            state = FileState(known.values())
        else:
            os.lseek(descriptor, 0, os.SEEK_SET)
            hasher = stringzilla.Hasher()
    parser = new_parser(
        source_of(relative), "" if agent_file else stem, stem, salt, state.parser, many
    )
    state.offset, rest = read_pieces(descriptor, parser, state.offset, hasher)
    state.digest = hasher.digest()
    state.parser = parser.state()
    state.tail = state.pending = False
    if rest:
        state.tail = parser.last(rest, state.offset)
        state.pending = not state.tail
        if state.pending:
            parser.lines -= 1
    state.lines += parser.lines
    state.malformed += parser.malformed
    state.rejected += parser.rejected
    state.rows += parser.fold.rows
    state.first = min(state.first, parser.fold.first)
    groups = parser.fold.groups(passing)
    owners = parser.fold.owners
    state.sessions = tuple(sorted({own[0] for own in owners} | set(state.sessions)))
    if agent_file:
        _name_agent(state, path, relative, stem, any(not own[3] for own in owners), session_files)
    return state, groups, follows


def _name_agent(
    state: FileState,
    path: str,
    relative: str,
    stem: str,
    nameless: bool,
    session_files: SessionFiles,
) -> None:
    """Find the type of a sub-agent's file where its lines leave it open (F10)."""
    state.agent = meta_type(_read_small(path.removesuffix(".jsonl") + ".meta.json"))
    if state.agent or not nameless or any(stem.startswith(prefix) for prefix, _ in HELPERS):
        return
    state.asked = True
    paths = [p for session in state.sessions for p in session_files(relative, session) if p != path]
    state.agent = called_type(
        (_read_small(p) for p in dict.fromkeys(paths)), stem.removeprefix("agent-")
    )


def _read_small(path: str) -> bytes:
    try:
        descriptor = open_file(path)
    except OSError:
        return b""
    try:
        pieces = []
        while piece := os.read(descriptor, _PIECE):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def flaws_of(files: Iterable[tuple[str, FileState]]) -> list[Flaws]:
    """Return (path, malformed, rejected, pending) of the files that have such lines."""
    return [(path, *state.flaws()) for path, state in files if any(state.flaws())]
