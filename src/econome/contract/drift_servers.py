"""What differs between two promises of one server, and what is told of a server that is new.

It goes through the tools and lists of a server and leaves each entry to the module that knows its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from econome.contract.about import About
from econome.contract.drift_gates import gates_drift
from econome.contract.drift_lists import LISTS, capability_drift, entry_drift, reworded
from econome.contract.drift_menus import menu_drift, menu_says
from econome.contract.drift_tools import tool_drift, tool_texts
from econome.contract.entries import differing, mapping, same, texts_of
from econome.contract.findings import Finding
from econome.contract.least import least_call, least_use
from econome.contract.shown import shown

__all__ = ["added", "changed"]

_FOLLOWING: Final = frozenset({"class", "menu", "namespaces"})
"""What follows from the tools of a server; a difference in it alone is still told."""

_LOOKED_AT: Final = frozenset({"capabilities", "instructions", "machine", "tools", *LISTS})


def _tokens(tool: object) -> int | None:
    tokens = mapping(tool).get("tokens")
    return tokens if isinstance(tokens, int) else None


def _tool(about: About, name: str, old: object, new: object) -> About:
    """Return what findings about a tool are about; its own name is none that it could name."""
    return About(about.server, "tool", name, about.tools - {name}, _tokens(old), _tokens(new))


def added(about: About, server: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is told of a server that is new; that its tools name each other is no news."""
    tools = mapping(server.get("tools"))
    number = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    yield about.tells("server-added", f"The server is new, with {number}.")
    others = replace(about, tools=about.tools - tools.keys())
    for key in ("instructions", "capabilities"):
        yield from others.says({}, texts_of(server.get(key), f"/{key}"))
    said = [
        one
        for name, tool in tools.items()
        for one in _tool(others, name, None, tool).says({}, tool_texts(tool))
    ]
    yield from said
    yield from menu_says(others, server, said)
    for key, subject in LISTS.items():
        for name, entry in mapping(server.get(key)).items():
            yield from replace(others, subject=subject, name=name).says({}, texts_of(entry))


def changed(
    about: About, old: Mapping[str, Any], new: Mapping[str, Any], *, alike: bool
) -> Iterator[Finding]:
    """Yield what differs between two promises of one server; *alike* is whether tokens were counted alike."""
    found = [*_of_server(about, old, new), *_tools(about, old, new, alike=alike)]
    for key, subject in LISTS.items():
        found += _list(about, subject, mapping(old.get(key)), mapping(new.get(key)))
    found += menu_drift(about, old, new, found)
    yield from found
    was, now = mapping(old.get("menu")), mapping(new.get("menu"))
    if was.get("form") != now.get("form"):
        text = f"Its menu was shown as `{shown(was.get('form'))}` and is shown as `{shown(now.get('form'))}`."
        yield about.tells(
            "economy-changed", text, "/menu/form", old=was.get("form"), new=now.get("form")
        )
    elif not found and not alike:
        yield about.tells("detail-changed", "Its tokens were counted otherwise.", "/menu/tokens")
    elif not found:
        yield from about.rest(old, new)


def _of_server(about: About, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    was, now = old.get("instructions"), new.get("instructions")
    if was != now:
        yield from reworded(about, {"/instructions": (was, now)})
        yield from about.says(*(texts_of(one, "/instructions") for one in (was, now)))
    yield from capability_drift(about, old.get("capabilities"), new.get("capabilities"))
    known = _LOOKED_AT | _FOLLOWING
    yield from about.details(one for one in differing(old, new) if one[0][1:] not in known)


def _tools(
    about: About, old: Mapping[str, Any], new: Mapping[str, Any], *, alike: bool
) -> Iterator[Finding]:
    before, after = mapping(old.get("tools")), mapping(new.get("tools"))
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    new_tools = {name: after[name] for name in come}
    for name in gone:
        renamed = _renamed(before[name], new_tools)
        hint = (
            f"; it looks renamed to `{shown(renamed)}`, whose schema is the same" if renamed else ""
        )
        text = f"The tool is gone, so every call of it fails{hint}."
        schema = mapping(mapping(before[name]).get("declared")).get("inputSchema")
        one = _tool(about, name, before[name], None)
        yield one.tells("tool-removed", text, witness=least_call(schema))
    for name in come:
        one = _tool(about, name, None, after[name])
        yield one.tells("tool-added", "The tool is new.")
        yield from one.says({}, tool_texts(after[name]))
    both = {name: _tool(about, name, before[name], after[name]) for name in before if name in after}
    for name, one in both.items():
        yield from tool_drift(one, before[name], after[name], alike=alike)
    yield from gates_drift(about, both, old, new)


def _renamed(tool: object, added: Mapping[str, Any]) -> str | None:
    """Return the one new tool that takes the same arguments and says the same, or takes the same and they are not few."""
    declared = mapping(mapping(tool).get("declared"))
    schema = mapping(declared.get("inputSchema"))
    alike = [
        name
        for name, one in added.items()
        if same(mapping(mapping(one).get("declared")).get("inputSchema"), schema)
        and (
            schema.get("properties")
            or mapping(mapping(one).get("declared")).get("description")
            == declared.get("description")
        )
    ]
    return alike[0] if len(alike) == 1 else None


def _list(
    about: About, subject: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Finding]:
    for name in sorted(old.keys() | new.keys()):
        one = replace(about, subject=subject, name=name)
        if name not in new:
            witness = least_use(subject, name, old[name])
            yield one.tells(f"{subject}-removed", f"The {subject} is gone.", witness=witness)
        elif name not in old:
            yield one.tells(f"{subject}-added", f"The {subject} is new.")
            yield from one.says({}, texts_of(new[name]))
        elif not same(old[name], new[name]):
            found = list(entry_drift(one, mapping(old[name]), mapping(new[name])))
            yield from found or one.rest(old[name], new[name])
