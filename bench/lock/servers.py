"""The real public MCP servers that locks are made of: which, of what version now and before, how installed and started."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bench.installing import from_npm, from_pypi
from bench.lean.servers import surroundings

__all__ = ["SERVERS", "Places", "Server", "Side", "command", "environment", "install"]

Side = Literal["now", "before"]


@dataclass(frozen=True, slots=True)
class Server:
    """A published server: its package, the version it has now, an earlier one, and what its program is started with.

    `{data}` in an argument or a value is the data folder. A package with npm's scope or *npm* set is npm's, any other PyPI's.
    """

    name: str
    package: str
    now: str
    program: str
    before: str = ""
    """An earlier version whose contract is another one; empty where none is looked at."""

    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    npm: bool = False
    harmless: bool = False
    """Whether any call of any tool touches nothing but the data folder and the home."""

    program_before: str = ""
    """Its program, where the earlier version called it otherwise."""

    zoned: bool = False
    """Whether its texts name the time zone of the machine, so that two locks are only the same within one."""

    beside: tuple[str, ...] = ()
    """What else the packages need pinned to start at all."""

    beside_before: tuple[str, ...] = ()
    """The same for the earlier version."""

    def version(self, side: Side) -> str:
        """Return the version of that side."""
        return self.now if side == "now" else self.before


@dataclass(frozen=True, slots=True)
class Places:
    """Where the servers are installed, where they find data, and the home they are given."""

    installed: Path
    data: Path
    home: Path


_OFFICIAL = "@modelcontextprotocol/server-"
_OLD_SDK = ("mcp<2",)

SERVERS = (
    Server(
        "filesystem",
        f"{_OFFICIAL}filesystem",
        "2026.8.31",
        "mcp-server-filesystem",
        before="2025.3.28",
        arguments=("{data}",),
        npm=True,
        harmless=True,
    ),
    Server(
        "memory",
        f"{_OFFICIAL}memory",
        "2026.8.31",
        "mcp-server-memory",
        before="2025.4.25",
        variables={"MEMORY_FILE_PATH": "{data}/memory.jsonl"},
        npm=True,
        harmless=True,
    ),
    Server(
        "thinking",
        f"{_OFFICIAL}sequential-thinking",
        "2026.8.31",
        "mcp-server-sequential-thinking",
        before="2025.7.1",
        npm=True,
        harmless=True,
    ),
    Server(
        "everything",
        f"{_OFFICIAL}everything",
        "2026.8.31",
        "mcp-server-everything",
        before="2025.9.25",
        npm=True,
        harmless=True,
    ),
    Server(
        "github",
        f"{_OFFICIAL}github",
        "2025.4.8",
        "mcp-server-github",
        before="2025.1.23",
        npm=True,
    ),
    Server(
        "mcp-sqlite",
        "mcp-sqlite",
        "1.0.9",
        "mcp-sqlite-server",
        arguments=("{data}/project.sqlite",),
        npm=True,
    ),
    Server(
        "playwright",
        "@playwright/mcp",
        "0.0.83",
        "playwright-mcp",
        before="0.0.43",
        program_before="mcp-server-playwright",
        npm=True,
    ),
    Server(
        "context7",
        "@upstash/context7-mcp",
        "4.1.1",
        "context7-mcp",
        before="2.1.0",
        npm=True,
    ),
    Server(
        "notion",
        "@notionhq/notion-mcp-server",
        "2.5.2",
        "notion-mcp-server",
        before="1.9.1",
        variables={"NOTION_TOKEN": "none"},
        npm=True,
    ),
    Server(
        "git",
        "mcp-server-git",
        "2026.10.19",
        "mcp-server-git",
        before="2025.1.14",
        beside_before=_OLD_SDK,
        harmless=True,
    ),
    Server(
        "time",
        "mcp-server-time",
        "2026.10.19",
        "mcp-server-time",
        before="2025.7.1",
        zoned=True,
        beside_before=_OLD_SDK,
        harmless=True,
    ),
    Server(
        "fetch",
        "mcp-server-fetch",
        "2026.10.24",
        "mcp-server-fetch",
        before="2025.1.17",
        beside_before=_OLD_SDK,
    ),
    Server(
        "sqlite",
        "mcp-server-sqlite",
        "2025.4.25",
        "mcp-server-sqlite",
        arguments=("--db-path", "{data}/project.sqlite"),
        beside=_OLD_SDK,
    ),
    Server(
        "motherduck",
        "mcp-server-motherduck",
        "1.1.0",
        "mcp-server-motherduck",
        arguments=("--db-path", ":memory:", "--read-write"),
    ),
    Server(
        "excel",
        "excel-mcp-server",
        "2.2.2",
        "excel-mcp-server",
        before="0.1.8",
        arguments=("stdio",),
        beside_before=_OLD_SDK,
        harmless=True,
    ),
    Server(
        "duckduckgo",
        "duckduckgo-mcp-server",
        "0.7.0",
        "duckduckgo-mcp-server",
        before="0.3.0",
        beside_before=_OLD_SDK,
    ),
    Server(
        "word",
        "office-word-mcp-server",
        "1.1.11",
        "word_mcp_server",
        before="1.1.5",
        beside_before=_OLD_SDK,
        harmless=True,
    ),
)
"""All start without an account, a key or a network; what some of their tools do needs one, and those are never called."""


def _folder(server: Server, side: Side, places: Places) -> Path:
    return places.installed / f"{server.name}-{side}"


def _program(server: Server, side: Side, places: Places) -> Path:
    folder = _folder(server, side, places)
    name = (side == "before" and server.program_before) or server.program
    return folder / ("node_modules/.bin" if server.npm else "bin") / name


def command(server: Server, side: Side, places: Places) -> list[str]:
    """Return the command that starts that side of *server* over standard input and output."""
    given = [one.replace("{data}", str(places.data)) for one in server.arguments]
    return [str(_program(server, side, places)), *given]


def environment(server: Server, places: Places) -> dict[str, str]:
    """Return all the environment *server* is given: nothing of the user's but where programs are."""
    variables = {
        name: value.replace("{data}", str(places.data)) for name, value in server.variables.items()
    }
    return surroundings(places.home) | variables


def install(places: Places) -> None:
    """Install each side of every server that is not there yet, each in a folder of its own.

    Raises:
        SystemExit: npm or pip failed, or did not bring the program.
    """
    for folder in (places.installed, places.home, places.data):
        folder.mkdir(parents=True, exist_ok=True)
    sides: tuple[Side, ...] = ("now", "before")
    for server in SERVERS:
        for side in sides:
            if server.version(side) and not _program(server, side, places).is_file():
                _install(server, side, places)


def _install(server: Server, side: Side, places: Places) -> None:
    folder, version = _folder(server, side, places), server.version(side)
    print(f"installing {server.package} {version} ...", flush=True)
    if server.npm:
        from_npm(folder, f"{server.package}@{version}")
    else:
        more = server.beside if side == "now" else server.beside_before
        from_pypi(folder, f"{server.package}=={version}", *more)
    if not _program(server, side, places).is_file():
        raise SystemExit(f"{server.package} {version} brought no program {server.program}")
