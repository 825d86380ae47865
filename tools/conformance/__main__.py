"""Run the official MCP conformance suite against econome, and write what came of it into docs/conformance.md.

`python -m tools.conformance` (`make conformance`) installs the suite and a Node to run it, two npm packages of fixed
versions, beside the project. Two servers are asked, each at the requirements of two protocol revisions: one with the
suite's own fixtures behind econome's HTTP face, which all scenarios can be asked of; and econome's own, with the scenarios
that need no fixture. Exits 1 where a required scenario fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.conformance.report import GENERATED, Run, page, read_run
from tools.conformance.serving import FIXTURES

__all__ = ["main"]

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PAGE = REPOSITORY / "docs" / "conformance.md"
SUITE, NODE = "@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22"
REVISIONS = ("2025-11-25", "2026-07-28")

GENERAL = {
    "2025-11-25": (
        "server-initialize", "ping", "tools-list", "server-session-lifecycle", "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "tools-list", "dns-rebinding-protection", "input-required-result-unsupported-methods",
        "http-header-validation",
    ),
}  # fmt: skip
"""The scenarios that ask for no tool, resource or prompt of the suite's own."""


def install(folder: Path) -> None:
    """Install the suite and a Node into *folder*, unless they are there."""
    if (folder / "node_modules" / ".bin" / "conformance").exists():
        return
    if shutil.which("npm") is None:
        sys.exit("npm is not installed; it is needed to install the suite")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--no-fund", "--no-audit", "--no-save", SUITE, NODE]
    subprocess.run(command, cwd=folder, check=True)


@contextmanager
def serving(directory: Path, *what: str) -> Iterator[str]:
    """Run a server on *directory*; give its URL."""
    command = (sys.executable, "-m", "tools.conformance.serving", str(directory), *what)
    with (directory / "server.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=log, encoding="utf-8"
        )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            sys.exit(
                f"the server did not start:\n{(directory / 'server.log').read_text(encoding='utf-8')}"
            )
        yield url
        process.send_signal(signal.SIGTERM)
        if process.wait(timeout=30):
            sys.exit(f"the server ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()


class Suite:
    """The installed suite."""

    def __init__(self, folder: Path) -> None:
        modules = folder / "node_modules"
        self._command = (
            str(modules / "node" / "bin" / "node"),
            str(modules / ".bin" / "conformance"),
        )

    def version(self, program: int = 1) -> str:
        """Return the version of the suite, or of the Node that runs it (0)."""
        command = self._command[: program + 1]
        done = subprocess.run(
            (*command, "--version"), capture_output=True, encoding="utf-8", check=True
        )
        return done.stdout.strip().lstrip("v")

    def ask(self, url: str, output: Path, *options: str) -> str:
        """Run scenarios against the server at *url*, their checks into files below *output*; return what was printed."""
        command = (*self._command, "server", "--url", f"{url}/mcp", "-o", str(output), *options)
        environment = {"PATH": os.defpath, "HOME": str(output)}
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            check=False, timeout=600,
        )  # fmt: skip
        return done.stdout


def all_scenarios(suite: Suite, work: Path, revision: str) -> Run:
    """Ask everything that a revision requires, and what the suite reports beside it, of the server with fixtures."""
    directory = work / f"fixtures-{revision}"
    directory.mkdir()
    with serving(directory, FIXTURES) as url:
        printed = suite.ask(url, directory / "checks", "--requirements", revision)
    return read_run(f"fixtures, {revision}", printed, directory / "checks")


def general_scenarios(suite: Suite, work: Path, revision: str) -> Run:
    """Ask econome's own server what needs no fixture."""
    directory = work / f"own-{revision}"
    directory.mkdir()
    printed = []
    with serving(directory) as url:
        for name in GENERAL[revision]:
            options = ("--scenario", name, "--spec-version", revision)
            printed.append(suite.ask(url, directory / "checks", *options))
    return read_run(f"own, {revision}", "\n".join(printed), directory / "checks")


def main() -> int:
    """Install, run, print, write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance", description=__doc__)
    here = REPOSITORY / "bench" / ".work" / "conformance"
    parser.add_argument("--packages", type=Path, default=here, help="where the npm packages are")
    options = parser.parse_args()
    install(options.packages)
    suite = Suite(options.packages)
    with tempfile.TemporaryDirectory(prefix="econome-conformance-") as name:
        work = Path(name)
        full = [all_scenarios(suite, work, revision) for revision in REVISIONS]
        own = [general_scenarios(suite, work, revision) for revision in REVISIONS]
    versions = {"suite": suite.version(), "node": suite.version(0)}
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(GENERATED)
    PAGE.write_text(before + GENERATED + page(full, own, versions), encoding="utf-8")
    for run in (*full, *own):
        print(run.line())
    return int(any(run.failing() for run in (*full, *own)))


if __name__ == "__main__":
    sys.exit(main())
