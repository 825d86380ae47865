"""The texts of a server that a model reads, and what they say to it beyond what tools do.

It finds texts wherever a server's lists have some, and leaves the finding of wording to `words.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from econome.contract.captured import Captured
from econome.contract.costs import name_of
from econome.contract.entries import is_prose, texts_of
from econome.contract.findings import KINDS
from econome.contract.words import told

__all__ = ["told_of"]

_NO_TEXTS: Final = ("name", "_meta")
_MOST: Final = 2_000
_LONGEST: Final = 200


def told_of(captured: Captured) -> list[dict[str, str]]:
    """Return what the texts of a server tell its model, the gravest kind first: `subject`, `name`, `kind` and `what`.

    The names of its own tools are looked for in the texts of its other tools. Long wording is cut.
    """
    names = {name_of(tool) for tool in captured.tools} - {""}
    found: dict[tuple[str, str, str, str], None] = {}
    for subject, name, text, prose in dict.fromkeys(_texts(captured)):
        others = names - {name} if subject == "tool" else names
        for one in told(text, tools=others):
            if one.kind == "tool-named" and not prose:
                continue
            what = one.what if len(one.what) <= _LONGEST else f"{one.what[: _LONGEST - 1]}…"
            found[subject, name, one.kind, what] = None
    kinds = list(KINDS)
    rows = sorted(found, key=lambda row: (kinds.index(row[2]), row[0], row[1], row[3]))
    return [dict(zip(("subject", "name", "kind", "what"), row, strict=True)) for row in rows]


def _texts(captured: Captured) -> Iterator[tuple[str, str, str, bool]]:
    """Yield each text with what it is of, and whether it speaks to a reader."""
    server = {"instructions": captured.instructions, "capabilities": captured.capabilities}
    for place, text in texts_of(server).items():
        yield "server", captured.name, text, is_prose(place, text)
    lists = (
        ("tool", captured.tools, "name"),
        ("prompt", captured.prompts, "name"),
        ("resource", captured.resources, "uri"),
        ("template", captured.templates, "uriTemplate"),
    )
    for subject, entries, key in lists:
        for entry in entries:
            name = entry.get(key)
            texts = texts_of({one: held for one, held in entry.items() if one not in _NO_TEXTS})
            for place, text in islice(texts.items(), _MOST):
                yield subject, name if isinstance(name, str) else "", text, is_prose(place, text)
