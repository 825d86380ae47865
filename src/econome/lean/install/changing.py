"""Sends a client's entries through the proxy, and gives them back: the two use cases, and what there is to change.

It starts no server, ever. Only the bytes of the one entry are replaced; a file that is not what was read, or an entry that
is not what was shown or written, is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from econome.errors import ConfigRefused
from econome.lean.install.entries import Entry, LeftAlone, read_entry
from econome.lean.install.login import Ask, refuse_login
from econome.lean.install.originals import Original, Originals
from econome.lean.install.places import Place
from econome.lean.install.spans import Document, Member, blanked
from econome.lean.install.swap import read_file, replace_file

__all__ = ["SCHEMA", "Changes", "Found", "State", "Survey"]

State = Literal["direct", "proxied", "changed", "alone", "gone"]
"""How an entry stands: it can go through the proxy, it does, it does and was edited since, it is better left alone, or an
original is kept of it and it is no longer there."""

SCHEMA = "econome.clients/1"

_NOT_OURS = "it goes through the proxy, and its original is not kept in this data directory"
_CHANGED = "{name}: its entry changed since it was looked at; nothing was written, try again"
_EDITED = "its entry was edited since it goes through the proxy; the original is kept in {kept}"
_GONE = "its entry is gone; the original is kept in {kept}"


@dataclass(frozen=True, slots=True)
class Found:
    """An entry of a client; `text` is what stands there, to the letter, and `told` what it starts or reaches."""

    place: Place
    name: str
    state: State
    text: str
    told: str
    reason: str = ""
    entry: Entry | None = None
    original: Original | None = None


@dataclass(slots=True)
class Survey:
    """What was found, and which files could not be read."""

    found: list[Found] = field(default_factory=list)
    faults: list[ConfigRefused] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        """Return what `econome proxy list --json` prints: schema `econome.clients/1`."""
        rows = [
            {
                "client": each.place.client,
                "path": each.place.path,
                "name": each.name,
                "state": each.state,
                "reason": each.reason or None,
                "told": each.told or None,
            }
            for each in self.found
        ]
        return {"schema": SCHEMA, "entries": rows, "faults": [str(each) for each in self.faults]}


class Changes:
    """Changes entries on behalf of one data directory; *program* is what starts econome, *options* are the proxy's."""

    def __init__(
        self,
        originals: Originals,
        program: Sequence[str],
        options: Sequence[str] = (),
        ask: Ask = refuse_login,
    ) -> None:
        self.originals = originals
        self._program, self._options, self._ask = program, options, ask

    def look(self, places: Iterable[Place]) -> Survey:
        """Return every entry in *places*; a file that is not there has none."""
        survey = Survey()
        for place in places:
            try:
                survey.found += self._look(place)
            except ConfigRefused as error:
                if str(error) not in map(str, survey.faults):
                    survey.faults.append(error)
        return survey

    def overview(self, places: Sequence[Place]) -> Survey:
        """Return every entry in *places*, and those elsewhere of which an original is kept."""
        survey = self.look(places)
        seen = {(each.place.path, each.place.keys, each.name) for each in survey.found}
        for original in self.originals.all():
            path, keys, name = original.path, original.keys, original.name
            if (path, keys, name) in seen:
                continue
            place = Place(original.client, path, keys, original.comments, foreign=True)
            there = self.look([place])
            survey.faults += there.faults
            found = [each for each in there.found if each.name == name]
            reason = _GONE.format(kept=self.originals.path_of(path, keys, name))
            gone = Found(place, name, "gone", "", _told(original), reason, original=original)
            survey.found += found or ([] if there.faults else [gone])
        return survey

    def _look(self, place: Place) -> list[Found]:
        document = _document(place.path, place.comments)
        if document is None:
            return []
        members = _members(document, place.path, place.keys)
        return [self._found(place, document, member) for member in members]

    def _found(self, place: Place, document: Document, member: Member) -> Found:
        text = document.text_of(member)
        original = self.originals.find(place.path, place.keys, member.key)
        facts = place, member.key
        try:
            entry = read_entry(document.plain_text_of(member))
        except LeftAlone as error:
            return Found(*facts, "alone", text, "", str(error))
        told = entry.told()
        if original is not None and entry.same(read_entry(original.written)):
            return Found(*facts, "proxied", text, _told(original), "", entry, original)
        if original is not None and entry.goes_through():
            reason = _EDITED.format(kept=self.originals.path_of(place.path, place.keys, member.key))
            return Found(*facts, "changed", text, told, reason, entry, original)
        try:
            entry.through(self._program, member.key, self._options)
        except LeftAlone as error:
            reason = _NOT_OURS if entry.goes_through() else str(error)
            return Found(*facts, "alone", text, told, reason, entry)
        return Found(*facts, "direct", text, told, "", entry, original)

    def install(self, found: Found, at: str = "") -> Original:
        """Send an entry through the proxy; return what was kept of it. *at* is the instant to note.

        Raises:
            LeftAlone: it is better left as it is.
            ConfigRefused: the file, or the entry in it, is not what was looked at, or cannot be replaced.
        """
        place, entry = found.place, found.entry
        if entry is None or found.state != "direct":
            raise LeftAlone(found.reason or "it already goes through the proxy")
        written = entry.through(self._program, found.name, self._options)
        url = entry.url
        if url is not None and not entry.has_headers and "${" not in url:
            self._ask(url)
        document, member = self._there(place.path, place.keys, found.name, place.comments)
        if document is None or member is None or document.text_of(member) != found.text:
            raise ConfigRefused(place.path, _CHANGED.format(name=found.name))
        original = Original(
            client=place.client,
            path=place.path,
            keys=place.keys,
            name=found.name,
            original=found.text,
            written=written,
            comments=place.comments,
            at=at,
        )
        self.originals.keep(original)
        try:
            _replace(place.client, place.path, document, member, written)
        except ConfigRefused:
            self.originals.forget(original)
            raise
        return original

    def uninstall(self, original: Original) -> bool:
        """Put an entry back as it was, to the byte; return False where it was back already.

        Raises:
            ConfigRefused: the entry was edited since or is gone, or the file cannot be replaced.
        """
        path, name = original.path, original.name
        document, member = self._there(path, original.keys, name, original.comments)
        kept = self.originals.path_of(path, original.keys, name)
        if document is None or member is None:
            raise ConfigRefused(path, f"{name}: {_GONE.format(kept=kept)}")
        back = document.text_of(member) == original.original
        if not back:
            try:
                same = read_entry(document.plain_text_of(member)).same(read_entry(original.written))
            except LeftAlone:
                same = False
            if not same:
                raise ConfigRefused(path, f"{name}: {_EDITED.format(kept=kept)}")
            _replace(original.client, path, document, member, original.original)
        self.originals.forget(original)
        return not back

    def _there(
        self, path: str, keys: Sequence[str], name: str, comments: bool
    ) -> tuple[Document | None, Member | None]:
        """Return the file as it is now and where an entry is in it."""
        document = _document(path, comments)
        if document is None:
            return None, None
        members = _members(document, path, keys)
        return document, next((member for member in members if member.key == name), None)


def _told(original: Original) -> str:
    try:
        return read_entry(_document_text(original)).told()
    except LeftAlone:
        return ""


def _document_text(original: Original) -> str:
    """Return the text of an original without comments."""
    return blanked(original.original) if original.comments else original.original


def _document(path: str, comments: bool) -> Document | None:
    data = read_file(path)
    if data is None or not data.strip():
        return None
    try:
        return Document(data, comments=comments)
    except ValueError as error:
        raise ConfigRefused(path, str(error)) from None


def _members(document: Document, path: str, keys: Sequence[str]) -> list[Member]:
    try:
        return document.members(keys)
    except ValueError as error:
        raise ConfigRefused(path, str(error)) from None


def _replace(client: str, path: str, document: Document, member: Member, text: str) -> None:
    new = document.replaced(member, text)
    replace_file(path, document.data, new, locked=client.startswith("claude-code"))
