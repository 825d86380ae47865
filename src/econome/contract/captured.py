"""What one server told of itself, as it came over the wire: the value that profiles and locks are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Captured"]


@dataclass(frozen=True, slots=True)
class Captured:
    """One server: its tools, prompts, resources and templates are the decoded entries of its lists, in its order.

    *tools* are what can be called, by the names and with the full texts that the author declared; *menu* is what
    `tools/list` showed, which differs where a library of ours stands in the server, or where a server only says so: nothing
    but its word ties the one to the other. *economies* has, by the name of a tool that is declared, what the library does for
    it (see `econome.lean.promised`), empty for any other server; *machine* is its table of states, None without one. *version* and *protocol* are told and never locked: many servers give their library's.
    """

    name: str
    tools: tuple[Mapping[str, Any], ...] = ()
    menu: tuple[Mapping[str, Any], ...] = ()
    prompts: tuple[Mapping[str, Any], ...] = ()
    resources: tuple[Mapping[str, Any], ...] = ()
    templates: tuple[Mapping[str, Any], ...] = ()
    instructions: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    economies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    machine: Mapping[str, Any] | None = None
    title: str = ""
    version: str = ""
    protocol: str = ""
    unreadable: tuple[str, ...] = ()
    """What of its lists could not be read, a line each."""
