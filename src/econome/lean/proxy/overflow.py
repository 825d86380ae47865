"""What is known of a message of which only the beginning and the end were kept: whether it asks or answers, and its id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from econome.lean.proxy.loose import beginning
from econome.lean.proxy.wire import failed

__all__ = ["Overflow", "overflow_of"]

_TOO_LARGE = -32600
_ENDS_BYTES = 4096
_IDENTITY = rb'-?\d{1,256}|"(?:[^"\\]|\\.){0,256}"'
_WHOLE = re.compile(_IDENTITY)
_ID = rb'"id"\s*:\s*(' + _IDENTITY + rb")"
_LAST = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_MIDDLE = re.compile(rb'"jsonrpc"\s*:\s*"2\.0"\s*,\s*' + _ID + rb"\s*\}\s*$")


@dataclass(frozen=True, slots=True)
class Overflow:
    """Such a message; `identities` are what may be its id, the likeliest first."""

    kind: Literal["request", "notification", "answer", "unknown"]
    identities: tuple[bytes, ...]

    def refused(self, size: int) -> list[bytes]:
        """Return the error that tells who sent it, or who waits for it, that it was dropped; what has no id may have been a request."""
        if self.kind == "notification" or (self.kind == "answer" and not self.identities):
            return []
        text = f"a message of {size:,} bytes is more than the proxy takes"
        return [failed(next(iter(self.identities), b""), text, _TOO_LARGE)]


def overflow_of(first: bytes, last: bytes) -> Overflow:
    """Return what the beginning and the end of a message tell: its id is written before what is large, or at the very end."""
    begun = beginning(first[:_ENDS_BYTES])
    last = last[-_ENDS_BYTES:]
    at_first = begun.get("id") or b""
    found = [at_first] if _WHOLE.fullmatch(at_first) else []
    found += [one[1] for one in (_MIDDLE.search(last), _LAST.search(last)) if one is not None]
    identities = tuple(dict.fromkeys(found))
    if "method" in begun:
        told = (begun["method"] or b"").startswith(b'"notifications/')
        return Overflow("notification" if told else "request", identities)
    return Overflow("answer" if {"result", "error"} & begun.keys() else "unknown", identities)
