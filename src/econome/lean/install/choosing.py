"""Which entry a name means where several have it, and with which options a command tells one from the others."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from econome.errors import UsageError

__all__ = ["Where", "choose", "options_for"]

_T = TypeVar("_T")


class Where(NamedTuple):
    """What tells an entry from another of its name: the client it is of, the file, the keys that lead to it."""

    client: str
    path: str
    keys: tuple[str, ...]

    @staticmethod
    def of(place: Any) -> Where:
        """Return where a place or an original is."""
        return Where(place.client, place.path, tuple(place.keys))


def options_for(this: Where, others: Iterable[Where]) -> list[str]:
    """Return the options that tell an entry from *others* of its name; none where there are no others."""
    rivals = [other for other in others if other != this]
    by_client, by_file = ["--client", this.client], ["--config", this.path]
    if not rivals:
        return []
    if all(other.client != this.client for other in rivals):
        return by_client
    if all(other.path != this.path for other in rivals):
        return by_file
    return [*by_client, *by_file]


def choose(
    name: str, found: Sequence[tuple[Where, _T]], folders: Sequence[str] = ()
) -> tuple[Where, _T]:
    """Return the one of several entries of a name that is meant: of one file and client, that of the nearest folder.

    Claude Code keeps entries by folder, so that one file has several; *folders* are those that count here, the nearest
    first.

    Raises:
        UsageError: they have to be told apart, and how.
    """
    if len(found) == 1:
        return found[0]
    places = [where for where, _ in found]
    if len({(where.client, where.path) for where in places}) > 1:
        ways = " or ".join(shlex.join(options_for(where, places)) for where in places)
        raise UsageError(f"{name}: several entries have this name; choose with {ways}")
    for folder in folders:
        for each in found:
            if folder.replace("\\", "/") in (key.replace("\\", "/") for key in each[0].keys):
                return each
    there = ", ".join(where.keys[1] for where in places if len(where.keys) > 1)
    raise UsageError(
        f"{name}: several directories have an entry of this name; go to one of: {there}"
    )
