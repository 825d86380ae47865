"""Where clients keep the servers they start: which file, under which keys, on which system.

It works out paths from a home directory, a system and an environment, and looks at none of them.
"""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Place", "Variable", "file_places", "project_places", "user_places"]

Variable = Callable[[str], str | None]
"""Tells what the environment holds under a name."""


@dataclass(frozen=True, slots=True)
class Place:
    """An object of entries by name: the client it is of, the file, the keys that lead to it.

    `comments` says that the client allows them. `foreign` marks what may have been written by somebody else: whoever
    may change a project's files chooses what its servers start.
    """

    client: str
    path: str
    keys: tuple[str, ...]
    comments: bool = False
    foreign: bool = False


def user_places(
    home: str, platform: str, variable: Variable, folders: Sequence[str] = ()
) -> list[Place]:
    """Return where this user's own servers are.

    *platform* is a `sys.platform`; *folders* are those for which Claude Code may keep servers of their own: where it
    is started, and the top of the repository that this lies in.
    """
    path = ntpath if platform == "win32" else posixpath
    named = [part.strip() for part in (variable("CLAUDE_CONFIG_DIR") or "").split(",")]
    found: list[Place] = []
    for directory in [part for part in named if part] or [home]:
        file = path.join(directory, ".claude.json")
        found.append(Place("claude-code", file, ("mcpServers",)))
        for folder in dict.fromkeys(folders):
            key = folder.replace("\\", "/") if platform == "win32" else folder
            found.append(Place("claude-code-local", file, ("projects", key, "mcpServers")))
    applications = _applications(home, platform, variable)
    desktop = path.join(applications, "Claude", "claude_desktop_config.json")
    found.append(Place("claude-desktop", desktop, ("mcpServers",)))
    found.append(Place("cursor", path.join(home, ".cursor", "mcp.json"), ("mcpServers",), True))
    portable = variable("VSCODE_PORTABLE")
    for client, name in (("vscode", "Code"), ("vscode-insiders", "Code - Insiders")):
        base = path.join(portable, "user-data") if portable else path.join(applications, name)
        found.append(Place(client, path.join(base, "User", "mcp.json"), ("servers",), True))
    return found


def project_places(folders: Sequence[str], platform: str) -> list[Place]:
    """Return where projects in *folders* may name servers for whoever works on them."""
    path = ntpath if platform == "win32" else posixpath
    found = []
    for folder in dict.fromkeys(folders):
        for client, parts, key, comments in (
            ("claude-code-project", (".mcp.json",), "mcpServers", False),
            ("cursor-project", (".cursor", "mcp.json"), "mcpServers", True),
            ("vscode-project", (".vscode", "mcp.json"), "servers", True),
        ):
            found.append(Place(client, path.join(folder, *parts), (key,), comments, foreign=True))
    return found


def file_places(file: str) -> list[Place]:
    """Return where a file that was named may have entries, whichever client it is for."""
    return [Place("file", file, (key,), True, foreign=True) for key in ("mcpServers", "servers")]


def _applications(home: str, platform: str, variable: Variable) -> str:
    """Return the directory in which desktop applications keep their settings."""
    if platform == "win32":
        return variable("APPDATA") or ntpath.join(home, "AppData", "Roaming")
    if platform == "darwin":
        return posixpath.join(home, "Library", "Application Support")
    named = variable("XDG_CONFIG_HOME") or ""
    return named if posixpath.isabs(named) else posixpath.join(home, ".config")
