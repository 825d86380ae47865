"""Where clients keep their servers, on each system."""

from __future__ import annotations

import pytest

from econome.lean.install.places import Place, file_places, project_places, user_places
from tests.requirements import requirement

pytestmark = requirement("L18")


def places(
    home: str,
    platform: str,
    folders: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
) -> list[Place]:
    return user_places(home, platform, (environment or {}).get, folders)


def test_places_on_linux() -> None:
    assert places("/home/a", "linux", ("/w/p",)) == [
        Place("claude-code", "/home/a/.claude.json", ("mcpServers",)),
        Place("claude-code-local", "/home/a/.claude.json", ("projects", "/w/p", "mcpServers")),
        Place("claude-desktop", "/home/a/.config/Claude/claude_desktop_config.json", ("mcpServers",)),
        Place("cursor", "/home/a/.cursor/mcp.json", ("mcpServers",), True),
        Place("vscode", "/home/a/.config/Code/User/mcp.json", ("servers",), True),
        Place("vscode-insiders", "/home/a/.config/Code - Insiders/User/mcp.json", ("servers",), True),
    ]  # fmt: skip


def test_places_on_macos() -> None:
    support = "/Users/a/Library/Application Support"
    assert [
        place.path for place in places("/Users/a", "darwin", (), {"XDG_CONFIG_HOME": "/x"})
    ] == [
        "/Users/a/.claude.json",
        f"{support}/Claude/claude_desktop_config.json",
        "/Users/a/.cursor/mcp.json",
        f"{support}/Code/User/mcp.json",
        f"{support}/Code - Insiders/User/mcp.json",
    ]


def test_places_on_windows() -> None:
    found = places(r"C:\Users\a", "win32", (r"C:\w\p",), {"APPDATA": r"D:\Roaming"})
    assert [(place.path, place.keys) for place in found] == [
        (r"C:\Users\a\.claude.json", ("mcpServers",)),
        (r"C:\Users\a\.claude.json", ("projects", "C:/w/p", "mcpServers")),
        (r"D:\Roaming\Claude\claude_desktop_config.json", ("mcpServers",)),
        (r"C:\Users\a\.cursor\mcp.json", ("mcpServers",)),
        (r"D:\Roaming\Code\User\mcp.json", ("servers",)),
        (r"D:\Roaming\Code - Insiders\User\mcp.json", ("servers",)),
    ]


@pytest.mark.parametrize(
    "environment, client, path",
    [
        ({"CLAUDE_CONFIG_DIR": "/c"}, "claude-code", "/c/.claude.json"),
        ({"XDG_CONFIG_HOME": "/x"}, "vscode", "/x/Code/User/mcp.json"),
        ({"XDG_CONFIG_HOME": "x"}, "vscode", "/h/.config/Code/User/mcp.json"),
        ({"VSCODE_PORTABLE": "/v"}, "vscode", "/v/user-data/User/mcp.json"),
    ],
)
def test_the_environment_moves_a_place(environment: dict[str, str], client: str, path: str) -> None:
    found = [
        place.path for place in places("/h", "linux", (), environment) if place.client == client
    ]
    assert found == [path]


def test_what_others_may_have_written_is_foreign() -> None:
    assert project_places(["/w"], "linux") == [
        Place("claude-code-project", "/w/.mcp.json", ("mcpServers",), foreign=True),
        Place("cursor-project", "/w/.cursor/mcp.json", ("mcpServers",), True, foreign=True),
        Place("vscode-project", "/w/.vscode/mcp.json", ("servers",), True, foreign=True),
    ]
    assert file_places("/f") == [
        Place("file", "/f", ("mcpServers",), True, foreign=True),
        Place("file", "/f", ("servers",), True, foreign=True),
    ]
    assert not any(place.foreign for place in places("/h", "linux"))
