"""One server against a lock, for a test: what `econome lock --check` does, with nothing of a command line."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace

from econome.cli.lock_judging import check_one, held, shown_url
from econome.cli.lock_texts import LOCK
from econome.contract.sources import Source
from econome.errors import LockBroken, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from econome.cli.lock_report import LockReport

__all__ = ["judge", "names"]


def names(path: Path) -> list[str]:
    """Return the servers of the lock at *path*, none where it cannot be read."""
    try:
        return sorted(held(str(path)).lock.servers)
    except LockBroken:
        return []


def judge(path: Path, folder: Path, name: str, lines: Sequence[str]) -> LockReport:
    """Compare the server *name*, which its line starts in *folder* or reaches, with the lock at *path*.

    The budgets are those of the folder.

    Raises:
        EconomeError: the comparison could not be made.
    """
    found = held(str(path))
    shown = os.path.relpath(path, folder)
    if len(lines) > 1:
        raise UsageError(LOCK["line_twice"].format(name=name))
    told = next(iter(lines), "")
    if not told:
        raise UsageError(LOCK["no_line"].format(name=name, path=shown))
    if told.startswith(("http://", "https://")):
        source = Source(name, url=told, shown=shown_url(told))
        accept = ["--url", shown_url(told)]
    else:
        try:
            words = tuple(shlex.split(told))
        except ValueError as error:
            raise UsageError(LOCK["odd_line"].format(name=name, reason=error)) from None
        source = Source(name, words, cwd=str(folder), shown=told)
        accept = ["--", *words]
    report = check_one(found, source, str(folder))
    command = shlex.join(["econome", "lock", "--lock", shown, "--name", name, *accept])
    return replace(report, path=shown, accept=command)
