"""Menus of tools that are sent again with every turn: what the economy that saves most on one would have spared.

Pure. Only sessions that called a tool of the server are known to have had its menu; there it stands at the beginning of
every prompt, which is read from the cache. A session that searched for tools was sent their names only, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from econome.diagnosis.findings import (
    Claim,
    Finding,
    Judgement,
    Unit,
    evidence,
    found,
    not_judged,
    nothing,
)
from econome.diagnosis.norms import needed
from econome.diagnosis.spending import Spent, Thread
from econome.prices.amounts import usd
from econome.usage.detail import ToolCall

__all__ = ["Menu", "heavy_menu"]

_HEAVY = "heavy-menu"

_SEARCH = "ToolSearch"
_FLOOR = 5_000
_NORM = 50


@dataclass(frozen=True, slots=True)
class Menu:
    """What was last measured of a server: its name, as it is and in calls, the tokens of a turn, its best economy."""

    server: str
    called: str
    per_turn: int
    economy: str
    saves: int


@dataclass(slots=True)
class _Sent:
    """A menu as it was sent: in how many turns, and what its economy would have spared of them."""

    menu: Menu
    turns: int = 0
    carried: int = 0
    tokens: int = 0
    atto: int = 0
    priced: bool = field(default=False)


def heavy_menu(
    menus: Sequence[Menu],
    calls: Iterable[ToolCall],
    threads: Mapping[Thread, Sequence[Spent]],
    before: Iterable[ToolCall] = (),
) -> Judgement:
    """Judge the menus of servers that were called, by their last profile (rule 11).

    *before* are calls outside of the period, which may tell that a session searches for its tools.
    """
    if not menus:
        return not_judged(_HEAVY, "no-profile")
    sizes = [menu.per_turn for menu in menus]
    used, threshold = needed("tokens-of-a-menu", _NORM, sizes, _FLOOR)
    heavy = {menu.called: menu for menu in menus if menu.per_turn >= used and menu.saves > 0}
    sessions: dict[str, set[str]] = {}
    here = tuple(calls)
    searching = {call.session for call in (*before, *here) if call.name == _SEARCH}
    for call in here:
        if call.server in heavy and call.session not in searching:
            sessions.setdefault(call.session, set()).add(call.server)
    sent = {name: _Sent(menu) for name, menu in heavy.items()}
    claims: dict[Unit, Claim] = {}
    for session, servers in sessions.items():
        for one in threads.get((session, ""), ()):
            if one.within:
                claim = _claimed(one, [sent[server] for server in sorted(servers)])
                if claim.tokens:
                    claims[one.place] = claim
    if not claims:
        return nothing(_HEAVY, threshold)
    rows = [
        (
            (-of.atto, -of.tokens, of.menu.server),
            (
                of.menu.server, of.menu.per_turn, of.turns, of.carried, of.menu.economy, of.tokens,
                usd(of.atto) if of.priced else None,
            ),
        )
        for of in sent.values() if of.tokens
    ]  # fmt: skip
    columns = (
        ("server", "server"), ("menu", "tokens"), ("turns", "count"), ("carried", "tokens"), ("economy", "economy"),
        ("saved", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    finding = Finding(
        _HEAVY,
        "estimated",
        "low",
        claims,
        {
            "servers": len(rows),
            "menu_tokens": sum(of.menu.per_turn for of in sent.values() if of.tokens),
            "turns": len(claims),
        },
        (evidence("servers", columns, [row for _, row in sorted(rows, key=lambda one: one[0])]),),
    )
    return found(finding, threshold)


def _claimed(one: Spent, sent: Sequence[_Sent]) -> Claim:
    """Count a turn, and claim what the economies would have spared of what it read."""
    room = one.response.cache_read_tokens
    rate = None if one.rates is None else one.rates[2]
    tokens = 0
    for of in sent:
        of.turns += 1
        of.carried += min(of.menu.per_turn, one.response.cache_read_tokens)
        taken = min(of.menu.saves, room)
        room -= taken
        tokens += taken
        of.tokens += taken
        if rate is not None:
            of.priced = True
            of.atto += taken * rate
    return Claim(tokens, None if rate is None else tokens * rate)
