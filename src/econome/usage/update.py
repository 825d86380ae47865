"""From a walk to cells: a whole scan, or the difference that changed files make. Both give the same (F12).

A group of occurrences that stands in one file only is folded where the file is scanned; those that several files
share are folded here, over all of them (F2, F4, F5).
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from econome.usage.cells import UNDATED_SLOT, Cells, DayCells, add_cells, day_of
from econome.usage.crew import Job, Progress, Scanned, recalled, scan_all
from econome.usage.fold import FileFacts, Member, Tally, fold_group, response_cells
from econome.usage.history import Gone
from econome.usage.index import FileRecord, Index, TreeRecord, unpack
from econome.usage.occurrences import Groups
from econome.usage.scan import FileState, facts_of, joined
from econome.usage.tree import TOTALS
from econome.usage.walk import Snapshot, Stat, is_companion

__all__ = ["Outcome", "SessionFiles", "scan_changes", "scan_whole", "session_key"]

_KIND = 10


class SessionFiles:
    """The transcripts of one session, from the walk: its main file and all in the folder named after it."""

    def __init__(self, roots: list[str], snapshot: Snapshot) -> None:
        self._roots, self._snapshot = roots, snapshot
        self._known: dict[tuple[str, str], list[str]] | None = None

    def __call__(self, relative: str, session: str) -> list[str]:
        """Return the paths of a session's files in the project folder of *relative*."""
        if self._known is None:
            self._known = {}
            for root, files in zip(self._roots, self._snapshot.files, strict=True):
                for path in sorted(files):
                    key = session_key(path)
                    if key is not None and not is_companion(path):
                        self._known.setdefault(key, []).append(f"{root}/{path}")
        return self._known.get((_slug(relative), session), [])


def _slug(relative: str) -> str:
    return "/".join(relative.split("/")[:2])


def session_key(relative: str) -> tuple[str, str] | None:
    """Return (project folder, session) of a file that is one of a session's by its place, else None."""
    parts = relative.split("/")
    if len(parts) < 3 or parts[0] != "projects":
        return None
    return "/".join(parts[:2]), parts[2].removesuffix(".jsonl") if len(parts) == 3 else parts[2]


class Outcome:
    """What a scan changes: cells by day, sums, rows of files to write and numbers of files to forget."""

    def __init__(self, totals: dict[str, int]) -> None:
        self.cells: DayCells = {}
        self.totals = totals
        self.written: list[tuple[int, str, Any, Iterable[int], Any]] = []
        self.dropped: list[int] = []
        self.gone: list[Gone] = []
        self.back: list[tuple[int, str]] = []
        self.asked: dict[tuple[int, str], tuple[str, ...]] = {}
        self.unreadable: dict[tuple[int, str], str] = {}

    def count_file(self, state: FileState, sign: int) -> None:
        """Add a file's own sums, or take them away."""
        if state.reason:
            return
        self.totals["files"] += sign
        self.totals["lines"] += sign * (state.lines + state.pending)
        for name in ("rows", "malformed", "rejected"):
            self.totals[name] += sign * getattr(state, name)
        self.totals["pending"] += sign * state.pending

    def count_cells(self, cells: Cells, tally: Tally, sign: int) -> None:
        """Add folded groups, or take them away."""
        for (slot, dims), counters in cells.items():
            if not dims[_KIND]:
                self.totals["responses"] += sign * counters[0]
                if slot == UNDATED_SLOT:
                    self.totals["undated"] += sign * counters[0]
        self.totals["folded_into"] += sign * tally.responses
        self.totals["replayed"] += sign * tally.replayed

    def note(self, job: Job, state: FileState) -> None:
        """Remember of a file what the next walk must know."""
        if state.asked:
            self.asked[job.root, job.relative] = state.sessions
        if state.reason:
            self.unreadable[job.root, job.relative] = state.reason


def _folded(
    groups: Iterable[tuple[int, list[Member]]], thresholds: tuple[int, ...]
) -> tuple[Cells, Tally]:
    cells: Cells = {}
    tally = Tally()
    for gid, members in groups:
        response_cells(fold_group(gid, members, tally), thresholds, cells)
    return cells, tally


def _jobs(snapshot: Snapshot) -> list[Job]:
    return [
        Job(root, path, stat, stat[2])
        for root, files in enumerate(snapshot.files)
        for path, stat in files.items()
        if not is_companion(path)
    ]


def scan_whole(
    roots: list[str],
    snapshot: Snapshot,
    thresholds: tuple[int, ...],
    processes: int | None,
    progress: Progress | None,
    history: Iterable[Gone] = (),
    passing: bool = False,
) -> tuple[Outcome, list[Scanned], list[Job]]:
    """Scan every file of a tree; what *history* keeps of files that are gone counts like theirs (F17)."""
    outcome = Outcome(dict.fromkeys(TOTALS, 0))
    jobs = _jobs(snapshot)
    on_disk = len(jobs)
    gone = [g for g in history if g.path not in snapshot.files[g.root]]
    outcome.totals["from_history"] = len(gone)
    jobs += [Job(g.root, g.path, (), 0) for g in gone]
    scanned: list[Scanned] = []
    holder: dict[int, int] = {}
    shared: dict[int, list[int]] = {}
    session_files = SessionFiles(roots, snapshot)
    scans = scan_all(roots, jobs[:on_disk], thresholds, session_files, processes, progress, passing)
    remembered = (recalled(on_disk + place, jobs, g, thresholds) for place, g in enumerate(gone))
    for place, found in enumerate(chain(scans, remembered)):
        scanned.append(found)
        job = jobs[found.job]
        outcome.count_file(found.state, 1)
        outcome.note(job, found.state)
        tally = Tally()
        tally.responses, tally.replayed = found.responses, found.replayed
        outcome.count_cells(found.cells, tally, 1)
        add_cells(outcome.cells, found.cells)
        found.cells = {}
        for gid in found.gids:
            if gid in holder:
                shared.setdefault(gid, [holder[gid]]).append(place)
        holder.update(dict.fromkeys(found.gids, place))
    _fold_shared(outcome, shared, scanned, jobs, thresholds)
    outcome.written = [
        (jobs[s.job].root, jobs[s.job].relative, s.state.values(), s.gids, s.body) for s in scanned
    ]
    return outcome, scanned, jobs


def _fold_shared(
    outcome: Outcome,
    shared: dict[int, list[int]],
    scanned: list[Scanned],
    jobs: list[Job],
    thresholds: tuple[int, ...],
) -> None:
    """Put the responses that several files hold where they belong."""
    wanted: dict[int, list[int]] = {}
    for gid, places in shared.items():
        for place in places:
            wanted.setdefault(place, []).append(gid)
    members: dict[int, list[Member]] = {}
    alone: list[tuple[int, list[Member]]] = []
    for place, gids in wanted.items():
        job, state = jobs[scanned[place].job], scanned[place].state
        facts = facts_of(job.root, job.relative, state)
        groups: Groups = scanned[place].groups()
        for gid in gids:
            found = [(facts, occurrence) for occurrence in groups[gid]]
            alone.append((gid, found))
            members.setdefault(gid, []).extend(found)
    for groups_of, sign in ((alone, -1), (list(members.items()), 1)):
        cells, tally = _folded(groups_of, thresholds)
        outcome.count_cells(cells, tally, sign)
        add_cells(outcome.cells, cells, sign)


class _Version:
    """A file's groups before or after a change, with the facts that go with them."""

    __slots__ = ("facts", "groups", "state")

    def __init__(self, facts: FileFacts, groups: Groups, state: FileState) -> None:
        self.facts, self.groups, self.state = facts, groups, state


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
        if path in after[root] and any((_slug(path), owner) in sessions for owner in owners):
            changed[root, path] = True
    return {
        (root, path): forget
        for (root, path), forget in changed.items()
        if path in before[root] or path in after[root]
    }


def scan_changes(
    index: Index,
    record: TreeRecord,
    roots: list[str],
    snapshot: Snapshot,
    thresholds: tuple[int, ...],
    processes: int | None,
    progress: Progress | None,
    keep: bool = False,
) -> Outcome:
    """Scan the files that differ from the record's, and return the difference they make.

    With *keep* a file that is gone goes on counting, as history (F17).
    """
    _, totals, asked, unreadable, _ = record.head
    outcome = Outcome(dict(totals))
    outcome.asked, outcome.unreadable = dict(asked), dict(unreadable)
    changed = _changed_paths(record.snapshot[0], snapshot.files, asked)
    before: list[_Version] = []
    known: dict[tuple[int, str], FileRecord] = {}
    jobs: list[Job] = []
    for (root, path), forget in changed.items():
        outcome.asked.pop((root, path), None)
        outcome.unreadable.pop((root, path), None)
        held = index.file(record.id, root, path)
        state = None
        stat = snapshot.files[root].get(path)
        if held is not None and keep and stat is None and not _moved(record, snapshot, root, path):
            outcome.gone.append(Gone(root, path, held.state(), index.packed_groups(held.number)))
            continue
        if held is not None and stat is not None and path not in record.snapshot[0][root]:
            outcome.back.append((root, path))
        if held is not None:
            known[root, path] = held
            outcome.dropped.append(held.number)
            state = FileState(held.state())
            before.append(_Version(facts_of(root, path, state), index.groups(held.number), state))
            outcome.count_file(state, -1)
        if stat is not None:
            was = record.snapshot[0][root].get(path)
            if forget or was is None or was[:2] != stat[:2]:  # another file may begin like this one
                state = None
            size = stat[2] - (state.offset if state else 0)
            jobs.append(Job(root, path, stat, max(size, 0), state))
    outcome.totals["from_history"] += len(outcome.gone) - len(outcome.back)
    after: list[_Version] = []
    session_files = SessionFiles(roots, snapshot)
    for found in scan_all(roots, jobs, thresholds, session_files, processes, progress):
        job = jobs[found.job]
        groups, body, gids = found.groups(), found.body, found.gids
        if found.follows:
            groups = joined(index.groups(known[job.root, job.relative].number), groups)
            body, gids = marshal.dumps(groups, 4), list(groups)
        outcome.count_file(found.state, 1)
        outcome.note(job, found.state)
        outcome.written.append((job.root, job.relative, found.state.values(), gids, body))
        after.append(_Version(facts_of(job.root, job.relative, found.state), groups, found.state))
    affected = _affected(before, after)
    others = _others(index, record, set(outcome.dropped), affected)
    for versions, sign in ((before, -1), (after, 1)):
        cells, tally = _folded(_members(affected, versions, others), thresholds)
        outcome.count_cells(cells, tally, sign)
        _change_cells(outcome.cells, index, record, cells, sign)
    return outcome


def _moved(record: TreeRecord, snapshot: Snapshot, root: int, path: str) -> bool:
    """Whether a file that is gone has only another name now."""
    identity = record.snapshot[0][root][path][:2]
    return any(stat[:2] == identity for files in snapshot.files for stat in files.values())


def _affected(before: list[_Version], after: list[_Version]) -> set[int]:
    """The groups that a changed file has in another form than before."""
    old = {version.facts.order: version for version in before}
    affected: set[int] = set()
    for version in after:
        was = old.pop(version.facts.order, None)
        if was is None:
            affected.update(version.groups)
        elif (was.facts.agent, was.facts.first) != (version.facts.agent, version.facts.first):
            affected.update(was.groups, version.groups)
        else:
            for gid in was.groups.keys() | version.groups.keys():
                if was.groups.get(gid) != version.groups.get(gid):
                    affected.add(gid)
    for gone in old.values():
        affected.update(gone.groups)
    return affected


def _others(
    index: Index, record: TreeRecord, but: set[int], affected: set[int]
) -> dict[int, list[Member]]:
    """The members that unchanged files have in the affected groups."""
    found: dict[int, list[Member]] = {}
    if not affected:
        return found
    for held in index.files(record.id):
        if held.number in but or affected.isdisjoint(held.gids):
            continue
        facts = facts_of(held.root, held.path, FileState(held.state()))
        groups = index.groups(held.number)
        for gid in affected.intersection(held.gids):
            found.setdefault(gid, []).extend((facts, occurrence) for occurrence in groups[gid])
    return found


def _members(
    affected: set[int], versions: list[_Version], others: dict[int, list[Member]]
) -> Iterator[tuple[int, list[Member]]]:
    members = {gid: list(found) for gid, found in others.items()}
    for version in versions:
        for gid in affected.intersection(version.groups):
            members.setdefault(gid, []).extend((version.facts, o) for o in version.groups[gid])
    return iter(members.items())


def _change_cells(
    changed: DayCells, index: Index, record: TreeRecord, cells: Cells, sign: int
) -> None:
    """Add cells to the days they touch, which are loaded first."""
    for day in {day_of(slot) for slot, _ in cells}:
        if day not in changed:
            changed[day] = {}
            for body in index.days(record.id, day).values():
                dims, rows = unpack(body)
                changed[day] = {(slot, dims[place]): counters for slot, place, *counters in rows}
    add_cells(changed, cells, sign)
