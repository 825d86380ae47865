"""What deserves a look before a server is locked: what its texts say to a model, where nothing was locked to compare with.

It reads the value that a lock holds of a server, and of it the texts that a model is shown. What it finds is no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from econome.contract.entries import is_prose, texts_of
from econome.contract.words import introduced

__all__ = ["Seen", "glance"]

_SUBJECTS = {"tools": "tool", "prompts": "prompt", "resources": "resource", "templates": "template"}


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
            known = texts_of(_declared(held.get(part, {}).get(entry, {})))
            for place, text in texts_of(_declared(body)).items():
                for one in introduced(known.get(place, ""), text, tools=tools):
                    if one.kind == "tool-named" and not is_prose(place, text):
                        continue
                    found[Seen(name, subject, entry, one.kind, one.what)] = None
    return list(found)


def _declared(body: Mapping[str, Any]) -> Any:
    """Return what the author wrote of an entry: of a tool, its declaration and the short text that the library shows."""
    if "declared" not in body:
        return body
    return {"declared": body["declared"], "short": body.get("economy", {}).get("short", "")}
