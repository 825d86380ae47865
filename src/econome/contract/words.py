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

__all__ = ["Before", "Introduced", "introduced"]


@dataclass(frozen=True, slots=True)
class Introduced:
    """One thing that a text says now: its kind of finding, and what, as the text has it; it may be long and hold anything."""

    kind: Literal["instruction-introduced", "url-introduced", "tool-named", "hidden-text"]
    what: str


class Before:
    """What a text said to a model, looked through once for all texts that are held against it.

    *tools* are the names of other tools, of this and of any other server that is known.
    """

    def __init__(self, text: str, tools: Collection[str] = ()) -> None:
        self._tools = tools
        self._orders = dict(orders(text))
        said = set(addresses(text))
        self._addresses = said | {one.removeprefix("http://") for one in said}
        self._names = set(named(text, tools))
        self._hidden = hidden(text)

    def introduced(self, new: str) -> list[Introduced]:
        """Return what *new* says to a model that was not said before, each once and in the order of the text."""
        found: dict[Introduced, None] = {}
        for key, sentence in orders(new):
            if key not in self._orders and not rephrases(key, self._orders):
                found[Introduced("instruction-introduced", sentence)] = None
        for address in addresses(new):
            if address not in self._addresses:
                found[Introduced("url-introduced", address)] = None
        for name in named(new, self._tools):
            if name not in self._names:
                found[Introduced("tool-named", name)] = None
        for what, number in hidden(new).items():
            if number > self._hidden[what]:
                found[
                    Introduced("hidden-text", f"{what}, {number} of them" if number > 1 else what)
                ] = None
        return list(found)


def introduced(old: str, new: str, *, tools: Collection[str] = ()) -> list[Introduced]:
    """Return what *new* says to a model that *old* did not: see `Before`."""
    return [] if old == new else Before(old, tools).introduced(new)
