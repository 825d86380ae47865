"""`lean(server)`: the economies of this room inside a server written in Python, as one function of the SDK's middleware.

It stands between the server and its clients: it reads what the server would answer to `tools/list` and `tools/call`, on the
wire's terms, and knows neither transport nor handlers. Everything else passes. The SDK says that the signature of its
middleware may change: all that knows the SDK is this module and `running.py`, `context.py`, `door.py` and `answering.py` beside it.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from econome.errors import MenuError
from econome.lean import FORMS
from econome.lean.actions import Action, fields_of
from econome.lean.answering import complete, handle_in
from econome.lean.calls import MoreAsked, Passed, Said, Sent
from econome.lean.context import (
    answer,
    bearer,
    client_of,
    conversation,
    declaring_changes,
    listed,
    notebook,
)
from econome.lean.counting import Count
from econome.lean.door import Asked, door_of
from econome.lean.gate import Gate, Machine
from econome.lean.kept import Kept
from econome.lean.offering import Declared, Offer, Options, Wanted, declared, gate_of
from econome.lean.options import Economy
from econome.lean.policies import CLAUDE_CODE, Policy, defers, policy_of
from econome.lean.promised import promised, wants_promise
from econome.lean.running import Running
from econome.lean.selecting import selected
from econome.lean.selects import SELECT
from econome.lean.workflows import Store, Workflows
from econome.settings import variable
from econome.tokenizers import DEFAULT, tokenizer

__all__ = ["Lean", "View", "lean"]

_VIEWS: Final = 64  # that are remembered at once
_AT: Final = "econome.lean.at"  # the workflow that a connection was at last
_SHOWN: Final = "econome.lean.shown"  # the tools that a connection was shown, or told of, last


@dataclass(frozen=True, slots=True)
class View:
    """What one client sees: the offer made to it, and the answer of the server that it was made from."""

    offer: Offer
    tools: Sequence[Mapping[str, Any]]
    envelope: Mapping[str, Any]


def lean(
    server: Any,
    *,
    namespace: str | None = None,
    separator: str | None = None,
    menu: str | None = None,
    limit: int | None = None,
    max_bytes: int | None = None,
    more: bool | None = None,
    repeats: bool = False,
    machine: Machine | None = None,
    store: Store | None = None,
    tools: Mapping[str, Economy] | None = None,
    tags: Sequence[str] = (),
    any_tag: Sequence[str] = (),
    exclude: Sequence[str] = (),
    clients: Mapping[str, Mapping[str, object]] | None = None,
    tokens: str = DEFAULT,
    principal: Callable[[Any], str] = bearer,
) -> Lean:
    """Make the menu and the answers of *server* cost less; without options nothing is lost.

    *server* is an `MCPServer` or a low-level `Server` of the SDK, or a FastMCP server. With a *separator* a tool that stands
    alone is shown as its namespace and its name, and its own name is accepted too. *menu* is the form of its menu for
    every client, *clients* how single ones are served, by the beginning of their names. *tools* gives the economies of tools
    whose functions were not decorated, by name. Only tools with all of *tags*, one of *any_tag* and none of *exclude* are
    offered. *principal* tells who asks, by the SDK's context of a request. A tool that is added later is read when the list is.

    Raises:
        MenuError: an option's value, or what a tool asks for, can never be met.
        UsageError: there is no such tokenizer.
    """
    if menu is not None and menu not in FORMS:
        raise MenuError(f"menu {menu!r}: expected one of {', '.join(FORMS)}")
    default = Economy(limit=limit, max_bytes=max_bytes, more=more, repeats=repeats)
    door, count = door_of(server), tokenizer(tokens).count
    if any(isinstance(one, Lean) for one in door.middleware):
        raise MenuError(f"{door.name}: lean was called for this server before; call it once")
    wanted = Wanted(
        namespace=namespace or door.name,
        menu=menu,
        tags=frozenset(tags),
        any_tag=frozenset(any_tag),
        exclude=frozenset(exclude),
        machine=machine,
        separator=separator,
    )
    workflows = None if machine is None else Workflows(Gate(machine), wanted.namespace, store)
    asked = Asked(door, dict(tools or {}), default)
    made = Lean(wanted, asked, _served(clients or {}), count, workflows, principal)
    made.check(door.tools)
    door.middleware.append(made)
    return made


def _served(clients: Mapping[str, Mapping[str, object]]) -> Callable[[str | None], Policy]:
    """Return how clients are served: as they are known, where *clients* says nothing else of them."""
    for name, table in clients.items():
        for key, value in table.items():
            if not (isinstance(value, bool) if key == "text" else key == "menu" and value in FORMS):
                raise MenuError(
                    f"clients: {name}: {key}={value!r}: a client has text=True or False, and menu={'|'.join(FORMS)}"
                )
    return partial(
        policy_of, overrides=dict(clients), defers=defers(variable("ENABLE_TOOL_SEARCH"))
    )


def _sent(arguments: Mapping[str, Any], action: Action, own: Declared) -> Sent:
    """Return a call as the server is to get it: `_select` is ours where the tool's author asked for it, offered or not."""
    ours = own.economy.select is not False and SELECT not in fields_of(own.tool["inputSchema"])
    if not ours or SELECT not in arguments:
        return Sent(own.name, arguments, action)
    kept = {key: value for key, value in arguments.items() if key != SELECT}
    return Sent(own.name, kept, action, arguments[SELECT])


class Lean:
    """The middleware of one server.

    *workflows* are those of its machine, None without one; `workflows.settle` puts right what was left in doubt. *shown* is
    what was shown last, with the tokens that it costs and saves; before that, what Claude Code would be shown of the tools
    known so far, if any are. *sizes* has the tokens of all answers by the kinds of their blocks.
    """

    def __init__(
        self,
        wanted: Wanted,
        asked: Asked,
        policy: Callable[[str | None], Policy],
        count: Count,
        workflows: Workflows | None,
        principal: Callable[[Any], str],
    ) -> None:
        self.workflows = workflows
        self.shown: Offer | None = None
        self.sizes: Counter[str] = Counter()
        self._wanted, self._asked = wanted, asked
        self._policy, self._count, self._principal = policy, count, principal
        self._kept = Kept(time.monotonic, lambda: secrets.token_urlsafe(16))
        self._views: OrderedDict[tuple[str, ...], View] = OrderedDict()

    def check(self, tools: Sequence[tuple[Mapping[str, Any], object]]) -> None:
        """Refuse at once what could not be offered of *tools*, each with its function.

        Raises:
            MenuError: what one of them asks for can never be met.
        """
        options, listed = self._asked.known(), [tool for tool, _ in tools]
        for client in (None, CLAUDE_CODE):
            offer = self._made(listed, options, self._policy(client), None)
            self.shown = offer if tools else None

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        """Answer one message of a client."""
        if ctx.request_id is None:
            return await call_next(ctx)
        if ctx.method == "tools/list":
            return await self._list(ctx, call_next)
        if ctx.method == "tools/call":
            return await self._call(ctx, call_next)
        result = await call_next(ctx)
        follows = self._wanted.machine is not None and self._wanted.machine.follow
        return declaring_changes(result) if follows and ctx.method == "initialize" else result

    # Menus

    async def _list(self, ctx: Any, call_next: Any) -> dict[str, Any]:
        view = await self._view(ctx, call_next, fresh=True)
        self.shown, tools = view.offer, view.offer.tools()
        if (pages := self._followed(ctx)) is not None:
            pages[_SHOWN] = tools
        if wants_promise(ctx.params):
            own = promised(view.offer.declared, self._wanted.machine, self._wanted.namespace)
            return {
                **view.envelope,
                "tools": tools,
                "_meta": {**(view.envelope.get("_meta") or {}), **own},
            }
        return {**view.envelope, "tools": tools}

    def _followed(self, ctx: Any) -> Any:
        """Return what is remembered along the connection, where its list follows a workflow, else None."""
        machine = self._wanted.machine
        return notebook(ctx) if machine is not None and machine.follow else None

    async def _view(self, ctx: Any, call_next: Any, *, fresh: bool) -> View:
        """Return what the client of *ctx* sees; *fresh* asks the server again for its tools."""
        policy, principal = self._policy(client_of(ctx)), self._principal(ctx)
        state = None
        if self.workflows is not None and (pages := self._followed(ctx)) is not None:
            state = await self.workflows.state(principal, pages.get(_AT))
        key = (principal, policy.menu, str(policy.text), state or "")
        known = self._views.get(key)
        if known is None or fresh:
            envelope, tools = await listed(
                ctx, call_next, needed=ctx.method == "tools/list" or self.workflows is not None
            )
            if known is None or known.tools != tools:
                known = View(await self._offer(tools, policy, state), tools, envelope)
            self._views[key] = known
        self._views.move_to_end(key)
        if len(self._views) > _VIEWS:
            self._views.popitem(last=False)
        return known

    async def _offer(
        self, tools: Sequence[Mapping[str, Any]], policy: Policy, state: str | None
    ) -> Offer:
        options = await self._asked.of([str(tool.get("name")) for tool in tools])
        return self._made(tools, options, policy, state)

    def _made(
        self,
        tools: Sequence[Mapping[str, Any]],
        options: Mapping[str, Options],
        policy: Policy,
        state: str | None,
    ) -> Offer:
        own = declared(tools, options)
        gate = None
        if self.workflows is not None:
            known = self.workflows.gate  # with the tools of other principals, who are shown others
            gate = gate_of(own, known.machine)
            gate = Gate(known.machine, {**known.bindings, **gate.bindings})
            self.workflows.gate = gate
        return Offer.of(
            own,
            replace(self._wanted, more=any(one.economy.more for one in own)),
            form=policy.menu,
            structure=not policy.text,
            count=self._count,
            gate=gate,
            state=state,
        )

    # Calls

    async def _call(self, ctx: Any, call_next: Any) -> Any:
        params = ctx.params or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, Mapping):
            return await call_next(ctx)
        view = await self._view(ctx, call_next, fresh=False)
        outcome = view.offer.call(name, arguments)
        if isinstance(outcome, Passed) and outcome.action is None:
            view = await self._view(ctx, call_next, fresh=True)
            outcome = view.offer.call(name, arguments)
        if isinstance(outcome, Said):
            return answer(ctx, view.envelope, outcome.text, failed=outcome.failed)
        if isinstance(outcome, MoreAsked):
            page = self._kept.more(self._principal(ctx), outcome.arguments, self._count)
            return answer(ctx, view.envelope, page.text, failed=page.failed)
        if outcome.action is None:
            return await call_next(ctx)
        own = view.offer.by_name[outcome.action.name]
        sent = outcome if isinstance(outcome, Sent) else _sent(arguments, outcome.action, own)
        select, refusal = selected(sent.select, own.fields)
        if select and own.economy.select is False:
            refusal = f"{own.name}: takes no {SELECT}; leave it out"
        if refusal is not None:
            return answer(ctx, view.envelope, refusal, failed=True)
        running = Running(
            ctx=ctx,
            call_next=call_next,
            envelope=view.envelope,
            own=own,
            sent=sent,
            select=select,
            policy=self._policy(client_of(ctx)),
            principal=self._principal(ctx),
            conversation=conversation(ctx),
            count=self._count,
            keep=self._kept,
            more_call=view.offer.more_call,
            sizes=self.sizes,
        )
        return await self._run(running, view.offer.visible)

    async def _run(self, running: Running, visible: Mapping[str, str]) -> Any:
        """Run the action that a call means, if its guards and the gate let it."""
        if self.workflows is None or not running.own.bound:
            refusal = await running.guarded(None)
            if refusal is not None:
                return running.refused(refusal)
            result = await running.carried()
            await self._note(running, result)
            return running.answered(result)
        machine = self.workflows.gate.machine
        given = running.arguments.get(machine.argument)
        if machine.handle is None:
            running.arguments.pop(machine.argument, None)
        if isinstance(given, bool) or not isinstance(given, str | int | None):
            return running.refused(f"{machine.argument} is the handle that an earlier answer gave")
        handle = None if given is None or given == "" else str(given)
        refusal = await running.guarded(handle)
        if refusal is not None:
            return running.refused(refusal)
        return await self._gated(running, self.workflows, handle, visible)

    async def _note(self, running: Running, result: Any) -> None:
        """Remember the workflow's handle in the answer of a tool that no state binds."""
        handle = None if self.workflows is None else self.workflows.gate.machine.handle
        if self.workflows is None or handle is None or not complete(result):
            return
        given = handle_in(result, handle, running.sent.action.output)
        if given is not None:
            await self.workflows.begun(running.principal, given)

    async def _gated(
        self,
        running: Running,
        workflows: Workflows,
        handle: str | None,
        visible: Mapping[str, str],
    ) -> Any:
        own, action, result = running.own, running.sent.action, None
        machine = workflows.gate.machine
        async with workflows.turn(
            own.name,
            running.principal,
            handle,
            visible,
            repeatable=action.idempotent is True or action.read_only is True,
        ) as passage:
            if passage.refused is None:
                result = await running.carried()
                if complete(result):
                    passage.done(handle_in(result, machine.handle, action.output))
        pages = self._followed(running.ctx)
        if pages is not None:
            if passage.succeeded:
                pages[_AT] = passage.given or handle or pages.get(_AT)
            await self._announce(running, pages)
        if passage.refused is None:
            return running.told(running.answered(result), passage, minted=machine.handle is None)
        text = passage.refused.text
        if own.economy.short and passage.refused.why == "state":
            text = f"{text}\n{own.tool.get('description') or ''}"
        return answer(running.ctx, running.envelope, text, failed=True)

    async def _announce(self, running: Running, pages: Any) -> None:
        """Tell a connection once that what it was shown is no longer what it would be shown."""
        tools = (await self._view(running.ctx, running.call_next, fresh=False)).offer.tools()
        if pages.get(_SHOWN, tools) != tools:
            pages[_SHOWN] = tools
            await running.ctx.session.send_tool_list_changed()
