"""A client that asks a server for its lists and is gone again: what `--dry-run`, profiles and locks look at.

It asks for lists and calls nothing. A server may answer in any order; what it asks in turn is refused, but for `ping`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from msgspec import Raw

from econome.errors import UpstreamAway
from econome.lean.policies import Policy
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.http_envelope import VERSION_KEY
from econome.lean.proxy.listing import Gathering
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.stdio import Connect, loop_factory
from econome.lean.proxy.wire import (
    Head,
    Key,
    answered,
    failed,
    head_of,
    json_of,
    key_of,
    members,
    notified,
    parts,
    requested,
    value_of,
)
from econome.unseen import told

__all__ = ["Told", "asked", "tools_of"]

_T = TypeVar("_T")

_PATIENCE_S: Final = 60.0
"""A server has so long to answer all that it is asked."""

_VERSION: Final = "2025-11-25"
_ALONE: Final = "2026-07-28"
_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602
_NO_POLICY: Final = Policy("*", text=False, menu="untouched")
_GENTLE_S: Final = 2.0
_HURRIED_S: Final = 0.05
"""What was asked for is there: a server that does not end at once is ended."""
_LONGEST: Final = 300
"""So many characters of a server's own words stand in an error."""
_TURNS: Final = 16
"""So often the loop goes round at most from the last answer to the end of what waited for it."""
_REFUSED: Final = ": answered with status 4"

_LISTS: Final = (
    ("tools", "tools/list", "tools"),
    ("prompts", "prompts/list", "prompts"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
)
"""The capability that announces a list, the method that asks for it, and the member of the answer that holds it."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a server told of itself.

    *greeting* is the result of its answer to `initialize` or, where it speaks no protocol with a handshake, to
    `server/discover`; *protocol* the version it is spoken to in. *lists* has by the member of the answer (`tools`, `prompts`,
    `resources`, `resourceTemplates`) the entries of each announced list, each as its bytes, in the server's order. *meta* is
    the `_meta` of the first page of tools, empty without one.
    """

    greeting: bytes
    protocol: str
    lists: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    meta: bytes = b""


def tools_of(lean: Lean, connect: Connect, version: str) -> list[bytes]:
    """Return the tools of a server, each as its bytes; *lean* has to pass everything.

    Raises:
        UpstreamAway: it does not start, does not answer, or has no tools.
    """

    async def tools(talk: _Talk) -> list[bytes]:
        await talk.greet(version)
        return (await talk.gathered("tools/list", "tools", {})).entries

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_talked(lean, connect, tools, _PATIENCE_S, _GENTLE_S))


async def asked(
    name: str,
    connect: Connect,
    version: str,
    *,
    patience_s: float = _PATIENCE_S,
    about_tools: Mapping[str, Any] | None = None,
) -> Told:
    """Return what a server tells of itself; *about_tools* stands in the `_meta` of what asks for its tools.

    All lists that it announces are asked for at once. The server is ended once they are there.

    Raises:
        UpstreamAway: it does not start, does not answer, or refuses what it announced.
    """

    async def lists(talk: _Talk) -> Told:
        try:
            greeting, meta = await talk.greet(version), dict[str, Any]()
        except _Refusal as refusal:
            greeting, meta = await talk.discover(version, refusal)
        return await talk.listed(greeting, meta, about_tools or {})

    lean = Lean(name, count=len, measure=len, tokenizer="", ticks=lambda: 0, passing=True)
    return await _talked(lean, connect, lists, patience_s, _HURRIED_S)


async def _talked(
    lean: Lean,
    connect: Connect,
    about: Callable[[_Talk], Awaitable[_T]],
    patience_s: float,
    gentle_s: float,
) -> _T:
    """Begin a connection, say on it what is to be said, and end it."""
    talk = _Talk()
    server = connect(Exchange(lean), talk.heard, talk.said.append, lambda full: None)
    talk.say = server.client_said
    asking: asyncio.Future[_T] | None = None
    try:
        await server.start()
        asking = asyncio.ensure_future(about(talk))
        try:
            async with asyncio.timeout(patience_s):
                waits: list[asyncio.Future[Any]] = [asking, server.over]
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            raise UpstreamAway(
                f"{lean.name}: no answer{talk.open} within {patience_s:g} s"
            ) from None
        reason = server.over.result() if server.over.done() else None
        for _ in range(_TURNS):  # it may have ended right after its last answer
            if not asking.done():
                await asyncio.sleep(0)
        if asking.done() and (reason is None or asking.exception() is None):
            try:
                return asking.result()
            except _Refusal as refusal:
                raise UpstreamAway(str(refusal)) from None
        raise UpstreamAway(reason or f"{lean.name}: the connection ended")
    finally:
        if asking is not None:
            await _ended(asking)  # before the server ends: what it says then is asked for by nobody
        await server.close(gentle_s)


async def _ended(*asking: asyncio.Future[Any]) -> None:
    """End what was begun, whatever it came to."""
    for each in asking:
        each.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


class _Refusal(Exception):
    """The server itself refused a request; *code* is that of JSON-RPC."""

    def __init__(self, reason: str, code: object) -> None:
        super().__init__(reason)
        self.code = code


class _Talk:
    """What is said on one connection: requests by their ids, and what came in answer.

    *said* are lines on a server that is away; its answers repeat them, which is not the server's own refusal then.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self.say: Callable[[bytes], None] = lambda message: None
        self._waiting: dict[Key, tuple[str, asyncio.Future[Head]]] = {}
        self._asked = 0

    @property
    def open(self) -> str:
        """What was asked and is not answered, for people."""
        methods = list(dict.fromkeys(method for method, _ in self._waiting.values()))
        return f" to {', '.join(methods)}" if methods else ""

    def heard(self, message: bytes) -> None:
        """Take a message of the server, or several in one."""
        head = head_of(message)
        if head is None:
            for each in parts(message) or ():
                self.heard(bytes(each))
            return
        identity = bytes(head.id)
        if head.method:
            if head.method == "ping" and identity:
                self.say(answered(identity, b"{}"))
            elif identity:
                self.say(failed(identity, "Method not found", _METHOD_NOT_FOUND))
            return
        key = key_of(head.id)
        if key is not None and key in self._waiting:
            waiting = self._waiting.pop(key)[1]
            if not waiting.done():
                waiting.set_result(head)

    async def ask(self, method: str, params: bytes) -> Head:
        """Send a request, and return its answer.

        Raises:
            _Refusal: the server refuses it.
            UpstreamAway: it cannot be reached.
        """
        identity = b"%d" % self._asked
        self._asked += 1
        key = key_of(identity)
        assert key is not None
        waiting: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._waiting[key] = method, waiting
        self.say(requested(identity, method, params))
        answer = await waiting
        if not bytes(answer.result):
            raise self._refusal(method, answer.error)
        return answer

    def _refusal(self, method: str, error: Raw) -> _Refusal | UpstreamAway:
        said, code = "no reason given", None
        try:
            held = value_of(error)
            code, said = held.get("code"), str(held["message"])
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        if said in self.said:
            return _Refusal(said, code) if _REFUSED in said else UpstreamAway(said)
        return _Refusal(f"the server refused {method}: {told(said, _LONGEST)}", code)

    async def greet(self, version: str) -> bytes:
        """Begin with a handshake; return its result."""
        greeting = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": _client(version)}
        result = bytes((await self.ask("initialize", json_of(greeting))).result)
        self.say(notified("notifications/initialized", b"{}"))
        return result

    async def discover(self, version: str, refusal: _Refusal) -> tuple[bytes, dict[str, Any]]:
        """Ask who it is without a handshake, which it refused; return the result, and what every request has to say then.

        Raises:
            _Refusal: it refuses that too; the reason is that of its first refusal.
        """
        meta = {
            VERSION_KEY: _ALONE,
            "io.modelcontextprotocol/clientInfo": _client(version),
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        try:
            answer = await self.ask("server/discover", json_of({"_meta": meta}))
        except _Refusal:
            raise refusal from None
        return bytes(answer.result), meta

    async def listed(
        self, greeting: bytes, meta: Mapping[str, Any], about_tools: Mapping[str, Any]
    ) -> Told:
        """Return all lists that a server announces in its greeting."""
        announced = members((members(greeting) or {}).get("capabilities", b"")) or {}
        asking = {
            member: asyncio.ensure_future(
                self._list(method, member, meta, about_tools if member == "tools" else {})
            )
            for capability, method, member in _LISTS
            if bytes(announced.get(capability, b"null")) != b"null"
        }
        try:
            await asyncio.gather(*asking.values())
        finally:
            await _ended(*asking.values())
        found = {member: each.result() for member, each in asking.items()}
        first = found["tools"].first if "tools" in found else {}
        return Told(
            greeting,
            _ALONE if meta else _agreed(greeting),
            {member: pages.entries for member, pages in found.items()},
            bytes(first.get("_meta", b"")),
        )

    async def _list(
        self, method: str, member: str, meta: Mapping[str, Any], about: Mapping[str, Any]
    ) -> Gathering:
        try:
            return await self.gathered(method, member, {**meta, **about})
        except _Refusal as refusal:
            if member == "resourceTemplates" and refusal.code == _METHOD_NOT_FOUND:
                return Gathering(b"", b"{}", _NO_POLICY, "", member=member)
            if not about or refusal.code != _INVALID_PARAMS:
                raise
        return await self.gathered(
            method, member, meta
        )  # it wants no `_meta` that it does not know

    async def gathered(self, method: str, member: str, meta: Mapping[str, Any]) -> Gathering:
        """Return all pages of a list."""
        params = json_of({"_meta": meta}) if meta else b"{}"
        pages = Gathering(b"", params, _NO_POLICY, "", member=member)
        following: bytes | None = params
        while following is not None:
            answer = await self.ask(method, following)
            try:
                following = pages.take(answer)
            except ValueError as error:
                raise UpstreamAway(f"{method}: {error}") from None
        return pages


def _client(version: str) -> dict[str, str]:
    return {"name": "econome", "version": version}


def _agreed(greeting: bytes) -> str:
    try:
        found = value_of((members(greeting) or {}).get("protocolVersion", b'""'))
    except ValueError:
        return ""
    return found if isinstance(found, str) else ""
