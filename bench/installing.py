"""How public packages are installed for a benchmark, each in a folder of the bench's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["from_npm", "from_pypi"]

_QUIET = {"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PUPPETEER_SKIP_DOWNLOAD": "1"}
"""What keeps packages from fetching a browser."""


def from_npm(folder: Path, *wanted: str) -> None:
    """Install packages of npm in a folder.

    Raises:
        SystemExit: npm failed.
    """
    _run("npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), *wanted)


def from_pypi(folder: Path, *wanted: str) -> None:
    """Make an environment of Python in a folder, and install packages of PyPI there.

    Raises:
        SystemExit: pip failed.
    """
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *wanted)


def _run(*command: str) -> None:
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, env={**os.environ, **_QUIET}
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … failed:\n{done.stderr[-2000:]}")
