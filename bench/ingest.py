"""`python -m bench.ingest`: how many events a second the server takes, with every one on disk before it answers.

Batches of 1, 50 and 500 events from 1, 8 and 32 clients over connections that stay open; the server and the load are
processes of their own. In the same rounds, a bare loop writes the same lines and calls fsync after each batch: what the
disk allows one writer. Then the start of a server that has a million events. After each round the ledger is counted:
every event that was acknowledged stands in it once.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import busy_seconds, median
from bench.wire import ARRIVAL, events

__all__ = ["Load", "Served", "Start", "main"]

BATCHES, CLIENTS = (1, 50, 500), (1, 8, 32)
GOAL = 25_000
"""Events a second in batches of 50, from 8 and from 32 clients."""
START_SECONDS, START_MB = 3.0, 400.0
STORED = 1_000_000

_MOST = {1: 20_000, 50: 250_000, 500: 350_000}
"""Events prepared for a measurement, by the size of the batch: more than can be sent in its time."""
_LEDGER = ("logs", "mcp", "economies.jsonl")


@dataclass(slots=True)
class Load:
    """One size of batch from so many clients: events a second of each round, and how long the posts took."""

    batch: int
    clients: int
    rates: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    def quantile(self, part: float) -> float:
        """Return the time within which that part of the posts was answered, in milliseconds."""
        ordered = sorted(self.took)
        return 1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass(frozen=True, slots=True)
class Start:
    """A start: the time to the first answer and the peak of it, then those of the first balance."""

    seconds: float
    peak_mb: float
    balance_seconds: float
    balance_peak_mb: float


class Served:
    """A running server."""

    def __init__(
        self, process: subprocess.Popen[str], port: int, directory: Path, seconds: float
    ) -> None:
        self.process, self.port, self.directory, self.start_seconds = (
            process,
            port,
            directory,
            seconds,
        )

    @property
    def ledger(self) -> Path:
        """Where its events lie."""
        return self.directory.joinpath(*_LEDGER)

    def peak_mb(self) -> float:
        """Return the most memory that the process has had, as the kernel counts it."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return (
            next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
            / 1000
        )


@contextmanager
def serving(directory: Path) -> Iterator[Served]:
    """Run a server on *directory*; it must end well when it is told to."""
    command = (
        sys.executable,
        "-m",
        "econome",
        "serve",
        "--port",
        "0",
        "--data-dir",
        str(directory),
    )
    environment = {"PATH": os.defpath, "HOME": str(directory), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
    try:
        assert process.stdout is not None
        told = process.stdout.readline()
        if not told:
            raise SystemExit("the server did not start")
        port = int(told.strip().rpartition(":")[2])
        ask(port, "/api/v1/health")
        yield Served(process, port, directory, time.perf_counter() - begun)
        process.send_signal(signal.SIGTERM)
        if process.wait(timeout=30):
            raise SystemExit(f"the server ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()


def ask(port: int, path: str, token: str = "", expected: int = http.client.OK) -> float:
    """Get what is at a path; return how long it took."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != expected:
        raise SystemExit(f"{path}: {answer.status}")
    return time.perf_counter() - begun


def post(served: Served, load: Load, first: int, seconds: float) -> int:
    """Let a process of its own post for so long; return how many events were acknowledged."""
    command = (
        sys.executable, "-m", "bench.load", "--port", str(served.port), "--token", str(served.directory / "token"),
        "--clients", str(load.clients), "--batch", str(load.batch), "--first", str(first),
        "--events", str(_MOST[load.batch]), "--seconds", str(seconds),
    )  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    result = json.loads(done.stdout)
    count = len(result["took"]) * load.batch
    load.rates.append(count / result["seconds"])
    load.took += result["took"]
    load.busy.append(result["cpu"] / result["seconds"])
    return count


def bare_loop(directory: Path, batch: int, first: int, seconds: float) -> float:
    """Write the lines of batches to a file with fsync after each; return events a second."""
    lines = [event[:-1] + ARRIVAL for event in events(first, _MOST[batch])]
    batches = [b"".join(lines[at : at + batch]) for at in range(0, len(lines), batch)]
    path = directory / "bare"
    written, begun = 0, time.perf_counter()
    with path.open("wb", buffering=0) as file:
        for data in batches:
            file.write(data)
            os.fsync(file.fileno())
            written += batch
            if time.perf_counter() - begun >= seconds:
                break
    elapsed = time.perf_counter() - begun
    path.unlink()
    return written / elapsed


def count_ledger(path: Path) -> tuple[int, int]:
    """Return how many lines a ledger has, and how many different ids stand in them."""
    lines, ids = 0, set()
    with path.open("rb") as file:
        for line in file:
            lines += 1
            ids.add(json.loads(line)["id"])
    return lines, len(ids)


def fill(directory: Path, count: int) -> None:
    """Write a ledger of *count* events as a server would have left it."""
    path = directory.joinpath(*_LEDGER)
    path.parent.mkdir(parents=True, mode=0o700)
    os.chmod(directory, 0o700)
    with path.open("wb") as file:
        for first in range(0, count, 10_000):
            file.write(b"".join(event[:-1] + ARRIVAL for event in events(first, 10_000)))


def main() -> None:
    """Measure round by round, then the start, then print; exit 1 where the goal or a bar is missed."""
    here = Path(__file__).resolve().parent / ".work"
    parser = argparse.ArgumentParser(prog="python -m bench.ingest", description=__doc__)
    parser.add_argument("--work", type=Path, default=here, help="where the ledgers are made")
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (default 3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load (default 2)")
    parser.add_argument(
        "--stored", type=int, default=STORED, help="events at the start; 0 leaves it out"
    )
    options = parser.parse_args()
    work = options.work.resolve() / "ingest"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors", flush=True)
    loads = [Load(batch, clients) for batch in BATCHES for clients in CLIENTS]
    bare: dict[int, list[float]] = {batch: [] for batch in BATCHES}
    for number in range(options.rounds):
        measure(work, loads, bare, number, options.seconds)
    held = show(loads, bare)
    if options.stored:
        starts = [start(work, options.stored) for _ in range(options.rounds)]
        held &= show_start(starts, options.stored)
    shutil.rmtree(work)
    sys.exit(not held)


def measure(
    work: Path, loads: Sequence[Load], bare: dict[int, list[float]], number: int, seconds: float
) -> None:
    """Measure all loads once, each beside the bare loop, and count the ledger."""
    directory = work / f"round-{number}"
    directory.mkdir(mode=0o700)
    busy, begun = busy_seconds(), time.perf_counter()
    acknowledged = first = 0
    with serving(directory) as served:
        for load in loads:
            acknowledged += post(served, load, first, seconds)
            first += _MOST[load.batch]
            if load.clients == CLIENTS[-1]:
                bare[load.batch].append(bare_loop(work, load.batch, first, seconds / 2))
        lines, ids = count_ledger(served.ledger)
    if not lines == ids == acknowledged:
        raise SystemExit(f"{acknowledged} acknowledged, {lines} lines, {ids} ids")
    cores = (busy_seconds() - busy) / (time.perf_counter() - begun)
    print(
        f"round {number + 1}: {acknowledged:,} events, each once; {cores:.2f} cores busy",
        flush=True,
    )
    shutil.rmtree(directory)


def start(work: Path, stored: int) -> Start:
    """Return what the start of a server with *stored* events takes, and its first balance."""
    directory = work / "stored"
    if not directory.is_dir():
        directory.mkdir(mode=0o700)
        fill(directory, stored)
    with serving(directory) as served:
        token = (directory / "token").read_text(encoding="ascii").strip()
        # A GET that asks for no stream is refused, once the SDK is imported beside the rest of the start.
        ask(served.port, "/mcp", token, http.client.NOT_ACCEPTABLE)
        peak = served.peak_mb()
        seconds = ask(served.port, "/api/v1/balance", token)
        return Start(served.start_seconds, peak, seconds, served.peak_mb())


def show(loads: Sequence[Load], bare: dict[int, list[float]]) -> bool:
    """Print what each load reached, beside the bare loop, and the goal; return whether it was reached."""
    print(
        "\n| batch | clients | events/s | p50 ms | p99 ms | bare loop, events/s | ratio | load's cores |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for load in loads:
        rate, limit = median(load.rates), median(bare[load.batch])
        print(
            f"| {load.batch} | {load.clients} | {rate:,.0f} | {load.quantile(0.5):.2f} | {load.quantile(0.99):.2f} "
            f"| {limit:,.0f} | {rate / limit:.2f} | {median(load.busy):.2f} |"
        )
    all_reached = True
    for load in loads:
        if load.batch == 50 and load.clients > 1:
            rate = median(load.rates)
            reached = rate >= GOAL
            all_reached &= reached
            verdict = "reached" if reached else "not reached"
            print(
                f"\n{load.clients} clients: {rate:,.0f} events/s, goal {GOAL:,}: {verdict}", end=""
            )
    print()
    return all_reached


def show_start(starts: Sequence[Start], stored: int) -> bool:
    """Print what the start took, and the bars; beside them, what the first balance takes. Return whether it keeps them."""
    seconds, peak = median([one.seconds for one in starts]), max(one.peak_mb for one in starts)
    print(
        f"\nstart with {stored:,} events: first answer after {seconds:.2f} s (bar {START_SECONDS:g})",
        end="",
    )
    print(f", peak {peak:.0f} MB (bar {START_MB:g})")
    kept = seconds <= START_SECONDS and peak <= START_MB
    seconds = median([one.balance_seconds for one in starts])
    peak = max(one.balance_peak_mb for one in starts)
    print(f"first balance of them: {seconds:.2f} s, peak {peak:.0f} MB")
    return kept


if __name__ == "__main__":
    main()
