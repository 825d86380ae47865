"""Requests of protocol 2026-07-28 from many clients, through one process: each stands alone, so one is enough.

Ids and the tokens of progress are the clients' own and may be the same; on the way to the process each gets a number of the
switchboard's, on the way back its own again. Each request has an exchange of its own, which decides what becomes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import Raw

from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.http_schemas import Schemas
from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.wire import Head, Key, failed, head_of, joined, key_of, members, notified
from econome.server.proxying.ladder import NOT_FOUND

if TYPE_CHECKING:
    from econome.server.proxying.channel import Channel

__all__ = ["Call", "Switchboard"]

_TOKEN: Final = "progressToken"
_SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"


@dataclass(eq=False, slots=True)
class Call:
    """A client's request; `open` are the numbers under which the process has not answered it yet."""

    exchange: Exchange
    channel: Channel
    open: set[bytes] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a number leads: the request, its own id, and its own token of progress."""

    call: Call
    identity: bytes
    token: bytes


class Switchboard(Exchange):
    """What all requests through one process pass; it is told of that process as an exchange is."""

    def __init__(self, lean: Lean) -> None:
        super().__init__(lean)
        self._lean_of_all = lean
        self._count = 0
        self._up = True
        self._lines: dict[Key, _Line] = {}
        self._next: Call | None = None
        self.schemas = Schemas()

    def call(self, channel: Channel) -> Call:
        """Begin a request whose answer goes to a channel; it is what the client says next."""
        self._next = Call(Exchange(self._lean_of_all), channel)
        return self._next

    def client_said(self, message: bytes) -> list[Move]:
        """Take the message of the request that was begun last."""
        call, self._next = self._next, None
        if call is None or not self._up:
            return [ToServer(message)] if call is None else self._gone(call, message)
        return self._moved(call, call.exchange.client_said(message))

    def server_said(self, message: bytes) -> list[Move]:
        """Take a message of the process."""
        message = message.strip()
        head = head_of(message)
        if head is None:
            return []
        key = key_of(head.id)
        if not head.method:
            line = self._lines.pop(key, None) if key is not None else None
            if line is None:
                return []
            line.call.open.discard(bytes(head.id))
            self.schemas.see(message)
            back = _with(message, id=line.identity)
            return self._moved(line.call, line.call.exchange.server_said(back))
        if key is not None:  # this protocol lets no server ask a client
            return [ToServer(failed(bytes(head.id), "no client can be asked here", NOT_FOUND))]
        return self._news(message, head)

    def left(self, call: Call) -> list[bytes]:
        """Forget a request whose client hung up; return what tells the process so."""
        numbers, call.open = call.open, set()
        self._lines = {key: line for key, line in self._lines.items() if line.call is not call}
        return [
            notified("notifications/cancelled", joined({"requestId": Raw(number)}))
            for number in sorted(numbers)
        ]

    def ended(self, reason: str) -> list[Move]:
        """Answer all that is open."""
        self._up = False
        calls = {id(line.call): line.call for line in self._lines.values()}
        self._lines.clear()
        for call in calls.values():
            call.open.clear()
            self._moved(call, call.exchange.ended(reason))
            call.channel.close()
        return []

    def fell(self, how: str) -> list[Move]:
        """Answer all that was open as the process crashed."""
        return self.ended(f"{how} before it answered; it is being started again. Call once more")

    def again(self) -> list[Move]:
        """Take requests again; this protocol has no greeting."""
        self._up = True
        return []

    def server_overflowed(self, first: bytes, last: bytes, size: int) -> list[Move]:
        """Answer what can only be the request whose answer was too long, where one is open."""
        if len({id(line.call) for line in self._lines.values()}) == 1:
            return self.ended(f"the server answered with {size:,} bytes, more than is taken")
        return []

    def _gone(self, call: Call, message: bytes) -> list[Move]:
        call.exchange.client_said(message)
        self._moved(call, call.exchange.ended("the server is being started again; call once more"))
        call.channel.close()
        return []

    def _moved(self, call: Call, moves: list[Move]) -> list[Move]:
        """Send to the client what is for it; return what is for the process, numbered."""
        out: list[Move] = []
        for move in moves:
            if isinstance(move, ToServer):
                out.append(ToServer(self._numbered(call, move.message), move.method, move.name))
                continue
            head = head_of(move.message)
            call.channel.put(move.message)
            if head is not None and not head.method:
                key = key_of(head.id)
                if key is not None:
                    call.channel.done(key)
        return out

    def _numbered(self, call: Call, message: bytes) -> bytes:
        head = head_of(message)
        held = members(message)
        if head is None or held is None or key_of(head.id) is None:
            return message
        self._count += 1
        number = b"%d" % self._count
        params = members(head.params)
        meta = members((params or {}).get("_meta", b""))
        token = bytes((meta or {}).get(_TOKEN, b""))
        changed: dict[str, bytes | Raw] = {**held, "id": number}
        if token and params is not None and meta is not None:
            changed["params"] = joined({**params, "_meta": joined({**meta, _TOKEN: number})})
        key = key_of(number)
        assert key is not None
        self._lines[key] = _Line(call, bytes(head.id), token)
        call.open.add(number)
        return joined(changed)

    def _news(self, message: bytes, head: Head) -> list[Move]:
        """Send what the process says unasked to the request it belongs to."""
        if head.method == "notifications/tools/list_changed":
            self._lean_of_all.changes += 1
        params = members(head.params) or {}
        meta = members(params.get("_meta", b"")) or {}
        line = self._line(params.get(_TOKEN)) if head.method == "notifications/progress" else None
        if line is not None:
            back = _with(message, params=joined({**params, _TOKEN: line.token}))
            return self._moved(line.call, line.call.exchange.server_said(back))
        line = self._line(meta.get(_SUBSCRIPTION))
        if line is not None:
            about = joined({**meta, _SUBSCRIPTION: line.identity})
            back = _with(message, params=joined({**params, "_meta": about}))
            return self._moved(line.call, line.call.exchange.server_said(back))
        latest = next(reversed(self._lines.values()), None)
        return [] if latest is None else self._moved(latest.call, [ToClient(message)])

    def _line(self, number: Raw | None) -> _Line | None:
        key = key_of(number) if number is not None else None
        return self._lines.get(key) if key is not None else None


def _with(message: bytes, **changed: bytes) -> bytes:
    held: Mapping[str, bytes | Raw] = {**(members(message) or {}), **changed}
    return joined(held)
