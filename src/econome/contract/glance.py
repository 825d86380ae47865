"""What deserves a look before a server is locked: what its texts say to a model, where nothing was locked to compare with.

It reads the value that a lock holds of a server, and of it the texts that a model is shown. What it finds is no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from econome.contract.words import introduced

__all__ = ["Seen", "glance"]

_SHOWN = ("description", "title")
"""The keys under which a model, or who watches it, is shown a text, in an entry and in its schemas."""

_SUBJECTS = {"tools": "tool", "prompts": "prompt", "resources": "resource", "templates": "template"}
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that a text says; *kind* and *what* are those of `contract.words`, *subject* and *name* those of a finding."""

    server: str
    subject: str
    name: str
    kind: str
    what: str


def glance(
    name: str,
    server: Mapping[str, Any],
    before: Mapping[str, Any] | None = None,
    *,
    tools: Collection[str] = (),
) -> list[Seen]:
    """Return what the texts of the server *name* say that those locked *before* did not, each once.

    *tools* are the names of tools of other servers: a text that names one may mean to get between a model and that server.
    """
    held = before or {}
    found: dict[Seen, None] = {}
    old, new = str(held.get("instructions", "")), str(server.get("instructions", ""))
    for one in introduced(old, new, tools=tools):
        found[Seen(name, "server", name, one.kind, one.what)] = None
    for part, subject in _SUBJECTS.items():
        for entry, body in server.get(part, {}).items():
            known = dict(_texts(held.get(part, {}).get(entry)))
            for at, text in _texts(body):
                for one in introduced(known.get(at, ""), text, tools=tools):
                    found[Seen(name, subject, entry, one.kind, one.what)] = None
    return list(found)


def _texts(value: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each text that is shown, with the keys that lead to it."""
    if len(at) > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, held in value.items():
            if key in _SHOWN and isinstance(held, str):
                yield (*at, key), held
            else:
                yield from _texts(held, (*at, key))
    elif isinstance(value, list):
        for number, held in enumerate(value):
            yield from _texts(held, (*at, str(number)))
