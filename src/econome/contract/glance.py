"""What the texts of a server say to a model: of one that is locked what they did not say before, of one that is looked at all.

It reads every text that a model may be shown, wherever it stands, and leaves the finding of wording to `words.py`. What it finds is
no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from econome.contract.captured import Captured
from econome.contract.costs import name_of
from econome.contract.drift_menus import listed_in
from econome.contract.entries import is_prose, mapping, texts_of
from econome.contract.words import introduced

__all__ = ["Seen", "glance", "told_of"]

_SUBJECTS: Final = {
    "tools": "tool",
    "listed": "tool",
    "prompts": "prompt",
    "resources": "resource",
    "templates": "template",
}
_META: Final = "_meta"


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that a text says; *kind* and *what* are those of `contract.words`, *subject* and *name* those of a finding."""

    server: str
    subject: str
    name: str
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of a server with its texts by their places; *part* says where it stands, *others* which tools it may name."""

    part: str
    name: str
    texts: Mapping[str, str]
    others: Collection[str]


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
    known = {(one.part, one.name): one.texts for one in _locked(name, held, tools)}
    known |= {("listed", of): texts_of(one) for of, one in listed_in(held).items()}
    return _seen(name, _locked(name, server, tools), known)


def told_of(captured: Captured) -> list[Seen]:
    """Return what the texts of a server say to a model, each once; a text may not name its tools beside the own."""
    return _seen(captured.name, _told(captured), {})


def _locked(name: str, server: Mapping[str, Any], tools: Collection[str]) -> Iterator[_Entry]:
    """Yield the entries of a server that a lock holds."""
    yield _Entry("server", name, {"/instructions": str(server.get("instructions", ""))}, tools)
    for part in _SUBJECTS:
        entries = server.get("menu", {}) if part == "listed" else server
        for entry, body in mapping(entries.get(part)).items():
            yield _Entry(part, entry, texts_of(_declared(body)), tools)


def _declared(body: Mapping[str, Any]) -> Any:
    """Return what the author wrote of an entry: of a tool, its declaration and the short text that the library shows."""
    if "declared" not in body:
        return body
    return {"declared": body["declared"], "short": body.get("economy", {}).get("short", "")}


def _told(captured: Captured) -> Iterator[_Entry]:
    """Yield the entries of a server as it told them; an entry of its menu that is no tool may stand for all of them."""
    names = {name_of(tool) for tool in captured.tools} - {""}
    shorts = {
        name: one["short"]
        for name, one in captured.economies.items()
        if isinstance(one, Mapping) and isinstance(one.get("short"), str)
    }
    yield _Entry("server", captured.name, {"/instructions": captured.instructions}, names)
    listed = () if captured.menu is captured.tools else captured.menu
    for part, entries, key in (
        ("tools", captured.tools, "name"),
        ("listed", listed, "name"),
        ("prompts", captured.prompts, "name"),
        ("resources", captured.resources, "uri"),
        ("templates", captured.templates, "uriTemplate"),
    ):
        for entry in entries:
            name = entry.get(key)
            name = name if isinstance(name, str) else ""
            texts = texts_of({each: entry[each] for each in entry if each not in (key, _META)})
            others: Collection[str] = names
            if part == "tools":
                texts, others = {**texts, "/short": shorts.get(name, "")}, names - {name}
            elif part == "listed":
                others = names - {name} if name in names else ()
            yield _Entry(part, name, texts, others)


def _seen(
    server: str, entries: Iterable[_Entry], known: Mapping[tuple[str, str], Mapping[str, str]]
) -> list[Seen]:
    """Return what the texts of entries say that *known* ones, which stood at the same places, did not."""
    found: dict[Seen, None] = {}
    for entry in entries:
        before = known.get((entry.part, entry.name), {})
        subject = _SUBJECTS.get(entry.part, entry.part)
        for place, text in entry.texts.items():
            for one in introduced(before.get(place, ""), text, tools=entry.others):
                if one.kind != "tool-named" or is_prose(place, text):
                    found[Seen(server, subject, entry.name, one.kind, one.what)] = None
    return list(found)
