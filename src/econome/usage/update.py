"""From a walk to cells: a whole scan, or the difference that changed files make. Both give the same (F12).

A group of occurrences that stands in one file only is folded where the file is scanned; those that several files
share are folded here, over all of them (F2, F4, F5).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from econome.usage.cells import KIND, UNDATED_SLOT, Cells, DayCells, add_cells
from econome.usage.crew import Job, Progress, Scanned, recalled, scan_all
from econome.usage.fold import Member, Tally, fold_group, response_cells
from econome.usage.history import Gone
from econome.usage.occurrences import Groups
from econome.usage.scan import FileState, facts_of
from econome.usage.tree import TOTALS
from econome.usage.walk import Snapshot, is_companion

__all__ = ["Outcome", "SessionFiles", "folded", "project_folder", "scan_whole", "session_key"]


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
        return self._known.get((project_folder(relative), session), [])


def project_folder(relative: str) -> str:
    """Return the first two parts of a path below a root: for Claude Code, a project's folder."""
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
        self.gone: list[tuple[int, str]] = []
        self.back: list[tuple[int, str]] = []
        self.moved: list[tuple[int, str]] = []
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
            if not dims[KIND]:
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


def folded(
    groups: Iterable[tuple[int, list[Member]]], thresholds: tuple[int, ...]
) -> tuple[Cells, Tally]:
    """Fold groups, given with all their members, into cells and the tally of what they held."""
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
        cells, tally = folded(groups_of, thresholds)
        outcome.count_cells(cells, tally, sign)
        add_cells(outcome.cells, cells, sign)
