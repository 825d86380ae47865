"""The real public MCP servers the lean room is measured on: which, of what version, how installed and started."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from bench.installing import from_npm, from_pypi

__all__ = [
    "PEER",
    "SERVERS",
    "Places",
    "Server",
    "command",
    "environment",
    "fill",
    "install",
    "python_of",
    "surroundings",
    "tool_path",
]


@dataclass(frozen=True, slots=True)
class Server:
    """A published server: its package, the program it installs, and what that is started with.

    `{data}` in an argument or a value is the data folder; servers of one *place* share an installation.
    """

    name: str
    place: str
    package: str
    program: str
    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    """What else the package needs pinned to start at all."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the servers are installed, where they find their data, and where the local page is served."""

    installed: Path
    data: Path
    home: Path
    page: str = ""


_OFFICIAL = "@modelcontextprotocol/server-"

SERVERS = (
    Server(
        "filesystem",
        "npm",
        f"{_OFFICIAL}filesystem@2026.8.31",
        "mcp-server-filesystem",
        ("{data}",),
    ),
    Server(
        "memory",
        "npm",
        f"{_OFFICIAL}memory@2026.8.31",
        "mcp-server-memory",
        variables={"MEMORY_FILE_PATH": "{data}/memory.jsonl"},
    ),
    Server(
        "thinking",
        "npm",
        f"{_OFFICIAL}sequential-thinking@2026.8.31",
        "mcp-server-sequential-thinking",
    ),
    Server("everything", "npm", f"{_OFFICIAL}everything@2026.8.31", "mcp-server-everything"),
    # its tools need the network, so only its menu is counted
    Server("github", "npm", f"{_OFFICIAL}github@2025.4.8", "mcp-server-github"),
    Server(
        "mcp-sqlite", "npm", "mcp-sqlite@1.0.9", "mcp-sqlite-server", ("{data}/project.sqlite",)
    ),
    Server("git", "reference", "mcp-server-git==2026.10.19", "mcp-server-git"),
    Server("time", "reference", "mcp-server-time==2026.10.19", "mcp-server-time"),
    Server(
        "fetch",
        "reference",
        "mcp-server-fetch==2026.10.24",
        "mcp-server-fetch",
        ("--ignore-robots-txt", "--allow-private-ips"),
    ),
    Server(
        "sqlite",
        "sqlite",
        "mcp-server-sqlite==2025.4.25",
        "mcp-server-sqlite",
        ("--db-path", "{data}/project.sqlite"),
        beside=("mcp<2",),
    ),
    Server(
        "motherduck",
        "motherduck",
        "mcp-server-motherduck==1.1.0",
        "mcp-server-motherduck",
        ("--db-path", ":memory:", "--read-write"),
    ),
    Server(
        "excel",
        "excel",
        "excel-mcp-server==2.2.2",
        "excel-mcp-server",
        ("stdio", "--allow-dir", "{data}"),
    ),
)


PEER = Server("fastmcp", "fastmcp", "fastmcp==4.2.3", "fastmcp")
"""The public framework whose search stands for the best lazy menu there is."""


def fill(text: str, places: Places) -> str:
    """Return *text* with the data folder and the local page's address in their places."""
    return text.replace("{data}", str(places.data)).replace("{page}", places.page)


def _program(server: Server, places: Places) -> Path:
    if server.place == "npm":
        return places.installed / "npm" / "node_modules" / ".bin" / server.program
    return places.installed / server.place / "bin" / server.program


def python_of(server: Server, places: Places) -> Path:
    """Return the Python that *server* is installed for."""
    return places.installed / server.place / "bin" / "python"


def command(server: Server, places: Places) -> list[str]:
    """Return the command that starts *server* over standard input and output."""
    return [
        str(_program(server, places)),
        *(fill(argument, places) for argument in server.arguments),
    ]


def tool_path() -> str:
    """Return where the programs that servers start are found."""
    found = [shutil.which(name) for name in ("node", "git")]
    folders = dict.fromkeys(str(Path(path).parent) for path in found if path)
    return os.pathsep.join((*folders, os.defpath))


def surroundings(home: Path) -> dict[str, str]:
    """Return an environment in which the programs that servers start are found, and nothing of the user's."""
    return {"PATH": tool_path(), "HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def environment(server: Server, places: Places) -> dict[str, str]:
    """Return all the environment *server* is given: nothing of the user's but where programs are."""
    return surroundings(places.home) | {
        name: fill(value, places) for name, value in server.variables.items()
    }


def install(places: Places) -> None:
    """Install every server that is not there yet, each place's packages in one go.

    Raises:
        SystemExit: npm or pip failed, or did not bring the program.
    """
    places.installed.mkdir(parents=True, exist_ok=True)
    places.home.mkdir(parents=True, exist_ok=True)
    everyone = (*SERVERS, PEER)
    for place in dict.fromkeys(server.place for server in everyone):
        members = [server for server in everyone if server.place == place]
        if all(_program(server, places).is_file() for server in members):
            continue
        wanted = [one for server in members for one in (server.package, *server.beside)]
        print(f"installing {', '.join(wanted)} ...", flush=True)
        folder = places.installed / place
        if place == "npm":
            from_npm(folder, *wanted)
        else:
            from_pypi(folder, *wanted)
        for server in members:
            if not _program(server, places).is_file():
                raise SystemExit(f"{server.package} brought no program {server.program}")
