"""One thing that two locks hold, of which differences are told, and what is told of its texts alike wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from econome.contract.entries import differing, is_prose, mapping, same
from econome.contract.findings import Finding
from econome.contract.shown import given, shown
from econome.contract.words import Before

__all__ = ["About"]

_SAYS: Final = {
    "instruction-introduced": "tells the model: “{what}”.",
    "url-introduced": "names the address `{what}`.",
    "tool-named": "names the tool `{what}`.",
    "hidden-text": "holds what nobody sees: {what}.",
}


@dataclass(frozen=True, slots=True)
class About:
    """What findings are about: see `Finding`. *tools* are the names of all tools that are known, of any server."""

    server: str
    subject: str
    name: str
    tools: frozenset[str] = frozenset()
    old_tokens: int | None = None
    new_tokens: int | None = None

    def tells(
        self,
        kind: str,
        text: str,
        where: str = "",
        *,
        old: Any = None,
        new: Any = None,
        witness: Any = None,
        regression: bool = False,
    ) -> Finding:
        """Return a finding about it."""
        return Finding(
            kind=kind,
            server=self.server,
            subject=self.subject,
            name=self.name,
            text=text,
            where=where,
            old=old,
            new=new,
            witness=witness,
            old_tokens=self.old_tokens,
            new_tokens=self.new_tokens,
            regression=regression,
        )

    def says(self, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Finding]:
        """Yield what its texts, each by its place, say to a model now and none of the old ones said; each thing once."""
        known, told = set(old.values()), set()
        fresh: dict[str, str] = {}
        for place, text in sorted(new.items()):
            if text not in known:
                fresh.setdefault(text, place)
        if not fresh:
            return
        before = Before("\n\n".join(old[place] for place in sorted(old)), self.tools)
        begins = "It now" if old else "It is new and"
        for text, place in fresh.items():
            for one in before.introduced(text):
                if one.kind == "tool-named" and not is_prose(place, text):
                    continue
                if (one.kind, one.what) not in told and one.what != self.name:
                    told.add((one.kind, one.what))
                    says = _SAYS[one.kind].format(what=shown(one.what))
                    regression = one.kind != "tool-named"
                    yield self.tells(
                        one.kind, f"{begins} {says}", place, new=one.what, regression=regression
                    )

    def rest(self, old: Any, new: Any) -> Iterator[Finding]:
        """Yield what differs between two values of it of which nothing else was told."""
        found = list(differing(mapping(old), mapping(new)))
        if found:
            yield from self.details(found)
        elif not same(old, new):
            yield self.tells("detail-changed", "It is written otherwise.", old=old, new=new)

    def details(self, differences: Iterable[tuple[str, Any, Any]]) -> Iterator[Finding]:
        """Yield a finding for each place that differs and has no kind of its own."""
        for place, old, new in differences:
            text = f"`{shown(place)}` was {given(old)} and is {given(new)}."
            yield self.tells("detail-changed", text, place, old=old, new=new)
