"""What differs between a lock and what is there now, judged by whether an old call still succeeds.

Nothing that differs is left out: what fits no kind is told as a detail with its place, and nothing is told of what is equal. It
compares two values, whatever order they stand in, and asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from econome.contract.about import About
from econome.contract.drift_gates import gates_drift
from econome.contract.drift_lists import LISTS, capability_drift, entry_drift, reworded
from econome.contract.drift_tools import tool_drift, tool_texts
from econome.contract.entries import differing, mapping, same, texts_of
from econome.contract.findings import Finding
from econome.contract.shown import shown

__all__ = ["Drift", "drift"]

_FOLLOWING: Final = frozenset({"class", "menu", "namespaces"})
"""What follows from the tools of a server; a difference in it alone is still told."""

_LOOKED_AT: Final = frozenset({"capabilities", "instructions", "machine", "tools", *LISTS})


class _Locked(Protocol):
    """What is asked of a lock."""

    @property
    def tokenizer(self) -> str: ...
    @property
    def servers(self) -> Mapping[str, Mapping[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Drift:
    """What a comparison found: the worst first.

    *tokens* are those of the menu of each server that was looked at, before and now, None where it was not there. *unchecked*
    are the servers of the old lock that were not looked at.
    """

    findings: tuple[Finding, ...] = ()
    tokens: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()


def drift(old: _Locked, new: _Locked, *, only: Collection[str] | None = None) -> Drift:
    """Return what differs between two locks; with *only*, of the servers of these names and of no others."""
    names = sorted(old.servers.keys() | new.servers.keys())
    looked_at = [name for name in names if only is None or name in only]
    tools = frozenset(
        tool
        for lock in (old, new)
        for server in lock.servers.values()
        for tool in mapping(server.get("tools"))
    )
    alike = old.tokenizer == new.tokenizer
    findings: list[Finding] = []
    tokens: dict[str, tuple[int | None, int | None]] = {}
    for name in looked_at:
        before, after = old.servers.get(name), new.servers.get(name)
        tokens[name] = _menu_tokens(before), _menu_tokens(after)
        about = About(name, "server", name, tools)
        if before is None and after is not None:
            findings += _added(about, after)
        elif after is None:
            findings.append(
                about.tells("server-removed", "The server is gone, and so is every tool of it.")
            )
        elif before is not None and not same(before, after):
            findings += _changed(about, before, after, alike=alike)
    unchecked = tuple(name for name in names if name in old.servers and name not in looked_at)
    ranked = sorted(findings, key=lambda one: (one.rank, one.text))
    return Drift(tuple(ranked), tokens, unchecked)


def _menu_tokens(server: Mapping[str, Any] | None) -> int | None:
    tokens = mapping(mapping(server).get("menu")).get("tokens")
    return tokens if isinstance(tokens, int) else None


def _tokens(tool: object) -> int | None:
    tokens = mapping(tool).get("tokens")
    return tokens if isinstance(tokens, int) else None


def _tool(about: About, name: str, old: object, new: object) -> About:
    """Return what findings about a tool are about; its own name is none that it could name."""
    return About(about.server, "tool", name, about.tools - {name}, _tokens(old), _tokens(new))


def _added(about: About, server: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is told of a server that is new; that its tools name each other is no news."""
    tools = mapping(server.get("tools"))
    number = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    yield about.tells("server-added", f"The server is new, with {number}.")
    others = replace(about, tools=about.tools - tools.keys())
    yield from others.says({}, texts_of(server.get("instructions"), "/instructions"))
    for name, tool in tools.items():
        yield from _tool(others, name, None, tool).says({}, tool_texts(tool))
    for key, subject in LISTS.items():
        for name, entry in mapping(server.get(key)).items():
            yield from replace(others, subject=subject, name=name).says({}, texts_of(entry))


def _changed(
    about: About, old: Mapping[str, Any], new: Mapping[str, Any], *, alike: bool
) -> Iterator[Finding]:
    """Yield what differs between two promises of one server; *alike* is whether tokens were counted alike."""
    found = [*_of_server(about, old, new), *_tools(about, old, new, alike=alike)]
    for key, subject in LISTS.items():
        found += _list(about, key, subject, mapping(old.get(key)), mapping(new.get(key)))
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
    for name in gone:
        renamed = _renamed(before[name], {one: after[one] for one in come})
        hint = (
            f"; it looks renamed to `{shown(renamed)}`, whose schema is the same" if renamed else ""
        )
        text = f"The tool is gone, so every call of it fails{hint}."
        yield _tool(about, name, before[name], None).tells("tool-removed", text)
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


_GONE: Final = {
    "prompts": "The prompt is gone.",
    "resources": "The resource is gone.",
    "templates": "The template is gone.",
}


def _list(
    about: About, key: str, subject: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Finding]:
    for name in sorted(old.keys() | new.keys()):
        one = replace(about, subject=subject, name=name)
        if name not in new:
            yield one.tells(f"{subject}-removed", _GONE[key])
        elif name not in old:
            yield one.tells(f"{subject}-added", f"The {subject} is new.")
            yield from one.says({}, texts_of(new[name]))
        elif not same(old[name], new[name]):
            found = list(entry_drift(one, mapping(old[name]), mapping(new[name])))
            yield from found or one.rest(old[name], new[name])
