"""A server on a made-up tree, in an own home, for pictures, measurements and tests of the pages.

Run as a program it serves until it is stopped, and prints a link that lets a browser in: `python -m tools.served DIR`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from econome.demo.delegations import write_ledger
from econome.demo.tree import write
from econome.settings import Settings
from econome.times import day_number

__all__ = ["NOW", "TODAY", "Served", "demo_home", "environment", "serving"]

TODAY = day_number(2026, 10, 17)
NOW = "2026-10-17T16:00:00Z"
"""The day that the made-up tree ends on, and the moment at which it is looked at."""

_TOLD = 5


@dataclass(frozen=True, slots=True)
class Served:
    """A running server: its address, the home it was given, the environment its commands need."""

    url: str
    home: Path
    environment: dict[str, str]

    def link(self) -> str:
        """Return a link that lets one browser in within the next minute."""
        done = subprocess.run(
            (sys.executable, "-m", "econome", "open", "--print"),
            env=self.environment, capture_output=True, encoding="utf-8", check=True,
        )  # fmt: skip
        return done.stdout.strip()


def environment(home: Path, now: str = NOW) -> dict[str, str]:
    """Return what a process is given whose home is *home*."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "CODEX_HOME": str(home / "codex"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "ECONOME_NOW": now,
    }


def demo_home(home: Path, today: int = TODAY) -> None:
    """Write the made-up tree and its ledger into an empty directory."""
    made = write(home, today)
    write_ledger(Settings({"HOME": str(home)}).data_dir, made.responses)


@contextlib.contextmanager
def serving(home: Path, now: str = NOW, port: int = 0) -> Iterator[Served]:
    """Run a server on the transcripts and the ledger of a home for as long as the context lasts."""
    given = environment(home, now)
    for name in ("claude", "codex"):
        (home / name).mkdir(exist_ok=True)
    command = (sys.executable, "-m", "econome", "serve", "--port", str(port))
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(_TOLD)]
            if not told[-1]:
                raise RuntimeError("the server did not start")
            yield Served(told[0].rpartition(" ")[2].strip(), home, given)
        finally:
            process.terminate()
            process.wait(30)


def main() -> None:
    """Serve until a line, or the end of it, comes on the standard input."""
    parser = argparse.ArgumentParser(description="Serve a made-up tree.")
    parser.add_argument(
        "home", type=Path, help="an empty or missing directory, or one made so before"
    )
    parser.add_argument("--port", type=int, default=0)
    asked = parser.parse_args()
    if not asked.home.exists():
        asked.home.mkdir(parents=True)
        demo_home(asked.home)
    with serving(asked.home, port=asked.port) as running:
        print(running.url, running.link(), sep="\n", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
