"""What differs between two menus as they were listed, where that is not simply the tools that a server declares.

A model reads what is listed, and whatever a server declares beside it is only its word: so the entries are compared as tools are,
and what was told of a tool already is not told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from econome.contract.about import About
from econome.contract.drift_tools import tool_drift, tool_texts
from econome.contract.entries import mapping, same
from econome.contract.findings import WORDS, Finding
from econome.contract.least import least_call
from econome.lean.pointers import below

__all__ = ["listed_in", "menu_drift", "menu_says"]

_PLACE: Final = "/menu/listed"


def listed_in(server: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the entries of a server's menu by their names: the tools that it declares, where it lists no others."""
    tools = mapping(server.get("tools"))
    return _listed(server) or {name: mapping(tool).get("declared") for name, tool in tools.items()}


def menu_drift(
    about: About, old: Mapping[str, Any], new: Mapping[str, Any], told: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield what differs between what two promises list, but for what was *told*."""
    if not (_listed(old) or _listed(new)):
        return
    yield from _untold(_menu_drift(about, old, new), told)


def menu_says(
    about: About, server: Mapping[str, Any], told: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield what the listed texts of a server that is new say to a model, but for what was *told*."""
    found = (
        one
        for name, entry in _listed(server).items()
        for one in _placed(name, _about(about, name, server).says({}, tool_texts(_tool(entry))))
    )
    yield from _untold(found, told)


def _menu_drift(about: About, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    before, after, declared = listed_in(old), listed_in(new), mapping(new.get("tools"))
    alike = mapping(old.get("menu")).get("form") == mapping(new.get("menu")).get("form")
    for name in sorted(before.keys() | after.keys()):
        one, place = _about(about, name, old, new), below(_PLACE, name)
        if name not in after:
            if name not in declared:
                witness = least_call(mapping(before[name]).get("inputSchema"))
                text = "The tool is no longer listed."
                yield one.tells("tool-removed", text, place, witness=witness)
            elif alike:
                text = "It is no longer listed, and its server says that it can be called."
                yield one.tells("detail-changed", text, place)
        elif name not in before:
            if name not in declared:
                text = "It is listed now, and the server declares no such tool."
                yield one.tells("tool-added", text, place)
            elif alike:
                yield one.tells("detail-changed", "It is listed now.", place)
            yield from _placed(name, one.says({}, tool_texts(_tool(after[name]))))
        elif not same(before[name], after[name]):
            yield from _placed(name, tool_drift(one, _tool(before[name]), _tool(after[name])))


def _listed(server: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(server.get("menu")).get("listed"))


def _about(about: About, name: str, *servers: Mapping[str, Any]) -> About:
    """Return what findings of an entry are about; one that stands for several tools names them by right."""
    own = {tool for server in servers for tool in mapping(server.get("tools"))}
    others = about.tools - ({name} if name in own else own)
    return About(about.server, "tool", name, others)


def _tool(entry: Any) -> dict[str, Any]:
    return {"declared": entry}


def _placed(name: str, found: Iterable[Finding]) -> Iterator[Finding]:
    for one in found:
        yield replace(one, where=below(_PLACE, name) + one.where.removeprefix("/declared"))


def _untold(found: Iterable[Finding], told: Iterable[Finding]) -> Iterator[Finding]:
    known = {_key(one) for one in told}
    for one in found:
        if _key(one) not in known:
            known.add(_key(one))
            yield one


def _key(one: Finding) -> tuple[str, ...]:
    """Return what tells a finding from others: what a text says is the same wherever it stands."""
    if one.kind in WORDS:
        return one.kind, str(one.new)
    where = one.where.removeprefix(below(_PLACE, one.name))
    return one.kind, one.subject, one.name, where
