"""The slower pass over Claude Code transcripts: calls, attributions, compactions, pauses. Touches disk, decides nothing.

It runs on demand only and keeps its findings in a database of its own, read on from where it stopped. The database
mirrors the given roots: what is gone from them is gone from it, and it can be deleted at any time. It holds no
text; see `econome.usage.detail` for what it does hold.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from types import TracebackType
from typing import Any, Self

import stringzilla

from econome.clock import wall
from econome.errors import FileRefused
from econome.usage import detail_tables as tables
from econome.usage.detail import (
    Attribution,
    Compaction,
    FileTouches,
    Pause,
    ResultPart,
    ToolCall,
    ToolWeight,
    tool_weights,
)
from econome.usage.detail_lines import DetailLines
from econome.usage.fold import HELPERS
from econome.usage.pieces import hash_beginning, read_pieces
from econome.usage.walk import Stat, walk

__all__ = ["Detail", "DetailCoverage", "machine_salt", "refresh", "remembered"]

_YOUNG_NS = 2 * 10**9  # a file younger than this may change again without a sign of it
_WAIT_SECONDS = 120.0  # for another process that reads
_UNDATED = (1 << 63) - 1
_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class DetailCoverage:
    """What was read: files, lines, of them malformed, last lines still being written, files that could not be."""

    files: int
    lines: int
    malformed: int
    pending: int
    unreadable: tuple[tuple[str, str], ...]


def machine_salt(data_folder: str) -> bytes:
    """Return the secret that hides file paths, made on first use and kept in *data_folder*.

    Raises:
        OSError: It can be neither read nor made.
    """
    path = os.path.join(data_folder, "detail.salt")
    os.makedirs(data_folder, mode=0o700, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        with open(path, "rb") as file:
            salt = file.read()
        if len(salt) == _SALT_BYTES:
            return salt
        os.unlink(path)  # cut short: what it hid can be compared with nothing any more
        return machine_salt(data_folder)
    salt = os.urandom(_SALT_BYTES)
    try:
        os.write(descriptor, salt)
    finally:
        os.close(descriptor)
    return salt


def refresh(
    roots: Sequence[str | os.PathLike[str]], database: str | os.PathLike[str], salt: bytes
) -> Detail:
    """Read what is new below *roots* into *database* and return what it holds now.

    Raises:
        OSError: The database cannot be written.
        sqlite3.OperationalError: Another process kept it locked for two minutes.
    """
    path = os.fspath(database)
    try:
        return _refreshed(roots, path, salt)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            raise
    for ending in ("", "-wal", "-shm"):  # damaged: it only mirrors the disk
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + ending)
    return _refreshed(roots, path, salt)


@contextlib.contextmanager
def remembered(roots: Sequence[str | os.PathLike[str]], data_folder: str) -> Iterator[Detail]:
    """Read what is new below *roots*, and give what is known of them; it is remembered in *data_folder*.

    Raises:
        FileRefused: It cannot be remembered.
    """
    path = os.path.join(data_folder, "detail.sqlite")
    try:
        with refresh(roots, path, machine_salt(data_folder)) as detail:
            yield detail
    except OSError as error:
        raise FileRefused(error.filename or path, error.strerror or "cannot be used") from None
    except sqlite3.OperationalError as error:
        raise FileRefused(path, str(error)) from None


def _refreshed(roots: Sequence[str | os.PathLike[str]], path: str, salt: bytes) -> Detail:
    database = _connect(path)
    try:
        database.execute("BEGIN IMMEDIATE")
        _prepare(database, salt)
        unreadable = _Pass(database, [os.fspath(root) for root in roots], salt).run()
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return Detail(database, unreadable)


def _connect(path: str) -> sqlite3.Connection:
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    database = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection, salt: bytes) -> None:
    """Make the tables anew unless they are of this format and this salt."""
    mark = tables.FORMAT.encode() + blake2b(key=salt, digest_size=16).digest()
    names = {
        row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    if "memo" in names:
        row = database.execute("SELECT value FROM memo WHERE name = 'format'").fetchone()
        if row == (mark,):
            return
    for name in names:
        database.execute(f'DROP TABLE "{name}"')
    for statement in filter(str.strip, tables.SCHEMA.split(";")):
        database.execute(statement)
    database.execute("INSERT INTO memo VALUES ('format', ?)", (mark,))


class _Pass:
    """One reading of the roots into an open transaction."""

    def __init__(self, database: sqlite3.Connection, roots: list[str], salt: bytes) -> None:
        self._db, self._roots, self._salt = database, roots, salt

    def run(self) -> list[tuple[str, str]]:
        snapshot = walk(self._roots)
        columns = "id, root, path, stat, state, reason"
        known = {
            (row[1], os.fsdecode(row[2])): row
            for row in self._db.execute(f"SELECT {columns} FROM file")
        }
        unreadable = dict(snapshot.unreadable)
        for root, files in enumerate(snapshot.files):
            for relative in sorted(files, key=os.fsencode):
                if relative.startswith("projects/") and relative.endswith(".jsonl"):
                    row = known.pop((root, relative), None)
                    reason = self._file(root, relative, files[relative], row)
                    if reason:
                        unreadable[os.path.join(self._roots[root], relative)] = reason
        for row in known.values():
            self._forget(row[0])
            self._db.execute("DELETE FROM file WHERE id = ?", (row[0],))
        return sorted(unreadable.items())

    def _forget(self, number: int) -> None:
        for table in tables.ROWS:
            self._db.execute(f"DELETE FROM {table} WHERE file = ?", (number,))

    def _file(self, root: int, relative: str, stat: Stat, row: Any) -> str:
        """Bring one file up to date; return why it could not be read, or ""."""
        seen_ns = int(wall() * 1e9)
        state: tuple[Any, ...] | None = None
        if row is not None and not row[5]:
            before, read_ns = _loaded(row[3])
            state = _loaded(row[4])
            if before == stat and max(stat[3:]) < read_ns - _YOUNG_NS:
                return ""
        path = os.path.join(self._roots[root], relative)
        try:
            with open(path, "rb", buffering=0) as file:
                self._read(file.fileno(), root, relative, (stat, seen_ns), row and row[0], state)
        except OSError as error:
            reason = error.strerror or "unreadable"
            if row is not None:
                self._forget(row[0])
            self._write(
                row and row[0], root, relative, 0, _UNDATED, (stat, 0), (), (0, 0, 0), reason
            )
            return reason
        return ""

    def _read(
        self, descriptor: int, root: int, relative: str, seen: Any, number: int | None, state: Any
    ) -> None:
        """Read a file on from *state*, or from its beginning where that no longer fits."""
        name = relative.rpartition("/")[2]
        stem = name.removesuffix(".jsonl")
        main = relative.count("/") == 2 and not name.startswith("agent-")
        hasher = stringzilla.Hasher()
        offset, lines, malformed, first, latest = 0, 0, 0, _UNDATED, None
        if (
            state is not None
            and not state[2]
            and hash_beginning(descriptor, state[0], hasher) == state[1]
        ):
            offset, _, _, lines, malformed, first, latest = state
            if os.fstat(descriptor).st_size == offset:
                self._write(
                    number,
                    root,
                    relative,
                    _repeats_parent(name),
                    first,
                    seen,
                    state,
                    (lines, malformed, 0),
                    "",
                )
                return
        else:
            if number is not None:
                self._forget(number)
            os.lseek(descriptor, 0, os.SEEK_SET)
            hasher = stringzilla.Hasher()
        reader = DetailLines(stem, main, self._salt, latest)
        offset, rest = read_pieces(descriptor, reader, offset, hasher)
        tail = not rest and _ends_within_a_line(descriptor, offset)
        state_after, pending = reader.state(), tail
        if rest:
            tail = reader.last(rest, offset)
            pending = not tail
        lines, malformed = lines + reader.lines, malformed + reader.malformed
        if reader.first is not None:
            first = min(first, reader.first)
        state = (offset, hasher.digest(), tail, lines, malformed, first, state_after)
        counts = (lines + pending, malformed, int(pending))
        number = self._write(
            number, root, relative, _repeats_parent(name), first, seen, state, counts, ""
        )
        rows = (
            reader.calls, reader.results, reader.parts, reader.attributions, reader.compactions, reader.pauses,
        )  # fmt: skip
        for table, found in zip(tables.ROWS, rows, strict=True):
            self._db.executemany(tables.INSERTS[table], [(number, *row) for row in found])

    def _write(
        self, number: int | None, root: int, relative: str, helper: int, first: int, seen: Any,
        state: Any, counts: tuple[int, int, int], reason: str,
    ) -> int:  # fmt: skip
        cursor = self._db.execute(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number, root, os.fsencode(relative), helper, first, marshal.dumps(seen, 4),
                marshal.dumps(state, 4), *counts, reason,
            ),
        )  # fmt: skip
        return number if number is not None else int(cursor.lastrowid or 0)


def _loaded(data: bytes) -> Any:
    try:
        return marshal.loads(data)
    except (ValueError, EOFError, TypeError) as error:
        raise sqlite3.DatabaseError("damaged") from error


def _repeats_parent(name: str) -> int:
    return int(name.startswith(tuple(prefix for prefix, _ in HELPERS)))


def _ends_within_a_line(descriptor: int, offset: int) -> bool:
    """Say whether what was read up to *offset* is no whole line: a part of one that is too long to read."""
    if not offset:
        return False
    os.lseek(descriptor, offset - 1, os.SEEK_SET)
    return os.read(descriptor, 1) != b"\n"


class Detail:
    """What the database holds. Close it, or use it in a `with`."""

    def __init__(self, database: sqlite3.Connection, unreadable: list[tuple[str, str]]) -> None:
        self._db, self._unreadable = database, tuple(unreadable)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def calls(self, session: str | None = None) -> Iterator[ToolCall]:
        """Yield every tool call once, in time order; those of one session where it is given."""
        parts = self._parts()
        for row in self._db.execute(tables.CALLS, {"session": session}):
            key, identity, name, server, tool, group, request = row[:7]
            owner, agent, side, project, called, returned, failed, touched = row[7:]
            response = None if group is None else (group, request)
            yield ToolCall(
                identity, name, server, tool, response, owner, agent, bool(side), project, called, returned,
                None if failed is None else bool(failed), touched.hex(), parts.get(key, ()),
            )  # fmt: skip

    def _parts(self) -> dict[bytes, tuple[ResultPart, ...]]:
        parts: dict[bytes, tuple[ResultPart, ...]] = {}
        for key, *sizes in self._db.execute(tables.PARTS):
            parts[key] = (*parts.get(key, ()), ResultPart(*sizes))
        return parts

    def tools(self) -> list[ToolWeight]:
        """Return what each tool's results weighed, the heaviest first."""
        return tool_weights(self.calls())

    def touches(self) -> list[FileTouches]:
        """Return how often each agent of a session touched each file, the most read first."""
        found = []
        for session, agent, project, file, reads, changes, calls, size in self._db.execute(
            tables.TOUCHES
        ):
            others = calls - reads - changes
            found.append(
                FileTouches(session, agent, project, file.hex(), reads, changes, others, size or 0)
            )
        return found

    def attributions(self, session: str | None = None) -> Iterator[Attribution]:
        """Yield what Claude Code put each response down to, in time order; of one session where it is given."""
        for group, request, *rest in self._db.execute(tables.ATTRIBUTIONS, {"session": session}):
            yield Attribution(None if group is None else (group, request), *rest)

    def compactions(self) -> list[Compaction]:
        """Return the compactions, in time order."""
        return [Compaction(*row) for row in self._db.execute(tables.COMPACTIONS)]

    def pauses(self) -> list[Pause]:
        """Return the silences of more than five minutes, in time order."""
        return [Pause(*row) for row in self._db.execute(tables.PAUSES)]

    def coverage(self) -> DetailCoverage:
        """Return how much was read, and what could not be."""
        sums = self._db.execute(tables.COVERAGE).fetchone()
        files, lines, malformed, pending = (value or 0 for value in sums)
        return DetailCoverage(files, lines, malformed, pending, self._unreadable)
