"""Who may write the ledger: one process, known by a lock that ends with it.

It knows the lock's file, which names its holder, and nothing of what is written under the lock. Whoever asks who holds
it never keeps another from taking it.
"""

from __future__ import annotations

import os
import time
import weakref
from contextlib import suppress
from types import ModuleType

import msgspec

from econome.errors import LedgerBroken, LedgerHeld
from econome.owned import open_own

__all__ = ["Holder", "Lock", "holder"]

_ATTEMPTS = 2000
_PAUSE_SECONDS = 0.001  # between them: somebody who only looks holds a shared lock for microseconds


class Holder(msgspec.Struct, frozen=True):
    """The process that writes a ledger: its id, what it is, and where it answers (None where it serves nothing).

    On this machine it answers at `local`, None where that is the URL; `certificate` is the SHA-256 of its certificate.
    Who shows the `key`, another one each time, can read this user's own files: a token may also come from elsewhere.
    """

    pid: int
    what: str
    url: str | None = None
    local: str | None = None
    certificate: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        where = "" if self.url is None else f", {self.url}"
        return f"{self.what} (pid {self.pid}{where})"


class Lock:
    """The lock on the ledger in one directory. It ends with `release`, or with the process; a forked child has none."""

    __slots__ = ("__weakref__", "_fd", "path")

    def __init__(self, directory: str, named: Holder) -> None:
        """Take the lock and write down who holds it.

        Raises:
            LedgerHeld: another has it; the error names who.
            LedgerBroken: there can be no lock here.
        """
        self.path = os.path.join(directory, "lock")
        locks = _locks(self.path)
        try:
            # Not inherited by programs that this process starts, as every descriptor of Python.
            self._fd = open_own(self.path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise LedgerBroken(self.path, error.strerror or str(error)) from None
        try:
            _take(locks, self._fd, self.path)
            os.ftruncate(self._fd, 0)  # what stands there is of one that was killed
            os.pwrite(self._fd, msgspec.json.encode(named), 0)
        except OSError as error:
            os.close(self._fd)
            raise LedgerBroken(self.path, error.strerror or str(error)) from None
        except BaseException:
            os.close(self._fd)
            raise
        _held.add(self)

    @property
    def held(self) -> bool:
        """Whether this process holds it."""
        return self._fd >= 0

    def release(self) -> None:
        """Let another take it."""
        if self.held:
            with suppress(OSError):
                os.ftruncate(self._fd, 0)
            with suppress(OSError):
                # Not only closed: a child between fork and exec may have it open too.
                _locks(self.path).flock(self._fd, _locks(self.path).LOCK_UN)
            self.forget()

    def forget(self) -> None:
        """Close the lock's file, which leaves the lock with whoever else has it open."""
        if self.held:
            os.close(self._fd)
            self._fd = -1


def holder(directory: str) -> Holder | None:
    """Return who holds the lock on the ledger in *directory* now; None where nobody does.

    Only this user's own file is believed: who asks goes to the address in it and shows the token there.

    Raises:
        LedgerBroken: it cannot be told, or others may say what the lock's file says.
    """
    path = os.path.join(directory, "lock")
    try:
        fd = open_own(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LedgerBroken(path, error.strerror or str(error)) from None
    try:
        # Empty after a release and before a holder is there: then the lock is not even touched.
        if _named(fd) is None or _free_of_holders(_locks(path), fd):
            return None
        return _named(fd)
    except OSError as error:
        raise LedgerBroken(path, error.strerror or str(error)) from None
    finally:
        os.close(fd)


def _take(locks: ModuleType, fd: int, path: str) -> None:
    for _ in range(_ATTEMPTS):
        try:
            locks.flock(fd, locks.LOCK_EX | locks.LOCK_NB)
            return
        except BlockingIOError:
            pass
        if not _free_of_holders(locks, fd):
            there = _named(fd)
            if there is not None:
                raise LedgerHeld(os.path.dirname(path), str(there))
        # Somebody only looks, or has just taken it and is about to write its name.
        time.sleep(_PAUSE_SECONDS)
    raise LedgerHeld(os.path.dirname(path), "a process that does not give its name")


def _free_of_holders(locks: ModuleType, fd: int) -> bool:
    """Return whether nobody holds the lock; those who look, as this does, share it and do not count."""
    try:
        locks.flock(fd, locks.LOCK_SH | locks.LOCK_NB)
    except BlockingIOError:
        return False
    locks.flock(fd, locks.LOCK_UN)
    return True


def _named(fd: int) -> Holder | None:
    """Return whom the lock's file names; None where it names nobody, or not yet wholly."""
    try:
        return msgspec.json.decode(os.pread(fd, 4096, 0), type=Holder)
    except msgspec.DecodeError:
        return None


def _locks(path: str) -> ModuleType:
    """Return the module of the system's file locks, which Windows does not have."""
    try:
        import fcntl
    except ImportError:
        reason = (
            "this system has no file locks that end with their process; use Linux, macOS or WSL"
        )
        raise LedgerBroken(path, reason) from None
    return fcntl


_held: weakref.WeakSet[Lock] = weakref.WeakSet()


def _forget_in_child() -> None:
    for lock in list(_held):
        lock.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
