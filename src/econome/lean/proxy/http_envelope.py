"""What a message of a client says for the request that carries it over HTTP, and what is said where none came back.

It reads no more of a message than its envelope, and sends nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from econome.lean.proxy.http_headers import METHOD, Pairs, decoded, encoded, parameters
from econome.lean.proxy.wire import (
    Head,
    Key,
    failed,
    head_of,
    joined,
    key_of,
    members,
    parts,
    told,
    value_of,
)

__all__ = [
    "VERSION_KEY",
    "Envelope",
    "envelope_of",
    "one_line",
    "speaks",
    "version_agreed",
]

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"

_NAMES: Final = {"prompts/get": "name", "resources/read": "uri", "tools/call": "name"}
"""The parameter that the header `Mcp-Name` repeats."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message of a client; `version` is what it says itself, as requests do since 2026-07-28, else "".

    `key` is None for what awaits no answer; `cancels` is the request that it takes back.
    """

    message: bytes
    method: str
    identity: bytes
    key: Key | None
    version: str
    name: str
    arguments: Mapping[str, Any]
    cancels: Key | None = None

    def headers(self, schema: Mapping[str, Any] | None) -> list[tuple[bytes, bytes]]:
        """Return the headers that repeat what a request of 2026-07-28 says; *schema* is that of the tool it calls."""
        if not self.version or not self.method:
            return []
        told = {"mcp-protocol-version": self.version, "mcp-method": self.method}
        if self.method in _NAMES:
            told["mcp-name"] = encoded(self.name)
        if schema is not None:
            told |= parameters(schema, self.arguments)
        return [
            (name.encode("ascii"), value.encode("latin-1", "replace"))
            for name, value in told.items()
        ]

    def agrees(self, headers: Pairs) -> bool:
        """Tell whether a request's headers repeat what it says, where they are to; a proxy must not mend what does not."""
        found: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            found.setdefault(name, []).append(value)
        if not self.version and METHOD not in found:
            return True
        return all(
            [decoded(given) for given in found.get(name, ())] == [decoded(value)]
            for name, value in self.headers(None)
        )

    def refused(self, reason: str) -> bytes:
        """Return the answer that says why there is none: of a tool as its result, which a model reads."""
        if self.method != "tools/call":
            return failed(self.identity, reason)
        return told(self.identity, reason, failed=True, modern=bool(self.version))


def envelope_of(message: bytes) -> Envelope:
    """Return what a message says; where it is no single message, it says nothing."""
    head = head_of(message) or Head()
    params = members(head.params) or {}
    version = _text((members(params.get("_meta", b"")) or {}).get(VERSION_KEY, b""))
    arguments: Any = {}
    if version and "arguments" in params:
        arguments = _value(params["arguments"])
    cancels = None
    if head.method == "notifications/cancelled":
        cancels = key_of(params.get("requestId", b""))
    return Envelope(
        message=message,
        method=head.method,
        identity=bytes(head.id),
        key=key_of(head.id) if head.method else None,
        version=version,
        name=_text(params.get(_NAMES.get(head.method, ""), b"")),
        arguments=arguments if isinstance(arguments, Mapping) else {},
        cancels=cancels,
    )


def version_agreed(message: bytes) -> str:
    """Return the protocol version that an answer to `initialize` names, "" where it names none."""
    head = head_of(message)
    result = members(head.result) if head is not None else None
    return _text((result or {}).get("protocolVersion", b""))


def speaks(body: bytes) -> bool:
    """Tell whether a body is a message, or several, and not what some other program has to say."""
    head = head_of(body)
    if head is None:
        return parts(body) is not None
    return bool(head.method or bytes(head.result) or members(head.error))


def one_line(message: bytes, identity: bytes = b"") -> bytes:
    """Return a message without the line ends between its parts; an error that names no request gets *identity*."""
    message = message.strip().replace(b"\r", b" ").replace(b"\n", b" ")
    head = head_of(message)
    if (
        identity
        and head is not None
        and not head.method
        and key_of(head.id) is None
        and bytes(head.error)
    ):
        return joined({**(members(message) or {}), "id": identity})
    return message


def _text(raw: Any) -> str:
    found = _value(raw)
    return found if isinstance(found, str) else ""


def _value(raw: Any) -> Any:
    try:
        return value_of(raw) if bytes(raw) else None
    except ValueError:
        return None
