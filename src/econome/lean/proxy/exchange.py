"""One connection through the proxy, without any input or output of its own: messages in, moves out.

All goes through byte for byte but what tools cost: answers to `tools/list`, and `tools/call` with its answers. The
exchange knows which request an answer belongs to, and what is still open. It knows no pipe, no socket and no process.
"""

from __future__ import annotations

from typing import Final

from econome.errors import MenuError
from econome.lean.menus import Menu
from econome.lean.policies import Policy
from econome.lean.proxy.calling import PASSES, STUMBLES, Asked, Open, reply, shaped, translated
from econome.lean.proxy.listing import Gathering, kept_meta
from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.overflow import identity_in
from econome.lean.proxy.restarting import Restarting
from econome.lean.proxy.shared import Lean, Noted
from econome.lean.proxy.wire import (
    Head,
    Key,
    Params,
    answered,
    compact,
    failed,
    head_of,
    joined,
    key_of,
    members,
    params_of,
    refused,
    requested,
    value_of,
)  # fmt: skip

__all__ = ["Exchange"]

_CLIENT: Final = "io.modelcontextprotocol/clientInfo"
_LOOKED_AT: Final = frozenset({"initialize", "tools/list", "tools/call"})
_INTERNAL: Final = -32603
_ENDS_BYTES: Final = 4096


class Exchange:
    """One connection, or one request where each stands for itself.

    `client_said` and `server_said` take one whole message each, and return what is to be sent, in this order. `ended`,
    `fell` and `again` are for a server that is a process.
    """

    def __init__(self, lean: Lean, principal: str = "local") -> None:
        """*principal* is whoever may read what was kept of a cut answer."""
        self._lean, self._principal = lean, principal
        self._client = lean.client or ""
        self._menu: tuple[str, Menu] | None = None
        self._open: dict[Key, Open] = {}
        self._own: dict[Key, Gathering | str] = {}
        self._counted = 0
        self._waiting: list[tuple[Key, bytes]] = []
        """Calls that wait for a menu which nobody asked for yet."""
        self._past = Restarting()

    # What the client says

    def client_said(self, message: bytes) -> list[Move]:
        """Take a message of the client."""
        head = head_of(message)
        if head is None:
            return [ToServer(message)] if self._past.up else self._past.hold(message, None)
        key = key_of(head.id)
        if not head.method:
            return [ToServer(message)] if self._past.expects(key) else []
        if head.method == "notifications/cancelled" and self._cancelled(head):
            return []
        if not self._past.up:
            return self._past.hold(message, key)
        if key is None:
            self._past.see(head.method, message)
            return [ToServer(message, head.method)]
        return self._requested(message, head, key)

    def _requested(self, message: bytes, head: Head, key: Key) -> list[Move]:
        before = self._open.get(key)
        if before is not None:  # which answer is whose cannot be told, so both pass
            before.twice = True
            return [ToServer(message, head.method)]
        began = self._lean.ticks()
        self._past.see(head.method, message)
        params = params_of(head.params) if head.method in _LOOKED_AT else None
        held = Open(head.method, bytes(head.id))
        if params is None:
            self._open[key] = held
            return [ToServer(message, head.method)]
        self._introduced(head, params)
        held.client, held.modern = self._client, _CLIENT in params.meta
        if head.method == "tools/call":
            return self._called(message, head, key, params, held, began)
        if head.method == "tools/list":
            whole = not bytes(params.cursor) or bytes(params.cursor) == b"null"
            held.pages = Gathering(held.identity, bytes(head.params), self._policy(), self._client)
            held.kind = "tools/list" if whole or self._lean.passing else "tools/list from"
        self._open[key] = held
        held.spent_ns = self._lean.ticks() - began
        return [ToServer(message, head.method)]

    def _called(
        self, message: bytes, head: Head, key: Key, params: Params, held: Open, began: int
    ) -> list[Move]:
        held.tool = params.name
        asked = Asked(message, params.name, None)
        if not self._lean.passing:
            policy = held.policy = self._policy()
            menu = self._shown(policy)
            if menu is None and self._lean.needs_menu(policy):
                return self._wait_for_menu(message, head, key, policy)
            if menu is not None:
                held.more_call = menu.more_call
                try:
                    found = translated(menu, message, head, params)
                except STUMBLES:  # what cannot be read is the server's to refuse
                    found = asked
                if not isinstance(found, Asked):
                    spent = self._lean.ticks() - began
                    return [ToClient(reply(self._lean, held, found, self._principal, spent))]
                asked = found
        held.tool, held.select, held.selects = asked.tool, asked.select, asked.selects
        self._open[key] = held
        held.spent_ns = self._lean.ticks() - began
        return [ToServer(asked.message, "tools/call", asked.tool)]

    def _wait_for_menu(self, message: bytes, head: Head, key: Key, policy: Policy) -> list[Move]:
        self._waiting.append((key, message))
        if len(self._waiting) > 1:
            return []
        held = members(head.params) or {}
        params = joined(kept_meta(held.get("_meta")))
        return self._ask(Gathering(None, params, policy, self._client), params)

    def _policy(self) -> Policy:
        return self._lean.policy(self._client)

    def _shown(self, policy: Policy) -> Menu | None:
        if self._menu is not None and self._menu[0] == policy.menu:
            return self._menu[1]
        return self._lean.latest(policy)

    def _introduced(self, head: Head, params: Params) -> None:
        """Take note of what the client calls itself."""
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

    def _cancelled(self, head: Head) -> bool:
        """Forget a request that the client takes back; return whether the server never heard of it."""
        params = params_of(head.params)
        key = key_of(params.request) if params is not None else None
        if key is None:
            return False
        self._open.pop(key, None)
        before = len(self._waiting)
        self._waiting = [each for each in self._waiting if each[0] != key]
        return len(self._waiting) < before or self._past.forget(key)

    # What the server says

    def server_said(self, message: bytes) -> list[Move]:
        """Take a message of the server."""
        head = head_of(message)
        if head is None:
            self._unreadable(message)
            return [ToClient(message)]
        key = key_of(head.id)
        if head.method:
            if key is not None:
                self._past.asked(key, bytes(head.id))
            return [ToClient(message)]
        if key is None:
            return [ToClient(message)]
        if key in self._own:
            return self._own_answer(head, self._own.pop(key))
        held = self._open.pop(key, None)
        if held is None or held.twice or not bytes(head.result):
            return [ToClient(message)]
        if held.kind == "tools/call":
            return [ToClient(self._answer(message, head, held))]
        if held.kind == "tools/list" and held.pages is not None:
            return self._page(message, head, held.pages, held.spent_ns)
        return [ToClient(message)]

    def _answer(self, message: bytes, head: Head, held: Open) -> bytes:
        lean = self._lean
        began = lean.ticks()
        found = PASSES
        if held.policy is not None:
            try:
                found = shaped(lean, held, head, held.policy, self._principal)
            except STUMBLES:  # then it passes
                lean.note(Noted("fault", held.tool, held.client, form="answer"))
        spent = held.spent_ns + lean.ticks() - began
        if found.noted is None:
            lean.note_passed(bytes(head.result), held.tool, held.client, found.form, spent)
        else:
            found.noted.added_ns = spent
            lean.note(found.noted)
        return message if found.result is None else answered(held.identity, found.result)

    def _page(self, message: bytes, head: Head, pages: Gathering, spent_ns: int = 0) -> list[Move]:
        """Take a page of a list that the client asked for, and answer it once all are there."""
        lean = self._lean
        alone = pages.pages == 0
        try:
            params = pages.take(head)
            if lean.passing:
                lean.note_menu(pages.tools, None, "untouched", pages.client)
                return [ToClient(message)]
            if params is not None:
                return self._ask(pages, params)
            menu = lean.menu(pages.policy, pages.tools)
            tools = compact(menu.tools)
        except (*STUMBLES, MenuError):
            lean.note(Noted("fault", client=pages.client, form="menu"))
            if alone:
                return [ToClient(message)]
            identity = pages.identity or b"null"
            text = "the server's list of tools cannot be read as a whole"
            return [ToClient(failed(identity, _INTERNAL, text))]
        self._menu = (pages.policy.menu, menu)
        lean.note_menu(pages.tools, menu.tools, menu.form, pages.client)
        if alone and menu.form == "untouched" and not pages.policy.text:
            return [ToClient(message)]
        return [ToClient(answered(pages.identity or b"null", pages.whole(tools)))]

    def _ask(self, pages: Gathering, params: bytes) -> list[Move]:
        """Ask for a page by an id of the proxy's own."""
        return [ToServer(self._own_request("tools/list", params, pages), "tools/list", own=True)]

    def _own_request(self, method: str, params: bytes, about: Gathering | str) -> bytes:
        self._counted += 1
        identity = compact(f"econome-{self._counted}")
        key = key_of(identity)
        assert key is not None
        self._own[key] = about
        return requested(identity, method, params)

    def _own_answer(self, head: Head, pages: Gathering | str) -> list[Move]:
        if isinstance(pages, str):
            return self._greeted() if pages == "initialize" else []
        if pages.identity is not None:
            if bytes(head.result):
                return self._page(b"", head, pages)
            return [ToClient(refused(pages.identity, bytes(head.error)))]
        try:
            params = pages.take(head)
            if params is not None:
                return self._ask(pages, params)
            self._menu = (pages.policy.menu, self._lean.menu(pages.policy, pages.tools))
        except (*STUMBLES, MenuError):  # then calls go on as they are
            self._menu = (pages.policy.menu, self._lean.no_menu())
        return self._let_go()

    def _let_go(self) -> list[Move]:
        """Send what waited."""
        waiting, self._waiting = self._waiting, []
        return [move for _, message in waiting for move in self.client_said(message)]

    # What becomes of a server that is a process

    def ended(self, reason: str) -> list[Move]:
        """Answer all that is open, since no server will: calls with a result that says so, other requests with an error."""
        open_ones = list(self._open.values())
        open_ones += [
            Open("tools/list", each.identity or b"")
            for each in self._own.values()
            if isinstance(each, Gathering)
        ]
        open_ones += map(_unheard, (message for _, message in self._waiting))
        open_ones += map(_unheard, self._past.drop())
        self._open.clear()
        self._own.clear()
        self._waiting.clear()
        return [ToClient(held.error(reason)) for held in open_ones if held.identity]

    def fell(self, how: str) -> list[Move]:
        """Answer what was open as the server crashed; from now on what the client says waits for `again`."""
        text = f"{how} before it answered; it is being started again. Call once more; if it ends again, its own log says why"
        return [*self.ended(text), *map(ToClient, self._past.fall())]

    def again(self) -> list[Move]:
        """Greet the server that was started again as the client did, then send what waited."""
        if self._past.greeting is None:
            return self._greeted()
        return [self._repeated("initialize", self._past.greeting)]

    def _greeted(self) -> list[Move]:
        past = self._past
        past.up = True
        moves: list[Move] = [ToServer(past.ready, own=True)] if past.ready is not None else []
        if past.level is not None:
            moves.append(self._repeated("logging/setLevel", past.level))
        return [*moves, *(move for each in past.drop() for move in self.client_said(each))]

    def _repeated(self, method: str, message: bytes) -> Move:
        """Return a request of the client's once more, by an id of the proxy's own."""
        head = head_of(message)
        params = bytes(head.params) if head is not None else b""
        return ToServer(self._own_request(method, params or b"{}", method), method, own=True)

    def server_overflowed(self, first: bytes, last: bytes, size: int) -> list[Move]:
        """Answer a request whose answer was too long to be taken, where its beginning or its end tells which it is."""
        held = self._unreadable(first, last)
        if held is None:
            return []
        text = f"the server answered with {size:,} bytes, more than the proxy takes; ask for less"
        return [ToClient(held.error(text))]

    def _unreadable(self, first: bytes, last: bytes = b"") -> Open | None:
        """Close the request that a message answers which is not read as a whole; return it where it is found."""
        for identity in identity_in(first[:_ENDS_BYTES], (last or first)[-_ENDS_BYTES:]):
            key = key_of(identity)
            held = self._open.pop(key, None) if key is not None else None
            if held is not None:
                return held
        return None


def _unheard(message: bytes) -> Open:
    """Return a request that the server never heard; one without an id is none."""
    head = head_of(message)
    if head is None or not head.method or key_of(head.id) is None:
        return Open("", b"")
    params = params_of(head.params) if head.method in _LOOKED_AT else None
    modern = params is not None and _CLIENT in params.meta
    return Open(head.method, bytes(head.id), modern=modern)
