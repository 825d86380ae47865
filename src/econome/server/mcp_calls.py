"""What the MCP SDK tells of one call: who calls, how it is told of progress, whether it was taken back, its roots.

With `server/mcp.py` it is all that knows the SDK.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ListRootsRequest, ListRootsResult

from econome.delegation.order import Caller, Standing
from econome.delegation.wire import QUEUED
from econome.errors import DelegationRefused
from econome.savings.wire import TEXT_LIMIT
from econome.server.delegating.call import Asking, Tell

__all__ = ["LEFT", "ROOTS_SECONDS", "asking"]

LEFT: Final = "econome.left"
"""The place in a scope of an event that is set once the client has hung up."""

ROOTS_SECONDS: Final = 5.0
"""How long a client may take to name its roots."""

_TOOL_USE = "claudecode/toolUseId"


def asking(context: Any) -> Asking:
    """Return who asks in a call of the SDK's, and what is known of the connection."""
    return Asking(
        caller=_caller(context),
        tell=_tell(context),
        withdrawn=_withdrawn(context),
        roots=_roots(context),
    )


def _caller(context: Any) -> Caller:
    """Return who calls; what an odd client left out or spelt wrong is not known."""
    described, request = context.session.client_params, context.request
    client = request.client if request is not None else None
    return Caller(
        client=None if described is None else _name(described.client_info.name),
        session=None if request is None else _name(request.headers.get("mcp-session-id")),
        connection=None if client is None else f"{client.host}:{client.port}",
        tool_use=_name((context.meta or {}).get(_TOOL_USE)),
    )


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= TEXT_LIMIT else None


def _tell(context: Any) -> Tell:
    """Return what tells the client of progress; the SDK says nothing to one that did not ask for it."""
    last = 0.0

    async def tell(standing: Standing) -> None:
        nonlocal last
        last = max(
            round(standing.waiting_s, 1), last + 0.1
        )  # each has to be more than the one before
        await context.session.report_progress(round(last, 1), None, _words(standing))

    return tell


def _words(standing: Standing) -> str:
    if standing.status == QUEUED:
        return f"{standing.request_id} waits, number {standing.position}"
    return f"{standing.request_id}: {standing.written} pieces of the answer"


def _withdrawn(context: Any) -> Callable[[], bool]:
    """Return what tells whether the client took the call back: by a notification, or by hanging up."""
    request = context.request
    left = None if request is None else request.scope.get(LEFT)
    # The SDK gives its tools no other sight of it; a test over every protocol holds this.
    cancelled = getattr(
        getattr(context.session, "_request_outbound", None), "cancel_requested", None
    )
    return lambda: any(event is not None and event.is_set() for event in (left, cancelled))


def _roots(context: Any) -> Callable[[], Awaitable[tuple[str, ...] | None]]:
    """Return what asks the client for its roots, where it says that it has some and can be asked."""

    async def roots() -> tuple[str, ...] | None:
        able = context.session.client_capabilities
        if able is None or able.roots is None or not context.session.can_send_request:
            return None
        try:
            found = await context.session.send_request(
                ListRootsRequest(),
                ListRootsResult,
                ROOTS_SECONDS,
                ServerMessageMetadata(related_request_id=context.request_id),
            )
        except (MCPError, ValueError):
            reason = "the client says that it has roots, and does not name them: no file is touched"
            raise DelegationRefused(reason) from None
        return tuple(path for root in found.roots if (path := _path(str(root.uri))) is not None)

    return roots


def _path(uri: str) -> str | None:
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" and parts.path.startswith("/") else None
