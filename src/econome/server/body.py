"""Reads a posted body within its limit, packed or not.

A declared length above the limit is refused before anything is read, a body without one is cut where it passes the
limit, and a packed one may not grow beyond it either (S2). It does not look into what it read.
"""

from __future__ import annotations

import asyncio
import zlib
from typing import Final

from econome.errors import BodyMalformed, BodyTooLarge
from econome.server.answers import Answer, Receive, Scope, Send

__all__ = ["DRAIN_BYTES", "DRAIN_SECONDS", "LIMIT_BYTES", "JsonBody", "TooLarge"]

LIMIT_BYTES: Final = 1_048_576
DRAIN_BYTES: Final = 65_536
DRAIN_SECONDS: Final = 1.0

_PLAIN = frozenset({b"", b"identity"})
_PACKED = frozenset({b"gzip", b"x-gzip"})
_GZIP_WINDOW = 31
_MEMBERS = 1024
"""A packed body may consist of so many pieces; each costs time whatever it holds."""

_LOOKED_AT = frozenset({b"content-length", b"content-type", b"content-encoding"})


class JsonBody:
    """What a request says of its body; `read` gives the bytes of the JSON text."""

    def __init__(self, scope: Scope, limit_bytes: int = LIMIT_BYTES) -> None:
        self._limit = limit_bytes
        self._found: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            if name in _LOOKED_AT:
                self._found.setdefault(name, []).append(value)

    async def read(self, receive: Receive) -> bytes | None:
        """Return the text, unpacked; None where the client went away.

        Raises:
            BodyTooLarge: it is above the limit, as sent or unpacked.
            BodyMalformed: it is packed in a way that is not taken, or says that it is no JSON.
        """
        declared = self._found.get(b"content-length")
        if declared is not None and int(declared[0]) > self._limit:
            raise BodyTooLarge(self._limit)
        message = await receive()
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            parts = bytearray(body)
            while message.get("more_body"):
                if len(parts) > self._limit:
                    break
                message = await receive()
                parts += message.get("body", b"")
            body = bytes(parts)
        if message["type"] == "http.disconnect":
            return None
        if len(body) > self._limit:
            raise BodyTooLarge(self._limit)
        body = self._unpacked(body)
        self._check_media_type()
        return body

    def _unpacked(self, body: bytes) -> bytes:
        codings = self._found.get(b"content-encoding", [b""])
        coding = codings[0].strip().lower() if len(codings) == 1 else b"?"
        if coding in _PLAIN:
            return body
        if coding not in _PACKED:
            raise BodyMalformed("content encoding: only gzip is taken")
        return _unzip(body, self._limit)

    def _check_media_type(self) -> None:
        types = self._found.get(b"content-type", [b""])
        essence = types[0].partition(b";")[0].strip().lower()
        main, slash, sub = essence.partition(b"/")
        json = essence == b"application/json" or (main and slash and sub.endswith(b"+json"))
        if len(types) > 1 or (essence and not json):
            raise BodyMalformed("media type: only application/json is taken")


def _unzip(packed: bytes, limit: int) -> bytes:
    """Return what a gzip file of one or more members holds; never make more than *limit* of it."""
    whole = b""
    for _ in range(_MEMBERS):
        member = zlib.decompressobj(_GZIP_WINDOW)
        try:
            whole += member.decompress(packed, limit - len(whole) + 1)
        except zlib.error:
            raise BodyMalformed("content encoding: the body is no gzip file") from None
        if len(whole) > limit:
            raise BodyTooLarge(limit)
        if not member.eof:
            raise BodyMalformed("content encoding: the gzip file is cut short")
        packed = member.unused_data
        if not packed:
            return whole
    raise BodyMalformed("content encoding: the gzip file has too many members")


class TooLarge(Answer):
    """Says that a body is too large, and then lets the client see it.

    A client that is still sending may not have read the answer when the connection is closed, and would only see it break.
    So a little more of the body is taken after the answer, and the rest, which waits in the systems between, gets a
    second's time.
    """

    def __init__(
        self,
        answer: Answer,
        drain_bytes: int = DRAIN_BYTES,
        drain_seconds: float = DRAIN_SECONDS,
    ) -> None:
        self._bytes, self._seconds = drain_bytes, drain_seconds
        super().__init__(answer.status_code, bytes(answer.body), headers={"connection": "close"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, drain, close."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        try:
            async with asyncio.timeout(self._seconds):
                if await _drain(receive, self._bytes):
                    await asyncio.sleep(self._seconds)
        except TimeoutError:
            pass
        await send({"type": "http.response.body", "body": b""})


async def _drain(receive: Receive, left: int) -> bool:
    """Take a little more of a body; return whether there is still more."""
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body"):
            return False
    return True
