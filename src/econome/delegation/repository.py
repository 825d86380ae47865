"""Which repository work on files is about: the one that its files name, else the one in which it began (D7).

It looks for where a repository begins, and reads nothing in it. What it refuses says which root would be needed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from econome.delegation.folders import SETTING, Roots, is_whole, no_roots, outside
from econome.delegation.places import shown
from econome.errors import DelegationRefused, FileRefused

__all__ = ["find_repository"]


def find_repository(
    files: Sequence[str], base: str | None, roots: Roots
) -> tuple[str, tuple[str, ...]]:
    """Return the top of the repository, and the files relative to it; a relative one begins at *base*, else at the one root.

    A directory may be named as well, were it only to choose the repository.

    Raises:
        DelegationRefused: nothing says which repository it is.
        FileRefused: there is none, or it may not be used.
    """
    areas = _areas(roots)
    begun = base or (areas[0] if len(areas) == 1 else None)
    if not areas:
        raise FileRefused(shown(begun or "".join(files[:1]) or "."), no_roots(roots))
    if not files:
        if begun is None:
            reason = "name a file or a directory inside it, or start from inside it"
            raise DelegationRefused(f"which repository? {reason}")
        return _usable(_around(begun, _real(begun)), roots, areas), ()
    found: list[tuple[str, str]] = []
    for name in files:
        path = _real(_whole(name, begun))
        if not any(_inside(path, area) for area in areas):
            raise FileRefused(shown(name), outside(roots))
        found.append((_around(name, path), path))
        if found[-1][0] != found[0][0]:
            reason = "it lies in another repository than the first file; name those of one"
            raise FileRefused(shown(name), reason)
    place = _usable(found[0][0], roots, areas)
    return place, tuple(os.path.relpath(path, place) for _, path in found if path != place)


def _areas(roots: Roots) -> list[str]:
    """Return the real directories that may be used."""
    allowed = [os.path.realpath(one) for one in roots.allowed]
    if roots.narrowed is None:
        return allowed
    own = [_real(one) for one in roots.narrowed if is_whole(one)]
    return [
        max(one, narrow, key=len)
        for one in allowed
        for narrow in own
        if _inside(narrow, one) or _inside(one, narrow)
    ]


def _whole(name: str, begun: str | None) -> str:
    if not is_whole(f"/{name}"):
        raise FileRefused(shown(name), "no path is written so")
    if name.startswith("/"):
        return name
    if begun is None:
        raise FileRefused(shown(name), "it is relative and there are several roots; say it in full")
    return os.path.join(os.path.realpath(begun), name)


def _real(path: str) -> str:
    """Return where a path leads; a file that is a link stands for itself."""
    whole = os.path.normpath(path)
    if os.path.isdir(whole):
        return os.path.realpath(whole)
    return os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))


def _around(asked: str, path: str) -> str:
    """Return the top of the repository around a path."""
    place = path
    while not os.path.lexists(os.path.join(place, ".git")):
        if place == os.path.dirname(place):
            reason = "it lies in no git repository; name a file or a directory inside one"
            raise FileRefused(shown(asked), reason)
        place = os.path.dirname(place)
    return place


def _usable(place: str, roots: Roots, areas: Sequence[str]) -> str:
    """Return a repository that may be used."""
    if any(_inside(place, os.path.realpath(one)) for one in roots.closed):
        raise FileRefused(shown(place), "it lies in econome's own data")
    if any(_inside(place, area) for area in areas):
        return place
    if any(_inside(place, os.path.realpath(one)) for one in roots.allowed):
        raise FileRefused(
            shown(place), "the client's own roots leave the top of this repository out"
        )
    reason = "the repository begins here, outside the directories that may be used"
    raise FileRefused(shown(place), f"{reason}; name this directory in {SETTING}")


def _inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
