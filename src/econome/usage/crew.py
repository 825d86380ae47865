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
from typing import Any, NoReturn

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

    `cells` are of its groups as if no other file shared them, `responses` and `replayed` what those came to (`Tally`);
    `body` is its groups, marshalled where they are kept or came from the other process.
    """

    __slots__ = ("body", "cells", "follows", "gids", "job", "replayed", "responses", "state")

    def __init__(
        self,
        job: int,
        state: FileState | tuple[Any, ...],
        follows: bool,
        gids: list[int],
        body: bytes | Groups,
        cells: Cells,
        responses: int,
        replayed: int,
    ) -> None:
        self.job, self.follows, self.gids = job, follows, gids
        self.state = state if isinstance(state, FileState) else FileState(state)
        self.body, self.cells = body, cells
        self.responses, self.replayed = responses, replayed

    def values(self) -> tuple[Any, ...]:
        """Return what makes it again, as a value `marshal` can write."""
        return (
            self.job, self.state.values(), self.follows, self.gids, self.body, self.cells,
            self.responses, self.replayed,
        )  # fmt: skip

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

    def scan(self, number: int) -> Scanned:
        """Scan one file."""
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
        return Scanned(
            number, state, follows, list(groups), body, cells, tally.responses, tally.replayed
        )


def recalled(number: int, jobs: list[Job], gone: Gone, thresholds: tuple[int, ...]) -> Scanned:
    """Return what a scan had found in a file that is gone, from history (F17)."""
    state, tally = FileState(gone.state), Tally()
    cells: Cells = {}
    groups = marshal.loads(gone.packed)
    facts = facts_of(jobs[number].root, jobs[number].relative, state)
    alone_cells(facts, groups, thresholds, cells, tally)
    gids = list(groups)
    return Scanned(number, state, False, gids, gone.packed, cells, tally.responses, tally.replayed)


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

    *progress* is called with the bytes read so far and in all.
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
            yield scanner.scan(number)
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
        _scan_for_another(scanner, batches, numbers, sink)
    os.close(sink)
    other = _Results(results)
    seen: set[int] = set()
    try:
        done = 0
        for batch in _taken(numbers):
            for number in batches[batch]:
                yield scanner.scan(number)
                seen.add(number)
                done += scanner.jobs[number].size
            for found in other.take(wait=False):
                yield found
                seen.add(found.job)
                done += scanner.jobs[found.job].size
            if progress is not None:
                progress(done, total)
        for found in other.take(wait=True):
            yield found
            seen.add(found.job)
    finally:
        os.close(numbers)
        os.close(results)
        if not other.ended:
            os.kill(child, 9)
        os.waitpid(child, 0)
    for number in range(len(scanner.jobs)):  # what a second process that was killed has left
        if number not in seen:
            yield scanner.scan(number)


def _scan_for_another(
    scanner: _Scanner, batches: list[list[int]], numbers: int, sink: int
) -> NoReturn:
    """Scan batches in the second process, and send what is found as it is found."""
    try:
        scanner.forked = True
        with open(sink, "wb") as out:
            for batch in _taken(numbers):
                found = [scanner.scan(number).values() for number in batches[batch]]
                body = marshal.dumps(found, 4)
                out.write(len(body).to_bytes(8, "little") + body)
                out.flush()
    finally:
        os._exit(0)


class _Results:
    """What the second process sends: pieces, each behind its length.

    They are taken between the batches of this process, so that the other one need not wait for room in the pipe.
    """

    def __init__(self, source: int) -> None:
        self._source = source
        self._held = bytearray()
        self.ended = False

    def take(self, wait: bool) -> Iterator[Scanned]:
        """Yield the whole pieces that have come, with *wait* all to the end."""
        os.set_blocking(self._source, wait)
        while not self.ended:
            try:
                piece = os.read(self._source, 1 << 20)
            except BlockingIOError:
                break
            self._held += piece
            self.ended = not piece
        at = 0
        while at + 8 <= len(self._held):
            end = at + 8 + int.from_bytes(self._held[at : at + 8], "little")
            if end > len(self._held):
                break
            for values in marshal.loads(memoryview(self._held)[at + 8 : end]):
                yield Scanned(*values)
            at = end
        if at:
            self._held = self._held[at:]


def _taken(numbers: int) -> Iterator[int]:
    """Take batch numbers from the pipe until none is left."""
    while record := os.read(numbers, 4):
        yield int.from_bytes(record, "little")
