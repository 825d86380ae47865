"""Every exception econome raises on purpose.

EconomeError
├── AmbiguousSession   a session prefix that names several sessions
├── BackendAway        no model can be reached to do the work
├── BackendFailed      a model was reached and did not finish
├── BatchError         a posted batch breaks the contract
├── BodyMalformed      a posted body is no JSON, or of a type or an encoding that is not taken
├── BodyTooLarge       a posted body is above the limit
├── ChangeRefused      a coder's changes cannot be applied as they are
├── ConfigRefused      a client's configuration cannot be changed as asked
├── DelegationRefused  a request is refused before it is queued
├── FileRefused        a file lies outside what may be read or written, or is not such a file
├── FormatBroken       an answer is not of the format that was asked for
├── HistoryBroken      the kept history of deleted transcripts cannot be used
├── ImportRefused      a file of events to import breaks the contract
├── LedgerBroken       the ledger cannot be read, locked or repaired
├── LedgerDiffers      the ledger's own figures do not agree with what they were made from
├── LedgerHeld         another process writes this ledger
├── LedgerUnwritable   the disk took no new lines; nothing of them was kept
├── LocalModelError    the embedded model cannot be set up, checked or removed
├── LockBroken         a lockfile is missing, damaged or was edited by hand, or a capture cannot be locked
├── MenuError          a menu or one of its economies cannot be built as declared
├── PortTaken          the address to serve on is in use or cannot be used
├── PresetError        a presets file that cannot be read or a value in it that cannot be used
├── RequestUnknown     a request id that nobody gave out, or that is no longer kept
├── RootMissing        a root named explicitly that does not exist
├── ServerAway         a command needs the running server and there is none that answers
├── ServerRefused      the running server answered with a refusal
├── SessionUnknown     a session id that stands in no transcript
├── SettingsError      a settings file that cannot be read or a value in it that cannot be used
├── SignatureRefused   a lockfile cannot be signed, or its signature does not hold
├── TokenUnsafe        the token file cannot be used as a secret
├── UnknownZone        a time zone name the zone database does not hold
├── UpstreamAway       the server behind the proxy cannot be started or reached
├── UsageError         a question that cannot be asked: an option or its value is wrong
└── WrongMoment        a request is not in a state for what is asked of it
"""

from __future__ import annotations

__all__ = [
    "AmbiguousSession",
    "BackendAway",
    "BackendFailed",
    "BatchError",
    "BodyMalformed",
    "BodyTooLarge",
    "ChangeRefused",
    "ConfigRefused",
    "DelegationRefused",
    "EconomeError",
    "FileRefused",
    "FormatBroken",
    "HistoryBroken",
    "ImportRefused",
    "LedgerBroken",
    "LedgerDiffers",
    "LedgerHeld",
    "LedgerUnwritable",
    "LocalModelError",
    "LockBroken",
    "MenuError",
    "PortTaken",
    "PresetError",
    "RequestUnknown",
    "RootMissing",
    "ServerAway",
    "ServerRefused",
    "SessionUnknown",
    "SettingsError",
    "SignatureRefused",
    "TokenUnsafe",
    "UnknownZone",
    "UpstreamAway",
    "UsageError",
    "WrongMoment",
]


class EconomeError(Exception):
    """The base of every expected failure; its text is one line that says where, what and what to do."""


class AmbiguousSession(EconomeError):
    """A session prefix names several sessions."""

    def __init__(self, prefix: str, matches: list[str]) -> None:
        shown = ", ".join(matches[:4]) + (" …" if len(matches) > 4 else "")
        super().__init__(f"session {prefix}: {len(matches)} sessions begin so ({shown}); give more")
        self.prefix, self.matches = prefix, matches


class BackendAway(EconomeError):
    """No model can be reached to do the work; the text says what to start or to run."""


class BackendFailed(EconomeError):
    """A model was reached and did not finish: it refused, broke off or crashed."""


class BatchError(EconomeError):
    """A posted batch breaks the contract; nothing of it was kept.

    *index* is the place of the faulty event in the batch, None where the batch itself is at fault; *field* is the
    path of the faulty field as the wire names it (`estimation.evites`), None where it is the event as a whole.
    """

    def __init__(self, reason: str, *, index: int | None = None, field: str | None = None) -> None:
        places = ([] if index is None else [f"event {index}"]) + ([] if field is None else [field])
        super().__init__(": ".join([*places, reason]))
        self.reason, self.index, self.field = reason, index, field


class BodyMalformed(EconomeError):
    """A posted body is no JSON, or of a media type or a content encoding that is not taken."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BodyTooLarge(EconomeError):
    """A posted body is above the limit, as sent or once unpacked."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the body is larger than {limit_bytes} bytes; send less at once")
        self.limit_bytes = limit_bytes


class ChangeRefused(EconomeError):
    """A coder's changes cannot be applied as they are; nothing was touched."""

    def __init__(self, path: str | None, reason: str) -> None:
        super().__init__(reason if path is None else f"{path}: {reason}")
        self.path, self.reason = path, reason


class ConfigRefused(EconomeError):
    """A client's configuration cannot be changed as asked; nothing of it was touched."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class DelegationRefused(EconomeError):
    """A request is refused before it is queued; the text says what to do instead."""


class FileRefused(EconomeError):
    """A file lies outside what may be read or written, is not such a file, or changed meanwhile."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class FormatBroken(EconomeError):
    """An answer is not of the format that was asked for; the text says where, for the model to mend it."""


class HistoryBroken(EconomeError):
    """The history cannot be opened, read or written; it is left as it is."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path}: {reason}; set `history = false` to go on without it, or put back a copy of it"
        )
        self.path, self.reason = path, reason


class ImportRefused(EconomeError):
    """A line of a file to import is no event of the contract; nothing of the file was sent."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}: line {line}: {reason}; nothing of the file was imported")
        self.path, self.line, self.reason = path, line, reason


class LedgerBroken(EconomeError):
    """The ledger or its journal cannot be opened, read, locked or repaired."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class LedgerDiffers(EconomeError):
    """Figures that were derived twice do not agree, or stored events contradict themselves."""

    def __init__(self, differences: int) -> None:
        super().__init__(f"the ledger does not verify: {differences} differences, listed above")
        self.differences = differences


class LedgerHeld(EconomeError):
    """Another process is the one writer of this ledger."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(f"{path}: held by {holder}; stop it first, or use another --data-dir")
        self.path, self.holder = path, holder


class LedgerUnwritable(EconomeError):
    """New lines did not reach the disk; nothing of them was kept, and the same batch may be sent again."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}; nothing was kept, send it again later")
        self.path, self.reason = path, reason


class LocalModelError(EconomeError):
    """The embedded model cannot be set up, checked or removed."""


class LockBroken(EconomeError):
    """A lockfile is missing, damaged or was edited by hand, or what a server told cannot be locked; nothing was checked."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class MenuError(EconomeError):
    """A menu or one of its economies cannot be built as declared: a limit below 1, one field of two types, one name twice."""


class PortTaken(EconomeError):
    """The address to serve on is in use, or is none that this machine can listen on."""

    def __init__(self, host: str, port: int, reason: str, option: str = "--port") -> None:
        super().__init__(f"{host}:{port}: {reason}; choose another with {option}")
        self.host, self.port, self.reason = host, port, reason


class PresetError(EconomeError):
    """A presets file cannot be read, or a value in it cannot be used."""

    def __init__(self, path: str, name: str, reason: str) -> None:
        super().__init__(": ".join(part for part in (path, name, reason) if part))
        self.path, self.name, self.reason = path, name, reason


class RequestUnknown(EconomeError):
    """A request id that nobody gave out, or whose answer is no longer kept."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"{request_id}: no such request is known here")
        self.request_id = request_id


class RootMissing(EconomeError):
    """A root named by an option or by the environment does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: no such directory; name one that exists")
        self.path = path


class ServerAway(EconomeError):
    """A command needs the running server, and none answers.

    *advice* is what to do about it.
    """

    def __init__(
        self, where: str, reason: str, advice: str = "start it with `econome serve`"
    ) -> None:
        super().__init__(f"{where}: {reason}; {advice}")
        self.where, self.reason = where, reason


class ServerRefused(EconomeError):
    """The running server refused what a command asked of it."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server answered {status}: {reason}")
        self.status, self.reason = status, reason


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


class SignatureRefused(EconomeError):
    """A lockfile cannot be signed, or its signature does not hold; nothing was checked."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class TokenUnsafe(EconomeError):
    """The token file is no secret (others may read it), or holds no token."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class UnknownZone(EconomeError):
    """A time zone name is not in the zone database."""

    def __init__(self, name: str) -> None:
        super().__init__(f"time zone {name!r}: unknown; give an IANA name such as Europe/Paris")
        self.name = name


class UpstreamAway(EconomeError):
    """A server that is asked, or stands behind the proxy, cannot be started or reached; the text says what to look at.

    *said* is the end of what it wrote to standard error, fit to be shown, where anything was heard of that.
    """

    def __init__(self, reason: str, said: str = "") -> None:
        super().__init__(reason)
        self.said = said


class UsageError(EconomeError):
    """A question cannot be asked as it stands: an option or its value is wrong."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WrongMoment(EconomeError):
    """A request is not in a state for what is asked of it."""

    def __init__(self, request_id: str, state: str, reason: str) -> None:
        super().__init__(f"{request_id} is {state}: {reason}")
        self.request_id, self.state, self.reason = request_id, state, reason
