"""What a text now says to a model that it did not say before: orders, addresses, names of other tools, and what nobody sees.

It looks for what is new, sentence by sentence and name by name, and judges nothing else: a hint that reads otherwise is no
order. It finds wording that attacks were seen to use and is no proof that a text is harmless.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from econome.contract.addresses import addresses
from econome.contract.hidden import hidden
from econome.contract.named import named
from econome.contract.orders import orders, rephrases

__all__ = ["Introduced", "introduced"]


@dataclass(frozen=True, slots=True)
class Introduced:
    """One thing that a text says now: its kind of finding, and what, as the text has it; it may be long and hold anything."""

    kind: Literal["instruction-introduced", "url-introduced", "tool-named", "hidden-text"]
    what: str


def introduced(old: str, new: str, *, tools: Collection[str] = ()) -> list[Introduced]:
    """Return what *new* says to a model that *old* did not, each once and in the order of the text.

    *tools* are the names of other tools, of this and of any other server that is known.
    """
    if old == new:
        return []
    found: dict[Introduced, None] = {}
    known = dict(orders(old))
    for key, sentence in orders(new):
        if key not in known and not rephrases(key, known):
            found[Introduced("instruction-introduced", sentence)] = None
    before = set(addresses(old))
    before |= {one.removeprefix("http://") for one in before}
    for address in addresses(new):
        if address not in before:
            found[Introduced("url-introduced", address)] = None
    names = set(named(old, tools))
    for name in named(new, tools):
        if name not in names:
            found[Introduced("tool-named", name)] = None
    unseen = hidden(old)
    for what, number in hidden(new).items():
        if number > unseen[what]:
            found[
                Introduced("hidden-text", f"{what}, {number} of them" if number > 1 else what)
            ] = None
    return list(found)
