"""A call on its way to the server, and its answer on the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import Raw

from econome.lean.answers import settled, shape
from econome.lean.calls import MoreAsked, Said, Sent
from econome.lean.menus import Menu
from econome.lean.policies import Policy
from econome.lean.proxy.listing import Gathering
from econome.lean.proxy.shared import Lean, Noted
from econome.lean.proxy.splicing import Read, read, read_in_part
from econome.lean.proxy.wire import (
    Head,
    Params,
    failed,
    head_of,
    joined,
    json_of,
    key_of,
    members,
    params_of,
    requested,
    told,
)  # fmt: skip
from econome.lean.selecting import asked, selected
from econome.lean.selects import root_fields

__all__ = [
    "CLIENT",
    "PASSES",
    "STUMBLES",
    "Answer",
    "Asked",
    "Open",
    "reply",
    "shaped",
    "translated",
    "unheard",
]

CLIENT = "io.modelcontextprotocol/clientInfo"
"""What a request of 2026-07-28 says of who makes it."""

STUMBLES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What odd data may make of an economy; what it was meant for passes then, and the connection lives on."""


@dataclass(slots=True)
class Open:
    """A request of the client that the server has not answered yet.

    `modern` requests carry what a handshake told before; an id that is used `twice` at once tells no answers apart.
    `more_call` is how the client's menu asks for the rest of a cut answer, None where it cannot.
    `narrows` is whether a call of the tool may ask for less.
    """

    kind: str
    identity: bytes
    tool: str = ""
    client: str = ""
    spent_ns: int = 0
    select: object = None
    modern: bool = False
    twice: bool = False
    policy: Policy | None = None
    more_call: str | None = None
    narrows: bool = True
    pages: Gathering | None = None

    def error(self, text: str) -> bytes:
        """Return an answer that says what went wrong, in the form that a model gets to read where it called a tool."""
        if self.kind == "tools/call":
            return self.text(text, failed=True)
        return failed(self.identity, text)

    def text(self, text: str, *, failed: bool) -> bytes:
        """Return an answer to a call that is one text."""
        return told(self.identity, text, failed=failed, modern=self.modern)


def unheard(message: bytes) -> Open:
    """Return a request that the server never heard; one without an id is none."""
    head = head_of(message)
    if head is None or not head.method or key_of(head.id) is None:
        return Open("", b"")
    params = params_of(head.params) if head.method == "tools/call" else None
    modern = params is not None and CLIENT in params.meta
    return Open(head.method, bytes(head.id), modern=modern)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as the server gets it: the message, the tool's own name, and what `_select` held."""

    message: bytes
    tool: str
    select: object = None


def translated(menu: Menu, message: bytes, head: Head, params: Params) -> Asked | Said | MoreAsked:
    """Return what becomes of a call that a client made of a menu; what only the menu names never reaches the server so."""
    if _goes_on(menu, params.name):
        return Asked(message, params.name)
    try:
        return _translated(menu, message, head, params)
    except STUMBLES:
        if params.name in menu.by_name and params.name != menu.tool:
            return Asked(message, params.name)  # what cannot be read is the server's to refuse
        return Said(f"{params.name}: this call cannot be read", failed=True, kind="refused")


def _translated(menu: Menu, message: bytes, head: Head, params: Params) -> Asked | Said | MoreAsked:
    given, odd = bytes(params.arguments), False
    known = Read(b"{}", {})
    try:
        known = known if given in (b"", b"null") else read_in_part(given)
    except ValueError:
        odd = True
    found = menu.call(params.name, known.values)
    if isinstance(found, Said) and odd:
        return replace(found, text=f"arguments must be an object; {found.text}")
    if isinstance(found, Said | MoreAsked):
        return found
    if not isinstance(found, Sent):
        return Asked(message, params.name)
    _, refusal = selected(found.select, found.action.select)
    if refusal is not None:  # now, since an error after the tool has run would have it run again
        return Said(f"{found.name}: {refusal}", failed=True, kind="refused")
    held = dict(members(head.params) or {})
    held["name"] = Raw(json_of(found.name))
    held["arguments"] = Raw(known.bytes_of(found.arguments))
    sent = requested(bytes(head.id), "tools/call", joined(held))
    return Asked(sent, found.name, found.select)


def _goes_on(menu: Menu, name: str) -> bool:
    """Tell whether a call by this name is the server's own, whatever its arguments are."""
    return (
        name not in (menu.tool, menu.more_tool)
        and menu.describe_key is None
        and name not in menu.selecting
        and name not in menu.namespace.hidden
    )


def reply(lean: Lean, held: Open, found: Said | MoreAsked, principal: str, added_ns: int) -> bytes:
    """Return the answer to a call that no server has to answer."""
    if isinstance(found, Said):
        name, text, failed = found.kind, found.text, found.failed
    elif lean.kept is None:
        name, text, failed = "more", "nothing is kept here", True
    else:
        page = lean.kept.more(principal, found.arguments, lean.count)
        name, text, failed = "more", page.text, page.failed
    lean.note(Noted("lookup", name, held.client, after=text, form="text", added_ns=added_ns))
    return held.text(text, failed=failed)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result that goes to the client, None where it passes, its form, and what is known for the ledger, if anything."""

    result: bytes | None
    form: str = "untouched"
    noted: Noted | None = None


PASSES = Answer(None)
"""An answer that nothing can be gained from."""


def shaped(
    lean: Lean,
    held: Open,
    head: Head,
    policy: Policy,
    principal: str,
    conversation: str | None = None,
) -> Answer:
    """Return what becomes of the answer to a call; *conversation* is what has one memory of earlier answers.

    Raises:
        ValueError: the result cannot be read.
    """
    known = read(head.result)
    if not isinstance(known.values.get("isError", False), bool):
        return PASSES
    rule, select = lean.rule(held.tool), asked(held.select)
    schema = lean.output(held.tool)
    form = settled(known.values, rule, policy, schema) if select is None else None
    if form == "text" and lean.last is None:
        return Answer(known.without("structuredContent"), form)
    if form == "untouched" or not isinstance(known.values.get("content"), list):
        return PASSES
    done = shape(
        known.values,
        rule=rule,
        policy=policy,
        select=select,
        fields=root_fields(schema) if select else (),
        count=lean.count,
        keep=None if held.more_call is None else lean.kept,
        principal=principal,
        conversation=conversation,
        more_call=held.more_call or "",
        narrows=held.narrows,
        wire=True,
        schema=schema,
        last=lean.last,
    )
    if done.form == "untouched" and not done.remark:
        return PASSES
    noted = Noted(
        "answer",
        held.tool,
        held.client,
        done.before,
        done.after,
        done.cut,
        done.rows_cut,
        done.form,
    )
    return Answer(known.bytes_of(done.result), done.form, noted)
