"""What one server promises, as one value that holds nothing which changes from run to run: what a lock keeps of it.

Sets that JSON Schema writes as lists are sorted, numbers are what every reader of JSON makes of them, and texts stay as they
are. It knows what was captured, and refuses what cannot be told apart or written; it compares nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, NoReturn

from econome.contract.canonical import canonical, number
from econome.contract.captured import Captured
from econome.contract.lockfile import check
from econome.contract.static import StaticClass, server_class, static_class
from econome.errors import LockBroken
from econome.lean.counting import Count
from econome.lean.menus import baseline
from econome.lean.rules import ToolRules
from econome.lean.schemas import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMA_PLACES

__all__ = ["MOST_LEVELS", "namespace_of", "promise"]

MOST_LEVELS = 100
"""So many objects and lists within each other an entry of a server may have."""

_TOLD = 60
"""So many characters of a name are repeated."""

_MOST_SAID = 3
"""So many entries that cannot be read are named."""

_NO_RULES = ToolRules()
_META = "_meta"
_SCHEMAS = ("inputSchema", "outputSchema")
_SETS = frozenset({"required", "type", "enum"})
"""Keywords whose list is a set."""

_MAPS_OF_SETS = frozenset({"dependentRequired", "dependencies"})
"""Keywords that hold sets by name; the older one may hold schemas as well."""

_MAPS = SCHEMA_MAPS | _MAPS_OF_SETS
_SCHEMATIC = _SETS | SCHEMA_LISTS | SCHEMA_PLACES | _MAPS
"""Keywords below which there is a set or a schema."""

_OF_THE_MOMENT = ("size",)
"""What the entry of a resource says of its content, which is no promise; `annotations.lastModified` is another."""

_decode = json.JSONDecoder(
    parse_int=lambda digits: number(int(digits)), parse_float=lambda digits: number(float(digits))
).decode

_PART = re.compile(r"\.|/|__")


def promise(
    captured: Captured, *, count: Count, limits: Mapping[str, ToolRules] | None = None
) -> dict[str, Any]:
    """Return what a lock holds of a server: its texts, schemas and capabilities, and of each tool tokens and static class.

    *limits* are those that somebody else sets, by the name of a tool; where they are tighter than the tool's own, they
    count. Equal servers give equal values, whatever the order of their lists, keys and sets.

    Raises:
        LockBroken: two entries have one name, an entry has none or cannot be read, or something has no place in a JSON text.
    """
    at = _Place(captured.name)
    if captured.unreadable:
        at.wrong("what it lists", "; ".join(captured.unreadable[:_MOST_SAID]))
    at.plain("its name", captured.name)
    found = at.entries("tool", "name", captured.tools)
    economies = {
        name: _economy(
            at, name, captured.economies.get(name, {}), (limits or {}).get(name, _NO_RULES)
        )
        for name in found
    }
    tools, classes = {}, []
    for name, entry in found.items():
        tools[name], static = _tool(captured.name, entry, economies[name], count)
        classes.append(static)
    namespaces: dict[str, int] = {}
    for tool in tools.values():
        within = tool["namespace"]
        namespaces[within] = namespaces.get(within, 0) + tool["tokens"]
    server = {
        "instructions": at.plain("its instructions", captured.instructions),
        "capabilities": at.plain("its capabilities", dict(captured.capabilities)),
        "machine": at.plain(
            "its table of states", None if captured.machine is None else dict(captured.machine)
        ),
        "menu": _menu(at, captured, tools, count),
        "class": server_class(classes),
        "namespaces": namespaces,
        "tools": tools,
        "prompts": at.entries("prompt", "name", captured.prompts),
        "resources": at.entries("resource", "uri", map(_lasting, captured.resources)),
        "templates": at.entries("resource template", "uriTemplate", map(_lasting, captured.templates)),
    }  # fmt: skip
    check(server, captured.name)
    return server


def namespace_of(tool: str, server: str) -> str:
    """Return the namespace of a tool by its name: the part before the first `.`, `/` or `__`, else the server's name."""
    first, *others = _PART.split(tool, maxsplit=1)
    return first if first and others else server


@dataclass(frozen=True, slots=True)
class _Place:
    """The server of which something is told; what is wrong is said of it."""

    server: str

    def wrong(self, what: str, reason: object) -> NoReturn:
        raise LockBroken(_cut(self.server), f"{what} cannot be locked: {reason}") from None

    def plain(self, what: str, value: Any) -> Any:
        try:
            return _plain(value)
        except ValueError as error:
            self.wrong(what, error)

    def entries(self, what: str, key: str, entries: Iterable[Any]) -> dict[str, dict[str, Any]]:
        """Return the entries of a list by their names, normalised."""
        found: dict[str, dict[str, Any]] = {}
        for place, entry in enumerate(entries, start=1):
            if not isinstance(entry, Mapping):
                self.wrong(f"{what} {place}", "it is no object")
            name = entry.get(key)
            if not isinstance(name, str):
                self.wrong(f"{what} {place}", f"it has no {key}")
            if name in found:
                self.wrong(_called(what, name), "there are two of it, which nothing tells apart")
            try:
                found[name] = _entry(entry)
            except ValueError as error:
                self.wrong(_called(what, name), error)
        return found


def _cut(name: str) -> str:
    return name if len(name) <= _TOLD else f"{name[:_TOLD]}…"


def _called(what: str, name: str) -> str:
    return f"{what} {json.dumps(_cut(name))}"


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without what is of no promise, the sets of its schemas sorted."""
    plain: dict[str, Any] = _plain({key: entry[key] for key in entry if key != _META})
    for key in _SCHEMAS:
        _sort_sets(plain.get(key))
    return plain


def _lasting(entry: Any) -> Any:
    """Return the entry of a resource without what its content may change at any time."""
    if not isinstance(entry, Mapping):
        return entry
    kept = {key: value for key, value in entry.items() if key not in _OF_THE_MOMENT}
    notes = kept.get("annotations")
    if isinstance(notes, Mapping) and "lastModified" in notes:
        kept["annotations"] = {key: notes[key] for key in notes if key != "lastModified"}
        if not kept["annotations"]:
            del kept["annotations"]
    return kept


def _economy(at: _Place, name: str, told: Any, rules: ToolRules) -> dict[str, Any]:
    """Return what the library does for a tool, under the tighter of its limits and those of *rules*."""
    if not told and rules == _NO_RULES:
        return {}
    called = _called("the economy of tool", name)
    if not isinstance(told, Mapping):
        at.wrong(called, "it is no object")
    economy: dict[str, Any] = at.plain(called, dict(told))
    for key, ours in (("limit", rules.limit), ("max_bytes", rules.max_bytes)):
        own = economy.get(key)
        if own is not None and (type(own) is not int or own < 1):
            at.wrong(called, f"its {key} is no whole number of at least 1")
        if ours is not None and (own is None or ours < own):
            economy[key] = ours
            if key == "limit" and rules.rows is not None:
                economy["rows"] = rules.rows
    return economy


def _tool(
    server: str, entry: dict[str, Any], economy: dict[str, Any], count: Count
) -> tuple[dict[str, Any], StaticClass]:
    short, namespace, rows = (_text(economy.get(key)) for key in ("short", "namespace", "rows"))
    static = static_class(
        entry, limit=economy.get("limit"), max_bytes=economy.get("max_bytes"), rows=rows
    )
    tool = {
        "declared": entry,
        "economy": economy,
        "namespace": namespace or namespace_of(entry["name"], server),
        "tokens": count(baseline(entry)),
        "short_tokens": None if short is None else count(baseline({**entry, "description": short})),
        "class": static.name,
        "fields": static.fields,
        "collections": list(static.collections),
        "reason": static.reason,
    }
    return tool, static


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _menu(
    at: _Place, captured: Captured, tools: Mapping[str, Mapping[str, Any]], count: Count
) -> dict[str, Any]:
    """Return what the menu costs a turn; *listed* are its entries where they are not the tools that are declared."""
    shown = None
    if captured.menu and captured.menu is not captured.tools:
        shown = at.entries("tool of the menu", "name", captured.menu)
        declared = {name: tool["declared"] for name, tool in tools.items()}
        if canonical(shown) == canonical(declared):
            shown = None
    if shown is None:
        tokens = sum(tool["tokens"] for tool in tools.values())
        return {"form": "untouched", "tokens": tokens, "tools": len(tools), "listed": {}}
    tokens = sum(count(baseline(tool)) for tool in shown.values())
    return {"form": "lean", "tokens": tokens, "tools": len(shown), "listed": shown}


def _plain(value: Any) -> Any:
    """Return a value as its canonical text is read: keys in order, numbers as readers agree on them.

    Raises:
        ValueError: it has no such text, or is nested too deep.
    """
    return _decode(canonical(value, levels=MOST_LEVELS).decode())


def _sort_sets(schema: Any) -> None:
    """Sort the sets of a schema; what it holds as data, and what stands under unknown keywords, is left as it is."""
    if not isinstance(schema, dict):
        return
    for key in _SCHEMATIC & schema.keys():
        value = schema[key]
        if isinstance(value, list):
            if key in _SETS:
                _sort(value)
            elif key in SCHEMA_LISTS:
                for one in value:
                    _sort_sets(one)
        elif isinstance(value, dict):
            if key in SCHEMA_PLACES:
                _sort_sets(value)
            elif key in _MAPS:
                for one in value.values():
                    if isinstance(one, list) and key in _MAPS_OF_SETS:
                        _sort(one)
                    else:
                        _sort_sets(one)


def _sort(members: list[Any]) -> None:
    """Sort a set by the canonical bytes of its members."""
    if len(members) < 2:
        return
    if all(type(one) is str for one in members):
        members.sort(key=encode_basestring)  # as `canonical` writes texts, and in the same order
    else:
        members.sort(key=canonical)
