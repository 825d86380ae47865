"""How a model that sees a menu calls what an action of the server used to be: by its name, or through a group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ALONE = re.compile(r'\{"(\w+)":true\} tells all')
_ACTION = re.compile("action_*|name")

__all__ = ["Route", "lookups", "route"]


@dataclass(frozen=True, slots=True)
class Route:
    """The tool to call, and the fields that take the action's name and its arguments; None: beside each other."""

    tool: str
    field: str | None = None
    inside: str | None = None

    def arguments(self, action: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the tool is called with so that *action* gets what is *given*."""
        if self.field is None:
            return dict(given)
        if self.inside is None:
            return {self.field: action, **given}
        return {self.field: action, self.inside: dict(given)}


def route(menu: Sequence[Mapping[str, Any]], action: str) -> Route:
    """Return how *action* is reached in *menu*: by its own name, by a list of names, or by a field for any name.

    Raises:
        LookupError: the menu offers no way.
    """
    if any(tool["name"] == action for tool in menu):
        return Route(action)
    for listed in (True, False):
        for tool in menu:
            fields = tool["inputSchema"].get("properties", {})
            for name, part in fields.items():
                inside = next((n for n in ("arguments", "args") if n in fields), None)
                if action in part.get("enum", ()):
                    return Route(tool["name"], name, inside)
                if not listed and _ACTION.fullmatch(name) and (name != "name" or inside):
                    return Route(tool["name"], name, inside)
    raise LookupError(action)


def lookups(menu: Sequence[Mapping[str, Any]], action: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that tell all about *action* where *menu* does not; none where it tells all itself."""
    try:
        way = route(menu, action)
    except LookupError:
        return []
    tool = next(one for one in menu if one["name"] == way.tool)
    said = tool.get("description", "")
    if way.field is None:
        alone = _ALONE.search(said)
        return [(way.tool, {alone[1]: True})] if alone else []
    grouped = '"describe"' in said
    return [(way.tool, {way.field: "describe", "of": [action]})] if grouped else []
