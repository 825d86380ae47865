"""The one secret: the bearer token, in a file that only its owner can read.

It is never printed, logged or put on a command line here; `econome token show` is the one place that shows it. A token
that was put in place of another holds from the next request on.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from hmac import compare_digest
from secrets import token_hex, token_urlsafe

from econome.durable import make_directory
from econome.errors import TokenUnsafe

__all__ = ["TOKEN_BYTES", "TokenFile"]

TOKEN_BYTES = 32

_FORM = re.compile(rb"[A-Za-z0-9_-]{43}")
_LONGEST = 4096
_OTHERS = 0o077
_OTHERS_WRITE = 0o022
_NO_FILE = "it is no regular file; remove it, and `econome serve` makes a token"
_OURS = ("answers", "history.", "logs", "models", "scores.json", "token", "work")
"""How the names in a directory begin that is wholly ours."""

_ODD = frozenset({errno.EISDIR, errno.ELOOP, errno.EMLINK, errno.ENXIO})
"""What systems say of a directory, of a link that is not followed, and of a socket."""

# Neither another file behind a link nor one that keeps its reader waiting, such as a pipe.
_PLAINLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class TokenFile:
    """The token of a data directory, as it is on disk at each moment.

    `generation` grows whenever the token is another one than before: what was given out on its strength ends then.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.generation = 0
        self._secret: bytes | None = None
        self._seen: tuple[int, ...] | None = None

    def accepts(self, presented: bytes) -> bool:
        """Tell whether *presented* is the token now; a file that is gone or unsafe accepts nothing."""
        self.refresh()
        return self._secret is not None and compare_digest(presented, self._secret)

    def refresh(self) -> None:
        """Look whether the file is another one than at the last look."""
        try:
            now = _facts(os.stat(self.path))
            if now == self._seen:
                return
            secret, now = self._load()
        except (OSError, TokenUnsafe):
            secret, now = None, ()
        self._seen = now
        if secret != self._secret:
            self._secret = secret
            self.generation += 1

    def read(self) -> str:
        """Return the token.

        Raises:
            TokenUnsafe: there is none, or others may read or replace it.
        """
        try:
            return self._load()[0].decode("ascii")
        except FileNotFoundError:
            raise TokenUnsafe(
                self.path, "there is no token yet; `econome serve` makes one"
            ) from None
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise TokenUnsafe(self.path, _NO_FILE if error.errno in _ODD else reason) from None

    def ensure(self) -> str:
        """Return the token, made now where there is none.

        Raises:
            TokenUnsafe: it cannot be made, or others may read or replace it.
        """
        if not os.path.lexists(self.path):
            self._write(replace=False)
        return self.read()

    def rotate(self) -> str:
        """Put a new token in place of the one there is and return it.

        Raises:
            TokenUnsafe: it cannot be written, or others may replace it.
        """
        self._write(replace=True)
        return self.read()

    def _load(self) -> tuple[bytes, tuple[int, ...]]:
        _check_directory(os.path.dirname(self.path))
        with open(self.path, "rb", opener=lambda path, _: os.open(path, _PLAINLY)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise TokenUnsafe(self.path, _NO_FILE)
            if hasattr(os, "geteuid"):
                if status.st_mode & _OTHERS:
                    reason = "others may read it; `econome token rotate` makes a new one"
                    raise TokenUnsafe(self.path, reason)
                if status.st_uid != os.geteuid():
                    raise TokenUnsafe(self.path, "it belongs to another user")
            content = file.read(_LONGEST)
        secret = content.strip()
        if _FORM.fullmatch(secret) is None:
            raise TokenUnsafe(self.path, "it holds no token; `econome token rotate` makes one")
        return secret, _facts(status)

    def _write(self, *, replace: bool) -> None:
        # Beside its place first: nobody ever finds a token file that is half written.
        draft = f"{self.path}.{token_hex(8)}"
        try:
            self._make_directory()
            place = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.write(place, token_urlsafe(TOKEN_BYTES).encode("ascii") + b"\n")
                os.fsync(place)
            finally:
                os.close(place)
            if replace:
                os.replace(draft, self.path)
            else:
                self._place(draft)
        except OSError as error:
            raise TokenUnsafe(self.path, error.strerror or "it cannot be written") from None
        finally:
            with suppress(FileNotFoundError):
                os.unlink(draft)

    def _place(self, draft: str) -> None:
        """Give the draft its name, unless another process was first."""
        try:
            os.link(draft, self.path)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            os.replace(draft, self.path)

    def _make_directory(self) -> None:
        directory = os.path.dirname(self.path)
        make_directory(directory)
        mode = _check_directory(directory)
        if mode & _OTHERS and all(name.startswith(_OURS) for name in os.listdir(directory)):
            os.chmod(directory, 0o700)  # never one that is used for something else too


def _check_directory(directory: str) -> int:
    """Return the mode of a directory in which nobody else can put another token in the place of ours.

    Raises:
        TokenUnsafe: it is another user's, or others may write there.
    """
    if not hasattr(os, "geteuid"):
        return 0
    status = os.stat(directory)
    if status.st_uid != os.geteuid():
        reason = "it belongs to another user, who can replace the token; use another --data-dir"
        raise TokenUnsafe(directory, reason)
    if status.st_mode & _OTHERS_WRITE:
        raise TokenUnsafe(directory, "others may write here; make it yours with `chmod 700`")
    return status.st_mode


def _facts(status: os.stat_result) -> tuple[int, ...]:
    return (
        status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_size, status.st_mtime_ns,
        status.st_ctime_ns,
    )  # fmt: skip
