"""What differs between a lock and what is there now, judged by whether an old call still succeeds.

Nothing that differs is left out: what fits no kind is told as a detail with its place, and nothing is told of what is equal. It
compares two values, whatever order they stand in, and asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from econome.contract.entries import mapping, same
from econome.contract.findings import Finding

__all__ = ["Drift", "drift"]


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
    tokens: dict[str, tuple[int | None, int | None]] = {}
    differing: list[str] = []
    for name in looked_at:
        before, after = old.servers.get(name), new.servers.get(name)
        tokens[name] = _menu_tokens(before), _menu_tokens(after)
        if not same(before, after):
            differing.append(name)
    findings = _findings(old, new, differing) if differing else ()
    unchecked = tuple(name for name in names if name in old.servers and name not in looked_at)
    return Drift(findings, tokens, unchecked)


def _findings(old: _Locked, new: _Locked, names: Collection[str]) -> tuple[Finding, ...]:
    # What judges differences is of no use to a check that finds none, and takes longer to import than that takes.
    from econome.contract.about import About
    from econome.contract.drift_servers import added, changed

    tools = frozenset(
        tool
        for lock in (old, new)
        for server in lock.servers.values()
        for tool in mapping(server.get("tools"))
    )
    alike = old.tokenizer == new.tokenizer
    findings: list[Finding] = []
    for name in names:
        before, after = old.servers.get(name), new.servers.get(name)
        about = About(name, "server", name, tools)
        if after is None:
            findings.append(
                about.tells("server-removed", "The server is gone, and so is every tool of it.")
            )
        elif before is None:
            findings += added(about, after)
        else:
            findings += changed(about, before, after, alike=alike)
    return tuple(sorted(findings, key=lambda one: (one.rank, one.text)))


def _menu_tokens(server: Mapping[str, Any] | None) -> int | None:
    tokens = mapping(mapping(server).get("menu")).get("tokens")
    return tokens if isinstance(tokens, int) else None
