"""What the address of a page says, and the addresses of the same page otherwise. A value: it looks at nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["MOST_TEXT", "State", "path_of"]

_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
"""The letters that stand for themselves anywhere in an address (RFC 3986, 2.3)."""

MOST_TEXT: Final = 512
"""So many characters of a value are looked at."""


@dataclass(frozen=True, slots=True)
class State:
    """The path of a page and what its query string says, in order."""

    path: str
    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, path: str, pairs: Iterable[tuple[str, str]]) -> State:
        """Return the state that a query string's pairs make; what is empty says nothing."""
        return cls(path, tuple((name, value[:MOST_TEXT]) for name, value in pairs if value))

    def get(self, name: str, default: str = "") -> str:
        """Return the last value of a name."""
        return next((value for known, value in reversed(self.pairs) if known == name), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a name."""
        return tuple(value for known, value in self.pairs if known == name)

    def one_of(self, name: str, known: Iterable[str], default: str) -> str:
        """Return the value of a name where it is a known one."""
        value = self.get(name)
        return value if value in known else default

    def count(self, name: str, default: int, most: int = 10**9) -> int:
        """Return the whole number above 0 that a name has."""
        text = self.get(name)
        if text.isascii() and text.isdigit() and len(text) < 10 and int(text):
            return min(int(text), most)
        return default

    def link(self, path: str | None = None, **changes: str | Iterable[str] | None) -> str:
        """Return the address of this page, or of the one at *path*, with other values; None takes a name away."""
        pairs = [pair for pair in self.pairs if pair[0] not in changes]
        for name, value in changes.items():
            if isinstance(value, str):
                pairs.append((name, value))
            else:
                pairs += [(name, one) for one in value or ()]
        query = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)
        return (self.path if path is None else path) + (f"?{query}" if query else "")


def path_of(*parts: str) -> str:
    """Return the path of a page from its parts, which may be anybody's text."""
    return "/" + "/".join(map(_quoted, parts))


def _quoted(text: str) -> str:
    """Return a text as a part of an address; `urllib.parse` does as much, and opens sockets besides."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
        for byte in text.encode("utf-8", "replace")
    )
