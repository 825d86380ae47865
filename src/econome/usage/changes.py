"""From an index and a walk to the difference that changed files make (F12).

A file that only grew is read from where it ended, and only the groups of its new rows are folded again, over all
the files that hold them.
"""

from __future__ import annotations

import marshal
import os

from econome.usage.cells import Cells, DayCells, add_cells, day_of
from econome.usage.crew import Job, Progress, Scanned, scan_all
from econome.usage.fold import FileFacts, Member
from econome.usage.index import FileRecord, Index, TreeRecord, unpack
from econome.usage.occurrences import Groups, merge_groups
from econome.usage.scan import FileState, begins_with, facts_of
from econome.usage.update import Outcome, SessionFiles, folded, project_folder, session_key
from econome.usage.walk import Snapshot, Stat, is_companion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["scan_changes"]


class _Version:
    """A file's groups before or after a change, with the facts that go with them."""

    __slots__ = ("facts", "groups")

    def __init__(self, facts: FileFacts, groups: Groups) -> None:
        self.facts, self.groups = facts, groups


def _changed_paths(
    before: list[dict[str, Stat]],
    after: list[dict[str, Stat]],
    asked: dict[tuple[int, str], tuple[str, ...]],
) -> dict[tuple[int, str], bool]:
    """The transcripts to look at again, each with whether what is known of it must be forgotten."""
    changed: dict[tuple[int, str], bool] = {}
    sessions: set[tuple[str, str] | None] = set()
    for root, (old, new) in enumerate(zip(before, after, strict=True)):
        for path in {path for path, _ in old.items() ^ new.items()}:
            if is_companion(path):
                changed[root, path.removesuffix(".meta.json") + ".jsonl"] = True
            else:
                changed.setdefault((root, path), False)
                sessions.add(session_key(path))
    for (root, path), owners in asked.items():
        if path in after[root] and any(
            (project_folder(path), owner) in sessions for owner in owners
        ):
            changed[root, path] = True
    return {
        (root, path): forget
        for (root, path), forget in changed.items()
        if path in before[root] or path in after[root]
    }


def scan_changes(
    index: Index,
    record: TreeRecord,
    days: Mapping[int, bytes],
    roots: list[str],
    snapshot: Snapshot,
    thresholds: tuple[int, ...],
    processes: int | None,
    progress: Progress | None,
    keep: bool = False,
) -> Outcome:
    """Scan the files that differ from the record's, and return the difference they make.

    *days* are the packed cells that the record has. With *keep* a file that is gone goes on counting, as history (F17).
    """
    changes = _Changes(index, record, roots, snapshot, keep)
    changed = _changed_paths(record.snapshot[0], snapshot.files, record.head[2])
    jobs = [
        job
        for (root, path), forget in changed.items()
        if (job := changes.begin(root, path, forget))
    ]
    session_files = SessionFiles(roots, snapshot)
    for found in scan_all(roots, jobs, thresholds, session_files, processes, progress):
        changes.take(jobs[found.job], found)
    return changes.finish(days, thresholds)


class _Changes:
    """The files of a tree that changed, each before and after, as far as the difference goes."""

    def __init__(
        self, index: Index, record: TreeRecord, roots: list[str], snapshot: Snapshot, keep: bool
    ) -> None:
        _, totals, asked, unreadable, _ = record.head
        self.index, self.record, self.roots = index, record, roots
        self.snapshot, self.keep = snapshot, keep
        self.outcome = Outcome(dict(totals))
        self.outcome.asked, self.outcome.unreadable = dict(asked), dict(unreadable)
        self.held: dict[tuple[int, str], tuple[FileRecord, FileState]] = {}
        self.before: list[_Version] = []
        self.after: list[_Version] = []
        self.affected: set[int] = set()
        self._by_place: dict[tuple[int, ...], str] | None = None

    def begin(self, root: int, path: str, forget: bool) -> Job | None:
        """Take a file out of the sums; return what is to be read of it, None where it is gone."""
        outcome = self.outcome
        outcome.asked.pop((root, path), None)
        outcome.unreadable.pop((root, path), None)
        held = self.index.file(self.record.id, root, path)
        stat = self.snapshot.files[root].get(path)
        was = self.record.snapshot[0][root].get(path)
        known = None
        if held is not None:
            state = FileState(held.state())
            if stat is None and self.keep:
                if not self._moved(state, was):
                    outcome.gone.append((root, path))
                    return None
                outcome.moved.append((root, path))
            self.held[root, path] = held, state
            outcome.dropped.append(held.number)
            outcome.count_file(state, -1)
            if stat is None:
                groups = self.index.groups(held.number)
                self.before.append(_Version(facts_of(root, path, state), groups))
                self.affected.update(groups)
                return None
            if was is None:
                outcome.back.append((root, path))
            elif not forget and was[:2] == stat[:2]:  # else another file may begin like this one
                known = state
        if stat is None:
            return None
        return Job(root, path, stat, max(0, stat[2] - (known.offset if known else 0)), known)

    def _moved(self, state: FileState, was: Stat | None) -> bool:
        """Whether a file that is gone has only another name now: the same place on disk, with the same beginning."""
        if was is None:
            return False
        if self._by_place is None:
            self._by_place = {
                stat[:2]: os.path.join(self.roots[root], path)
                for root, files in enumerate(self.snapshot.files)
                for path, stat in files.items()
                if not is_companion(path)
            }
        path = self._by_place.get(was[:2])
        return path is not None and begins_with(path, state)

    def take(self, job: Job, found: Scanned) -> None:
        """Add a file as it is now."""
        outcome = self.outcome
        outcome.count_file(found.state, 1)
        outcome.note(job, found.state)
        body, gids = found.body, found.gids
        groups = found.groups()
        facts = facts_of(job.root, job.relative, found.state)
        held = self.held.get((job.root, job.relative))
        if held is None:
            self.after.append(_Version(facts, groups))
            self.affected.update(groups)
        else:
            whole = self._compare(held, facts, groups, found.follows)
            if found.follows:
                body, gids = marshal.dumps(whole, 4), list(whole)
        outcome.written.append((job.root, job.relative, found.state.values(), gids, body))

    def _compare(
        self, held: tuple[FileRecord, FileState], facts: FileFacts, groups: Groups, follows: bool
    ) -> Groups:
        """Note the groups that the file has in another form than before; return all it has now."""
        record, state = held
        old_facts = facts_of(record.root, record.path, state)
        old: Groups = self.index.groups(record.number)
        same_facts = (old_facts.agent, old_facts.first) == (facts.agent, facts.first)
        if follows and same_facts:
            touched = {gid: [o[:] for o in old[gid]] for gid in groups.keys() & old.keys()}
            self.before.append(_Version(old_facts, old | touched))
            self.affected.update(groups)
            merge_groups(old, groups)
            self.after.append(_Version(facts, old))
            return old
        whole = groups
        if follows:
            whole = dict(self.index.groups(record.number))
            merge_groups(whole, groups)
        self.before.append(_Version(old_facts, old))
        self.after.append(_Version(facts, whole))
        self.affected.update(
            gid
            for gid in old.keys() | whole.keys()
            if not same_facts or old.get(gid) != whole.get(gid)
        )
        return whole

    def finish(self, days: Mapping[int, bytes], thresholds: tuple[int, ...]) -> Outcome:
        """Fold what is affected as it was and as it is, and return the difference."""
        outcome = self.outcome
        outcome.totals["from_history"] += len(outcome.gone) - len(outcome.back)
        others = self._others()
        for versions, sign in ((self.before, -1), (self.after, 1)):
            cells, tally = folded(self._members(versions, others), thresholds)
            outcome.count_cells(cells, tally, sign)
            _change_cells(outcome.cells, days, cells, sign)
        return outcome

    def _others(self) -> dict[int, list[Member]]:
        """The members that unchanged files have in the affected groups."""
        found: dict[int, list[Member]] = {}
        affected, but = self.affected, set(self.outcome.dropped)
        for held in self.index.files(self.record.id) if affected else ():
            if held.number in but or affected.isdisjoint(held.gids):
                continue
            facts = facts_of(held.root, held.path, FileState(held.state()))
            groups = self.index.groups(held.number)
            for gid in affected.intersection(held.gids):
                found.setdefault(gid, []).extend((facts, occurrence) for occurrence in groups[gid])
        return found

    def _members(
        self, versions: list[_Version], others: dict[int, list[Member]]
    ) -> Iterator[tuple[int, list[Member]]]:
        members = {gid: list(found) for gid, found in others.items()}
        for version in versions:
            for gid in self.affected.intersection(version.groups):
                members.setdefault(gid, []).extend((version.facts, o) for o in version.groups[gid])
        return iter(members.items())


def _change_cells(changed: DayCells, days: Mapping[int, bytes], cells: Cells, sign: int) -> None:
    """Add cells to the days they touch, as these were kept."""
    for day in {day_of(slot) for slot, _ in cells}:
        if day not in changed:
            changed[day] = {}
            if day in days:
                dims, rows = unpack(days[day])
                changed[day] = {(slot, dims[place]): counters for slot, place, *counters in rows}
    add_cells(changed, cells, sign)
