"""Where the server of a data directory is reached, and the line that tells Claude Code."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.settings import Settings

__all__ = ["REMOVE_LINE", "add_line", "command_words", "program", "usual_url"]

REMOVE_LINE = "claude mcp remove --scope user econome"
"""What makes Claude Code forget the server that `add_line` named."""


def usual_url(settings: Settings) -> str:
    """Return the address of the server that runs on a data directory, or where one would be found."""
    from econome.savings.lock import holder

    found = holder(settings.ledger_dir())
    if found is None or found.url is None:
        return f"http://127.0.0.1:{settings.port}"
    return found.url


def add_line(url: str, data_dir: str | None) -> str:
    """Return the command that makes a server known to Claude Code; the token is read when it runs, and never shown.

    *data_dir* is the directory that was asked for, None for the usual one.
    """
    option = "" if data_dir is None else f" --data-dir {shlex.quote(data_dir)}"
    return (
        f"claude mcp add --scope user --transport http econome {url}/mcp "
        f'--header "Authorization: Bearer $({program()} token show{option})"'
    )


def program() -> str:
    """Return what starts econome in a shell: its name where the search path has it, else as this process was started."""
    if shutil.which("econome"):
        return "econome"
    started = sys.argv[0]
    if os.path.basename(started) == "econome":
        return shlex.quote(os.path.abspath(started))
    return f"{shlex.quote(sys.executable)} -m econome"


def command_words() -> list[str]:
    """Return the words that start econome for a program that has another search path: its absolute path first."""
    found, started = shutil.which("econome"), sys.argv[0]
    if found is None and os.path.splitext(os.path.basename(started))[0] == "econome":
        found = started
    return [sys.executable, "-m", "econome"] if found is None else [os.path.abspath(found)]
