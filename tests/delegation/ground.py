"""A root with files in it, something outside that must stay as it is, and a hook between any two calls to the system."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from econome import renames
from econome.delegation import outputs
from econome.delegation.folders import Roots
from econome.errors import FileRefused

__all__ = ["INSIDE", "SECRET", "Ground", "Steps", "ground_in", "no_space", "refusal"]

INSIDE, SECRET = "inside words\n", "the secret words\n"

_CALLS = ("open", "stat", "fstat", "mkdir", "link", "rename", "unlink", "read", "fsync")


@dataclass(frozen=True)
class Ground:
    """Where a test stands: `root` may be used, `outside` may not."""

    root: Path
    outside: Path

    @property
    def roots(self) -> Roots:
        return Roots((str(self.root),))

    def outside_now(self) -> dict[str, str]:
        """Return all that lies outside, by name."""
        return _tree(self.outside)

    def inside_now(self) -> dict[str, str]:
        """Return all that lies inside, by name."""
        return _tree(self.root)


def ground_in(directory: Path) -> Ground:
    """Make the ground: a file at the top, one below a directory, and their likes outside."""
    root, outside = directory / "root", directory / "outside"
    for place, text in ((root, INSIDE), (outside, SECRET)):
        (place / "deep").mkdir(parents=True)
        (place / "a.txt").write_text(text, encoding="utf-8")
        (place / "deep" / "b.txt").write_text(text, encoding="utf-8")
    return Ground(root, outside)


def _tree(top: Path) -> dict[str, str]:
    found = {}
    for path in sorted(top.rglob("*")):
        mode = path.lstat().st_mode
        name = str(path.relative_to(top))
        if stat.S_ISREG(mode):
            found[name] = path.read_text(encoding="utf-8", errors="replace")
        else:
            found[name] = f"{stat.S_IFMT(mode):o} {os.readlink(path) if path.is_symlink() else ''}"
    return found


def refusal(act: Callable[..., object], *args: Any, **named: Any) -> str:
    """Return why something was refused; the reason without the path."""
    with pytest.raises(FileRefused) as caught:
        act(*args, **named)
    return caught.value.reason


def no_space(*_args: Any, **_named: Any) -> None:
    """Fail as a call to the system does on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Steps:
    """Counts the calls to the system, and does something right before one of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._at: int | None = None
        self._act: Callable[[], None] = _nothing
        for name in _CALLS:
            patch.setattr(os, name, self._watched(getattr(os, name)))
        patch.setattr(outputs, "exchange", self._watched(renames.exchange))

    def _watched(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if self._at is not None and self.count == self._at:
                self._at = None  # what is done here is not counted
                self._act()
            self.count += self._at is not None
            return real(*args, **named)

        return call

    def run(self, at: int, act: Callable[[], None], what: Callable[[], object]) -> bool:
        """Do *what*, and *act* before its call number *at*; return whether there was such a call."""
        self.count, self._at, self._act = 0, at, act
        try:
            what()
        except FileRefused:
            pass
        done, self._at = self._at is None, None
        return done


def _nothing() -> None:
    pass
