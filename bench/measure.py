"""Run a process to its end and say what it cost: wall time, processor time, peak memory.

Only the standard library, and little of it: the kernel counts the memory of the process that starts another one towards
the started one's peak, so this program stays small.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Contender", "Cost", "Failure", "busy_seconds", "median", "run"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a process took; the peak is that of the largest single process below it."""

    wall_s: float
    cpu_s: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Contender:
    """A command to be measured, with its own environment and what has to happen before each run."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]
    stdin: Path = Path(os.devnull)
    before: Callable[[], None] | None = None
    expected: str = ""
    """What its output must hold, or it did not do what is measured."""
    costs: list[Cost] = field(default_factory=list)


class Failure(Exception):
    """A contender ended with an error, so that its time says nothing."""

    def __init__(self, name: str, code: int, errors: str) -> None:
        super().__init__(f"{name}: exit {code}\n{errors}")
        self.name, self.code, self.errors = name, code, errors


def run(contender: Contender, output: Path) -> Cost:
    """Run *contender* once, its standard output and error into files at *output*.

    Raises:
        Failure: the process ended with an error, or printed something else than it should.
    """
    if contender.before is not None:
        contender.before()
    shown, complaints = output.with_suffix(".out"), output.with_suffix(".err")
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [
        (os.POSIX_SPAWN_OPEN, 0, str(contender.stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(shown), writing, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, str(complaints), writing, 0o600),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(
        contender.command[0], contender.command, contender.environment, file_actions=files
    )
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    if code := os.waitstatus_to_exitcode(status):
        errors = complaints.read_text(encoding="utf-8", errors="replace")
        raise Failure(contender.name, code, errors[-2000:])
    if contender.expected not in shown.read_text(encoding="utf-8", errors="replace"):
        raise Failure(contender.name, 0, f"its output does not hold {contender.expected!r}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def median(values: Sequence[float]) -> float:
    """Return the median of *values*, NaN when there are none."""
    return statistics.median(values) if values else float("nan")


def busy_seconds() -> float:
    """Return the processor seconds the machine has spent on work since it started; 0 where it does not say."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
