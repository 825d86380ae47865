"""Run the official MCP conformance suite against econome, and write what came of it into docs/conformance.md.

`python -m tools.conformance` (`make conformance`) installs the suite and a Node to run it, two npm packages of fixed
versions, beside the project. Two servers are asked, each at the requirements of two protocol revisions: one with the
suite's own fixtures behind econome's HTTP face, which all scenarios can be asked of; and econome's own, with the scenarios
that need no fixture. The fixtures are then asked once more through `econome proxy`, in each way that it can stand in between.
Exits 1 where a required scenario fails, or where the proxy makes a difference.
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
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tools.conformance.proxying import LOSSLESS, PASSING
from tools.conformance.report import GENERATED, Between, Run, page, read_run
from tools.conformance.serving import FIXTURES

__all__ = ["main"]

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PAGE = REPOSITORY / "docs" / "conformance.md"
SUITE, NODE = "@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22"
REVISIONS = ("2025-11-25", "2026-07-28")

WAYS = ("HTTP", "a process", "a process, then HTTP")
"""What the proxy that the suite asks speaks to; the last is a proxy over pipes in front of an HTTP server."""

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
def serving(directory: Path, *what: str, module: str = "serving") -> Iterator[str]:
    """Run a server, or what another *module* runs, on *directory*; give its URL."""
    directory.mkdir(exist_ok=True)
    command = (sys.executable, "-m", f"tools.conformance.{module}", str(directory), *what)
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


def proxied_scenarios(suite: Suite, work: Path, revision: str, how: str, way: str) -> Run:
    """Ask everything of the server with fixtures through a proxy; *how* is what it may change, *way* what it speaks to."""
    directory = work / f"{how}-{way.replace(' ', '-')}-{revision}"
    directory.mkdir()
    python = (sys.executable, "-m")
    with ExitStack() as stack:
        url = f"{stack.enter_context(serving(directory, FIXTURES))}/mcp"
        upstream = {
            "HTTP": ("--url", url),
            "a process": ("--", *python, "tools.conformance.piped"),
            "a process, then HTTP": (
                "--", *python, "econome", "proxy", "--data-dir", str(directory / "inner"), "--url", url,
                *(("--pass",) if how == PASSING else ()),
            ),
        }[way]  # fmt: skip
        proxy = serving(directory / "proxy", how, *upstream, module="proxying")
        printed = suite.ask(
            stack.enter_context(proxy), directory / "checks", "--requirements", revision
        )
    return read_run(f"{how}, {way}, {revision}", printed, directory / "checks")


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
        between = [
            Between(way, how, revision, proxied_scenarios(suite, work, revision, how, way), without)
            for way in WAYS
            for how in (PASSING, LOSSLESS)
            for revision, without in zip(REVISIONS, full, strict=True)
        ]
    versions = {"suite": suite.version(), "node": suite.version(0)}
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(GENERATED)
    PAGE.write_text(before + GENERATED + page(full, own, between, versions), encoding="utf-8")
    for run in (*full, *own):
        print(run.line())
    for one in between:
        print(f"{one.run.line()}; {one.word}")
    return int(any(run.failing() for run in (*full, *own)) or any(one.differing for one in between))


if __name__ == "__main__":
    sys.exit(main())
