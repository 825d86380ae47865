"""Full results that were sent in part: kept for a while, for the principal they were made for (L7).

The clock and the minting of handles are given. It holds bytes, never values, so that what it holds is what it counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from econome.lean.counting import Count
from econome.lean.exact import read_json
from econome.lean.paging import Page, Wanted, page_of, page_of_text

__all__ = ["GONE", "Kept"]

GONE = "more: this handle is unknown or has expired; call the tool again."
"""The one answer to a handle that is unknown, has expired or is another principal's: which of them is not told."""

_LONG = "surrogatepass"


@dataclass(frozen=True, slots=True)
class _Entry:
    principal: str
    data: bytes
    plain: bool
    rows: str | None
    page: int | None
    max_bytes: int | None
    digest: bytes
    until: float


class Kept:
    """Kept results, bounded in bytes and entries, the one least lately read given up first.

    *clock* is any clock in seconds that never runs back; *mint* gives a text of 128 random bits. It is for one thread.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        mint: Callable[[], str],
        *,
        max_bytes: int = 64_000_000,
        max_entries: int = 512,
        seconds: float = 1800.0,
    ) -> None:
        self._clock, self._mint = clock, mint
        self._max_bytes, self._max_entries, self._seconds = max_bytes, max_entries, seconds
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._handles: dict[bytes, str] = {}
        self._bytes = 0

    def put(
        self,
        principal: str,
        text: str,
        *,
        plain: bool,
        conversation: str = "",
        rows: str | None = None,
        page: int | None = None,
        max_bytes: int | None = None,
    ) -> str | None:
        """Keep the compact JSON (or the *plain* text) of a whole result and return its handle; None where it is too large.

        *conversation* is the one in which all of it was sent, empty where only a part was. *rows*, *page* and *max_bytes* are
        what one answer of `more` keeps to, as the cut answer did.
        """
        data = text.encode("utf-8", _LONG)
        if len(data) > self._max_bytes:
            return None
        digest = _digest(principal, conversation, data)
        self._forget_old()
        if (known := self._handles.get(digest)) is not None:
            self._drop(known)
        handle = known or self._mint()
        entry = _Entry(
            principal, data, plain, rows, page, max_bytes, digest, self._clock() + self._seconds
        )
        self._entries[handle] = entry
        self._handles[digest] = handle
        self._bytes += len(data)
        while self._bytes > self._max_bytes or len(self._entries) > self._max_entries:
            self._drop(next(iter(self._entries)))
        return handle

    def known(self, principal: str, conversation: str, text: str) -> str | None:
        """Return the handle of just this text where all of it was sent in *conversation* before and it is still kept, else None."""
        self._forget_old()
        return self._handles.get(_digest(principal, conversation, text.encode("utf-8", _LONG)))

    def more(self, principal: str, arguments: Mapping[str, Any], count: Count) -> Page:
        """Answer `more(handle, offset | filter | select | rows)`: a page of what is kept, or a refusal that says what to do."""
        handle = arguments.get("handle")
        if not isinstance(handle, str):
            said = "handle must be a text" if "handle" in arguments else "handle is missing"
            return Page(f"more: {said}; it stands in the note of the cut answer.", failed=True)
        self._forget_old()
        entry = self._entries.get(handle)
        if entry is None or entry.principal != principal:
            return Page(GONE, failed=True)
        self._entries.move_to_end(handle)
        wanted = Wanted.of(arguments, rows=entry.rows, page=entry.page, max_bytes=entry.max_bytes)
        if isinstance(wanted, Page):
            return wanted
        text = entry.data.decode("utf-8", _LONG)
        if entry.plain:
            return page_of_text(text, wanted)
        return page_of(read_json(text), wanted, count)

    def _forget_old(self) -> None:
        now = self._clock()
        for handle in [name for name, entry in self._entries.items() if entry.until <= now]:
            self._drop(handle)

    def _drop(self, handle: str) -> None:
        entry = self._entries.pop(handle)
        self._bytes -= len(entry.data)
        self._handles.pop(entry.digest, None)


def _digest(principal: str, conversation: str, data: bytes) -> bytes:
    keyed = blake2b(digest_size=16)
    for part in (principal.encode("utf-8", _LONG), conversation.encode("utf-8", _LONG), data):
        keyed.update(b"%d:" % len(part) + part)
    return keyed.digest()
