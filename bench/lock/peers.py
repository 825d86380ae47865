"""Public tools that pin what MCP servers list and say later what changed: what a check is measured beside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.installing import from_pypi

__all__ = ["PEERS", "Peer", "install_peers", "keep_words", "words"]


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool of PyPI that runs without an account and without the network."""

    name: str
    version: str


PEERS = (Peer("mcp-diff", "0.1.0"), Peer("mcpdrift", "0.1.0"), Peer("mcplock", "1.0.3"))
"""Those that start a server, keep its list and compare with it; tools that send it to a service are left out."""


def _folder(peer: Peer, installed: Path) -> Path:
    return installed / f"peer-{peer.name}"


def install_peers(installed: Path) -> None:
    """Install the tools that are not there yet, each in an environment of its own.

    Raises:
        SystemExit: pip failed.
    """
    for peer in PEERS:
        folder = _folder(peer, installed)
        if (folder / "bin" / peer.name).is_file():
            continue
        wanted = f"{peer.name}=={peer.version}"
        print(f"installing {wanted} ...", flush=True)
        from_pypi(folder, wanted)


def _words(peer: Peer, installed: Path, server: Sequence[str], home: Path, verb: str) -> list[str]:
    program = str(_folder(peer, installed) / "bin" / peer.name)
    match peer.name:
        case "mcp-diff":
            return [program, verb, *server]  # it keeps the list where it is started
        case "mcpdrift":
            config = home / f"mcpdrift-{verb}.json"
            entry = {"command": server[0], "args": list(server[1:])}
            config.write_text(json.dumps({"mcpServers": {"many": entry}}), encoding="utf-8")
            kept = str(home / "mcpdrift.lock")
            if verb == "snapshot":
                return [program, verb, "--config", str(config), "--server", "many", "--out", kept]
            return [program, verb, "--config", str(config), "--lock", kept]
        case _:
            return [program, verb, " ".join(server)]


def keep_words(peer: Peer, installed: Path, server: Sequence[str], home: Path) -> list[str]:
    """Return the command by which *peer* keeps what a server lists."""
    return _words(peer, installed, server, home, "snapshot")


def words(peer: Peer, installed: Path, server: Sequence[str], home: Path) -> list[str]:
    """Return the command by which *peer* compares a server with what it kept."""
    return _words(peer, installed, server, home, "check")
