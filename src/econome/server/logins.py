"""How a browser comes in: a code that works once becomes a cookie that is a random session id.

Nothing here is derived from the token, and nothing is kept on disk: sessions end with the process, after twelve hours,
and when the token is another one. It knows no request.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from secrets import token_urlsafe

__all__ = ["CODES", "CODE_SECONDS", "SESSIONS", "SESSION_SECONDS", "Logins"]

CODE_SECONDS = 60
SESSION_SECONDS = 12 * 3600
CODES, SESSIONS = 64, 256
"""At most so many are kept; the oldest go first."""

_RANDOM_BYTES = 32
_LONGEST = 128


class Logins:
    """The codes and sessions of one server; *clock* counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._codes: dict[bytes, float] = {}
        self._sessions: dict[bytes, float] = {}
        self._generation: int | None = None

    def follow(self, generation: int) -> None:
        """End everything when the token is of another generation than before."""
        if generation != self._generation:
            self._codes.clear()
            self._sessions.clear()
            self._generation = generation

    def new_code(self) -> str:
        """Return a code that opens one session within the next minute."""
        return self._new(self._codes, CODES, CODE_SECONDS)

    def redeem(self, code: str) -> str | None:
        """Return the id of a new session for a code, None where it is unknown, used or too old."""
        until = self._codes.pop(_digest(code), None)
        if until is None or until <= self._clock():
            return None
        return self._new(self._sessions, SESSIONS, SESSION_SECONDS)

    def knows(self, session: str) -> bool:
        """Tell whether a session is open."""
        until = self._sessions.get(_digest(session))
        return until is not None and self._clock() < until

    def _new(self, kept: dict[bytes, float], limit: int, seconds: float) -> str:
        now = self._clock()
        for digest in [digest for digest, until in kept.items() if until <= now]:
            del kept[digest]
        while len(kept) >= limit:
            del kept[next(iter(kept))]
        secret = token_urlsafe(_RANDOM_BYTES)
        kept[_digest(secret)] = now + seconds
        return secret


def _digest(secret: str) -> bytes:
    """Return what is kept of a secret: looking it up then says nothing about it by the time it takes."""
    return blake2b(secret[:_LONGEST].encode("utf-8", "replace"), digest_size=32).digest()
