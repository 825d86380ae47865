"""Scans many files, in two processes where it pays.

The second process is a fork that shares what is imported and sends its results through a pipe. Files are handed
out in batches through another pipe, so that whichever process is free takes the next.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from econome.usage.cells import Cells
from econome.usage.fold import Tally, alone_cells
from econome.usage.history import Gone
from econome.usage.occurrences import Groups
from econome.usage.scan import FileState, SessionFiles, facts_of, scan_file

__all__ = ["Job", "Progress", "Scanned", "recalled", "scan_all"]

_PAYS_FROM = 20 << 20  # bytes to read below which a second process costs more than it saves
_BATCH = 2 << 20
_MANY = 256 << 10  # bytes to read above which loading the typed reader pays
_MOST_BATCHES = 4000  # whose numbers fill no pipe before anyone reads from it (16 KiB on macOS)

Progress = Callable[[int, int], None]


class Job:
    """One file to scan: *known* is what an index knows of its earlier part."""

    __slots__ = ("known", "relative", "root", "size", "stat")

    def __init__(
        self,
        root: int,
        relative: str,
        stat: tuple[int, ...],
        size: int,
        known: FileState | None = None,
    ) -> None:
        self.root, self.relative, self.stat = root, relative, stat
        self.size, self.known = size, known


class Scanned:
    """What a scan found in one file.

    `cells` are of its groups as if no other file shared them; `body` is its groups, marshalled where they are kept
    or came from the other process.
    """

    __slots__ = ("body", "cells", "follows", "gids", "job", "replayed", "responses", "state")

    def __init__(
        self,
        job: int,
        state: FileState,
        follows: bool,
        gids: list[int],
        body: bytes | Groups,
        cells: Cells,
        tally: Tally,
    ) -> None:
        self.job, self.state, self.follows, self.gids = job, state, follows, gids
        self.body, self.cells = body, cells
        self.responses, self.replayed = tally.responses, tally.replayed

    def groups(self) -> Groups:
        """Return its groups."""
        return self.body if isinstance(self.body, dict) else marshal.loads(self.body)


class _Scanner:
    def __init__(
        self,
        roots: list[str],
        jobs: list[Job],
        thresholds: tuple[int, ...],
        session_files: SessionFiles,
        passing: bool,
    ) -> None:
        self.roots, self.jobs, self.thresholds = roots, jobs, thresholds
        self.session_files, self.passing = session_files, passing
        self.forked = False
        self.many = passing or sum(job.size for job in jobs) > _MANY

    def scan(self, number: int) -> tuple[Any, ...]:
        """Scan one file; the result is a value `marshal` can write."""
        job = self.jobs[number]
        salt = f"{job.stat[0]}:{job.stat[1]}"
        state, groups, follows = scan_file(
            self.roots[job.root],
            job.relative,
            salt,
            job.known,
            self.session_files,
            self.passing,
            self.many,
        )
        facts = facts_of(job.root, job.relative, state)
        cells: Cells = {}
        tally = Tally()
        alone_cells(facts, groups, self.thresholds, cells, tally)
        body = groups if self.passing and not self.forked else marshal.dumps(groups, 4)
        return (
            number, state.values(), follows, list(groups), body, cells,
            tally.responses, tally.replayed,
        )  # fmt: skip


def recalled(number: int, jobs: list[Job], gone: Gone, thresholds: tuple[int, ...]) -> Scanned:
    """Return what a scan had found in a file that is gone, from history (F17)."""
    state, tally = FileState(gone.state), Tally()
    cells: Cells = {}
    groups = marshal.loads(gone.packed)
    facts = facts_of(jobs[number].root, jobs[number].relative, state)
    alone_cells(facts, groups, thresholds, cells, tally)
    return Scanned(number, state, False, list(groups), gone.packed, cells, tally)


def _result(values: tuple[Any, ...]) -> Scanned:
    number, state, follows, gids, body, cells, responses, replayed = values
    tally = Tally()
    tally.responses, tally.replayed = responses, replayed
    return Scanned(number, FileState(state), follows, gids, body, cells, tally)


def _batches(jobs: list[Job]) -> list[list[int]]:
    """Numbers of jobs in batches of some megabytes, the largest files first."""
    order = sorted(range(len(jobs)), key=lambda number: -jobs[number].size)
    least = max(_BATCH, sum(job.size for job in jobs) // _MOST_BATCHES, 1)
    least_count = -(-len(jobs) // _MOST_BATCHES)
    batches: list[list[int]] = []
    size = least
    for number in order:
        if size >= least and (not batches or len(batches[-1]) >= least_count):
            batches.append([])
            size = 0
        batches[-1].append(number)
        size += jobs[number].size
    return batches


def scan_all(
    roots: list[str],
    jobs: list[Job],
    thresholds: tuple[int, ...],
    session_files: SessionFiles,
    processes: int | None = None,
    progress: Progress | None = None,
    passing: bool = False,
) -> Iterator[Scanned]:
    """Scan the files of *jobs*; *processes* 1 or 2, None to choose by their size; *passing*: nothing is kept.

    *progress* is called with the bytes read so far (by this process, doubled where two work) and in all.
    """
    scanner = _Scanner(roots, jobs, thresholds, session_files, passing)
    collecting = gc.isenabled()
    gc.disable()  # nothing scanned is in a cycle, and looking for one takes a tenth of the time
    try:
        yield from _scan_jobs(scanner, jobs, processes, progress)
    finally:
        if collecting:
            gc.enable()


def _scan_jobs(
    scanner: _Scanner, jobs: list[Job], processes: int | None, progress: Progress | None
) -> Iterator[Scanned]:
    total = sum(job.size for job in jobs)
    if processes is None:
        processes = (
            2 if total >= _PAYS_FROM and hasattr(os, "fork") and (os.cpu_count() or 1) > 1 else 1
        )
    if processes == 1:
        done = 0
        for number, job in enumerate(jobs):
            yield _result(scanner.scan(number))
            done += job.size
            if progress is not None:
                progress(done, total)
        return
    yield from _scan_in_two(scanner, _batches(jobs), total, progress)


def _scan_in_two(
    scanner: _Scanner, batches: list[list[int]], total: int, progress: Progress | None
) -> Iterator[Scanned]:
    numbers, feed = os.pipe()
    os.write(feed, b"".join(number.to_bytes(4, "little") for number in range(len(batches))))
    os.close(feed)
    results, sink = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        scanner.forked = True
        try:
            os.close(results)
            found = [scanner.scan(number) for batch in _taken(numbers) for number in batches[batch]]
            with open(sink, "wb") as out:
                marshal.dump(found, out, 4)
            status = 0
        finally:
            os._exit(status)
    os.close(sink)
    finished = False
    seen: set[int] = set()
    try:
        done = 0
        for batch in _taken(numbers):
            for number in batches[batch]:
                yield _result(scanner.scan(number))
                seen.add(number)
                done += scanner.jobs[number].size
            if progress is not None:
                progress(min(2 * done, total), total)
        with open(results, "rb", closefd=False) as source:
            data = source.read()
        finished = True
    finally:
        os.close(numbers)
        os.close(results)
        if not finished:
            os.kill(child, 9)
        _, status = os.waitpid(child, 0)
    for values in marshal.loads(data) if status == 0 else []:
        seen.add(values[0])
        yield _result(values)
    for number in range(len(scanner.jobs)):  # what a second process that was killed has left
        if number not in seen:
            yield _result(scanner.scan(number))


def _taken(numbers: int) -> Iterator[int]:
    """Take batch numbers from the pipe until none is left."""
    while record := os.read(numbers, 4):
        yield int.from_bytes(record, "little")
