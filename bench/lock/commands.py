"""What the bench runs: `econome lock` as a user would, in a process of its own, with a home and a folder of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ECONOME", "Ran", "check", "lock", "run"]

ECONOME = (sys.executable, "-m", "econome", "lock")
"""What each command begins with."""

_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a program: its exit status, how long it took from its start on, and what it printed.

    *busy* is how many seconds processors worked for it and for what it started and waited for: other work of the machine
    makes a run longer, and this not.
    """

    status: int
    seconds: float
    busy: float
    out: str
    error: str

    def json(self) -> dict[str, Any]:
        """Return what was printed as JSON.

        Raises:
            SystemExit: it is none.
        """
        try:
            found: dict[str, Any] = json.loads(self.out)
        except ValueError:
            raise SystemExit(f"no JSON, status {self.status}: {self.error[-500:]}") from None
        return found


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Ran:
    """Run *command* in *folder* with that environment and nothing else."""
    spent, begun = _busy(), time.perf_counter()
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        timeout=_PATIENCE_S,
    )
    taken = time.perf_counter() - begun
    return Ran(done.returncode, taken, _busy() - spent, done.stdout, done.stderr)


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lock(
    name: str, server: Sequence[str], file: Path, environment: Mapping[str, str], folder: Path
) -> Ran:
    """Write the lock of the server that a command starts to *file*."""
    words = [*ECONOME, "--lock", str(file), "--name", name, "--", *server]
    return run(words, environment, folder)


def check(
    name: str,
    server: Sequence[str],
    file: Path,
    environment: Mapping[str, str],
    folder: Path,
    *options: str,
) -> Ran:
    """Check the server that a command starts against the lock *file*."""
    own = ["--check", "--lock", str(file), "--name", name, *options]
    return run([*ECONOME, *own, "--", *server], environment, folder)
