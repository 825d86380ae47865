"""Which directories Claude Code may keep servers for, of one who works in a directory, and which places are one file's."""

from __future__ import annotations

import os
from collections.abc import Iterable

from econome.lean.install.places import Place

__all__ = ["folders_of", "places_in"]


def folders_of(here: str) -> list[str]:
    """Return a directory, and the top of the repository that it lies in where that is another."""
    folder = here
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return [here]
        folder = above
    return list(dict.fromkeys((here, folder)))


def places_in(path: str, places: Iterable[Place]) -> list[Place]:
    """Return those of *places* that are in one file, whatever links lead to it."""
    file = os.path.realpath(path)
    return [place for place in places if os.path.realpath(place.path) == file]
