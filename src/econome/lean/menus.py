"""The menu of one namespace: the tools that `tools/list` shows, in the form that costs least, and how a call of them is read.

It chooses among forms by a count that is given, and never offers a menu that is larger than the one it replaces. It
asks nothing of a server and knows no client.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from econome.errors import MenuError
from econome.lean.actions import Action, Namespace, action_of
from econome.lean.calls import Outcome, Passed, Said
from econome.lean.counting import Count

__all__ = ["FORMS", "Cost", "Menu", "baseline"]

FORMS = ("auto", "flat", "grouped", "signatures", "lean", "lazy", "untouched")
"""The forms that can be asked for; `auto` is the cheapest of those that lose nothing."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one tool of a menu costs a turn."""

    name: str
    tokens: int


def baseline(tool: Mapping[str, Any]) -> str:
    """Return what a client shows its model of a tool: name, description and input schema, as compact JSON."""
    shown = {
        "name": tool.get("name"),
        "description": tool.get("description") or "",
        "input_schema": tool.get("inputSchema"),
    }
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Menu:
    """The tools that one namespace shows, and what their calls mean.

    *form* is the one in use, which may differ from the one asked for where that would have cost more. *more_call* is
    how the rest of a cut answer is asked for, None where it is not offered.
    """

    name: str
    form: str
    tools: tuple[dict[str, Any], ...]
    before: tuple[Cost, ...]
    after: tuple[Cost, ...]
    more_call: str | None = None
    namespace: Namespace = field(default_factory=lambda: Namespace(""))

    @classmethod
    def of(
        cls,
        tools: Sequence[Mapping[str, Any]],
        *,
        name: str,
        form: str,
        count: Count,
        more: bool = False,
        select: bool = False,
        keep_output: bool = False,
    ) -> Menu:
        """Return the menu for the tools of a server, as `tools/list` gave them.

        Raises:
            MenuError: there is no such form.
        """
        actions = tuple(action_of(tool) for tool in tools)
        return cls.made(
            Namespace(name, actions), form=form, count=count, more=more, keep_output=keep_output
        )

    @classmethod
    def made(
        cls,
        namespace: Namespace,
        *,
        form: str,
        count: Count,
        more: bool = False,
        keep_output: bool = False,
    ) -> Menu:
        """Return the menu for a namespace, with the economies that its actions declare."""
        if form not in FORMS:
            raise MenuError(f"menu {form!r}: expected one of {', '.join(FORMS)}")
        tools = tuple(_without_output(action, keep_output) for action in namespace.actions)
        costs = tuple(Cost(tool.get("name", ""), count(baseline(tool))) for tool in tools)
        return cls(namespace.name, "untouched", tools, costs, costs, None, namespace)

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> Outcome:
        """Return what becomes of a call of *name* with *arguments*."""
        if name in self.namespace.hidden:
            return Said(f"{name} is not offered here", failed=True, kind="refused")
        for action in self.namespace.actions:
            if action.name == name:
                return Passed(action)
        return Passed(None)


def _without_output(action: Action, keep_output: bool) -> dict[str, Any]:
    tool = action.wire()
    if not keep_output:
        tool.pop("outputSchema", None)
    return tool
