"""Whether a server that is reached without a token wants its client to log in, which a proxy cannot do for it.

It asks once, follows nothing and sends nothing but the protocol's own greeting.
"""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

from econome.lean.install.entries import LeftAlone

__all__ = ["Ask", "refuse_login"]

Ask = Callable[[str], None]
"""What sees that a server at an address wants no login."""

_TIMEOUT_S = 5.0
_LOGIN = "it wants its client to log in (OAuth), which the proxy cannot do"
_SILENT = "it does not answer, so whether it wants a login is not known; start it, then try again"
_GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "econome", "version": "1"},
    },
}
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


def refuse_login(url: str) -> None:
    """Ask a server for a session without a token, and end it.

    Raises:
        LeftAlone: it answers 401, or not at all.
    """
    try:
        status, session = _request(url, "POST", json.dumps(_GREETING), {})
    except (OSError, http.client.HTTPException, ValueError):
        raise LeftAlone(_SILENT) from None
    if status == 401:
        raise LeftAlone(_LOGIN)
    if session:
        with suppress(OSError, http.client.HTTPException):
            _request(url, "DELETE", None, {"Mcp-Session-Id": session})


def _request(
    url: str, method: str, body: str | None, more: dict[str, str]
) -> tuple[int, str | None]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, {**_HEADERS, **more})
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Mcp-Session-Id")
    finally:
        connection.close()
