"""The page that says what a run found: `docs/lock-bench.md`, written whole each time."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from bench.lock.locking import Locked
from bench.lock.peers import PEERS
from bench.lock.speed import BARE, SPARE, TOGETHER, Speed
from bench.lock.upgrading import Upgrade
from bench.pages import Bar, bar_parts, joined, table
from econome.contract.findings import SEVERITIES

__all__ = ["MOST_ADDED_S", "Found", "bars", "page"]

MOST_ADDED_S = 0.5
"""A check of the large server may add so much to what a bare client takes."""

_LEAST_SERVERS = 10

_HEAD = """# Locks, measured

Locks of real public MCP servers, real upgrades of them, and the time of a check. `make bench-lock` installs the servers at
fixed versions, runs all of it and writes this page. Nothing here was chosen by how well it would do: the servers are those of
[lean-bench.md](lean-bench.md) and others that start without an account, a key or the network.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """All that one run of the bench found."""

    locked: tuple[Locked, ...]
    upgrades: tuple[Upgrade, ...]
    speed: Speed | None


def bars(found: Found) -> list[Bar]:
    """Return the bars of a run, those of time only where time was measured."""
    differ = [one.server.name for one in found.locked if one.differ]
    wrong = [name for one in found.upgrades for name in (*one.untold, *one.groundless)]
    odd = [name for one in found.upgrades for name in one.misjudged]
    tried = [one for upgrade in found.upgrades for one in upgrade.tried if one.named]
    held = [one for one in tried if one.holds]
    made = [
        Bar("servers locked", str(len(found.locked)), f"at least {_LEAST_SERVERS}",
            len(found.locked) >= _LEAST_SERVERS),
        Bar("servers whose two locks differ", str(len(differ)), "none", not differ),
        Bar("tools of upgrades that differ and are not told, or are told and do not differ",
            str(len(wrong)), "none", not wrong),
        Bar("calls that reports show and a JSON Schema library judges otherwise",
            f"{len(odd)} of {sum(one.witnesses for one in found.upgrades)}", "none", not odd),
        Bar("refused calls of reports, made to both real servers, that were as told",
            f"{len(held)} of {len(tried)}", "all", len(held) == len(tried)),
    ]  # fmt: skip
    if found.speed is not None:
        added = found.speed.added()
        name = f"seconds that a check of {found.speed.tools} tools adds to a bare client"
        made.append(Bar(name, f"{added:.2f}", f"less than {MOST_ADDED_S}", added < MOST_ADDED_S))
    return made


def page(found: Found) -> str:
    """Return the whole page."""
    parts = [_HEAD, *bar_parts(bars(found)), *_locked(found), *_upgrades(found), *_tried(found)]
    parts += [*_speed(found), *_how(found)]
    return joined(parts)


def _locked(found: Found) -> Iterator[str]:
    yield "## Locks\n"
    yield (
        "Each server is locked twice, by processes of their own; the second time folder, time zone, language and the seed of "
        "hashes are others (but the zone for servers whose texts name it). Tokens are the whole menu's, counted with `features-v1`, an estimate. *Others* are prompts, "
        "resources and templates. *Seconds* is the whole command, the start of the server included.\n"
    )
    rows = [
        (
            one.server.name,
            f"{one.server.package} {one.server.now}",
            one.risk,
            "yes" if not one.differ else f"**no**: {', '.join(one.differ[:4])}",
            f"{one.tools}",
            f"{one.others}",
            f"{one.tokens:,}",
            f"{one.size:,}",
            f"{one.seconds:.2f}",
        )
        for one in found.locked
    ]
    head = (
        "server",
        "package",
        "class",
        "same bytes",
        "tools",
        "others",
        "tokens",
        "bytes",
        "seconds",
    )
    yield table(head, rows, 4)


def _upgrades(found: Found) -> Iterator[str]:
    yield "## Upgrades\n"
    yield (
        "The earlier version is locked, the present one checked. *Differ* counts the tools whose entries in the two lists are "
        "not the same, found by comparing these as plain JSON, in code that shares nothing with the check; each has to be "
        "told, and nothing else may be.\n"
    )
    rows = []
    for one in found.upgrades:
        counts = [f"{one.count(severity)}" for severity in SEVERITIES]
        differ = {each["name"] for each in one.findings if each["subject"] == "tool"}
        names = len((differ | set(one.untold)) - set(one.groundless))
        versions = f"{one.server.before} → {one.server.now}"
        menu = f"{one.tokens[0]:,} → {one.tokens[1]:,}"
        rows.append((one.server.name, versions, f"{names}", *counts, menu, f"{one.seconds:.2f}"))
    head = ("server", "versions", "differ", *SEVERITIES, "tokens", "seconds")
    yield table(head, rows, 2)
    told = []
    for one in found.upgrades:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(one.kinds().items()))
        told.append(f"- {one.server.name}: {kinds or 'none'}.")
    yield "\n".join(("What the findings are:\n", *told))


def _tried(found: Found) -> Iterator[str]:
    tried = [(up.server.name, one) for up in found.upgrades for one in up.tried]
    if not tried:
        return
    yield "## Refused calls, made\n"
    yield (
        "Each call that a report shows as refused was made to both real servers, of those whose calls touch nothing but the "
        "bench's own folders. A call counts as refused where the error is the one by which the server's library refuses "
        "arguments; any other error means that the arguments were taken. *Unnamed* are tools for which the earlier list named no "
        "arguments at all: it accepts such a call, whatever the server does, and a check knows the list alone.\n"
    )
    rows = []
    for name in dict.fromkeys(name for name, _ in tried):
        own = [one for whose, one in tried if whose == name]
        counts = (
            len(own),
            sum(not one.before for one in own),
            sum(one.now for one in own),
            sum(one.holds for one in own),
            sum(not one.holds and not one.named for one in own),
        )
        odd = ", ".join(one.tool for one in own if not one.holds and one.named)
        rows.append((name, odd or "none", *map(str, counts)))
    head = ("server", "not as told", "calls", "taken before", "refused now", "as told", "unnamed")
    yield table(head, rows, 2)


def _speed(found: Found) -> Iterator[str]:
    speed = found.speed
    if speed is None:
        return
    yield "## Time\n"
    peers = ", ".join(f"{peer.name} {peer.version}" for peer in PEERS)
    yield (
        f"A made-up server of {speed.tools} tools (the lock has {speed.size:,} bytes), in nothing but the standard library, "
        "so that its own time is small. Seconds are those of whole commands, the start of Python and of the server included; "
        f"medians of {len(speed.ways[0].seconds)} rounds in which all take turns, the slowest state in every {SPARE}th alone. "
        "*Busy* is how long processors worked, which other work of the machine does not lengthen; *exit* is the status that the command "
        f"ends with. *Times* is against the {BARE}, twenty "
        f"lines that greet, list and read. {peers} are public tools that keep a list and compare it. Machines differ: the "
        "seconds are this run's, the shares say more.\n"
    )
    rows = []
    for way in speed.ways:
        bare = next(one for one in speed.ways if (one.name, one.state) == (BARE, way.state))
        times = way.median / bare.median
        added = way.median - bare.median
        busy = statistics.median(way.busy)
        cells = (
            f"{way.median:.2f}",
            f"{added:.2f}",
            f"{times:.1f}",
            f"{busy:.2f}",
            f"{way.status}",
        )
        rows.append((way.name, way.state, *cells))
    yield table(("command", "server", "seconds", "added", "times", "busy", "exit"), rows, 2)
    at_once, in_turn = (sorted(each)[len(each) // 2] for each in (speed.at_once, speed.in_turn))
    yield (
        f"Five real servers ({', '.join(TOGETHER)}) as one configuration take {at_once:.2f} s, one after another "
        f"{in_turn:.2f} s; the slowest of them alone {speed.slowest:.2f} s."
    )


def _how(found: Found) -> Iterator[str]:
    yield "## The set\n"
    npm = sum(one.server.npm for one in found.locked)
    yield (
        f"{len(found.locked)} servers, {npm} of npm and {len(found.locked) - npm} of PyPI. The home, the data folder and the "
        f"environment of each are the bench's own. Python {platform.python_version()}."
    )
