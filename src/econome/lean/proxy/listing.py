"""A list that comes in pages: what came, and how the next page is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from msgspec import Raw

from econome.lean.policies import Policy
from econome.lean.proxy.wire import Head, joined, members, parts

__all__ = ["Gathering", "kept_meta"]

_MOST_PAGES: Final = 200
_MOST_BYTES: Final = 16_777_216
"""A list that is longer than either is left to the client to page through."""
_ABOUT_THE_CLIENT: Final = "io.modelcontextprotocol/"


@dataclass(slots=True)
class Gathering:
    """The pages of one list; `identity` is the client's id of it, None where the proxy itself wants to know.

    `changes` is how often the list was said to have changed before it was asked for; `message` is the first page as it came,
    `member` the part of a result that holds the entries.
    """

    identity: bytes | None
    params: bytes
    policy: Policy
    client: str
    changes: int = 0
    message: bytes = b""
    member: str = "tools"
    entries: list[bytes] = field(default_factory=list)
    first: dict[str, Raw] = field(default_factory=dict)
    pages: int = 0
    size: int = 0
    _cursors: set[bytes] = field(default_factory=set)

    def take(self, head: Head) -> bytes | None:
        """Take a page; return the parameters that ask for the next one, None after the last.

        Raises:
            ValueError: it is no page of such a list, or the pages do not end.
        """
        result = members(head.result)
        entries = parts(result[self.member]) if result and self.member in result else None
        if result is None or entries is None:
            raise ValueError(f"no list of {self.member}")
        self.entries += map(bytes, entries)
        self.size += len(bytes(head.result))
        self.pages += 1
        cursor = bytes(result.pop("nextCursor", b""))
        self.first = self.first or result
        if cursor in (b"", b"null", b'""'):
            return None
        if cursor in self._cursors or self.pages >= _MOST_PAGES or self.size > _MOST_BYTES:
            raise ValueError("pages without an end")
        self._cursors.add(cursor)
        held = dict(members(self.params) or {})
        return joined({**held, **kept_meta(held.get("_meta")), "cursor": cursor})

    def whole(self, tools: bytes) -> bytes:
        """Return the result of the whole list with these tools, a list in JSON; all else is as the first page had it."""
        held: dict[str, bytes | Raw] = {**self.first, self.member: tools}
        return joined(held)


def kept_meta(raw: Raw | bytes | None) -> dict[str, bytes]:
    """Return of `_meta` what says which client this is, for a request of the proxy's own; nothing where it is absent."""
    held = members(raw) if raw is not None else None
    if held is None:
        return {}
    about = {name: value for name, value in held.items() if name.startswith(_ABOUT_THE_CLIENT)}
    return {"_meta": joined(about)}
