"""One connection through the proxy, without any input or output of its own: messages in, moves out.

All goes through byte for byte but what tools cost: answers to `tools/list`, and `tools/call` with its answers. The
exchange knows which request an answer belongs to, and what is still open. It knows no pipe, no socket and no process.
"""

from __future__ import annotations

from typing import Final

from econome.errors import MenuError
from econome.lean.calls import Said
from econome.lean.menus import Menu
from econome.lean.policies import Policy
from econome.lean.proxy.calling import (
    CLIENT,
    PASSES,
    STUMBLES,
    Asked,
    Open,
    reply,
    shaped,
    translated,
    unheard,
)
from econome.lean.proxy.listing import Gathering, kept_meta
from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.overflow import Overflow, overflow_of
from econome.lean.proxy.restarting import Restarting
from econome.lean.proxy.shared import Lean, Noted
from econome.lean.proxy.wire import (
    Head,
    Key,
    Params,
    answered,
    head_of,
    joined,
    json_of,
    key_of,
    members,
    params_of,
    requested,
    value_of,
)  # fmt: skip

__all__ = ["Exchange"]

_LOOKED_AT: Final = frozenset({"initialize", "tools/list", "tools/call"})


class Exchange:
    """One connection, or one request where each stands for itself.

    `client_said` and `server_said` take one whole message each, and return what is to be sent, in this order. `ended`,
    `fell` and `again` are for a server that is a process.
    """

    def __init__(
        self, lean: Lean, principal: str = "local", conversation: str | None = None
    ) -> None:
        """*principal* is whoever may read what was kept of a cut answer.

        *conversation* is what has one memory of earlier answers, so that one may refer to them; None where nobody knows.
        """
        self._lean, self._principal, self._conversation = lean, principal, conversation
        self._client = lean.client or ""
        self._menu: tuple[str, Menu, int] | None = None
        self._open: dict[Key, Open] = {}
        self._own: dict[Key, Gathering | str] = {}
        self._counted = 0
        self._waiting: list[tuple[Key, bytes]] = []
        """Calls that wait for a menu, which nobody asked for yet or which may have changed. Nothing else waits for them."""
        self._let_going = False
        self._past = Restarting()

    # What the client says

    def client_said(self, message: bytes) -> list[Move]:
        """Take a message of the client."""
        try:
            return self._client_said(message)
        except Exception:  # the outermost loop: whatever it is, the connection lives on
            return self._stumbled(ToServer(message))

    def _client_said(self, message: bytes) -> list[Move]:
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
        began = self._lean.ticks()
        self._past.see(head.method, message)
        params = params_of(head.params) if head.method in _LOOKED_AT else None
        held = Open(head.method, bytes(head.id), twice=before is not None)
        if params is None:
            self._open[key] = held
            return [ToServer(message, head.method)]
        self._introduced(head, params)
        held.client, held.modern = self._client, CLIENT in params.meta
        if head.method == "tools/call":
            return self._called(message, head, key, params, held, began)
        if head.method == "tools/list":
            whole = not bytes(params.cursor) or bytes(params.cursor) == b"null"
            held.pages = Gathering(
                held.identity,
                bytes(head.params),
                self._policy(),
                self._client,
                self._lean.changes,
            )
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
            menu, changes = self._shown(policy) or (None, 0)
            if menu is None and self._lean.needs_menu(policy):
                return self._wait_for_menu(message, head, key, policy)
            if menu is not None:
                held.more_call = menu.more_call
                found = translated(menu, message, head, params)
                if not isinstance(found, Asked):
                    old = isinstance(found, Said) and found.failed and changes != self._lean.changes
                    if old and not self._let_going:  # what it names may have come since
                        return self._wait_for_menu(message, head, key, policy)
                    spent = self._lean.ticks() - began
                    return [ToClient(reply(self._lean, held, found, self._principal, spent))]
                asked = found
                held.narrows = menu.narrows(asked.tool)
        held.tool, held.select = asked.tool, asked.select
        self._open[key] = held
        held.spent_ns = self._lean.ticks() - began
        return [ToServer(asked.message, "tools/call", asked.tool)]

    def _wait_for_menu(self, message: bytes, head: Head, key: Key, policy: Policy) -> list[Move]:
        self._waiting.append((key, message))
        if any(isinstance(own, Gathering) and own.identity is None for own in self._own.values()):
            return []
        held = members(head.params) or {}
        params = joined(kept_meta(held.get("_meta")))
        return self._ask(Gathering(None, params, policy, self._client, self._lean.changes), params)

    def _policy(self) -> Policy:
        return self._lean.policy(self._client)

    def _shown(self, policy: Policy) -> tuple[Menu, int] | None:
        """Return the client's menu, and how often the list had changed when it was asked for."""
        if self._menu is not None and self._menu[0] == policy.menu:
            return self._menu[1:]
        return self._lean.latest(policy)

    def _introduced(self, head: Head, params: Params) -> None:
        """Take note of what the client calls itself."""
        if self._lean.client:
            return
        told = params.client if head.method == "initialize" else params.meta.get(CLIENT)
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
        try:
            return self._server_said(message)
        except Exception:  # the outermost loop, as above
            return self._stumbled(ToClient(message))

    def _stumbled(self, move: Move) -> list[Move]:
        self._lean.note(Noted("fault", client=self._client, form="message"))
        return [move]

    def _server_said(self, message: bytes) -> list[Move]:
        head = head_of(message)
        if head is None:
            self._unreadable(message)
            return [ToClient(message)]
        key = key_of(head.id)
        if head.method:
            if head.method == "notifications/tools/list_changed":
                self._lean.changes += 1
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
                found = shaped(lean, held, head, held.policy, self._principal, self._conversation)
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
        """Take a page of a list that the client asked for, and answer it once all are there.

        Pages that cannot be read as one list are the client's own affair: it gets the first as it came.
        """
        lean = self._lean
        pages.message = pages.message or message
        alone = pages.pages == 0
        try:
            params = pages.take(head)
            if lean.passing:
                lean.note_menu(pages.entries, None, "untouched", pages.client)
                return [ToClient(message)]
            if params is not None:
                return self._ask(pages, params)
            menu = lean.menu(pages.policy, pages.entries, pages.changes)
            tools = json_of(menu.tools)
        except (*STUMBLES, MenuError):
            lean.note(Noted("fault", client=pages.client, form="menu"))
            self._no_menu(pages)
            return [ToClient(pages.message)]
        self._menu = (pages.policy.menu, menu, pages.changes)
        lean.note_menu(pages.entries, menu.tools, menu.form, pages.client)
        if alone and menu.form == "untouched" and not pages.policy.text:
            return [ToClient(message)]
        return [ToClient(answered(pages.identity or b"null", pages.whole(tools)))]

    def _no_menu(self, pages: Gathering) -> None:
        """Go on with the menu that was shown before, or let every call pass."""
        before = self._shown(pages.policy)
        menu = self._lean.no_menu() if before is None else before[0]
        self._menu = (pages.policy.menu, menu, pages.changes)

    def _ask(self, pages: Gathering, params: bytes) -> list[Move]:
        """Ask for a page by an id of the proxy's own."""
        return [ToServer(self._own_request("tools/list", params, pages), "tools/list", own=True)]

    def _own_request(self, method: str, params: bytes, about: Gathering | str) -> bytes:
        self._counted += 1
        identity = json_of(f"econome-{self._counted}")
        key = key_of(identity)
        assert key is not None
        self._own[key] = about
        return requested(identity, method, params)

    def _own_answer(self, head: Head, pages: Gathering | str) -> list[Move]:
        if isinstance(pages, str):
            return self._greeted() if pages == "initialize" else []
        if pages.identity is not None:
            return self._page(b"", head, pages)
        try:
            params = pages.take(head)
            if params is not None:
                return self._ask(pages, params)
            menu = self._lean.menu(pages.policy, pages.entries, pages.changes)
            self._menu = (pages.policy.menu, menu, pages.changes)
        except (*STUMBLES, MenuError):
            self._no_menu(pages)
        return self._let_go()

    def _let_go(self) -> list[Move]:
        """Send what waited."""
        waiting, self._waiting = self._waiting, []
        self._let_going = True
        try:
            return [move for _, message in waiting for move in self.client_said(message)]
        finally:
            self._let_going = False

    # What becomes of a server that is a process

    def ended(self, reason: str) -> list[Move]:
        """Answer all that is open, since no server will: calls with a result that says so, other requests with an error."""
        open_ones = list(self._open.values())
        open_ones += [
            Open("tools/list", each.identity or b"")
            for each in self._own.values()
            if isinstance(each, Gathering)
        ]
        open_ones += map(unheard, (message for _, message in self._waiting))
        open_ones += map(unheard, self._past.drop())
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

    def client_overflowed(self, first: bytes, last: bytes, size: int) -> list[Move]:
        """Answer a message of the client that was too long to be taken, as far as its beginning or its end tells what it is."""
        found = overflow_of(first, last)
        if found.kind != "answer":
            return [ToClient(each) for each in found.refused(size)]
        expected = found.identities and self._past.expects(key_of(found.identities[0]))
        return [ToServer(each) for each in found.refused(size)] if expected else []

    def server_overflowed(self, first: bytes, last: bytes, size: int) -> list[Move]:
        """Answer a request whose answer was too long to be taken, or that was so itself, as `client_overflowed` does."""
        found = overflow_of(first, last)
        if found.kind in ("request", "notification"):
            return [ToServer(each) for each in found.refused(size)]
        if any(key_of(identity) in self._own for identity in found.identities):
            return [move for each in found.refused(size) for move in self.server_said(each)]
        text = f"the server answered with {size:,} bytes, more than the proxy takes; ask for less"
        held = self._closed(found)
        return [] if held is None else [ToClient(held.error(text))]

    def _unreadable(self, message: bytes) -> None:
        """Close the request that a message answers which cannot be read."""
        self._closed(overflow_of(message, message))

    def _closed(self, found: Overflow) -> Open | None:
        for identity in found.identities:
            key = key_of(identity)
            held = self._open.pop(key, None) if key is not None else None
            if held is not None:
                return held
        return None
