"""Where the last measurement of each server is kept: below the data directory, a directory a server, whole files.

Nothing here fails who measured: what cannot be written is passed over, what cannot be read counts as not kept. A directory
may be deleted at any time, with what it tells.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec

from econome.contract.measured import Answered, Checked, Known, Locked, LockState, Measured
from econome.drafts import put
from econome.durable import make_directory
from econome.owned import open_own

__all__ = ["MOST_LOCKS", "MOST_SERVERS", "Record", "keep", "kept", "kept_stamp", "servers_dir"]

MOST_SERVERS: Final = 200
"""So many servers are kept; the one that nothing was measured of for the longest time goes first."""

MOST_LOCKS: Final = 8
"""So many locks of one server are kept."""

_MOST_BYTES: Final = 1 << 20
_MEASURED, _ANSWERED, _LOCKED, _CHECKED = "profile.json", "answers.json", "locked-", "checked-"
_ENDING: Final = ".json"

Record = Measured | Answered | Locked | Checked
_Given = TypeVar("_Given", Measured, Answered, Locked, Checked)
_Facts = tuple[str, str, int, int, int]


def servers_dir(data_dir: str) -> str:
    """Return the directory below which the servers are kept."""
    return os.path.join(data_dir, "servers")


def keep(data_dir: str, records: Iterable[Record]) -> None:
    """Keep what was measured, each in the place of what was measured before; a place that takes nothing is passed over."""
    directory = servers_dir(data_dir)
    with suppress(OSError, ValueError):
        for record in records:
            place = os.path.join(directory, _digest(record.server))
            make_directory(place)
            put(os.path.join(place, _name(record)), msgspec.json.encode(record) + b"\n")
            if isinstance(record, Locked):  # what a check said was of the lock before
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(place, _CHECKED + _name(record).removeprefix(_LOCKED)))
            if isinstance(record, Locked | Checked):
                _trim_locks(place)
        _trim(directory)


def _name(record: Record) -> str:
    if isinstance(record, Measured):
        return _MEASURED
    if isinstance(record, Answered):
        return _ANSWERED
    kind = _LOCKED if isinstance(record, Locked) else _CHECKED
    return f"{kind}{_digest(record.lock)}{_ENDING}"


def _digest(name: str) -> str:
    return sha256(name.encode("utf-8", "replace")).hexdigest()[:24]


def _trim(directory: str) -> None:
    """Let go of the servers that were measured the longest time ago."""
    if len(os.listdir(directory)) <= MOST_SERVERS:
        return
    for place in _newest_first(directory)[MOST_SERVERS:]:
        for path in _newest_first(place):
            os.unlink(path)
        os.rmdir(place)


def _trim_locks(place: str) -> None:
    """Let go of the locks that were used the longest time ago."""
    used: dict[str, None] = {}
    for path in _newest_first(place):
        kind, dash, lock = os.path.basename(path).partition("-")
        if dash and f"{kind}-" in (_LOCKED, _CHECKED):
            used[lock] = None
            if len(used) > MOST_LOCKS and lock not in list(used)[:MOST_LOCKS]:
                os.unlink(path)


def _newest_first(directory: str) -> list[str]:
    with os.scandir(directory) as entries:
        found = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in entries]
    return [path for _, path in sorted(found, reverse=True)]


def kept(data_dir: str) -> tuple[Known, ...]:
    """Return what is kept of each server, by its name."""
    try:
        places = sorted(os.listdir(servers_dir(data_dir)))[: 2 * MOST_SERVERS]
    except OSError:
        return ()
    found = (_known(os.path.join(servers_dir(data_dir), place)) for place in places)
    return tuple(sorted((one for one in found if one), key=lambda one: one.server))


def kept_stamp(data_dir: str) -> tuple[_Facts, ...]:
    """Return what is another one whenever anything that is kept is."""
    return tuple(sorted(_facts(servers_dir(data_dir))))


def _facts(directory: str) -> Iterator[_Facts]:
    with suppress(OSError), os.scandir(directory) as places:
        for place in places:
            with suppress(OSError), os.scandir(place.path) as entries:
                for entry in entries:
                    with suppress(OSError):
                        found = entry.stat(follow_symlinks=False)
                        yield place.name, entry.name, found.st_ino, found.st_size, found.st_mtime_ns


def _known(place: str) -> Known | None:
    """Return what lies in one directory, None where that is nothing, or not of the server that the directory is for."""
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return None
    measured = _read(place, _MEASURED, Measured)
    answered = _read(place, _ANSWERED, Answered)
    locked = _all(place, names, _LOCKED, Locked)
    checked = _all(place, names, _CHECKED, Checked)
    states = [
        LockState(lock, locked.get(lock), checked.get(lock))
        for lock in sorted(locked.keys() | checked.keys())
    ]
    states.sort(key=lambda state: state.at, reverse=True)
    records = [measured, answered, *locked.values(), *checked.values()]
    server = next((record.server for record in records if record is not None), None)
    if server is None:
        return None
    return Known(server, place, measured, answered, tuple(states))


def _all(place: str, names: Iterable[str], kind: str, what: type[_Given]) -> dict[str, _Given]:
    """Return all records of a kind, by their lock."""
    found: dict[str, _Given] = {}
    for name in names:
        if name.startswith(kind) and name.endswith(_ENDING):
            record: Any = _read(place, name, what)
            if record is not None:
                found[record.lock] = record
    return found


def _read(place: str, name: str, what: type[_Given]) -> _Given | None:
    """Return what a file holds, where it is this user's own, whole, and of the server whose directory this is."""
    try:
        fd = open_own(os.path.join(place, name), os.O_RDONLY)
        with os.fdopen(fd, "rb") as file:
            record = msgspec.json.decode(file.read(_MOST_BYTES), type=what)
    except (OSError, ValueError, RecursionError):
        return None
    named = os.path.basename(place) == _digest(record.server) and name == _name(record)
    return record if named else None
