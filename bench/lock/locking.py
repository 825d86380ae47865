"""Each real server locked twice, in circumstances that may not matter: the bytes have to be the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.lock.commands import lock
from bench.lock.servers import SERVERS, Places, Server, command, environment

__all__ = ["Locked", "differences", "lock_all", "served"]


@dataclass(frozen=True, slots=True)
class Locked:
    """What the lock of a server holds, how long it took, and where two locks of it differ."""

    server: Server
    tools: int
    others: int
    """Prompts, resources and templates."""

    tokens: int
    risk: str
    size: int
    seconds: float
    differ: tuple[str, ...]


def served(file: Path, name: str) -> dict[str, Any]:
    """Return what the lock *file* holds of a server, read as JSON and by nothing of econome's."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["servers"][name]
    return found


def lock_all(places: Places) -> Iterator[Locked]:
    """Lock every server at its present version twice, and compare.

    The second time the folder, the zone, the language, the seed of hashes and the width of the terminal are others.

    Raises:
        SystemExit: a server cannot be locked.
    """
    for server in SERVERS:
        files = [places.home / f"{server.name}-{number}.lock" for number in (1, 2)]
        seconds = []
        for number, file in enumerate(files, 1):
            file.unlink(missing_ok=True)
            folder = places.home / f"folder-{number}"
            folder.mkdir(exist_ok=True)
            given = environment(server, places)
            if number == 2:
                given |= {"PYTHONHASHSEED": "7", "LC_ALL": "C", "COLUMNS": "40"}
                given |= {} if server.zoned else {"TZ": "Asia/Tokyo"}
            ran = lock(server.name, command(server, "now", places), file, given, folder)
            if ran.status != 0:
                raise SystemExit(f"{server.name}: status {ran.status}: {ran.error[-500:]}")
            seconds.append(ran.seconds)
        first, second = (served(file, server.name) for file in files)
        same = files[0].read_bytes() == files[1].read_bytes()
        differ = () if same else tuple(differences(first, second)) or ("the order or the form",)
        yield Locked(
            server,
            len(first["tools"]),
            sum(len(first[part]) for part in ("prompts", "resources", "templates")),
            first["menu"]["tokens"],
            first["class"],
            files[0].stat().st_size,
            min(seconds),
            differ,
        )


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Yield the JSON pointers at which two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            place = f"{where}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in one and name in other:
                yield from differences(one[name], other[name], place)
            else:
                yield place
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from differences(first, second, f"{where}/{number}")
    elif one != other or type(one) is not type(other):
        yield where or "/"
