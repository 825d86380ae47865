"""The forms that a menu can take: for each, the tools as `tools/list` shows them and how their calls are read.

It builds forms and compares none. What cannot be grouped stands beside the group as a tool of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from econome.errors import MenuError
from econome.lean.actions import Action, Namespace, fields_of, free_name, safe_name
from econome.lean.calls import Grouping
from econome.lean.counting import Count
from econome.lean.describe import LEGEND, brief_text, described, harmful, name_list, retired, table
from econome.lean.group import discriminator_of, grouped, hints_of, shared_meta
from econome.lean.schemas import compact, diet
from econome.lean.selects import SELECT, break_even, select_property
from econome.lean.signatures import listing, signature, skeleton

__all__ = ["Draft", "Wanted", "draft", "own_tool", "untouched_tool"]

_MORE_TEXT = "Rest of a cut answer"
_MORE_FIELDS = "handle, offset?:integer, filter?, select?:string[], rows?"
_MORE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "handle": {"type": "string"},
        "offset": {"type": "integer"},
        "filter": {"type": "string"},
        "select": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "string"},
    },
    "required": ["handle"],
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a menu is to offer beside its actions, and how its tokens are counted.

    *select* is `off`, `paying` (where one narrowed answer pays for it) or `always`.
    """

    count: Count
    more: bool = False
    keep_output: bool = False
    select: str = "off"


@dataclass(frozen=True, slots=True)
class Draft:
    """One form of a menu. What its fields mean is said at `Menu`."""

    form: str
    tools: tuple[dict[str, Any], ...]
    grouping: Grouping | None = None
    tool: str | None = None
    more_tool: str | None = None
    more_call: str | None = None
    describe_key: str | None = None
    selecting: frozenset[str] = frozenset()
    wording: str = ""


def draft(form: str, namespace: Namespace, wanted: Wanted) -> Draft:
    """Return the menu of *namespace* in one form.

    Raises:
        MenuError: the actions cannot be said in this form.
    """
    if form in ("untouched", "flat"):
        return _separate(form, namespace, wanted)
    members, beside = _members(namespace)
    if not members:
        raise MenuError(f"{namespace.name}: no action of it can be grouped")
    if len(members) == 1:
        return _solo(form, namespace, wanted, members[0])
    return _together(form, namespace, wanted, members, beside)


def _members(namespace: Namespace) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """Return the actions that one tool can stand for, and those that stay beside it."""
    times = Counter(action.name for action in namespace.actions)
    apart = [
        action.alone or not action.name or times[action.name] > 1 for action in namespace.actions
    ]
    pairs = list(zip(namespace.actions, apart, strict=True))
    return tuple(one for one, alone in pairs if not alone), tuple(
        one for one, alone in pairs if alone
    )


def _names(namespace: Namespace) -> set[str]:
    return {name for action in namespace.actions for name in action.names} | set(namespace.hidden)


def untouched_tool(action: Action, wanted: Wanted) -> dict[str, Any]:
    """Return the tool of an action as it is, without its output schema where no answer will follow it."""
    tool = action.wire()
    if action.flat:
        tool["name"] = action.flat
    if not wanted.keep_output:
        tool.pop("outputSchema", None)
    return tool


def own_tool(action: Action, wanted: Wanted) -> dict[str, Any]:
    """Return the tool of an action with its schema on a diet, and `_select` where that pays."""
    tool = untouched_tool(action, wanted)
    if action.alone and not action.schema:
        return tool
    schema = diet(action.schema, name=action.name, count=wanted.count)
    if action.schema or action.raw.get("inputSchema") == {}:
        tool["inputSchema"] = schema
    return _with_select(tool, action, wanted)


def _with_select(tool: dict[str, Any], action: Action, wanted: Wanted) -> dict[str, Any]:
    """Return a tool of one action that takes `_select` too, where that pays or was asked for."""
    offered = _select([action], wanted)
    if offered is None or action.alone:
        return tool
    schema = tool.get("inputSchema") or {}
    fields = {**fields_of(schema), SELECT: offered}
    return {**tool, "inputSchema": {"type": "object", **schema, "properties": fields}}


def _select(actions: Sequence[Action], wanted: Wanted) -> dict[str, Any] | None:
    if wanted.select == "always" or (
        wanted.select == "paying" and break_even(actions, wanted.count).pays
    ):
        return select_property(actions)
    return None


def _separate(form: str, namespace: Namespace, wanted: Wanted) -> Draft:
    """Return the form that has a tool for each action."""
    make = own_tool if form == "flat" else untouched_tool
    tools = [make(action, wanted) for action in namespace.actions]
    if form == "untouched":
        # What is asked for is there in every form.
        pairs = zip(tools, namespace.actions, strict=True)
        tools = [_with_select(tool, action, wanted) for tool, action in pairs]
    selecting = [
        action.name
        for action, tool in zip(namespace.actions, tools, strict=True)
        if SELECT not in fields_of(action.schema)
        and SELECT in fields_of(tool.get("inputSchema") or {})
    ]
    return _with_more(Draft(form, tuple(tools), selecting=frozenset(selecting)), namespace, wanted)


def _with_more(made: Draft, namespace: Namespace, wanted: Wanted) -> Draft:
    """Return a form with a small tool by which the rest of a cut answer is asked for."""
    if not wanted.more:
        return made
    name = free_name("more", _names(namespace))
    tool: dict[str, Any] = {
        "name": name,
        "description": f"{_MORE_TEXT}; filter: text or field=value",
    }
    tool["inputSchema"] = deepcopy(_MORE_SCHEMA)
    tool["annotations"] = {"readOnlyHint": True, "openWorldHint": False}
    return replace(made, tools=(*made.tools, tool), more_tool=name, more_call=name)


def _solo(form: str, namespace: Namespace, wanted: Wanted, action: Action) -> Draft:
    """Return a form for the one action of a namespace: it keeps its name, and its schema moves into its text."""
    if form == "grouped":
        raise MenuError(f"{namespace.name}: one action is no group")
    key = free_name("_describe", fields_of(action.schema))
    if form == "signatures":
        arguments = signature(replace(action, name="arguments"), text=False)
        text = "\n".join(filter(None, (action.description, LEGEND, arguments)))
    else:
        text = f'{brief_text(action)}. Fields: {skeleton(action)}. {{"{key}":true}} tells all'
    offered = _select([action], wanted)
    schema: dict[str, Any] = {"type": "object"}
    if offered:
        schema["properties"] = {SELECT: offered}
    tool = {**untouched_tool(action, wanted), "description": text, "inputSchema": schema}
    _, beside = _members(namespace)
    made = Draft(
        "lean" if form == "lazy" else form,
        (tool, *(own_tool(other, wanted) for other in beside)),
        describe_key=None if form == "signatures" else key,
        selecting=frozenset([action.name] if offered else []),
    )
    return _with_more(made, namespace, wanted)


def _together(
    form: str,
    namespace: Namespace,
    wanted: Wanted,
    members: tuple[Action, ...],
    beside: tuple[Action, ...],
) -> Draft:
    """Return a form in which one tool stands for all of *members*."""
    actions = {action.name for action in members}
    name = free_name(safe_name(namespace.name), _names(namespace))
    part = replace(namespace, name=name, actions=members)
    offered = _select(members, wanted)
    grouping = Grouping(
        part,
        discriminator_of(members),
        describe=free_name("describe", actions),
        find=free_name("find", actions) if form == "lazy" else "",
        through=free_name("call", actions) if form == "lazy" else "",
        more=free_name("more", actions) if wanted.more else "",
        selects=offered is not None,
        teaching=form in ("lean", "lazy"),
    )
    tool = _tool(form, grouping, wanted.count)
    tool["name"] = name
    if offered:
        tool["inputSchema"]["properties"][SELECT] = offered
    hints, meta = hints_of(members), shared_meta(members)
    if hints:
        tool["annotations"] = hints
    if meta:
        tool["_meta"] = meta
    return Draft(
        form,
        (tool, *(own_tool(action, wanted) for action in beside)),
        grouping=grouping,
        tool=name,
        wording=described(part, wanted.count).form if form == "grouped" else "",
        more_call=f"{name} {compact({grouping.discriminator: grouping.more})}"
        if wanted.more
        else None,
    )


def _tool(form: str, grouping: Grouping, count: Count) -> dict[str, Any]:
    """Return the tool of a group in one form, yet without what all forms have alike."""
    key, names = grouping.discriminator, [action.name for action in grouping.namespace.actions]
    known = names + ([grouping.more] if grouping.more else [])
    if form == "grouped":
        tool = grouped(grouping.namespace, count)
        if grouping.more:
            tool["inputSchema"] = _taking_more(tool["inputSchema"], key, known)
            tool["description"] += f"\n{_more_line(grouping)}"
        return tool
    choice = {"enum": known} if form == "signatures" else {"type": "string"}
    text = {"signatures": _signatures, "lean": _lean, "lazy": _lazy}[form](grouping, count)
    if grouping.more:
        text += f"\n{_more_line(grouping)}"
    schema = {"type": "object", "properties": {key: choice}, "required": [key]}
    return {"description": text, "inputSchema": schema}


def _more_line(grouping: Grouping) -> str:
    return f"{grouping.more}({_MORE_FIELDS}): {_MORE_TEXT}"


def _taking_more(schema: dict[str, Any], key: str, known: list[str]) -> dict[str, Any]:
    """Return the schema of a group that takes what `more` needs as well."""
    fields = {**schema["properties"], key: {"enum": known}}
    for name in _MORE_SCHEMA["properties"]:
        fields.setdefault(name, {})
    return {**schema, "properties": fields, "required": [key]}


def _summary(grouping: Grouping) -> str:
    return f"{grouping.namespace.description}\n" if grouping.namespace.description else ""


def _signatures(grouping: Grouping, count: Count) -> str:
    return _summary(grouping) + listing(grouping.namespace.actions, count).text()


def _lean(grouping: Grouping, count: Count) -> str:
    key = grouping.discriminator
    mark = "; ! destructive" if any(map(harmful, grouping.namespace.actions)) else ""
    how = (
        f'Fields stand beside {key}; {{"{key}":"{grouping.describe}","of":[names]}} '
        f"tells them and all texts{mark}"
    )
    return f"{_summary(grouping)}{how}\n{table(grouping.namespace, brief=True)}"


def _lazy(grouping: Grouping, count: Count) -> str:
    key = grouping.discriminator
    actions = grouping.namespace.actions
    mark = "; ! destructive" if any(map(harmful, actions)) else ""
    how = (
        f'{{"{key}":"{grouping.find}","query":words}} or {{"{key}":"{grouping.describe}","of":[names]}} '
        f'tells fields; {{"{key}":name}} with its fields beside calls{mark}:'
    )
    names = name_list(
        (f"{one.name}!" if harmful(one) else one.name for one in actions if not retired(one)),
        longest=400,
    )
    old = name_list((one.name for one in actions if retired(one)), longest=400)
    index = "; ".join(filter(None, [names, old and f"deprecated: {old}"]))
    return f"{_summary(grouping)}{how}\n{index}"
