"""The ways the servers are asked: alone, through a proxy that only passes, and through it with each set of economies."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.lean.lines import CLIENT, Line
from bench.lean.post import Post
from bench.lean.servers import Places, Server, command, environment, tool_path

__all__ = [
    "ALONE",
    "ARMS",
    "LAZY",
    "LEAN",
    "LIMITED",
    "LOSSLESS",
    "PASSING",
    "STRANGER",
    "Arm",
    "Heard",
    "Tapped",
    "listening",
    "over",
    "session",
]

_TEE = Path(__file__).with_name("tee.py")


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to ask: the options of the proxy, or None for no proxy, and the name that the client gives."""

    name: str
    options: tuple[str, ...] | None
    client: str = CLIENT


ALONE = Arm("alone", None)
PASSING = Arm("pass", ("--pass",))
LOSSLESS = Arm("lossless", ("--menu", "auto"))
LIMITED = Arm("limited", ("--menu", "auto", "--limit", "20", "--max-bytes", "2000"))
LEAN = Arm("lean", ("--menu", "lean"))
LAZY = Arm("lazy", ("--menu", "lazy"))
STRANGER = Arm("stranger", (), "a-client")
ARMS = (ALONE, PASSING, LOSSLESS, LIMITED, LEAN, LAZY, STRANGER)


def _command(arm: Arm, server: str, upstream: Sequence[str], places: Places) -> list[str]:
    if arm.options is None:
        return list(upstream)
    kept = str(places.home / "data")
    own = ["proxy", "--name", server, "--data-dir", kept, *arm.options]
    return [sys.executable, "-m", "econome", *own, "--", *upstream]


def over(
    arm: Arm, name: str, upstream: Sequence[str], places: Places
) -> AbstractContextManager[Line]:
    """Return a session in the way of *arm* with what the command *upstream* starts, called *name*."""
    environ = {"PATH": tool_path(), "HOME": str(places.home), "LC_ALL": "C.UTF-8"}
    return Line(
        _command(arm, name, upstream, places), environ | _own(places), places.home, arm.client
    )


def _own(places: Places) -> dict[str, str]:
    own = {"XDG_CONFIG_HOME": str(places.home), "PYTHONDONTWRITEBYTECODE": "1"}
    # so that the proxy is of the sources that the bench itself runs from
    return own | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}


def session(
    arm: Arm, server: Server, places: Places, *, log: Path | None = None
) -> AbstractContextManager[Line]:
    """Return a session with *server* in the way of *arm*; *log* gets all that the server itself hears and says."""
    upstream = command(server, places)
    if log is not None:
        upstream = [sys.executable, str(_TEE), str(log), *upstream]
    environ = environment(server, places) | (_own(places) if arm.options is not None else {})
    return Line(_command(arm, server.name, upstream, places), environ, places.home, arm.client)


def listening(arm: Arm, server: Server, places: Places) -> Post:
    """Return a session over HTTP with a proxy that listens before *server*, in the way of *arm*."""
    data = places.home / "data"
    own = ["proxy", "--name", server.name, "--data-dir", str(data), "--listen", "0"]
    words = [*own, *(arm.options or ()), "--", *command(server, places)]
    environ = environment(server, places) | _own(places)
    return Post([sys.executable, "-m", "econome", *words], environ, places.home, data)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a server was asked, and what it answered."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]


class Tapped:
    """Reads the log of a `tee` as it grows."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._at = 0
        self._asked: dict[Any, dict[str, Any]] = {}

    def calls(self) -> list[Heard]:
        """Return the calls of tools that were answered since last asked."""
        done: list[Heard] = []
        with self._log.open("rb") as file:
            file.seek(self._at)
            for line in file:
                note = json.loads(line)
                message = json.loads(note["line"])
                if note["way"] == "up" and message.get("method") == "tools/call":
                    self._asked[message["id"]] = message["params"]
                elif note["way"] == "down" and message.get("id") in self._asked:
                    asked = self._asked.pop(message["id"])
                    if "result" in message:
                        heard = Heard(asked["name"], asked.get("arguments", {}), message["result"])
                        done.append(heard)
            self._at = file.tell()
        return done
