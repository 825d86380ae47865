"""One connection through the proxy, without any input or output of its own: messages in, moves out.

All goes through byte for byte but what tools cost: answers to `tools/list`, and `tools/call` with its answers. The
exchange knows which request an answer belongs to, and what is still open. It knows no pipe, no socket and no process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.wire import (
    Head,
    Key,
    Params,
    failed,
    head_of,
    key_of,
    members,
    params_of,
    parts,
    value_of,
)

__all__ = ["Exchange"]

_CLIENT: Final = "io.modelcontextprotocol/clientInfo"


@dataclass(slots=True)
class Open:
    """A request of the client that the server has not answered yet; `kind` is its method where that matters."""

    kind: str
    identity: bytes
    tool: str = ""
    spent_ns: int = 0
    twice: bool = False


class Exchange:
    """One connection, or one request where each stands for itself.

    `client_said` and `server_said` take one whole message each, and return what is to be sent, in this order.
    """

    def __init__(self, lean: Lean, principal: str = "local") -> None:
        """*principal* is whoever may read what was kept of a cut answer."""
        self._lean, self._principal = lean, principal
        self._client = lean.client or ""
        self._open: dict[Key, Open] = {}

    def client_said(self, message: bytes) -> list[Move]:
        """Take a message of the client."""
        head = head_of(message)
        if head is None or not head.method:
            return [ToServer(message)]
        key = key_of(head.id)
        if key is None:
            if head.method == "notifications/cancelled":
                self._cancelled(head)
            return [ToServer(message, head.method)]
        before = self._open.get(key)
        if before is not None:  # its answers cannot be told apart, so both pass
            before.twice = True
            return [ToServer(message, head.method)]
        began = self._lean.ticks()
        params = params_of(head.params) if head.method in _LOOKED_AT else None
        if params is not None:
            self._introduced(head, params)
        name = params.name if params is not None and head.method == "tools/call" else None
        held = self._open[key] = Open(head.method, bytes(head.id), name or "")
        held.spent_ns = self._lean.ticks() - began
        return [ToServer(message, head.method, name)]

    def server_said(self, message: bytes) -> list[Move]:
        """Take a message of the server."""
        head = head_of(message)
        if head is None or head.method:
            return [ToClient(message)]
        key = key_of(head.id)
        held = self._open.pop(key, None) if key is not None else None
        if held is None or held.twice or not bytes(head.result):
            return [ToClient(message)]
        if held.kind in ("tools/list", "tools/call"):
            self._measure(held, head)
        return [ToClient(message)]

    def ended(self, reason: str) -> list[Move]:
        """Answer all that is open, since the server will not."""
        moves: list[Move] = [
            ToClient(failed(held.identity, -32603, reason)) for held in self._open.values()
        ]
        self._open.clear()
        return moves

    def _introduced(self, head: Head, params: Params) -> None:
        if self._lean.client:
            return
        told = params.client if head.method == "initialize" else params.meta.get(_CLIENT)
        about = members(told) if told is not None else None
        if about and "name" in about:
            try:
                name = value_of(about["name"])
            except ValueError:
                return
            if isinstance(name, str):
                self._client = name

    def _cancelled(self, head: Head) -> None:
        params = params_of(head.params)
        key = key_of(params.request) if params is not None else None
        if key is not None:
            self._open.pop(key, None)

    def _measure(self, held: Open, head: Head) -> None:
        kind = "menu" if held.kind == "tools/list" else "answer"
        text = _menu_text(head) if kind == "menu" else _answer_text(head)
        if text is not None:
            self._lean.note(
                "menu" if kind == "menu" else "answer",
                tool=held.tool,
                client=self._client,
                before=text,
                form="untouched",
                added_ns=held.spent_ns,
            )


_LOOKED_AT: Final = frozenset({"initialize", "tools/list", "tools/call"})


def _menu_text(head: Head) -> str | None:
    result = members(head.result)
    tools = parts(result["tools"]) if result and "tools" in result else None
    return (
        None if tools is None else "".join(bytes(tool).decode("utf-8", "replace") for tool in tools)
    )


def _answer_text(head: Head) -> str | None:
    result = members(head.result)
    return (
        None
        if not result or "content" not in result
        else bytes(head.result).decode("utf-8", "replace")
    )
