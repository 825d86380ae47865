"""How long a check of a large server takes, as a user waits for it, and what a bare client takes for the same list."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.lock.commands import ECONOME, Ran, check, lock, run
from bench.lock.peers import PEERS, install_peers, keep_words, words
from bench.lock.servers import SERVERS, Places, command, environment

__all__ = ["BARE", "SPARE", "TOGETHER", "Speed", "Way", "measure"]

BARE = "bare client"
SPARE = 5
"""The slow state is measured in one round of so many."""

TOGETHER = ("filesystem", "memory", "thinking", "git", "time")
"""The servers that are checked at once and one after another."""

_REPOSITORY = Path(__file__).resolve().parent.parent.parent
_MANY = _REPOSITORY / "tests" / "contract" / "many.py"
_BARE = Path(__file__).with_name("bare.py")
_SLOW = "all"
_CHANGES = ("none", "texts", _SLOW)
_STATES = {
    "none": "nothing changed",
    "texts": "every text changed",
    "all": "every schema and text changed",
}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask the large server, in one state of it: the seconds of each round, those processors worked, and how it ended."""

    name: str
    state: str
    seconds: tuple[float, ...]
    busy: tuple[float, ...]
    status: int

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return statistics.median(self.seconds)


@dataclass(frozen=True, slots=True)
class Speed:
    """All that was measured: the ways, how many bytes the large server lists, and five servers at once and in turn."""

    ways: tuple[Way, ...]
    tools: int
    size: int
    at_once: tuple[float, ...]
    in_turn: tuple[float, ...]
    slowest: float
    """What the slowest of the five takes alone."""

    def way(self, name: str, state: str = "none") -> Way:
        """Return the measured way of that name and state."""
        return next(one for one in self.ways if (one.name, one.state) == (name, _STATES[state]))

    def added(self, state: str = "none") -> float:
        """Return how many seconds a check takes beyond the bare client, round by round."""
        ours, bare = self.way("econome lock --check", state), self.way(BARE, state)
        pairs = zip(ours.seconds, bare.seconds, strict=True)
        return statistics.median(own - least for own, least in pairs)


def _server(change: str) -> list[str]:
    return [sys.executable, str(_MANY), "--changed", change]


def _environment(home: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def measure(places: Places, rounds: int) -> Speed:
    """Measure all ways in turn, round by round, the first one changing.

    Raises:
        SystemExit: something did not run.
    """
    home = places.home / "speed"
    home.mkdir(parents=True, exist_ok=True)
    given = _environment(home)
    install_peers(places.installed)
    commands = _commands(places, home, given)
    taken: dict[tuple[str, str], list[Ran]] = {key: [] for key in commands}
    statuses: dict[tuple[str, str], int] = {}
    keys = list(commands)
    for number in range(rounds + 1):
        turn = number % len(keys)
        for key in (*keys[turn:], *keys[:turn]):
            if key[1] == _SLOW and number % SPARE != 1:
                continue
            ran = run(commands[key], given, home)
            statuses[key] = ran.status
            if number:  # the first round warms what is read from disk
                taken[key].append(ran)
    asked = json.loads((home / "many.lock").read_text(encoding="utf-8"))
    tools = len(asked["servers"]["many"]["tools"])
    ways = tuple(
        Way(
            name,
            _STATES[change],
            tuple(ran.seconds for ran in taken[name, change]),
            tuple(ran.busy for ran in taken[name, change]),
            statuses[name, change],
        )
        for name, change in keys
    )
    at_once, in_turn, slowest = _together(places, max(3, rounds // 3))
    size = (home / "many.lock").stat().st_size
    return Speed(ways, tools, size, at_once, in_turn, slowest)


def _commands(
    places: Places, home: Path, given: Mapping[str, str]
) -> dict[tuple[str, str], Sequence[str]]:
    """Keep the large server in every way there is, and return the commands that compare with that."""
    file = home / "many.lock"
    file.unlink(missing_ok=True)
    made = lock("many", _server("none"), file, given, home)
    if made.status != 0:
        raise SystemExit(f"the large server: {made.error[-500:]}")
    own = [*ECONOME, "--check", "--lock", str(file)]
    found: dict[tuple[str, str], Sequence[str]] = {}
    for change in _CHANGES:
        found[BARE, change] = [sys.executable, str(_BARE), *_server(change)]
        found["econome lock --check", change] = [*own, "--name", "many", "--", *_server(change)]
    for peer in PEERS:
        kept = run(keep_words(peer, places.installed, _server("none"), home), given, home)
        if kept.status != 0:
            raise SystemExit(f"{peer.name}: {kept.error[-500:]}")
        called = f"{peer.name} {peer.version}"
        found[called, "none"] = words(peer, places.installed, _server("none"), home)
    return found


def _together(places: Places, rounds: int) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Check five real servers as one configuration, and one after another."""
    chosen = [server for server in SERVERS if server.name in TOGETHER]
    config = places.home / "together.json"
    entries = {}
    for server in chosen:
        program, *arguments = command(server, "now", places)
        variables = environment(server, places)
        entries[server.name] = {"command": program, "args": arguments, "env": variables}
    config.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    given = environment(chosen[0], places)
    file = places.home / "together.lock"
    file.unlink(missing_ok=True)
    own = [*ECONOME, "--lock", str(file)]
    whole = ["--config", str(config), "--yes"]
    made = run([*own, *whole], given, places.home)
    if made.status != 0:
        raise SystemExit(f"five servers: {made.error[-500:]}")
    at_once, in_turn, slowest = [], [], []
    for _ in range(rounds):
        ran = run([*own, "--check", *whole], given, places.home)
        if ran.status != 0:
            raise SystemExit(f"five servers: status {ran.status}: {ran.error[-500:]}")
        at_once.append(ran.seconds)
        each = [
            check(
                server.name,
                command(server, "now", places),
                file,
                environment(server, places),
                places.home,
            ).seconds
            for server in chosen
        ]
        in_turn.append(sum(each))
        slowest.append(max(each))
    return tuple(at_once), tuple(in_turn), statistics.median(slowest)
