"""What deserves a look before a server is locked: what its texts say to a model, where nothing was locked to compare with.

It reads the value that a lock holds of a server, and of it the texts that a model is shown, what its menu lists too. What it finds is
no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from econome.contract.drift_lists import LISTS
from econome.contract.drift_menus import listed_in
from econome.contract.entries import is_prose, mapping, texts_of
from econome.contract.words import introduced

__all__ = ["Entry", "Seen", "glance", "seen_in"]

_SUBJECTS: Final = {"tools": "tool", "listed": "tool", **LISTS}
_OWN: Final = ("capabilities", "instructions")
_NOTHING: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {}


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that a text says; *kind* and *what* are those of `contract.words`, *subject* and *name* those of a finding."""

    server: str
    subject: str
    name: str
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class Entry:
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
    return seen_in(name, _locked(name, server, tools), known)


def _locked(name: str, server: Mapping[str, Any], tools: Collection[str]) -> Iterator[Entry]:
    """Yield the entries of a server that a lock holds."""
    yield Entry("server", name, texts_of({key: server.get(key) for key in _OWN}), tools)
    for part in _SUBJECTS:
        entries = server.get("menu", {}) if part == "listed" else server
        for entry, body in mapping(entries.get(part)).items():
            yield Entry(part, entry, texts_of(_declared(body)), tools)


def _declared(body: Mapping[str, Any]) -> Any:
    """Return what the author wrote of an entry: of a tool, its declaration and the short text that the library shows."""
    if "declared" not in body:
        return body
    return {"declared": body["declared"], "short": body.get("economy", {}).get("short", "")}


def seen_in(
    server: str,
    entries: Iterable[Entry],
    known: Mapping[tuple[str, str], Mapping[str, str]] = _NOTHING,
) -> list[Seen]:
    """Return what the texts of entries say that *known* ones, by part and name, did not say at the same places; each once."""
    found: dict[Seen, None] = {}
    for entry in entries:
        before = known.get((entry.part, entry.name), {})
        subject = _SUBJECTS.get(entry.part, entry.part)
        for place, text in entry.texts.items():
            for one in introduced(before.get(place, ""), text, tools=entry.others):
                if one.kind != "tool-named" or is_prose(place, text):
                    found[Seen(server, subject, entry.name, one.kind, one.what)] = None
    return list(found)
