"""What one client is offered of a server: its tools with the economies their author asked for, in menus by namespace.

It takes the tools as the server lists them and the options of each by its name; a name is the identity of a tool here, and
options, bindings and guards are found by it whatever name a call comes by. It asks nothing of a server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from econome.errors import MenuError
from econome.lean.actions import Action, Namespace, action_of, fields_of, flat_names
from econome.lean.calls import Outcome, Passed, Said
from econome.lean.counting import Count
from econome.lean.gate import Binding, Gate, Machine
from econome.lean.menus import Menu, baseline
from econome.lean.options import Economy
from econome.lean.outputs import Output
from econome.lean.selects import SELECT, break_even

__all__ = ["Declared", "Offer", "Options", "Wanted", "declared", "gate_of"]

Options = tuple[Economy, Output]
"""What the author of a tool asked for it, and what is known of its data."""

_ROWS: Final = 10  # that an answer of rows is taken to have
_HANDLE_TEXT: Final = "workflow handle from an earlier answer; none begins a new one"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a server asked of `lean`, of what concerns its menus; without a *separator* tools keep their names."""

    namespace: str
    menu: str | None = None
    tags: frozenset[str] = frozenset()
    any_tag: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()
    machine: Machine | None = None
    more: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """One tool as its server lists it, with what its author asked for; its name is its identity."""

    tool: Mapping[str, Any]
    economy: Economy
    output: Output

    @property
    def name(self) -> str:
        """The name under which the server registered the tool."""
        return str(self.tool.get("name"))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that `_select` may name; none where it is off, or where they are not known."""
        if self.economy.select is False or self.economy.select is True:
            return self._known.fields if self.economy.select else ()
        return tuple(self.economy.select)

    @property
    def _known(self) -> Output:
        return self.output if self.output.fields else Output.of(self.tool.get("outputSchema"))

    def offered(self, count: Count) -> tuple[tuple[str, ...], str]:
        """Return the fields that `_select` offers, and why it offers none where its author wanted it.

        Where it is to be offered if that pays, one narrowed answer has to save more than the argument costs in one turn.
        """
        if self.economy.select is not True:
            return self.fields, ""
        if not self.fields:
            return (), (
                "the fields of its answer are not known; say output=, a return type, or select= with their names"
            )
        asked = replace(action_of(self.tool), select=self.fields)
        rows = min(self.economy.limit or _ROWS, _ROWS) if self._known.rows else 1
        even = break_even([asked], count)
        if even.cost < even.saves * rows:
            return self.fields, ""
        return (), (
            f"it costs {even.cost} tokens a turn, and an answer narrowed to a third saves {even.saves * rows}; "
            "select= with names offers it all the same"
        )

    @property
    def bound(self) -> bool:
        """Whether the tool is bound to the states of a machine."""
        return self.economy.states is not None or self.economy.event is not None


def declared(
    tools: Iterable[Mapping[str, Any]], options: Mapping[str, Options]
) -> tuple[Declared, ...]:
    """Return the tools of a server with the options of each; one without options keeps what it is."""
    nothing: Options = (Economy(), Output())
    return tuple(Declared(tool, *options.get(str(tool.get("name")), nothing)) for tool in tools)


def gate_of(tools: Iterable[Declared], machine: Machine) -> Gate:
    """Return the gate of a server: its machine, and the states and the event of each bound tool.

    Raises:
        MenuError: a tool is bound to what the machine does not have.
    """
    return Gate(
        machine,
        {
            one.name: Binding(
                None if one.economy.states is None else frozenset(one.economy.states),
                one.economy.event,
            )
            for one in tools
            if one.bound
        },
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """The menus that one client sees, and the same with all that is closed to it now, by which its calls are read.

    *before* and *after* are the tokens a turn of the tools as the server lists them and as they are shown, *shortened* those
    that short texts save of them. *notes* say which economies that were asked for are not used, and why.
    """

    shown: tuple[Menu, ...]
    known: tuple[Menu, ...]
    by_name: Mapping[str, Declared]
    visible: Mapping[str, str]
    before: int
    after: int
    shortened: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what the menu costs, and the notes on it."""
        saved = f"{self.before} tokens of menu a turn became {self.after}"
        return "\n".join([saved, *self.notes])

    @classmethod
    def of(
        cls,
        tools: Sequence[Declared],
        wanted: Wanted,
        *,
        form: str,
        structure: bool,
        count: Count,
        gate: Gate | None = None,
        state: str | None = None,
    ) -> Offer:
        """Return what is offered; *state* is that of the workflow a list follows, None where the menu is stable.

        Raises:
            MenuError: two menus would show one name, or a tool's options cannot be met.
        """
        if gate is None and any(one.bound for one in tools):
            raise MenuError("a tool is bound to states, and lean(…) was given no machine")

        selects = {one.name: one.offered(count) for one in tools}
        flat = _flat(tools, wanted)

        def menus(at: str | None) -> tuple[Menu, ...]:
            made: list[Menu] = []
            for namespace in _namespaces(tools, wanted, form, gate, at, structure, selects, flat):
                asked = wanted.menu or form
                alone = asked == "grouped" and len(namespace.actions) < 2
                menu = Menu.made(
                    namespace,
                    form="flat" if alone else asked,
                    count=count,
                    more=wanted.more and all(one.more_call is None for one in made),
                    keep_output=structure,
                    select_always=True,
                )
                made.append(menu)
            return tuple(made)

        known = menus(None)
        shown = known if state is None else menus(state)
        _refuse_collisions(shown)
        hidden = {name for menu in known for name in menu.namespace.hidden}
        seen = [one for one in tools if one.name not in hidden]
        homes = {_home(one, wanted) for one in seen if one.bound}
        return cls(
            shown,
            known,
            {one.name: one for one in tools},
            {one.name: flat.get(one.name, one.name) for one in seen if _home(one, wanted) in homes},
            before=sum(count(baseline(one.tool)) for one in seen),
            after=sum(menu.total_after for menu in shown),
            shortened=sum(
                count(str(one.tool.get("description") or "")) - count(one.economy.short)
                for one in seen
                if gate is not None and _is_short(one, gate, state)
            ),
            notes=(
                *(
                    f"{name}: {SELECT} is not offered: {why}"
                    for name, (_, why) in selects.items()
                    if why and name not in hidden
                ),
                *(f"{menu.name}: {menu.reason}" for menu in shown if menu.reason),
                *(
                    f"{menu.name}: its actions stand in sentences, a table would be longer"
                    for menu in shown
                    if menu.wording == "prose"
                ),
            ),
        )

    @property
    def declared(self) -> list[Declared]:
        """The tools that are offered in some state, as their server declared them."""
        hidden = {name for menu in self.known for name in menu.namespace.hidden}
        return [one for name, one in self.by_name.items() if name not in hidden]

    @property
    def more_call(self) -> str:
        """How the rest of a cut answer is asked for."""
        return next((menu.more_call for menu in self.shown if menu.more_call is not None), "more")

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools as `tools/list` shows them."""
        return [tool for menu in self.shown for tool in menu.tools]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Return what becomes of a call; what is closed now is known all the same, so that its refusal can say why."""
        refused: Outcome = Passed(None)
        for menu in (*self.shown, *self.known):
            outcome = menu.call(name, arguments)
            if isinstance(outcome, Said) and outcome.failed:
                refused = outcome if isinstance(refused, Passed) else refused
            elif not (isinstance(outcome, Passed) and outcome.action is None):
                return outcome
        return refused


def _home(one: Declared, wanted: Wanted) -> str:
    return one.economy.namespace or wanted.namespace


def _flat(tools: Sequence[Declared], wanted: Wanted) -> dict[str, str]:
    """Return for each tool the name that it has where it stands alone; none where names stay as they are."""
    if wanted.separator is None:
        return {}
    homes = [(_home(one, wanted), one.name) for one in tools]
    return {name: flat for (_, name), flat in flat_names(homes, wanted.separator).items()}


def _namespaces(
    tools: Sequence[Declared],
    wanted: Wanted,
    form: str,
    gate: Gate | None,
    state: str | None,
    structure: bool,
    selects: Mapping[str, tuple[tuple[str, ...], str]],
    flat: Mapping[str, str],
) -> list[Namespace]:
    """Return the namespaces of a server, in the order in which their first tools were registered."""
    made = wanted.menu or form
    homes: dict[str, list[Action]] = {_home(one, wanted): [] for one in tools}
    for one in tools:
        if state is None or gate is None or gate.opens(one.name, state):
            action = replace(
                _action(one, made, gate, state, structure),
                select=selects[one.name][0],
                flat=flat.get(one.name, ""),
            )
            homes[_home(one, wanted)].append(action)
    return [
        Namespace(name, tuple(actions)).chosen(
            tags=wanted.tags, any_tag=wanted.any_tag, exclude=wanted.exclude
        )
        for name, actions in homes.items()
    ]


def _action(
    one: Declared,
    form: str,
    gate: Gate | None,
    state: str | None,
    structure: bool,
) -> Action:
    """Return a tool as an action of a menu of that *form*, with all that its author asked for.

    In the forms that have `describe` the short text stands beside the full one, elsewhere in its place.
    """
    economy, short = one.economy, ""
    strict = form not in ("flat", "untouched")
    tool = dict(one.tool)
    if gate is not None and one.bound:
        if _is_short(one, gate, state):
            short = economy.short
            if form not in ("lean", "lazy"):
                tool["description"] = short
        if gate.machine.handle is None:
            tool = _with_handle(tool, gate.machine.argument)
    if economy.table and "outputSchema" in tool:
        del tool["outputSchema"]
    elif one.fields and structure and isinstance(tool.get("outputSchema"), Mapping):
        tool["outputSchema"] = _loosened(tool["outputSchema"])
    return replace(
        action_of(tool),
        tags=frozenset(economy.tags),
        short=short,
        strict=strict,
        reads_select=True,
        bound=one,
    )


def _is_short(one: Declared, gate: Gate, state: str | None) -> bool:
    """Tell whether a tool is shown with its short text: as long as its workflow has not begun, and in a stable menu."""
    return bool(one.economy.short) and one.bound and state in (None, gate.machine.initial)


def _with_handle(tool: dict[str, Any], argument: str) -> dict[str, Any]:
    """Return a tool that takes a workflow's handle, and may answer with one."""
    schema = dict(tool.get("inputSchema") or {"type": "object"})
    if argument in fields_of(schema):
        raise MenuError(
            f"{tool.get('name')}: has an argument {argument}; name it as the machine's handle"
        )
    handle = {"type": "string", "description": _HANDLE_TEXT}
    schema["properties"] = {**fields_of(schema), argument: handle}
    output = tool.get("outputSchema")
    if isinstance(output, Mapping) and isinstance(output.get("properties"), Mapping):
        fields = {**output["properties"], argument: {"type": "string"}}
        tool = {**tool, "outputSchema": {**output, "properties": fields}}
    return {**tool, "inputSchema": schema}


def _loosened(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of an output that a narrowed answer fits too: no field of it is required."""

    def loose(part: Any) -> Any:
        if isinstance(part, Mapping):
            return {
                key: loose(value)
                for key, value in part.items()
                if not (key == "required" and isinstance(value, list))
            }
        return [loose(one) for one in part] if isinstance(part, list) else part

    whole: dict[str, Any] = loose(schema)
    return whole


def _refuse_collisions(menus: Sequence[Menu]) -> None:
    owner: dict[str, str] = {}
    for menu in menus:
        for tool in menu.tools:
            name = str(tool.get("name"))
            if name in owner:
                raise MenuError(
                    f"{menu.name} and {owner[name]} would both show a tool {name}; rename one"
                )
            owner[name] = menu.name
