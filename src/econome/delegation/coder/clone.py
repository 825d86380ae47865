"""Makes the clone that a coder works in, and remembers what was in it.

The clone shares no file with the repository, knows no remote, and has no hooks; its files hold what was committed, byte
for byte, without any conversion. What the coder makes of the clone's own `.git` is of no interest to anybody.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from econome.delegation.coder.git import Entry, command, environment, head, tree
from econome.errors import ChangeRefused

__all__ = ["PLAIN", "Base", "clone"]

PLAIN: Final = "* -text !eol !ident !filter !working-tree-encoding !diff !merge !whitespace\n"
"""Attributes that come before all others, and under which a file is its bytes and a diff shows them."""

_BRANCH = "econome"
_LONG_S = 300.0
_FILES_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Base:
    """What a coder began with: the repository, the commit, and its files."""

    repository: str
    commit: str
    files: Mapping[str, Entry]


async def clone(repository: str, target: str) -> Base:
    """Clone what is committed in *repository* to *target*, which is not there yet.

    Raises:
        ChangeRefused: it is no repository, or cannot be cloned.
    """
    # Resolved once: what becomes a link later is then refused, wherever it leads.
    repository = os.path.realpath(repository)
    commit = await asyncio.to_thread(head, repository)
    files = await asyncio.to_thread(tree, repository, commit)
    if len(files) > _FILES_LIMIT:
        raise ChangeRefused(None, f"the repository has more than {_FILES_LIMIT} files")
    await _git(
        os.path.dirname(target), "clone", "--quiet", "--no-hardlinks", "--no-checkout", "--template=",
        "--config=core.hooksPath=/dev/null", "--config=core.symlinks=false", "--config=core.autocrlf=false",
        "--config=core.fsmonitor=false", "--config=gc.auto=0", "--", repository, target,
    )  # fmt: skip
    await _git(target, "remote", "remove", "origin")
    _write_attributes(os.path.join(target, ".git"))
    await _git(target, "checkout", "--quiet", "--no-track", "-B", _BRANCH, commit)
    return Base(repository, commit, files)


def _write_attributes(directory: str) -> None:
    about = os.path.join(directory, "info")
    os.makedirs(about, mode=0o700, exist_ok=True)
    with open(os.path.join(about, "attributes"), "w", encoding="utf-8") as file:
        file.write(PLAIN)


async def _git(directory: str, *arguments: str) -> None:
    """Run git, and stop it and what it started where this is cancelled."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command(arguments),
            cwd=directory,
            env=environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    )
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # Cancelled itself, it would end git alone, and wait for what git started.
        await _end(await starting)
        raise
    try:
        async with asyncio.timeout(_LONG_S):
            _, errors = await process.communicate()
    except TimeoutError:
        raise ChangeRefused(None, f"git {arguments[0]} took too long") from None
    finally:
        await _end(process)
    if process.returncode:
        lines = errors.decode("utf-8", "replace").strip().splitlines() or ["?"]
        line = "".join(letter for letter in lines[-1] if letter.isprintable())[:200]
        raise ChangeRefused(None, f"git {arguments[0]} failed: {line}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """End git and what it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
