"""A server that lists what a test says, locked and checked in an empty directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.contract.listed import command, entry
from tests.door import Ran, run

__all__ = ["check", "config", "findings", "lock", "server"]


def server(here: Path, **said: Any) -> tuple[str, ...]:
    """Return what starts a server beside *here*, with two tools unless more is said."""
    return command(here.parent, **({"tools": [entry("search"), entry("list")]} | said))


def lock(here: Path, *options: str, **said: Any) -> Ran:
    """Lock it as `shop`."""
    return run("lock", "--name", "shop", *options, "--", *server(here, **said))


def check(here: Path, *options: str, **said: Any) -> Ran:
    """Check it as `shop`."""
    return lock(here, "--check", *options, **said)


def config(here: Path, **servers: tuple[str, ...]) -> str:
    """Write a configuration of a client that starts these servers; return its path."""
    entries = {name: {"command": words[0], "args": list(words[1:])} for name, words in servers.items()}  # fmt: skip
    path = here / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return str(path)


def findings(ran: Ran) -> list[tuple[str, str, str]]:
    """Return the severity, the kind and the name of each difference."""
    return [(one["severity"], one["kind"], one["name"]) for one in json.loads(ran.out)["findings"]]
