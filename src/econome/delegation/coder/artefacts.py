"""What tools leave behind while they run: caches, compiled files, installed packages. None of it is a change.

It knows a few names that nothing else has. A name that a person may give to work of their own (`build`, `dist`, `target`) is not
among them, nor is anything in a directory of which something is committed.
"""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["is_artefact"]

_DIRECTORIES = frozenset(
    {
        "__pycache__", ".eggs", ".gradle", ".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".nyc_output",
        ".parcel-cache", ".pytest_cache", ".ruff_cache", ".tox", ".turbo", "node_modules",
    }
)  # fmt: skip

_FILES = frozenset({".coverage", ".ds_store", ".eslintcache", "thumbs.db"})
_ENDS = (".pyc", ".pyo", ".tsbuildinfo")


def is_artefact(path: str, committed: Collection[str]) -> bool:
    """Tell whether a new path is one; *committed* are the directories that hold something committed.

    A directory's path ends in a slash.
    """
    whole = path.rstrip("/")
    name = whole.rpartition("/")[2].casefold()
    if name in _DIRECTORIES:
        return whole not in committed
    return not path.endswith("/") and (name in _FILES or name.endswith(_ENDS))
