"""Which paths of a repository may be changed at all, and which of them make a program run where they are obeyed.

It knows names. What stands at a path, and whether a link leads elsewhere, is found where the path is walked.
"""

from __future__ import annotations

from typing import Final

from econome.delegation import obeyed
from econome.delegation.places import folded, parts_of, refuse_closed
from econome.errors import FileRefused

__all__ = ["MODULES", "refusal", "runs_code"]

MODULES: Final = ".gitmodules"
"""The file that says which other repositories are fetched into this one."""


def refusal(path: str) -> str | None:
    """Return why a change of *path* is never applied, whatever it is; None where it may be."""
    try:
        absolute, parts = parts_of(path)
        refuse_closed(path, parts, writing=False)
    except FileRefused as error:
        return error.reason
    if absolute or "/".join(parts) != path:
        return "it is no plain path inside the repository"
    if any(part != part.strip() or part.endswith(".") or ":" in part for part in parts):
        return "a name in it means something else on other systems"
    if folded(parts[-1]) == MODULES:
        return "it says which submodules there are; change those yourself"
    return None


def runs_code(path: str) -> bool:
    """Whether the file is one that tools obey: hooks, CI, settings of editors and agents, what a build or a test runs."""
    return obeyed.runs_code([folded(part) for part in path.split("/")])
