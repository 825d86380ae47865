"""What the texts of a server say to its model beyond what its tools do, as it told them.

It takes a server's lists tolerantly and leaves the looking to `glance.py`, which finds the same in a server that is locked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from econome.contract.captured import Captured
from econome.contract.costs import name_of
from econome.contract.entries import texts_of
from econome.contract.findings import KINDS
from econome.contract.glance import Entry, seen_in

__all__ = ["told_of"]

_NO_TEXTS: Final = ("name", "_meta")
_MOST: Final = 2_000
_LONGEST: Final = 200


def told_of(captured: Captured) -> list[dict[str, str]]:
    """Return what the texts of a server tell its model, the gravest kind first: `subject`, `name`, `kind` and `what`.

    The names of its own tools are looked for in the texts of its other tools. Long wording is cut.
    """
    found = {
        (one.kind, one.subject, one.name, _cut(one.what)): None
        for one in seen_in(captured.name, _entries(captured))
    }
    kinds = list(KINDS)
    rows = sorted(found, key=lambda row: (kinds.index(row[0]), *row[1:]))
    return [
        {"subject": subject, "name": name, "kind": kind, "what": what}
        for kind, subject, name, what in rows
    ]


def _entries(captured: Captured) -> Iterator[Entry]:
    """Yield what has texts; an entry of the menu that is no tool may stand for all tools, and names them by right."""
    names = {name_of(tool) for tool in captured.tools} - {""}
    server = {"instructions": captured.instructions, "capabilities": captured.capabilities}
    yield Entry("server", captured.name, texts_of(server), names)
    for part, entries, key in (
        ("tools", captured.tools, "name"),
        ("listed", () if captured.menu is captured.tools else captured.menu, "name"),
        ("prompts", captured.prompts, "name"),
        ("resources", captured.resources, "uri"),
        ("templates", captured.templates, "uriTemplate"),
    ):
        for entry in entries:
            held = entry.get(key)
            name = held if isinstance(held, str) else ""
            texts = texts_of({one: entry[one] for one in entry if one not in _NO_TEXTS})
            others: Collection[str] = names - {name} if part == "tools" else names
            if part == "listed":
                others = names - {name} if name in names else ()
            yield Entry(part, name, dict(islice(texts.items(), _MOST)), others)


def _cut(what: str) -> str:
    return what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"
