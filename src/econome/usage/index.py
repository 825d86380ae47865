"""The index: what was read of every tree, in one SQLite file that can be thrown away at any time.

Values are marshalled and carry a checksum, so that damage is noticed and never believed. All counters, no money,
no text. One writer at a time, who holds the write lock while it scans; readers never wait.
Every report opens it, so it imports nothing but `sqlite3` and `marshal`.
"""

from __future__ import annotations

import marshal
import os
import sqlite3
from array import array
from zlib import crc32

from econome.usage.readers import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = [
    "Damaged", "FileRecord", "Index", "Locked", "TreeRecord", "checked", "pack", "remove", "unpack",
    "verified",
]  # fmt: skip

_FORMAT = f"2:{VERSION}"
_WAIT_SECONDS = 120.0  # for another process that scans

_SCHEMA = """
CREATE TABLE tree (id INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, head BLOB NOT NULL, snapshot BLOB NOT NULL);
CREATE TABLE file (id INTEGER PRIMARY KEY, tree INTEGER NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL,
  state BLOB NOT NULL, gids BLOB NOT NULL, UNIQUE (tree, root, path));
CREATE TABLE groups (file INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE cells (tree INTEGER NOT NULL, day INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tree, day));
CREATE TABLE memo (key TEXT PRIMARY KEY, stamp TEXT NOT NULL, body BLOB NOT NULL);
"""
_TABLES = ("tree", "file", "groups", "cells", "memo")


class Damaged(Exception):
    """The index cannot be used as it stands; nothing of it was believed."""


class Locked(Exception):
    """Another process writes the index and did not come to an end."""


def pack(value: Any) -> bytes:
    """Return a value as marshalled bytes behind their checksum."""
    return checked(marshal.dumps(value, 4))


def checked(body: bytes) -> bytes:
    """Return bytes behind their checksum."""
    return crc32(body).to_bytes(4, "little") + body


def unpack(data: Any) -> Any:
    """Return the value of `pack`.

    Raises:
        Damaged: the bytes are not what was packed.
    """
    return marshal.loads(verified(data)[4:])


def verified(data: Any) -> bytes:
    """Return packed bytes that are what was packed.

    Raises:
        Damaged: they are not.
    """
    if (
        type(data) is not bytes
        or len(data) < 5
        or crc32(data[4:]).to_bytes(4, "little") != data[:4]
    ):
        raise Damaged("checksum")
    return data


class TreeRecord:
    """The head of one indexed tree.

    `head` = (stamp, totals, asked, unreadable, moment): what its cells were made for (the long-prompt limits, and
    whether history is kept), the
    sums over its files, the agents whose type was searched for with their sessions, the reasons of unreadable
    files (both by (number of root, path)), and when it was scanned last, in seconds since 1970.
    """

    __slots__ = ("head", "id", "snapshot")

    def __init__(self, number: int, head: Any, snapshot: Any) -> None:
        self.id, self.head, self.snapshot = number, head, snapshot


_FILE = "SELECT id, root, path, state, gids FROM file "


class FileRecord:
    """One file: its number, the number of its root, its path below, the state of its scan, its group ids."""

    __slots__ = ("_state", "gids", "number", "path", "root")

    def __init__(self, row: Any) -> None:
        self.number, self.root, path, self._state, gids = row
        self.path = os.fsdecode(path)
        if type(gids) is not bytes or crc32(gids[4:]).to_bytes(4, "little") != gids[:4]:
            raise Damaged("group ids")
        self.gids = array("q", gids[4:])

    def state(self) -> Any:
        """Return the values of the file's state."""
        return unpack(self._state)


class Index:
    """An open index. Use `close`; a transaction that was begun and not committed is undone."""

    def __init__(self, path: str) -> None:
        self.path = path
        new = not os.path.exists(path)
        if new:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        try:
            self._db = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise Damaged(str(error)) from None
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        if self._format() == _FORMAT:
            return
        self._run("PRAGMA journal_mode = WAL")
        self.begin()
        if self._format() != _FORMAT:
            for table in _TABLES:
                self._run(f"DROP TABLE IF EXISTS {table}")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._run(statement)
            self._run("INSERT INTO memo VALUES ('format', ?, x'')", (_FORMAT,))
        self._run("COMMIT")

    def _format(self) -> str | None:
        try:
            row = self._db.execute("SELECT stamp FROM memo WHERE key = 'format'").fetchone()
        except sqlite3.OperationalError as error:
            if "no such" in str(error):
                return None
            raise self._failure(error) from None
        except sqlite3.Error as error:
            raise self._failure(error) from None
        return row[0] if row else None

    @staticmethod
    def _failure(error: sqlite3.Error) -> Exception:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return (
            Locked(str(error))
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            else Damaged(str(error))
        )

    def _run(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def _rows(self, statement: str, values: Any = ()) -> Iterator[Any]:
        cursor = self._run(statement, values)
        while True:
            try:
                rows = cursor.fetchmany(500)
            except (sqlite3.Error, OverflowError, UnicodeError) as error:
                raise Damaged(str(error)) from None
            if not rows:
                return
            yield from rows

    def _many(self, statement: str, rows: Iterable[Any]) -> None:
        try:
            self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def begin(self, read: bool = False, wait: bool = True) -> None:
        """Begin to read one moment's state, or to write; writing waits for another writer.

        Raises:
            Locked: the other writer did not end, or *wait* is false and there is one.
        """
        if not wait:
            self._run("PRAGMA busy_timeout = 0")
        self._run("BEGIN" if read else "BEGIN IMMEDIATE")
        if not wait:
            self._run(f"PRAGMA busy_timeout = {int(_WAIT_SECONDS * 1000)}")

    def commit(self) -> None:
        """End the transaction and keep what it wrote."""
        self._run("PRAGMA synchronous")  # a failed page read shows here rather than at COMMIT
        self._run("COMMIT")

    def rollback(self) -> None:
        """End the transaction, if there is one, and undo what it wrote."""
        if self._db.in_transaction:
            self._run("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # one tree ----------------------------------------------------------------------------------------------

    def tree(self, key: str) -> TreeRecord | None:
        """Return the head of the tree of that key."""
        for number, head, snapshot in self._rows(
            "SELECT id, head, snapshot FROM tree WHERE key = ?", (os.fsencode(key),)
        ):
            return TreeRecord(number, unpack(head), unpack(snapshot))
        return None

    def put_tree(self, key: str, head: Any, snapshot: Any) -> int:
        """Keep the head of a tree; return its number."""
        self._run(
            "INSERT INTO tree (key, head, snapshot) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET head = excluded.head, snapshot = excluded.snapshot",
            (os.fsencode(key), pack(head), pack(snapshot)),
        )
        return int(next(self._rows("SELECT id FROM tree WHERE key = ?", (os.fsencode(key),)))[0])

    def trees(self) -> list[str]:
        """Return the keys of all trees."""
        return [os.fsdecode(key) for (key,) in self._rows("SELECT key FROM tree")]

    def drop_tree(self, key: str) -> None:
        """Forget all of a tree."""
        for (number,) in list(self._rows("SELECT id FROM tree WHERE key = ?", (os.fsencode(key),))):
            self._run(
                "DELETE FROM groups WHERE file IN (SELECT id FROM file WHERE tree = ?)", (number,)
            )
            self._run("DELETE FROM file WHERE tree = ?", (number,))
            self._run("DELETE FROM cells WHERE tree = ?", (number,))
            self._run("DELETE FROM tree WHERE id = ?", (number,))

    def days(self, tree: int) -> dict[int, bytes]:
        """Return the packed cells of every UTC day."""
        rows = self._rows("SELECT day, body FROM cells WHERE tree = ?", (tree,))
        return {number: verified(body) for number, body in rows}

    def put_day(self, tree: int, day: int, packed: Any | None) -> None:
        """Keep a day's packed cells, or with None forget the day."""
        if packed is None:
            self._run("DELETE FROM cells WHERE tree = ? AND day = ?", (tree, day))
        else:
            self._run("INSERT OR REPLACE INTO cells VALUES (?, ?, ?)", (tree, day, packed))

    # files ---------------------------------------------------------------------------------------------------

    def files(self, tree: int) -> Iterator[FileRecord]:
        """Yield every file of a tree."""
        return map(FileRecord, self._rows(_FILE + "WHERE tree = ?", (tree,)))

    def file(self, tree: int, root: int, path: str) -> FileRecord | None:
        """Return one file, by the number of its root and its path below it."""
        where = "WHERE tree = ? AND root = ? AND path = ?"
        return next(
            map(FileRecord, self._rows(_FILE + where, (tree, root, os.fsencode(path)))), None
        )

    def groups(self, number: int) -> Any:
        """Return the groups kept of a file."""
        for (body,) in self._rows("SELECT body FROM groups WHERE file = ?", (number,)):
            return unpack(body)
        raise Damaged(f"file {number} has no groups")

    def put_files(
        self, tree: int, rows: Iterable[tuple[int, str, Any, Iterable[int], bytes]]
    ) -> None:
        """Keep files given as (root, path, state, group ids, marshalled groups)."""
        (first,) = next(self._rows("SELECT coalesce(max(id), 0) FROM file"))
        heads, bodies = [], []
        for number, (root, path, state, gids, body) in enumerate(rows, first + 1):
            heads.append(
                (
                    number,
                    tree,
                    root,
                    os.fsencode(path),
                    pack(state),
                    checked(array("q", gids).tobytes()),
                )
            )
            bodies.append((number, checked(body)))
        self._many("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)", heads)
        self._many("INSERT INTO groups VALUES (?, ?)", bodies)

    def drop_files(self, numbers: Iterable[int]) -> None:
        """Forget files."""
        for number in numbers:
            self._run("DELETE FROM groups WHERE file = ?", (number,))
            self._run("DELETE FROM file WHERE id = ?", (number,))

    # memos ---------------------------------------------------------------------------------------------------

    def get(self, key: str, stamp: str) -> Any | None:
        """Return a value kept under *key*, if it was kept with the same *stamp*."""
        for (body,) in self._rows(
            "SELECT body FROM memo WHERE key = ? AND stamp = ?", (key, stamp)
        ):
            return unpack(body)
        return None

    def put(self, key: str, stamp: str, value: Any) -> None:
        """Keep a value that can be made again."""
        self._run("INSERT OR REPLACE INTO memo VALUES (?, ?, ?)", (key, stamp, pack(value)))


def remove(path: str) -> None:
    """Remove an index with the files SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        try:
            os.remove(path + suffix)
        except OSError:
            continue
