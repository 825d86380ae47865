"""Which paths may be named at all: the rules that a path's text alone can break (D7).

It knows text. Whether anything is there, and whether a link leads elsewhere, is found while the path is walked.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from econome.delegation.obeyed import control
from econome.errors import FileRefused

__all__ = [
    "GIT",
    "PATH_LIMIT",
    "folded",
    "parts_of",
    "refuse_closed",
    "refuse_secret",
    "shown",
]

PATH_LIMIT: Final = 4096
"""The bytes of the longest path that a system takes."""

_PART_LIMIT: Final = 255
_DECEIVING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What changes the order in which the letters after it are shown."""

GIT: Final = frozenset({".git", "git~1"})
"""The names of a repository's own directory, folded."""

# Of version control, whose settings and hooks run programs, and econome's own.
_CLOSED = GIT | {".bzr", ".econome", ".hg", ".jj", ".sl", ".svn"}

_SECRET_NAMES = frozenset(
    {
        ".aws", ".credentials.json", ".env", ".envrc", ".git-credentials", ".gnupg", ".htpasswd", ".kube", ".netrc", ".npmrc",
        ".pgpass", ".pypirc", ".ssh", "_netrc", "credentials.json", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa", "secrets.json",
        "secrets.toml", "secrets.yaml", "secrets.yml",
    }
)  # fmt: skip
_SECRET_ENDS = (".jks", ".kdbx", ".key", ".keystore", ".p12", ".pem", ".pfx", ".ppk")
_SAMPLES = (".dist", ".example", ".sample", ".template")


def shown(path: str) -> str:
    """Return *path* as it may stand in one line of text: what is no plain letter escaped, and cut where it is long."""
    text = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in path[:200]
    )
    return text + "…" if len(path) > 200 else text or "''"


def parts_of(path: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether *path* is absolute, and its parts.

    Raises:
        FileRefused: no path is written so, or it goes upwards, or it holds what only a trick needs.
    """
    reason = _reason_against(path)
    if reason is not None:
        raise FileRefused(shown(path), reason)
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    for part in parts:
        if part == "..":
            raise FileRefused(shown(path), "`..` is not taken; write the path without it")
        if len(part.encode()) > _PART_LIMIT:
            raise FileRefused(shown(path), "a name in it is too long")
    return path.startswith("/"), parts


def _reason_against(path: str) -> str | None:
    if not path.strip():
        return "it names nothing"
    try:
        if len(path.encode()) > PATH_LIMIT:
            return "it is too long"
    except UnicodeEncodeError:  # a lone surrogate
        return "it is not text"
    if any(
        unicodedata.category(letter) in ("Cc", "Zl", "Zp") or letter in _DECEIVING
        for letter in path
    ):
        return "it holds a control character"
    if "\\" in path:
        return "write it with `/`"
    if path == "~" or path.startswith("~/"):
        return "`~` is not expanded; say it in full"
    if path.endswith(("/", "/.")):
        return "it names a directory; name a file"
    return None


def refuse_closed(path: str, parts: tuple[str, ...], *, writing: bool) -> None:
    """Refuse what nobody may reach, whatever the roots say: version control's own files, and where settings are obeyed.

    Raises:
        FileRefused: *path*, whose parts below the root are *parts*, leads there.
    """
    names = tuple(map(folded, parts))
    for part, name in zip(parts, names, strict=True):
        if name in _CLOSED:
            raise FileRefused(shown(path), f"what is in {shown(part)} is out of reach")
    at = control(names) if writing else None
    if at is not None:
        reason = f"{shown(parts[at])} makes programs run; write elsewhere and move it there"
        raise FileRefused(shown(path), reason)


def refuse_secret(path: str, parts: tuple[str, ...]) -> None:
    """Refuse what by its name holds a secret: a key, a password, a token.

    Raises:
        FileRefused: *path* leads to such a file.
    """
    for part in parts:
        name = folded(part)
        if name.endswith(_SAMPLES) or name.endswith(".pub"):
            continue
        if name in _SECRET_NAMES or name.startswith(".env.") or name.endswith(_SECRET_ENDS):
            raise FileRefused(
                shown(path),
                f"{shown(part)} may hold a secret; "
                "`sensitive = true` under [delegation] in config.toml lets such files be used",
            )


def folded(part: str) -> str:
    """Return a name as the most forgiving of file systems would take it.

    HFS+ passes over letters that are not seen, NTFS over dots and blanks at the end and over what follows a colon, and
    both over case.
    """
    seen = "".join(letter for letter in part if unicodedata.category(letter) != "Cf")
    plain = unicodedata.normalize("NFKC", seen).casefold()
    return plain.partition(":")[0].rstrip(". ")
