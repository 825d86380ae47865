"""The pages of MCP servers: what was last measured of them, what the proxy counted, what transcripts show.

Transcripts take long at first: they are read in the other thread of the desk, and until then the page says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from econome.contract.kept import kept, kept_stamp
from econome.contract.weighed import Weighed, claude_name, weighed
from econome.errors import EconomeError
from econome.savings.lean import lean_report, lean_stamp
from econome.savings.question import Question
from econome.server.desk import Pending
from econome.server.screens.servers_all import all_figures
from econome.server.screens.servers_one import one_figures
from econome.server.screens.servers_seen import Counts, Seen, Sights, seen
from econome.server.screens.servers_words import Words
from econome.server.screens.visit import Screen, Visit, missing

__all__ = ["screen"]

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.@-]+")


@dataclass(slots=True)
class _Reading:
    """What was read of transcripts the last time, and for which state of them the next is asked for."""

    found: Weighed | None = None
    asked: object = None


def screen(visit: Visit) -> Screen:
    """Return the page of all servers, or of the one that the address names."""
    sights = _sights(visit)
    name = visit.rest or visit.state.get("id")
    if not name:
        return _all(visit, sights)
    one = sights.of(name)
    if one.empty and not sights.pending:
        reason = visit.telling.text("Nothing was measured of a server of this name.")
        return missing(visit, reason)
    return _one(visit, sights, one)


def _sights(visit: Visit) -> Sights:
    desk, directory = visit.desk, visit.desk.settings.data_dir
    known = desk.kept("servers kept", kept_stamp(directory), lambda: kept(directory))
    today, zone = visit.moment.today, visit.moment.zone
    lean = desk.kept(
        "servers lean",
        (lean_stamp(desk.settings), today),
        lambda: lean_report(desk.settings, Question(), zone, today),
    )
    try:
        found, pending = _weighed(visit)
    except EconomeError as error:
        return seen(known, lean, None, reason=str(error))
    names = [*(one.server for one in known)]
    names += [row["server"] for method in lean["methods"] for row in method["servers"]]
    called = None if found is None else _called(found, names)
    return seen(known, lean, called, pending=pending)


def _weighed(visit: Visit) -> tuple[Weighed | None, bool]:
    """Return what transcripts show, that of before where what is new is still being read, and whether it is.

    What is being read is read to its end before anything newer is asked for, so that a session that grows meanwhile
    does not keep the page waiting for ever.
    """
    desk, zone = visit.desk, visit.moment.zone
    settings = desk.settings
    with desk.tree() as tree:
        stamp = tuple(tree.roots), tree.scanned_at
    reading = desk.kept("servers reading", None, _Reading)
    roots = settings.roots()

    def work() -> Weighed:
        return weighed(roots, settings.data_dir, zone=zone)

    for asked in dict.fromkeys((reading.asked or stamp, stamp)):
        reading.asked = asked
        found = desk.later("servers weighed", asked, work)
        if isinstance(found, Pending):
            return reading.found, True
        reading.found = found
    return reading.found, False


def _called(found: Weighed, names: Iterable[str]) -> Mapping[str, Counts]:
    """Return the tools that were called, by the name of their server; one that Claude Code writes otherwise has its own."""
    own = {}
    for name in sorted(set(names), reverse=True):
        own[claude_name(name)] = name
    own |= {name: name for name in names if claude_name(name) == name}
    return {own.get(server, server): tools for server, tools in found.by_server().items()}


def _all(visit: Visit, sights: Sights) -> Screen:
    told = visit.telling
    figures = all_figures(sights, told, visit.state)
    alike = [found for _, found in sights.alike]
    states = [one.locks[0] for one in sights.servers if one.locks]
    words = Words(told)
    return Screen(
        "servers",
        told.text("Servers"),
        figures,
        {
            "one": None,
            "pending": sights.pending,
            "reason": sights.reason,
            "any": bool(sights.servers),
            "measured": len(alike),
            "per_turn": sum(found.per_turn for found in alike) if alike else None,
            "deferred": sum(found.deferred for found in alike) if alike else None,
            "tools": sum(found.tools for found in alike) if alike else None,
            "method": words.method(
                sights.tokenizer, estimate=any(found.estimate for found in alike)
            ),
            "locks": len(states),
            "holding": sum(state.outcome == "holds" for state in states),
        },
        manual="servers",
    )


def _one(visit: Visit, sights: Sights, one: Seen) -> Screen:
    told = visit.telling
    words = Words(told)
    context: dict[str, Any] = {
        "one": one,
        "pending": sights.pending,
        "reason": sights.reason,
        "measured": one.measured,
        "lock": words.outcome(one.locks[0] if one.locks else None),
        "locked": bool(one.locks),
        "place": "" if one.known is None else one.known.place,
        "named": one.name if _PLAIN.fullmatch(one.name) else "NAME",
        "words": words,
    }
    return Screen(
        "servers", one.name, one_figures(one, told, visit.state), context, manual="servers"
    )
