"""`pytest --econome-lock`: one test for each locked server, which fails where the server no longer keeps what was locked.

pytest imports this module in every run of every project beside which econome is installed, so it imports nothing of econome
until the option is given. A server that changed is a failure; a lock or a server that cannot be read is an error.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from econome.cli.lock_report import LockReport

__all__ = [
    "LockItem",
    "LockNode",
    "pytest_addoption",
    "pytest_collection_modifyitems",
]

_NODE = "econome.lock"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option and what the configuration says of the lock and the servers."""
    group = parser.getgroup("econome")
    group.addoption(
        "--econome-lock",
        action="store_true",
        default=False,
        help="Compare MCP servers with econome.lock, one test a server.",
    )
    parser.addini("econome_lock", "The lockfile, from the rootdir on.", default="econome.lock")
    parser.addini(
        "econome_servers",
        "A line for each locked server: NAME = COMMAND..., or NAME = http(s)://...",
        type="linelist",
        default=[],
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the tests, where they are asked for."""
    if config.getoption("--econome-lock"):
        path = config.rootpath / config.getini("econome_lock")
        node = LockNode.from_parent(session, name=_NODE, nodeid=_NODE, path=path)
        items += node.collect()


class LockNode(pytest.Collector):
    """The lockfile."""

    def collect(self) -> list[pytest.Item]:
        """Return a test for each server that is locked or named; one that says what is wrong where there is none."""
        from econome.cli.lock_item import names

        named = _servers(self.config.getini("econome_servers"))
        return [
            LockItem.from_parent(self, name=name or "no server", told=named.get(name, ()))
            for name in sorted({*names(self.path), *named}) or [""]
        ]


class LockItem(pytest.Item):
    """One server; *told* is what the configuration has for it, its command or its address; one line, where all is well."""

    def __init__(self, *, told: Sequence[str], **more: Any) -> None:
        super().__init__(**more)
        self._told = told
        self._report: LockReport | None = None

    def setup(self) -> None:
        """Read the lock and ask the server: what goes wrong here is no change of the server."""
        from econome.cli.lock_item import judge
        from econome.errors import EconomeError, UpstreamAway

        reason = said = ""
        try:
            self._report = judge(self.path, self.config.rootpath, self.name, self._told)
        except EconomeError as error:
            reason = str(error)
            said = error.said if isinstance(error, UpstreamAway) else ""
        if reason:  # outside of the exception, which pytest would tell as well
            pytest.fail("\n".join(filter(None, (said, f"econome: {reason}"))), pytrace=False)

    def runtest(self) -> None:
        """Fail with the report where a difference counts or a budget does not hold."""
        if self._report is not None and self._report.strays:
            from econome.cli.render.lock_words import stray_line

            for name, near in self._report.strays:
                self.warn(pytest.PytestWarning(stray_line(name, near)))
        if self._report is not None and self._report.exit_code:
            from econome.cli.lock_output import rendered

            pytest.fail(rendered(self._report, "text"), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the test stands: the lock, and the name of the server."""
        return self.path, 0, f"econome lock: {self.name}"


def _servers(lines: list[str]) -> Mapping[str, Sequence[str]]:
    """Return the lines of each server, by its name."""
    found: dict[str, list[str]] = {}
    for name, _, told in (line.partition("=") for line in lines):
        found.setdefault(name.strip(), []).append(told.strip())
    return found
