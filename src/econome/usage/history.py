"""What transcripts counted, kept beyond their deletion where the user asked for it (F17), and the places of models' colours.

It lies in the data directory, is migrated and never made anew. Of transcripts it keeps counters and ids, no text, of every
transcript that was read, not only of those seen to go: the index may be lost, and roots may be named anew, between
the last look at a transcript and its deletion. Claude Code deletes them after 30 days unless told otherwise.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from econome.errors import HistoryBroken
from econome.usage.index import Damaged, checked, pack, unpack, verified

__all__ = ["Gone", "History", "read_places"]

_MIGRATIONS = (
    "CREATE TABLE transcript (root BLOB NOT NULL, path BLOB NOT NULL, state BLOB NOT NULL, body BLOB NOT NULL,"
    " PRIMARY KEY (root, path))",
    "CREATE TABLE colour (place INTEGER PRIMARY KEY, model BLOB NOT NULL UNIQUE)",
)
"""Statements that bring a history from one version to the next; `user_version` counts those done."""


class Gone:
    """A transcript that may be gone: the number of its root, its path below, the values of its state, its groups.

    A plain class: this module is imported whenever a file has changed, and `dataclasses` costs 4 ms.
    """

    __slots__ = ("packed", "path", "root", "state")

    def __init__(self, root: int, path: str, state: Any, packed: bytes) -> None:
        self.root, self.path, self.state, self.packed = root, path, state, packed


class History:
    """An open history; another process that writes is waited for so many seconds.

    Raises:
        HistoryBroken: the file cannot be opened, read or written; nothing of it is thrown away.
    """

    def __init__(self, path: str, patience_seconds: float = 60.0) -> None:
        self.path = path
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            self._db = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise HistoryBroken(path, str(error)) from None
        try:
            self._migrate()
        except BaseException:
            self._db.close()
            raise

    def _run(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise HistoryBroken(self.path, str(error)) from None

    def _migrate(self) -> None:
        if self._version() == len(_MIGRATIONS):
            return
        self._run("BEGIN IMMEDIATE")
        done = self._version()
        if done > len(_MIGRATIONS):
            raise HistoryBroken(self.path, "a later econome wrote it; update this one")
        for statement in _MIGRATIONS[done:]:
            self._run(statement)
        self._run(f"PRAGMA user_version = {len(_MIGRATIONS)}")
        self._run("COMMIT")

    def _version(self) -> int:
        return int(self._run("PRAGMA user_version")[0][0])

    def kept(self, roots: list[str]) -> list[Gone]:
        """Return what is kept of transcripts below *roots*, whether they are gone or not."""
        found = []
        statement = "SELECT path, state, body FROM transcript WHERE root = ? ORDER BY path"
        try:
            for number, root in enumerate(roots):
                for path, state, body in self._run(statement, (os.fsencode(root),)):
                    values, packed = unpack(state), verified(body)[4:]
                    found.append(Gone(number, os.fsdecode(path), values, packed))
        except Damaged:
            raise HistoryBroken(self.path, "a checksum does not hold") from None
        return found

    def keep(
        self,
        roots: list[str],
        read: Iterable[tuple[int, str, Any, Any, bytes]],
        moved: Iterable[tuple[int, str]],
    ) -> None:
        """Keep what was read, as `Index.put_files` takes it; forget the old names of what was moved."""
        self._run("BEGIN IMMEDIATE")
        for root, path in moved:
            where = os.fsencode(roots[root]), os.fsencode(path)
            self._run("DELETE FROM transcript WHERE root = ? AND path = ?", where)
        for root, path, state, _, body in read:
            values = os.fsencode(roots[root]), os.fsencode(path), pack(state), checked(body)
            self._run("INSERT OR REPLACE INTO transcript VALUES (?, ?, ?, ?)", values)
        self._run("COMMIT")

    def give_places(self, models: Iterable[str]) -> dict[str, int]:
        """Give each of *models* that has no place the next one, in their order; return the places of all models (V3)."""
        self._run("BEGIN IMMEDIATE")
        known = self._places()
        following = max(known.values(), default=-1) + 1
        for model in models:
            if model not in known:
                known[model] = following
                name = model.encode("utf-8", "surrogatepass")
                self._run("INSERT INTO colour VALUES (?, ?)", (following, name))
                following += 1
        self._run("COMMIT")
        return known

    def _places(self) -> dict[str, int]:
        try:
            return dict(read_places(self._db))
        except (sqlite3.Error, ValueError) as error:
            raise HistoryBroken(self.path, str(error)) from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def read_places(db: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield each model with the place of its colour.

    Raises:
        sqlite3.Error: the file cannot be read, or is of before there were colours.
        ValueError: something else than a model or a place stands there.
    """
    for model, place in db.execute("SELECT model, place FROM colour ORDER BY place"):
        if not isinstance(model, bytes) or not isinstance(place, int):
            raise ValueError("no model and place")
        yield model.decode("utf-8", "surrogatepass"), place
