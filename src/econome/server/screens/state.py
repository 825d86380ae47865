"""What the address of a page says, and the addresses of the same page otherwise. A value: it looks at nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["MOST_LETTERS", "MOST_PAIRS", "MOST_TEXT", "State", "address_of", "path_of"]

_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
"""The letters that stand for themselves anywhere in an address (RFC 3986, 2.3)."""

MOST_TEXT: Final = 512
"""So many characters of a value are looked at."""

MOST_PAIRS: Final = 200
MOST_LETTERS: Final = 8192
"""So much of a query is looked at: each link of a page says it again."""


@dataclass(frozen=True, slots=True)
class State:
    """The path of a page and what its query string says, in order."""

    path: str
    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, path: str, pairs: Iterable[tuple[str, str]]) -> State:
        """Return the state that a query string's pairs make; what is empty, or behind too much else, says nothing."""
        kept: list[tuple[str, str]] = []
        room = MOST_LETTERS
        for name, value in pairs:
            pair = name, value[:MOST_TEXT]
            room -= sum(map(len, pair))
            if room < 0 or len(kept) == MOST_PAIRS:
                break
            if value:
                kept.append(pair)
        return cls(path, tuple(kept))

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


def address_of(page: str, name: str) -> str:
    """Return the address of the page of one thing: a name that cannot be one part of a path is asked for as `id`.

    A path is decoded before it is taken apart, so that no part of it can hold a slash; a browser takes dots away.
    """
    if name.strip(".") and "/" not in name:
        return path_of(page, name)
    return State(f"/{page}").link(id=name)


def _quoted(text: str) -> str:
    """Return a text as a part of an address; `urllib.parse` does as much, and opens sockets besides."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
        for byte in text.encode("utf-8", "replace")
    )
