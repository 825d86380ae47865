"""Servers that list what a test says: the program, started as a source of a capture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from econome.contract.sources import Source

__all__ = ["command", "entry", "source"]

_PROGRAM = str(Path(__file__).parent / "servers" / "listing.py")


def command(directory: Path, name: str = "shop", **said: Any) -> tuple[str, ...]:
    """Return what starts a server that lists what is said; see `servers/listing.py`."""
    path = directory / f"{name}.said.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    return (sys.executable, "-I", "-S", _PROGRAM, str(path))


def source(directory: Path, name: str = "shop", **said: Any) -> Source:
    """Return such a server as a source."""
    return Source(name, command(directory, name, **said))


def entry(name: str, **more: Any) -> dict[str, Any]:
    """Return a tool as a server lists it."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {
        "name": name,
        "description": f"What {name} does.",
        "inputSchema": schema,
    } | more
