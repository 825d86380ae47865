"""Which headers pass through a proxy, which it adds, and how those of protocol 2026-07-28 mirror a message.

What a client says to prove who it is was said to this proxy and goes no further; what the upstream wants to see comes from
the user's own settings. It sends nothing.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from econome.errors import UsageError

__all__ = [
    "JSON",
    "METHOD",
    "NAME",
    "PARAMETER",
    "SESSION",
    "STREAM",
    "VERSION",
    "Pairs",
    "back",
    "decoded",
    "encoded",
    "media_type",
    "onward",
    "own_headers",
    "parameters",
    "repeats",
    "unpacked",
]

Pairs = list[tuple[bytes, bytes]]

SESSION, VERSION = b"mcp-session-id", b"mcp-protocol-version"
METHOD, NAME, PARAMETER = b"mcp-method", b"mcp-name", b"mcp-param-"

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"
"""A body is one message, or a stream of them."""

_HOP: Final = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
        b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip
"""RFC 9110, 7.6.1: they are about one connection."""

_ASKED_HERE = _HOP | frozenset(
    {
        b"accept-encoding", b"authorization", b"content-encoding", b"content-length", b"cookie", b"expect",
        b"forwarded", b"host", b"origin", b"referer", b"via", b"x-real-ip",
    }
)  # fmt: skip
_ASKED_HERE_ALSO = (b"access-control-", b"sec-", b"x-forwarded-")

_SAID_THERE = _HOP | frozenset(
    {b"alt-svc", b"content-length", b"date", b"server", b"set-cookie", b"strict-transport-security"}
)
_SAID_THERE_ALSO = (b"access-control-", b"cross-origin-")

_NOT_OURS_TO_SET = (_HOP | _ASKED_HERE | {b"accept", b"content-type", SESSION, VERSION, METHOD, NAME}) - {
    b"authorization", b"cookie", b"origin", b"referer",
}  # fmt: skip

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PLAIN = re.compile(r"[\x20-\x7e]*")
_WRAPPED = re.compile(r"=\?base64\?.*\?=", re.DOTALL)
_VALUE = re.compile(r"[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff\t]*[\x21-\x7e\x80-\xff])?")


def onward(headers: Iterable[tuple[bytes, bytes]]) -> Pairs:
    """Return what goes on of a request's headers; their names are in small letters."""
    return _without(headers, _ASKED_HERE, _ASKED_HERE_ALSO)


def back(headers: Iterable[tuple[bytes, bytes]]) -> Pairs:
    """Return what goes back of an answer's headers, their names in small letters.

    Its length is left out: who sends the body knows it.
    """
    small = [(name.lower(), value) for name, value in headers]
    return _without(small, _SAID_THERE, _SAID_THERE_ALSO)


def unpacked(headers: Pairs) -> Pairs:
    """Return the headers of an answer whose body goes on unpacked."""
    return [pair for pair in headers if pair[0] != b"content-encoding"]


def _without(
    headers: Iterable[tuple[bytes, bytes]], names: frozenset[bytes], begins: tuple[bytes, ...]
) -> Pairs:
    pairs = list(headers)
    named = {
        part.strip().lower()
        for name, value in pairs
        if name == b"connection"
        for part in value.split(b",")
    }
    return [
        (name, value)
        for name, value in pairs
        if name not in names and name not in named and not name.startswith(begins)
    ]


def media_type(headers: Mapping[str, str]) -> str:
    """Return what kind of body an answer has, in small letters and without parameters; "" where it does not say."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def repeats(name: bytes) -> bool:
    """Tell whether a header repeats what a message says, so that it has to change with it."""
    return name in (VERSION, METHOD, NAME) or name.startswith(PARAMETER)


def own_headers(given: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return the headers that an upstream is to be sent, as *where* gives them; no message shows a value.

    Raises:
        UsageError: a name or a value cannot stand in a header, or the header is one the protocol needs.
    """
    for name, value in given.items():
        if not _TOKEN.fullmatch(name):
            raise UsageError(f"{where}: {name!r} is no name of a header")
        small = name.lower().encode("ascii")
        if small in _NOT_OURS_TO_SET or small.startswith(PARAMETER):
            raise UsageError(f"{where}: {name}: the protocol sets this header; leave it out")
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise UsageError(f"{where}: {name}: its value has to be one line of text")
    return dict(given)


def encoded(value: str) -> str:
    """Return a value as it can stand in a header: wrapped in Base64 where it could not as it is."""
    if _PLAIN.fullmatch(value) and value == value.strip() and not _WRAPPED.fullmatch(value):
        return value
    packed = base64.b64encode(value.encode("utf-8", "surrogatepass")).decode("ascii")
    return f"=?base64?{packed}?="


def decoded(value: bytes) -> bytes | None:
    """Return what a header's value stands for, None where it is wrapped and no Base64."""
    found = _WRAPPED.fullmatch(value.decode("latin-1"))
    if found is None:
        return value
    packed = value[len("=?base64?") : -len("?=")]
    try:
        plain = base64.b64decode(packed, validate=True)
    except ValueError:
        return None
    return plain if base64.b64encode(plain) == packed else None


def parameters(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers that mirror a call's arguments, as the tool's schema asks for by `x-mcp-header`."""
    found = {}
    for path, token in _asked(schema, ()):
        value: Any = arguments
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, str | int | float):
            found[f"mcp-param-{token.lower()}"] = encoded(str(value))
    return found


def _asked(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each property that is to be mirrored; only those that stand in properties of properties can be."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return
    for name, inside in properties.items():
        token = inside.get("x-mcp-header") if isinstance(inside, Mapping) else None
        if isinstance(token, str) and _TOKEN.fullmatch(token):
            yield (*path, name), token
        yield from _asked(inside, (*path, name))
