"""What the SDK's context of a request tells: who asks, which client, which era, and how its server is asked for its tools.

One attribute that is not public is looked at: the connection of a session, which keeps what a list followed last.
Where it is missing, no list follows anything, and no answer refers to an earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final

__all__ = [
    "MODERN",
    "answer",
    "bearer",
    "client_of",
    "conversation",
    "declaring_changes",
    "listed",
    "modern",
    "notebook",
]

MODERN: Final = "2026-07-28"
"""The first protocol version without a handshake: from it on, no list depends on who asks or on what was called before."""

_CONVERSATION: Final = "econome.lean.conversation"
_CONNECTIONS = count(1)

_PAGES: Final = 1000  # of a list that never ends


def modern(ctx: Any) -> bool:
    """Tell whether a request is of the era without a handshake; versions are dates."""
    return str(ctx.protocol_version) >= MODERN


def client_of(ctx: Any) -> str | None:
    """Return the name of the client that asks, None where it gave none."""
    described = ctx.session.client_params
    return None if described is None else str(described.client_info.name)


def bearer(ctx: Any) -> str:
    """Return whom the access token of a request stands for; one principal where no token is asked for."""
    from mcp.server.auth.middleware.auth_context import get_access_token

    token = get_access_token()
    if token is None:
        return ""
    issuer = (token.claims or {}).get("iss")
    return repr((token.client_id, issuer, token.subject))


def notebook(ctx: Any) -> MutableMapping[str, Any] | None:
    """Return what is remembered along a connection that began with a handshake, None for every other."""
    if modern(ctx):
        return None
    state = getattr(getattr(ctx.session, "_connection", None), "state", None)
    return state if isinstance(state, MutableMapping) else None


def conversation(ctx: Any) -> str | None:
    """Return what is one conversation's, as far as that is known: a connection that began with a handshake; else None."""
    pages = notebook(ctx)
    if pages is None:
        return None
    known: str = pages.setdefault(_CONVERSATION, f"connection {next(_CONNECTIONS)}")
    return known


async def listed(
    ctx: Any, call_next: Any, *, needed: bool
) -> tuple[dict[str, Any], Sequence[Mapping[str, Any]]]:
    """Return a server's answer to `tools/list` without its tools, and the tools of all its pages.

    A server that lists none has none, unless its list is *needed*: then its error is raised.
    """
    from mcp.shared.exceptions import MCPError
    from mcp_types import METHOD_NOT_FOUND

    params = ctx.params or {}
    kept = {"_meta": params["_meta"]} if "_meta" in params else {}
    tools: list[Mapping[str, Any]] = []
    asked: dict[str, Any] = kept
    for _ in range(_PAGES):
        try:
            page = dict(await call_next(replace(ctx, method="tools/list", params=asked)))
        except MCPError as error:
            if needed or error.code != METHOD_NOT_FOUND:
                raise
            return {}, []
        tools += page.pop("tools", [])
        cursor = page.pop("nextCursor", None)
        if not cursor:
            break
        asked = {**kept, "cursor": cursor}
    return page, tools


def answer(ctx: Any, envelope: Mapping[str, Any], text: str, *, failed: bool) -> dict[str, Any]:
    """Return a result of `tools/call` that says *text*, with what its era wants around it."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": failed}
    if modern(ctx):
        result["resultType"] = "complete"
        if "_meta" in envelope:
            result["_meta"] = envelope["_meta"]
    return result


def declaring_changes(result: Any) -> Any:
    """Return the answer to `initialize` saying that the list of tools changes, where there are tools."""
    capabilities = result.get("capabilities") if isinstance(result, Mapping) else None
    if not isinstance(capabilities, Mapping) or "tools" not in capabilities:
        return result
    tools = {**(capabilities["tools"] or {}), "listChanged": True}
    return {**result, "capabilities": {**capabilities, "tools": tools}}
