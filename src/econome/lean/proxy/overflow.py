"""The id of a message of which only the beginning and the end were kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["identity_in"]

_ID = rb'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.){0,256}")'
_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_LAST = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_MIDDLE = re.compile(rb'"jsonrpc"\s*:\s*"2\.0"\s*,\s*' + _ID + rb"\s*\}\s*$")


def identity_in(first: bytes, last: bytes) -> Iterator[bytes]:
    """Yield what may be the id: servers write it before the result or at the very end."""
    for found in (_FIRST.match(first), _MIDDLE.search(last), _LAST.search(last)):
        if found is not None:
            yield found[1]
