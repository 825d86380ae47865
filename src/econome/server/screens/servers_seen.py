"""What is known of each server, from whatever knows it: what was measured, what the proxy counted, what transcripts show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econome.contract.measured import Checked, Known, LockState, Measured

__all__ = ["Counts", "Proxied", "Seen", "Sights", "seen"]

Counts = Mapping[str, Mapping[str, Any]]
"""What transcripts show of the tools of one server, by the tool's name."""


@dataclass(frozen=True, slots=True)
class Proxied:
    """The figures of one server in the lean ledger, all counted by one *method*."""

    method: str
    estimate: bool
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """One server; *called* is None as long as transcripts were not read."""

    name: str
    known: Known | None = None
    proxied: tuple[Proxied, ...] = ()
    called: Counts | None = None

    @property
    def measured(self) -> Measured | None:
        """Its last profile."""
        return None if self.known is None else self.known.measured

    @property
    def locks(self) -> tuple[LockState, ...]:
        """How its locks stand, the one last used first."""
        return () if self.known is None else self.known.locks

    @property
    def checked(self) -> Checked | None:
        """What the last check of the lock last used said."""
        return self.locks[0].checked if self.locks else None

    @property
    def empty(self) -> bool:
        """Whether nothing is known of it."""
        return self.known is None and not self.proxied and not self.called


@dataclass(frozen=True, slots=True)
class Sights:
    """Every server that is known of; transcripts are *pending*, or cannot be read for a *reason*.

    *tokenizer* is the one that most menus were measured by, empty where none was: only those are drawn together.
    """

    servers: tuple[Seen, ...]
    pending: bool = False
    reason: str = ""
    tokenizer: str = ""

    def of(self, name: str) -> Seen:
        """Return what is known of one."""
        return next((one for one in self.servers if one.name == name), Seen(name))

    @property
    def alike(self) -> tuple[tuple[Seen, Measured], ...]:
        """The servers whose menus were measured by the tokenizer of most."""
        return tuple(
            (one, one.measured)
            for one in self.servers
            if one.measured is not None and one.measured.tokenizer == self.tokenizer
        )


def seen(
    known: Sequence[Known],
    lean: Mapping[str, Any],
    called: Mapping[str, Counts] | None,
    *,
    pending: bool = False,
    reason: str = "",
) -> Sights:
    """Return every server, the dearest menu first, then by name; *called* has the tools of each by the server's name."""
    by_name = {one.server: one for one in known}
    proxied: dict[str, list[Proxied]] = {}
    for method in lean["methods"]:
        for row in method["servers"]:
            proxied.setdefault(row["server"], []).append(
                Proxied(method["method"], method["estimate"], row)
            )
    names = by_name.keys() | proxied.keys() | (called or {}).keys()
    servers = [
        Seen(
            name,
            by_name.get(name),
            tuple(proxied.get(name, ())),
            None if called is None else called.get(name, {}),
        )
        for name in names
    ]
    servers.sort(key=_rank)
    return Sights(tuple(servers), pending, reason, _usual(known))


def _rank(one: Seen) -> tuple[bool, int, str]:
    tokens = 0 if one.measured is None else one.measured.per_turn
    return one.measured is None, -tokens, one.name


def _usual(known: Sequence[Known]) -> str:
    methods = [one.measured.tokenizer for one in known if one.measured is not None]
    return min(methods, key=lambda name: (-methods.count(name), name), default="")
