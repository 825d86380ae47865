"""What a server that is started again has to be told: how the client greeted it, and what was said while none ran."""

from __future__ import annotations

from typing import Final

from econome.lean.proxy.moves import Move, ToClient
from econome.lean.proxy.wire import Key, failed, head_of, joined, json_of, key_of, notified

__all__ = ["Restarting"]

_MOST_HELD_BYTES: Final = 16 * 1024 * 1024


class Restarting:
    """The past of a connection; `up` is whether a server runs that was greeted.

    `greeting` is the client's `initialize`, `ready` the notification that followed, `level` the latest `logging/setLevel`.
    """

    def __init__(self) -> None:
        self.up = True
        self.greeting: bytes | None = None
        self.ready: bytes | None = None
        self.level: bytes | None = None
        self._held: list[tuple[Key | None, bytes]] = []
        self._held_bytes = 0
        self._asked: dict[Key, bytes] = {}
        self._gone: set[Key] = set()

    def see(self, method: str, message: bytes) -> None:
        """Keep what a new server has to hear."""
        if method == "initialize":
            self.greeting = message
        elif method == "notifications/initialized":
            self.ready = message
        elif method == "logging/setLevel":
            self.level = message

    def asked(self, key: Key, identity: bytes) -> None:
        """Take note that the server asked the client something."""
        self._asked[key] = identity
        self._gone.discard(key)

    def expects(self, key: Key | None) -> bool:
        """Return whether the server that runs wants an answer of the client's by this id, or may want it."""
        if key is None:
            return self.up
        if key in self._gone:
            self._gone.discard(key)
            return False
        self._asked.pop(key, None)
        return self.up

    def fall(self) -> list[bytes]:
        """Take note that the server is gone; return what takes its questions to the client back."""
        self.up = False
        self._gone |= self._asked.keys()
        back = [
            notified(
                "notifications/cancelled",
                joined({"requestId": each, "reason": json_of("the server ended")}),
            )
            for each in self._asked.values()
        ]
        self._asked.clear()
        return back

    def hold(self, message: bytes, key: Key | None) -> list[Move]:
        """Keep a message until a server runs; what is too much is refused."""
        if self._held_bytes + len(message) > _MOST_HELD_BYTES:
            head = head_of(message)
            identity = bytes(head.id) if head is not None and key_of(head.id) else b""
            text = "the MCP server is being started again, and too much waits for it"
            return [ToClient(failed(identity, text))] if identity else []
        self._held.append((key, message))
        self._held_bytes += len(message)
        return []

    def forget(self, key: Key) -> bool:
        """Drop a request that waits; return whether there was one."""
        before = len(self._held)
        self._held = [each for each in self._held if each[0] != key]
        return len(self._held) < before

    def drop(self) -> list[bytes]:
        """Return what waits, which waits no more."""
        held, self._held, self._held_bytes = self._held, [], 0
        return [message for _, message in held]
