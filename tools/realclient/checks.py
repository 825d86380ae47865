"""What the checks with the real client have in common: where things lie, what was checked, and a session of the client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["Checks", "client", "session"]

_REPOSITORY = Path(__file__).resolve().parent.parent.parent
_DRIVER = _REPOSITORY.parent / "shared" / "tools" / "realclient" / "run_session.py"
_SCENARIOS = Path(__file__).resolve().parent / "scenarios"
_CLAUDE = "REALCLIENT_CLAUDE"


class Checks:
    """What was checked, told as it is."""

    def __init__(self) -> None:
        self.failed = 0

    def __call__(self, what: str, found: object, expected: object) -> None:
        """Say whether it is as expected."""
        well = found == expected
        self.failed += not well
        print(f"{'ok  ' if well else 'FAIL'} {what}")
        if not well:
            print(f"     found    {found!r:.1000}\n     expected {expected!r:.1000}")

    def ended(self) -> int:
        """Say how it went; return the exit code."""
        print(f"\n{self.failed} failed" if self.failed else "\nall well")
        return 1 if self.failed else 0


def client() -> str | None:
    """Return the Claude Code to run; None, and a line that says why, where it or what drives it is missing."""
    claude = os.environ.get(_CLAUDE, "")
    if not claude or shutil.which(claude) is None:
        print(f"NOT RUN: {_CLAUDE} names no Claude Code (npm @anthropic-ai/claude-code)")
        return None
    if not _DRIVER.exists():
        print("NOT RUN: there is no ../shared/tools/realclient beside this repository")
        return None
    return claude


def session(
    claude: str, scenario: str, out: Path, work: Path, options: list[str], seconds: float
) -> dict[str, Any]:
    """Run the client through a scenario, its traces into *out*; return the driver's summary."""
    words = [
        sys.executable, str(_DRIVER), "--scenario", str(_SCENARIOS / f"{scenario}.json"), "--out", str(out),
        "--work", str(work), "--claude", claude, "--timeout", str(seconds), *options,
    ]  # fmt: skip
    done = subprocess.run(words, check=False, capture_output=True, encoding="utf-8")
    if not (out / "summary.json").exists():
        sys.exit(f"the driver failed:\n{done.stderr}")
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return summary
