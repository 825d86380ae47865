"""What a menu costs: each tool with its parts, each namespace and the whole, in every turn and where a client defers tools.

It counts what a client shows its model of a tool, by a count that is given. Parts and shares add up to what they are of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from econome.lean.counting import Count
from econome.lean.menus import baseline
from econome.lean.schemas import compact

__all__ = ["MenuCost", "NamespaceCost", "ToolCost", "apportioned", "menu_cost", "name_of"]

_SHARES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ToolCost:
    """One tool of a menu: its *tokens* in a turn, of which name, description and schema are the parts.

    *listed* is its part of a list of names, *found* what it costs once where a client finds it by a search. *share* is of
    the whole menu.
    """

    name: str
    namespace: str
    tokens: int
    in_name: int
    in_description: int
    in_schema: int
    listed: int
    share: float

    @property
    def found(self) -> int:
        """Tokens that it costs once, where a client finds it by a search."""
        return self.tokens


@dataclass(frozen=True, slots=True)
class NamespaceCost:
    """The tools of one namespace in a turn."""

    name: str
    tools: int
    tokens: int
    share: float


@dataclass(frozen=True, slots=True)
class MenuCost:
    """A whole menu: *tokens* in a turn, *deferred* where a client shows names alone; the worst tools come first."""

    tokens: int
    deferred: int
    tools: tuple[ToolCost, ...]
    namespaces: tuple[NamespaceCost, ...]


def menu_cost(
    tools: Sequence[Mapping[str, Any]],
    *,
    server: str,
    count: Count,
    namespaces: Sequence[str] | None = None,
) -> MenuCost:
    """Return what *tools* cost; *namespaces* are theirs, one each, that of the *server* for all where none are given.

    A client that defers shows the names as Claude Code does, `mcp__server__tool`, one a line.
    """
    names = [name_of(tool) for tool in tools]
    homes = [server] * len(names) if namespaces is None else list(namespaces)
    tokens = [count(baseline(tool)) for tool in tools]
    lines = [f"mcp__{server}__{name}" for name in names]
    deferred = count("\n".join(lines))
    listed = apportioned([count(line) for line in lines], deferred)
    shares = apportioned(tokens, _SHARES)
    costs = [
        _cost(tool, home, whole, line, share / _SHARES, count)
        for tool, home, whole, line, share in zip(tools, homes, tokens, listed, shares, strict=True)
    ]
    return MenuCost(
        tokens=sum(tokens),
        deferred=deferred,
        tools=tuple(sorted(costs, key=lambda one: (-one.tokens, one.name))),
        namespaces=_namespaces(costs),
    )


def _cost(
    tool: Mapping[str, Any], home: str, whole: int, listed: int, share: float, count: Count
) -> ToolCost:
    """Return what a tool costs; its parts are as what each costs alone is to the others."""
    parts = [
        {"name": tool.get("name")},
        {"description": tool.get("description") or ""},
        {"input_schema": tool.get("inputSchema")},
    ]
    in_name, in_description, in_schema = apportioned(
        [count(compact(part)) for part in parts], whole
    )
    return ToolCost(
        name=name_of(tool),
        namespace=home,
        tokens=whole,
        in_name=in_name,
        in_description=in_description,
        in_schema=in_schema,
        listed=listed,
        share=share,
    )


def _namespaces(costs: Sequence[ToolCost]) -> tuple[NamespaceCost, ...]:
    tokens: dict[str, int] = {}
    many: dict[str, int] = {}
    for one in costs:
        tokens[one.namespace] = tokens.get(one.namespace, 0) + one.tokens
        many[one.namespace] = many.get(one.namespace, 0) + 1
    names = sorted(tokens, key=lambda name: (-tokens[name], name))
    shares = apportioned([tokens[name] for name in names], _SHARES)
    return tuple(
        NamespaceCost(name, many[name], tokens[name], share / _SHARES)
        for name, share in zip(names, shares, strict=True)
    )


def name_of(tool: Mapping[str, Any]) -> str:
    """Return the name of a tool as its entry has it, empty where that is no text."""
    name = tool.get("name")
    return name if isinstance(name, str) else ""


def apportioned(weights: Sequence[int], whole: int) -> list[int]:
    """Return *whole* in parts as *weights* are to each other, which add up to it; nothing where all weights are 0.

    What is left after rounding down goes to those that lost most, of equal ones to the heavier.
    """
    total = sum(weights)
    if not total:
        return [0] * len(weights)
    parts = [weight * whole // total for weight in weights]
    lost = sorted(
        range(len(weights)),
        key=lambda at: (-(weights[at] * whole % total), -weights[at], at),
    )
    for at in lost[: whole - sum(parts)]:
        parts[at] += 1
    return parts
