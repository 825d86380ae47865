"""Every exception econome raises on purpose.

EconomeError
├── AmbiguousSession   a session prefix that names several sessions
├── HistoryBroken      the kept history of deleted transcripts cannot be used
├── RootMissing        a root named explicitly that does not exist
├── SessionUnknown     a session id that stands in no transcript
├── SettingsError      a settings file that cannot be read or a value in it that cannot be used
├── UnknownZone        a time zone name the zone database does not hold
└── UsageError         a question that cannot be asked: an option or its value is wrong
"""

from __future__ import annotations

__all__ = [
    "AmbiguousSession",
    "EconomeError",
    "HistoryBroken",
    "RootMissing",
    "SessionUnknown",
    "SettingsError",
    "UnknownZone",
    "UsageError",
]


class EconomeError(Exception):
    """The base of every expected failure; its text is one line that says where, what and what to do."""


class AmbiguousSession(EconomeError):
    """A session prefix names several sessions."""

    def __init__(self, prefix: str, matches: list[str]) -> None:
        shown = ", ".join(matches[:4]) + (" …" if len(matches) > 4 else "")
        super().__init__(f"session {prefix}: {len(matches)} sessions begin so ({shown}); give more")
        self.prefix, self.matches = prefix, matches


class HistoryBroken(EconomeError):
    """The history cannot be opened, read or written; it is left as it is."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path}: {reason}; set `history = false` to go on without it, or put back a copy of it"
        )
        self.path, self.reason = path, reason


class RootMissing(EconomeError):
    """A root named by an option or by the environment does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: no such directory; name one that exists")
        self.path = path


class SessionUnknown(EconomeError):
    """No transcript holds a response of the session asked for."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"session {session}: not found in any transcript; `econome session` lists them"
        )
        self.session = session


class SettingsError(EconomeError):
    """A settings file cannot be read, or a value in it cannot be used."""

    def __init__(self, path: str, where: str, reason: str) -> None:
        super().__init__(f"{path}: {where}: {reason}" if where else f"{path}: {reason}")
        self.path, self.where, self.reason = path, where, reason


class UnknownZone(EconomeError):
    """A time zone name is not in the zone database."""

    def __init__(self, name: str) -> None:
        super().__init__(f"time zone {name!r}: unknown; give an IANA name such as Europe/Paris")
        self.name = name


class UsageError(EconomeError):
    """A question cannot be asked as it stands: an option or its value is wrong."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
