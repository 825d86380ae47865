"""Which event a stored line is, and whether it says what another line of that event says: two digests.

It knows how to learn that of a million lines in little time. It opens no file.
"""

from __future__ import annotations

from collections import deque

import msgspec

from econome.savings.batch import (
    content_digest,
    event_key,
    event_keys,
    split_stored,
    stored_digests,
)

__all__ = ["learn_lines", "line_digests"]


class _Named(msgspec.Struct, gc=False):
    id: str


_decode = msgspec.json.Decoder(_Named).decode


def learn_lines(known: dict[bytes, int], lines: bytes) -> int:
    """Learn the events of whole stored lines, the first of each id; return how many lines have no id."""
    each = lines.split(b"\n")[:-1]
    try:
        keys = event_keys([_decode(line).id for line in each])
        contents = stored_digests(each)
    except (ValueError, RecursionError):
        found = [digests for digests in map(line_digests, each) if digests is not None]
        keys, contents = [key for key, _ in found], [content for _, content in found]
    deque(map(known.setdefault, keys, contents), maxlen=0)
    return len(each) - len(keys)


def line_digests(line: bytes) -> tuple[bytes, int] | None:
    """Return the digests of the id and of the content of a stored line; None where it has no id."""
    try:
        key = event_key(_decode(line).id)
    except (ValueError, RecursionError):  # not JSON, no event, or not UTF-8
        return None
    try:
        return key, content_digest(split_stored(line))
    except ValueError:  # somebody put it there by hand, without a time of arrival
        return key, content_digest(line)
