"""Which directories Claude Code may keep servers for, of one who works in a directory."""

from __future__ import annotations

import os

__all__ = ["folders_of"]


def folders_of(here: str) -> list[str]:
    """Return a directory, and the top of the repository that it lies in where that is another."""
    folder = here
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return [here]
        folder = above
    return list(dict.fromkeys((here, folder)))
