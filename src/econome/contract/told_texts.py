"""The texts of a server that a model reads, and what they say to it beyond what tools do.

It finds texts wherever a server's lists have some, and leaves the finding of wording to `words.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from econome.contract.captured import Captured
from econome.contract.costs import name_of
from econome.contract.findings import KINDS
from econome.contract.words import told

__all__ = ["told_of"]

_TEXTS: Final = ("title", "description")
_DEEPEST: Final = 24
_MOST: Final = 2_000
_LONGEST: Final = 200


def told_of(captured: Captured) -> list[dict[str, str]]:
    """Return what the texts of a server tell its model, the gravest kind first: `subject`, `name`, `kind` and `what`.

    The names of its own tools are looked for in the texts of its other tools. Long wording is cut.
    """
    names = {name_of(tool) for tool in captured.tools} - {""}
    found: dict[tuple[str, str, str, str], None] = {}
    for subject, name, text in _texts(captured):
        others = names - {name} if subject == "tool" else names
        for one in told(text, tools=others):
            what = one.what if len(one.what) <= _LONGEST else f"{one.what[: _LONGEST - 1]}…"
            found[subject, name, one.kind, what] = None
    kinds = list(KINDS)
    rows = sorted(found, key=lambda row: (kinds.index(row[2]), row[0], row[1], row[3]))
    return [dict(zip(("subject", "name", "kind", "what"), row, strict=True)) for row in rows]


def _texts(captured: Captured) -> Iterator[tuple[str, str, str]]:
    """Yield each text with what it is of."""
    if captured.instructions:
        yield "server", captured.name, captured.instructions
    lists = (
        ("tool", captured.tools, "name"),
        ("prompt", captured.prompts, "name"),
        ("resource", captured.resources, "uri"),
        ("template", captured.templates, "uriTemplate"),
    )
    for subject, entries, key in lists:
        for entry in entries:
            name = entry.get(key)
            texts = list(_within(entry, _DEEPEST))[:_MOST]
            for text in dict.fromkeys(texts):
                yield subject, name if isinstance(name, str) else "", text


def _within(value: Any, deeper: int) -> Iterator[str]:
    """Yield the titles and descriptions in an entry, wherever its schemas have some."""
    if isinstance(value, Mapping) and deeper:
        for key, part in value.items():
            if key in _TEXTS and isinstance(part, str):
                yield part
            elif key != "_meta":
                yield from _within(part, deeper - 1)
    elif isinstance(value, list | tuple) and deeper:
        for part in value:
            yield from _within(part, deeper - 1)
