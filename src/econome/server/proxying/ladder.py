"""What a request of protocol 2026-07-28 has to hold before it goes to a server that hears no headers.

An HTTP server checks that the headers repeat what the body says; a process behind a proxy cannot. The order is the
protocol's: what the request says of itself, then whether its headers agree, then whether its version is spoken here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from econome.lean.proxy.http_envelope import VERSION_KEY, Envelope
from econome.lean.proxy.http_headers import METHOD, NAME, PARAMETER, VERSION, Pairs, decoded
from econome.lean.proxy.http_schemas import Schemas
from econome.lean.proxy.wire import failed, head_of, members, value_of

__all__ = [
    "HANDSHAKE",
    "INVALID",
    "MODERN",
    "NOT_FOUND",
    "UNREADABLE",
    "refusal",
    "status_of",
]

MODERN: Final = "2026-07-28"
HANDSHAKE: Final = frozenset({"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
"""The versions that begin with `initialize`; what names another stands for itself."""

UNREADABLE, INVALID, NOT_FOUND, _PARAMETERS = -32700, -32600, -32601, -32602
_MISMATCH, _CAPABILITY, _VERSION = -32020, -32021, -32022
_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"

_STATUS: Final = {
    UNREADABLE: 400, INVALID: 400, _PARAMETERS: 400, _MISMATCH: 400, _CAPABILITY: 400, _VERSION: 400, NOT_FOUND: 404,
}  # fmt: skip


def status_of(message: bytes) -> int:
    """Return the status with which an answer of 2026-07-28 is sent."""
    head = head_of(message)
    if head is None or not bytes(head.error):
        return 200
    return _STATUS.get(_code(bytes(head.error)), 200)


def refusal(
    asked: Envelope,
    meta: Collection[str],
    headers: Pairs,
    spoken: Collection[str],
    schemas: Schemas,
) -> bytes | None:
    """Return why a request is refused, None where it may go on; *meta* are the names in its `_meta`."""
    missing = [name for name in (VERSION_KEY, _CAPABILITIES_KEY) if name not in meta]
    if missing:
        reason = f"params._meta lacks {', '.join(missing)}"
        return failed(asked.identity, reason, _PARAMETERS)
    if asked.method == "initialize":
        return failed(
            asked.identity, "Method not found: this protocol has no initialize", NOT_FOUND
        )
    schema = schemas.of(asked.name) if asked.method == "tools/call" else None
    wrong = _mismatch(asked.headers(schema), headers, strict=schema is not None)
    if wrong is not None:
        return failed(
            asked.identity, f"the header {wrong} does not repeat what the request says", _MISMATCH
        )
    if asked.version not in spoken:
        data = {"supported": sorted(spoken), "requested": asked.version}
        return failed(asked.identity, "Unsupported protocol version", _VERSION, data)
    return None


def _mismatch(wanted: Pairs, given: Pairs, *, strict: bool) -> str | None:
    """Return the header that differs; with *strict* also one that repeats no argument."""
    looked_at = {VERSION, METHOD, NAME} | {name for name, _ in wanted}
    found: dict[bytes, list[bytes]] = {}
    for name, value in given:
        if name in looked_at or (strict and name.startswith(PARAMETER)):
            found.setdefault(name, []).append(value)
    for name, value in wanted:
        given_here = found.pop(name, [])
        if len(given_here) != 1 or decoded(given_here[0]) != decoded(value):
            return name.decode("ascii")
    found.pop(NAME, None)
    return next((name.decode("latin-1") for name in found), None)


def _code(error: bytes) -> int:
    held = members(error) or {}
    try:
        code = value_of(held["code"]) if "code" in held else 0
    except ValueError:
        return 0
    return code if isinstance(code, int) else 0
