"""Actions and namespaces: the tools of a server as their author declared them, and which of them are offered.

It knows the wire form of a tool and nothing of forms of menus. It never refuses a tool for being odd: a tool that
cannot be grouped says so (`Action.alone`) and is passed on as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from econome.errors import MenuError
from econome.lean.schemas import is_regular

__all__ = [
    "NAME",
    "Action",
    "Namespace",
    "action_of",
    "fields_of",
    "flat_names",
    "free_name",
    "required_of",
    "safe_name",
    "too_deep",
]

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What the name of a tool in a menu of ours matches as a whole."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_OF_A_FUNCTION = re.compile(r"\w+Arguments")
_DEEPEST = 40
"""Levels of nesting up to which a schema is looked into; a deeper one is passed on as it is."""


@dataclass(frozen=True, slots=True)
class Action:
    """One tool of a server as its author declared it.

    A hint is None where the author gave none. *select* holds the root fields of the output that `_select` may name,
    empty where it is off; *reads_select* says that the argument is no other's in a group either. A *strict* action
    refuses arguments that its schema does not name. *short* is the compact description. *flat* is the name it is shown
    under where it stands alone, empty where that is its own. *bound* is whatever else belongs to this action alone
    (limits, guards, states): it is carried, never looked at.
    """

    name: str
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    short: str = ""
    flat: str = ""
    select: tuple[str, ...] = ()
    reads_select: bool = False
    strict: bool = False
    bound: object = None
    alone: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it may be called by."""
        return (self.name, self.flat) if self.flat else (self.name,)

    @property
    def closed(self) -> bool:
        """Whether arguments that the schema does not name are refused."""
        open_names = self.schema.get("patternProperties")
        return not open_names and (
            self.strict or self.schema.get("additionalProperties", True) is False
        )

    @property
    def narrows(self) -> bool:
        """Whether it takes arguments that may be left out, by which a call may ask for less."""
        return bool(fields_of(self.schema).keys() - set(required_of(self.schema)))

    def wire(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it."""
        if self.raw:
            return dict(self.raw)
        hints = {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
        tool: dict[str, Any] = {"name": self.name, "description": self.description}
        tool["inputSchema"] = dict(self.schema) or {"type": "object", "properties": {}}
        if self.output is not None:
            tool["outputSchema"] = dict(self.output)
        given = {name: hint for name, hint in hints.items() if hint is not None}
        return {**tool, "annotations": given} if given else tool


def action_of(tool: Mapping[str, Any]) -> Action:
    """Return the action that an entry of `tools/list` declares; whatever is odd about it, it is kept in `raw`."""
    name, description = tool.get("name"), tool.get("description")
    schema, output = tool.get("inputSchema"), tool.get("outputSchema")
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, Mapping) else {}
    plain = isinstance(name, str) and isinstance(description, str | None) and _is_plain(schema)
    return Action(
        name=name if isinstance(name, str) else "",
        description=description if isinstance(description, str) else "",
        schema=_untitled(schema) if isinstance(schema, Mapping) and plain else {},
        output=output if isinstance(output, Mapping) and not too_deep(output) else None,
        read_only=_hint(hints, "readOnlyHint"),
        destructive=_hint(hints, "destructiveHint"),
        idempotent=_hint(hints, "idempotentHint"),
        open_world=_hint(hints, "openWorldHint"),
        raw=tool,
        alone=not plain or _bound_to_its_name(tool),
    )


def _untitled(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without the title that the SDK makes of a function's name, whatever name its tool was given."""
    title = schema.get("title")
    if not isinstance(title, str) or not _OF_A_FUNCTION.fullmatch(title):
        return schema
    return {key: part for key, part in schema.items() if key != "title"}


def _hint(hints: Mapping[str, Any], name: str) -> bool | None:
    hint = hints.get(name)
    return hint if isinstance(hint, bool) else None


def _is_plain(schema: object) -> bool:
    """Tell whether *schema* describes an object in the usual way, so that its fields can be read."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return False
    return not too_deep(schema) and is_regular(schema)


def too_deep(value: object, levels: int = _DEEPEST) -> bool:
    """Tell whether *value* nests deeper than what is looked into, without recursion of its own."""
    level: list[object] = [value]
    for _ in range(levels):
        below: list[object] = []
        for entry in level:
            if isinstance(entry, Mapping):
                below.extend(entry.values())
            elif isinstance(entry, list | tuple):
                below.extend(entry)
        if not below:
            return False
        level = below
    return True


def _bound_to_its_name(tool: Mapping[str, Any]) -> bool:
    """Tell whether a client does more with this tool than call it: runs it as a task, shows a page, sends headers."""
    execution, meta = tool.get("execution"), tool.get("_meta")
    if isinstance(execution, Mapping) and execution.get("taskSupport") == "required":
        return True
    if isinstance(meta, Mapping) and any(
        str(key).partition("/")[0] in ("ui", "openai") for key in meta
    ):
        return True
    return any(
        isinstance(entry, Mapping) and "x-mcp-header" in entry
        for entry in fields_of(tool.get("inputSchema") or {}).values()
    )


def fields_of(schema: object) -> Mapping[str, Any]:
    """Return the fields of an object schema by name, none of what is no schema."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def required_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields that an object schema requires, in its order."""
    required = schema.get("required")
    if not isinstance(required, list | tuple):
        return ()
    return tuple(name for name in required if isinstance(name, str))


@dataclass(frozen=True, slots=True)
class Namespace:
    """The actions of one server, or of a part of it, in the order of their registration.

    *hidden* are names of actions that exist and are not offered: calling them is refused.
    """

    name: str
    actions: tuple[Action, ...] = ()
    description: str = ""
    hidden: frozenset[str] = frozenset()

    def chosen(
        self,
        *,
        tags: Collection[str] = (),
        any_tag: Collection[str] = (),
        exclude: Collection[str] = (),
    ) -> Namespace:
        """Return the namespace with the actions that have all of *tags*, one of *any_tag* and none of *exclude*."""
        kept = tuple(
            action
            for action in self.actions
            if action.tags.issuperset(tags)
            and (not any_tag or not action.tags.isdisjoint(any_tag))
            and action.tags.isdisjoint(exclude)
        )
        names = {action.name for action in kept}
        left_out = {
            name for action in self.actions if action.name not in names for name in action.names
        }
        return replace(self, actions=kept, hidden=self.hidden | left_out)


def safe_name(text: str) -> str:
    """Return *text* as the name of a tool: what a name may not hold becomes `_`, and 64 characters are kept."""
    return _NOT_IN_NAMES.sub("_", text)[:64] or "_"


def flat_names(homes: Iterable[tuple[str, str]], separator: str) -> dict[tuple[str, str], str]:
    """Return for each namespace and action of it the name that the action has where it stands alone in a menu.

    The only action of a namespace, if it is called `default`, is named as its namespace.

    Raises:
        MenuError: the separator cannot stand in a name, or a name would mean two actions.
    """
    if _NOT_IN_NAMES.search(separator):
        raise MenuError(f"separator {separator!r}: use letters, digits, _ or -")
    known = list(homes)
    sizes = Counter(namespace for namespace, _ in known)
    flat = {
        (namespace, action): safe_name(
            namespace
            if action == "default" and sizes[namespace] == 1
            else f"{namespace}{separator}{action}"
        )
        for namespace, action in known
    }
    means = {action: (namespace, action) for namespace, action in known}
    for whole, name in flat.items():
        other = means.setdefault(name, whole)
        if other != whole:
            raise MenuError(
                f"{'.'.join(whole)} would be named {name}, as {'.'.join(other)} is; rename one"
            )
    return flat


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return *wanted*, or *wanted* with as many `_` behind it as make it free."""
    name = wanted[:64]
    while name in taken:
        name = f"{name}_" if len(name) < 64 else f"{name.rstrip('_')[:-1]}_"
    return name
