"""Brings steps to the work tree: all of them or none.

Each file is made beside its place, through directories that are open and were reached over no link, and takes its name in one
step; what it replaces stays at hand under another name until all are in place, and comes back where one is not. Git is kept from
changing the work tree meanwhile, by its own lock.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from econome.delegation.coder.changes import Changed
from econome.delegation.coder.clone import Base
from econome.delegation.coder.git import at_work, head
from econome.delegation.coder.plan import Step, plan
from econome.delegation.coder.tree import TooLarge, Tree, read_in
from econome.delegation.folders import NO_LINK
from econome.errors import ChangeRefused
from econome.renames import exchange

__all__ = ["apply_changes"]

_MEANWHILE = "it was changed meanwhile; nothing was applied"
_EXECUTABLE_BY_ALL = 0o777


def apply_changes(base: Base, changes: Sequence[Changed]) -> tuple[str, ...]:
    """Apply all the changes to the repository, or nothing; return the paths that were written or removed.

    Raises:
        ChangeRefused: they cannot be applied as they are; everything is as it was.
    """
    try:
        top = Tree(base.repository)
    except OSError:
        reason = "it is gone, or a link leads there now"
        raise ChangeRefused(base.repository, reason) from None
    try:
        with _git_waits(base.repository):
            commit, steps = plan(base, changes, top)
            _land(top, steps, base.repository, commit)
    finally:
        top.close()
    return tuple(each.path for each in changes)


@contextmanager
def _git_waits(repository: str) -> Iterator[None]:
    """Hold the lock with which git changes the index and the work tree."""
    path = at_work(repository)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600)
    except FileExistsError:
        reason = "git is at work in the repository; try again when it is done"
        raise ChangeRefused(path, reason) from None
    except OSError as error:
        raise ChangeRefused(path, error.strerror or "it cannot be made") from None
    try:
        yield
    finally:
        os.close(fd)
        with suppress(
            OSError
        ):  # where it stays, git says which file it is; what was applied is applied
            os.unlink(path)


def _land(top: Tree, steps: Sequence[Step], repository: str, commit: str) -> None:
    landings: list[_Landing] = []
    try:
        for step in steps:
            landings.append(_Landing(top, step))
            landings[-1].prepare()
        for landing in landings:
            landing.place()
        for landing in landings:
            landing.check()
        if head(repository) != commit:
            raise ChangeRefused(None, "a commit was made meanwhile; nothing was applied")
    except BaseException:
        lost = [kept for landing in reversed(landings) if (kept := landing.undo()) is not None]
        top.remove_made()
        if lost:
            reason = f"it was changed while it was put back; what it held is in {lost[0][1]}"
            raise ChangeRefused(lost[0][0], reason) from None
        raise
    else:
        for landing in landings:
            landing.finish()
    finally:
        for landing in landings:
            landing.close()


class _Landing:
    """One file on its way: its open directory, and the name beside its own that holds the new or the old content."""

    def __init__(self, top: Tree, step: Step) -> None:
        self._top, self._step = top, step
        *above, self._name = step.path.split("/")
        self._above = tuple(above)
        self._beside = f".econome-{secrets.token_hex(8)}.tmp"
        self._fd = -1
        self._ours: tuple[int, int] | None = None  # the new file, wherever it is
        self._placed = self._kept = False

    def prepare(self) -> None:
        """Write the new content beside."""
        with self._refusing():
            self._fd = self._top.directory(self._above, make=self._step.old is None)
            if self._step.new is not None:
                self._write(self._step.new)

    def _write(self, data: bytes) -> None:
        mode = None
        if self._step.old is not None:
            at = os.stat(self._name, dir_fd=self._fd, follow_symlinks=False)
            mode = stat.S_IMODE(at.st_mode) & _EXECUTABLE_BY_ALL
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
        fd = os.open(self._beside, flags, 0o666 if mode is None else 0o600, dir_fd=self._fd)
        try:
            self._ours = _identity(os.fstat(fd))
            with open(fd, "wb", closefd=False) as file:
                file.write(data)
            if mode is not None:
                os.fchmod(fd, mode)
            os.fsync(fd)
        except BaseException:
            with suppress(OSError):
                os.unlink(self._beside, dir_fd=self._fd)
            raise
        finally:
            os.close(fd)

    def place(self) -> None:
        """Give the new content its name; what was there is then beside."""
        with self._refusing():
            if self._step.old is None:
                self._link(self._beside, self._name)
                self._placed = True
            elif self._step.new is None:
                self._take_away()
            elif exchange(self._fd, self._beside, self._name):
                self._placed = self._kept = True
                self._see_old(self._beside)
            else:
                self._replace()

    def _take_away(self) -> None:
        os.rename(self._name, self._beside, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        self._placed = self._kept = True
        self._see_old(self._beside)

    def _replace(self) -> None:
        """Replace a file where two names cannot be exchanged: between the look and the step there is a moment."""
        new = self._beside
        self._see_old(self._name)
        self._beside = f".econome-{secrets.token_hex(8)}.tmp"
        self._link(self._name, self._beside)
        self._kept = True
        os.rename(new, self._name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        self._placed = True
        self._see_old(self._beside)

    def _link(self, there: str, name: str) -> None:
        os.link(there, name, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)

    def _see_old(self, name: str) -> None:
        assert self._step.old is not None
        if read_in(self._fd, name, len(self._step.old)) != self._step.old:
            raise ChangeRefused(self._step.path, _MEANWHILE)

    def check(self) -> None:
        """See that the directory is still where it was, and that what stands there is what was put there."""
        with self._refusing(), self._top.standing_in(self._above) as again:
            if _identity(os.fstat(again)) != _identity(os.fstat(self._fd)):
                raise ChangeRefused(self._step.path, _MEANWHILE)
            if self._at(self._name) != self._ours:
                raise ChangeRefused(self._step.path, _MEANWHILE)

    def _at(self, name: str) -> tuple[int, int] | None:
        try:
            at = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return _identity(at)

    def undo(self) -> tuple[str, str] | None:
        """Put back what was there; return the path and where its content is kept where that could not be done."""
        try:
            if self._placed:
                if self._at(self._name) != self._ours:
                    return self._leave()
                self._put_back()
            if self._ours is not None and self._at(self._beside) == self._ours:
                os.unlink(self._beside, dir_fd=self._fd)
            elif self._kept and self._at(self._beside) is not None:
                return self._leave()
        except OSError:
            return self._leave()
        return None

    def _put_back(self) -> None:
        names = {"src_dir_fd": self._fd, "dst_dir_fd": self._fd}
        if self._step.old is None:
            os.unlink(self._name, dir_fd=self._fd)
        elif self._step.new is not None:
            if not exchange(self._fd, self._beside, self._name):
                os.rename(self._beside, self._name, **names)
        else:
            try:
                self._link(self._beside, self._name)
            except FileExistsError:
                raise
            except OSError:  # what was taken away is no file after all
                os.rename(self._beside, self._name, **names)
            else:
                os.unlink(self._beside, dir_fd=self._fd)

    def _leave(self) -> tuple[str, str] | None:
        """Leave what somebody put there, and beside it what they did not see."""
        return (self._step.path, "/".join((*self._above, self._beside))) if self._kept else None

    def finish(self) -> None:
        """Let go of what was replaced; on disk too."""
        with suppress(OSError):
            os.unlink(self._beside, dir_fd=self._fd)
        with suppress(OSError):
            os.fsync(self._fd)

    def close(self) -> None:
        """Let go of the directory."""
        if self._fd >= 0:
            os.close(self._fd)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except TooLarge:
            raise ChangeRefused(self._step.path, _MEANWHILE) from None
        except OSError as error:
            if isinstance(error, FileExistsError | FileNotFoundError | NotADirectoryError):
                raise ChangeRefused(self._step.path, _MEANWHILE) from None
            reason = error.strerror or "it cannot be written"
            raise ChangeRefused(self._step.path, f"{reason}; nothing was applied") from None


def _identity(at: os.stat_result) -> tuple[int, int]:
    return at.st_dev, at.st_ino
