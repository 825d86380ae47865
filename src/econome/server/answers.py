"""What an endpoint answers: a response that can send itself, with the headers that every answer carries.

Everything but MCP answers in this form. It decides no status. Of requests it knows how a header's value is read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import msgspec
from starlette.responses import Response

__all__ = [
    "ALWAYS",
    "HTML",
    "JSON",
    "PAGE",
    "Answer",
    "Application",
    "Message",
    "Receive",
    "Scope",
    "Send",
    "bare",
    "json_answer",
]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

JSON, HTML = "application/json", "text/html; charset=utf-8"

ALWAYS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
"""The headers of every answer."""

PAGE = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "vary": "accept-language, cookie, hx-request",
}
"""The headers of every page and of what pages are made of."""


def bare(value: bytes) -> bytes:
    """Return a header's value without the blanks around it, which are no part of it (RFC 9110, 5.5).

    The parser takes away those before it and leaves those behind it.
    """
    return value.strip(b" \t")


class Answer(Response):
    """A whole HTTP response; it may be sent any number of times."""

    def __init__(
        self,
        status: int,
        body: bytes,
        media_type: str = JSON,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(body, status, {**ALWAYS, **(headers or {}), "content-type": media_type})


def json_answer(status: int, value: object, headers: Mapping[str, str] | None = None) -> Answer:
    """Return *value* as an answer in compact JSON."""
    return Answer(status, msgspec.json.encode(value), JSON, headers)
