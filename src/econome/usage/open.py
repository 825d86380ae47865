"""Opens a tree of transcripts: from the index where nothing changed, else by scanning what did.

Every report begins here, so what only a scan needs is imported where a scan begins.
"""

from __future__ import annotations

import os

from econome.clock import wall
from econome.errors import RootMissing
from econome.prices.table import load
from econome.usage.index import Damaged, Index, Locked, pack, remove
from econome.usage.tree import Tree, day_table
from econome.usage.walk import Snapshot, Stat, unreadable_paths, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from econome.settings import Settings
    from econome.usage.index import FileRecord, TreeRecord
    from econome.usage.recall import Kept
    from econome.usage.tree import Flaws
    from econome.usage.update import Outcome

    Progress = Callable[[int, int], None]

__all__ = ["index_path", "read_tree", "warm_tree"]

_YOUNG_NS = 2_000_000_000
"""A file changed this shortly before a walk may change again within the clock's grain: look again (F12)."""

_DENIED = "Permission denied"
"""The one reason to be unreadable that only a change of the file's status can end."""


class _Memo:
    """Compiled prices, kept in the index between runs; once the index is closed it holds nothing."""

    def __init__(self, index: Index) -> None:
        self._index: Index | None = index
        self._new: dict[str, tuple[str, Any]] = {}

    def get(self, key: str, stamp: str) -> Any:
        return None if self._index is None else self._index.get(key, stamp)

    def close(self) -> None:
        self._index = None

    def put(self, key: str, stamp: str, obj: Any) -> None:
        self._new[key] = stamp, obj

    def keep(self) -> None:
        for key, (stamp, obj) in self._new.items():
            if self._index is not None:
                self._index.put(key, stamp, obj)
        self._new = {}

    def __bool__(self) -> bool:
        return bool(self._new)


def index_path(settings: Settings) -> str:
    """Return where the index lies."""
    return os.path.join(settings.cache_dir, "usage.sqlite")


def _key(roots: list[str]) -> str:
    return "\n".join(roots)


def _found_roots(roots: list[str] | None, settings: Settings) -> list[str]:
    found = list(dict.fromkeys(map(os.path.abspath, roots))) if roots else settings.roots()
    for root in found:
        if not os.path.isdir(root):
            raise RootMissing(root)
    return found


def read_tree(
    roots: list[str] | None,
    settings: Settings,
    use_index: bool = True,
    progress: Progress | None = None,
    processes: int | None = None,
) -> Tree:
    """Return the tree below *roots* (None: the default ones), as it is on disk now.

    The index is made anew on any sign of damage, and gone round where it cannot be used. *progress* is called
    with the bytes read so far and in all; *processes* is 1, 2, or None to choose.

    Raises:
        RootMissing: a root that was named does not exist.
        SettingsError: a price in the settings breaks a rule.
    """
    found = _found_roots(roots, settings)
    path = index_path(settings)
    for attempt in (1, 2) if use_index else ():
        try:
            return _Opening(path, found, settings).tree(progress, processes)
        except Damaged:
            if attempt == 1:
                remove(path)
        except (Locked, OSError):
            break
    from econome.usage.fresh import scan_tree

    prices = load(settings.price_overrides, None, settings.config_file)
    return scan_tree(found, settings, prices, progress, processes)


def warm_tree(roots: list[str] | None, settings: Settings) -> Tree | None:
    """Return the tree as the index last saw it, without looking at the disk; None where it never did."""
    try:
        return _Opening(index_path(settings), _found_roots(roots, settings), settings).as_kept()
    except (Damaged, Locked, OSError):
        return None


class _Opening:
    """One look into the index, which ends in a tree."""

    def __init__(self, path: str, roots: list[str], settings: Settings) -> None:
        self.path, self.roots, self.key, self.settings = path, roots, _key(roots), settings
        self.index = Index(path)
        self.memo = _Memo(self.index)
        try:
            self.prices = load(settings.price_overrides, self.memo, settings.config_file)
        except BaseException:
            self.memo.close()
            self.index.close()
            raise

    def stamp(self) -> tuple[Any, ...]:
        """Return what the kept cells depend on beside the files: long-prompt limits, and the history there is."""
        if not self.settings.history:
            return (self.prices.thresholds, None)
        try:
            kept = os.stat(self.settings.history_path()).st_ino
        except OSError:
            kept = 0
        return (self.prices.thresholds, kept)

    def tree(self, progress: Progress | None, processes: int | None) -> Tree:
        try:
            moment = wall()
            self.index.begin(read=True)
            record, snapshot = self.index.tree(self.key), walk(self.roots)
            if record is not None and self._current(record, snapshot):
                return self._kept(record)
            self.index.rollback()
            self.index.begin()  # waits while another process scans, which may be all there is to do
            latest = self.index.tree(self.key)
            if latest is not None and (record is None or latest.head != record.head):
                moment, snapshot = wall(), walk(self.roots)
                if self._current(latest, snapshot):
                    return self._kept(latest)
            return self._scanned(latest, snapshot, moment, progress, processes)
        except BaseException:
            self._close()
            raise

    def as_kept(self) -> Tree | None:
        try:
            self.index.begin(read=True)
            record = self.index.tree(self.key)
            if record is not None:
                return self._kept(record)
        except BaseException:
            self._close()
            raise
        self._close()
        return None

    def _current(self, record: TreeRecord, snapshot: Snapshot) -> bool:
        files, unreadable = record.snapshot
        return bool(
            files == snapshot.files
            and unreadable == snapshot.unreadable
            and record.head[0] == self.stamp()
        )

    def _kept(self, record: TreeRecord) -> Tree:
        _, totals, _, unreadable, moment = record.head
        return Tree(
            self.roots,
            totals,
            unreadable_paths(self.roots, record.snapshot[1], unreadable),
            self.prices,
            self.index.days(record.id),
            self._responses,
            self._flaws,
            moment,
            self._finish,
            self._every,
        )

    def _scanned(
        self,
        record: TreeRecord | None,
        snapshot: Snapshot,
        moment: float,
        progress: Progress | None,
        processes: int | None,
    ) -> Tree:
        thresholds = self.prices.thresholds
        days: dict[int, Any] = {}
        if record is None or record.head[0] != self.stamp():
            from econome.usage.fresh import history_of
            from econome.usage.update import scan_whole

            history = history_of(self.roots, self.settings)
            outcome, _, _ = scan_whole(
                self.roots, snapshot, thresholds, processes, progress, history
            )
            record = None
        else:
            from econome.usage.changes import scan_changes

            days = self.index.days(record.id)
            outcome = scan_changes(
                self.index,
                record,
                days,
                self.roots,
                snapshot,
                thresholds,
                processes,
                progress,
                self.settings.history,
            )
        self._keep_history(outcome)
        days = days | outcome.cells

        def finish() -> None:
            self._write(record, outcome, snapshot, moment)
            self._finish()

        unreadable = unreadable_paths(self.roots, snapshot.unreadable, outcome.unreadable)
        return Tree(
            self.roots,
            outcome.totals,
            unreadable,
            self.prices,
            days,
            self._responses,
            self._flaws,
            moment,
            finish,
            self._every,
        )

    def _keep_history(self, outcome: Outcome) -> None:
        """Keep what was read beyond the deletion of its transcript (F17)."""
        if self.settings.history and (outcome.written or outcome.moved):
            from econome.usage.history import History

            history = History(self.settings.history_path())
            try:
                history.keep(self.roots, outcome.written, outcome.moved)
            finally:
                history.close()

    def _write(
        self, record: TreeRecord | None, outcome: Outcome, snapshot: Snapshot, moment: float
    ) -> None:
        index = self.index
        try:
            for key in index.trees():
                gone = not any(map(os.path.isdir, key.split("\n")))
                if gone or (key == self.key and record is None):
                    index.drop_tree(key)
            index.drop_files(outcome.dropped)
            files = [_settled(of_root, moment) for of_root in snapshot.files]
            for (root, path), reason in outcome.unreadable.items():
                if reason != _DENIED:
                    files[root][path] = (*files[root][path][:4], 0)
            head = (self.stamp(), outcome.totals, outcome.asked, outcome.unreadable, moment)
            number = index.put_tree(self.key, head, (files, snapshot.unreadable))
            index.put_files(number, outcome.written)
            for day, cells in outcome.cells.items():
                index.put_day(number, day, pack(day_table(cells)) if cells else None)
            self.memo.keep()
            index.commit()
        except Damaged:
            remove(self.path)  # the answer was given; the next run makes the index anew
        except (Locked, OSError):
            pass  # the next run finds the index as it was

    def _finish(self) -> None:
        """Keep what is new of the prices where that means no waiting, and close."""
        try:
            if self.memo:
                self.index.rollback()
                self.index.begin(wait=False)
                self.memo.keep()
                self.index.commit()
        except (Damaged, Locked):
            pass
        finally:
            self._close()

    def _close(self) -> None:
        try:
            self.index.rollback()
        except (Damaged, Locked):
            pass
        self.memo.close()
        self.index.close()

    def _responses(self, session: str) -> list[Any]:
        from econome.usage.recall import recall

        found = self._of_files(lambda index, files: recall(_held(index, files), session))
        return self._fresh().responses(session) if found is None else found

    def _every(self, use: Callable[[Iterator[Any]], Any]) -> Any:
        from econome.usage.recall import recall_all

        found = self._of_files(lambda index, files: [use(recall_all(_held(index, files)))])
        return self._fresh().every_response(use) if found is None else found[0]

    def _flaws(self) -> list[Flaws]:
        from econome.usage.scan import FileState, flaws_of

        def counted(index: Index, files: Iterable[FileRecord]) -> list[Flaws]:
            return flaws_of(
                (os.path.join(self.roots[held.root], held.path), FileState(held.state()))
                for held in files
            )

        found = self._of_files(counted)
        return self._fresh().flaws() if found is None else found

    def _of_files(
        self, asked: Callable[[Index, Iterable[FileRecord]], list[Any]]
    ) -> list[Any] | None:
        """Ask the index, opened anew, about the files of the tree; None where it cannot be used."""
        try:
            index = Index(self.path)
        except (Damaged, Locked, OSError):
            return None
        try:
            index.begin(read=True)
            record = index.tree(self.key)
            return None if record is None else asked(index, index.files(record.id))
        except (Damaged, Locked):
            return None
        finally:
            index.close()

    def _fresh(self) -> Tree:
        from econome.usage.fresh import scan_tree

        return scan_tree(self.roots, self.settings, self.prices)


def _held(index: Index, files: Iterable[FileRecord]) -> Iterator[Kept]:
    """Yield what the index keeps of each file."""
    from econome.usage.recall import Kept
    from econome.usage.scan import FileState, facts_of

    for held in files:
        state = FileState(held.state())
        facts = facts_of(held.root, held.path, state)
        yield Kept(facts, state.sessions, held.gids, _loader(index, held.number))


def _loader(index: Index, number: int) -> Callable[[], Any]:
    return lambda: index.groups(number)


def _settled(files: dict[str, Stat], moment: float) -> dict[str, Stat]:
    """Give the files that changed just before the walk a status that no file has, to be looked at again."""
    limit = int(moment * 1e9) - _YOUNG_NS
    return {
        path: (*stat[:4], 0) if stat[3] > limit or stat[4] > limit else stat
        for path, stat in files.items()
    }
