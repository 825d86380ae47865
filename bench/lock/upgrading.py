"""Real upgrades: the earlier version of a server is locked, the present one checked, and what is said held against both.

What truly differs is read from the two lists by code of its own, and a call that the report says is refused is made, to the
earlier server and to the present one, where nothing but the bench's own folder can come to harm.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from bench.lean.lines import Line
from bench.lock.commands import check, lock
from bench.lock.servers import SERVERS, Places, Server, Side, command, environment

__all__ = ["Tried", "Upgrade", "differing", "misjudged", "refused", "upgrade_all"]

_SHOWN = {"call-refused": (True, False), "call-widened": (False, True)}
"""Findings that show a call, and whether the earlier and the present schema accept it."""

_REFUSALS = (
    "invalid arguments",
    "input validation error",
    "validation error",
    "invalid input",
    "unexpected keyword",
    "unrecognized key",
    "unrecognized_keys",
)
"""What the SDKs that the servers stand on say of arguments that the schema does not allow; other errors come later."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A call that a report says is refused now, and whether each of the two real servers refused it."""

    tool: str
    arguments: dict[str, Any]
    before: bool
    now: bool
    named: bool = True
    """Whether the earlier list named any arguments of the tool; where it did not, it accepts what the server may refuse."""

    @property
    def holds(self) -> bool:
        """Whether it was as the report says."""
        return self.now and not self.before


@dataclass(frozen=True, slots=True)
class Upgrade:
    """One upgrade: the exit status, the findings, what was made of them, and which tools differ by the lists alone."""

    server: Server
    status: int
    findings: tuple[Mapping[str, Any], ...]
    untold: tuple[str, ...]
    """Tools that differ and that no finding is about."""

    groundless: tuple[str, ...]
    """Tools that findings are about and that do not differ."""

    witnesses: int
    """Calls that findings show as refused or as accepted now."""

    misjudged: tuple[str, ...]
    """Tools whose shown call is judged otherwise by a JSON Schema library, with the schemas of the two lists."""

    tried: tuple[Tried, ...]
    tokens: tuple[int, int]
    seconds: float

    def count(self, severity: str) -> int:
        """Return how many findings are of that severity."""
        return sum(one["severity"] == severity for one in self.findings)

    def kinds(self) -> dict[str, int]:
        """Return how many findings there are of each kind."""
        return dict(Counter(one["kind"] for one in self.findings))


def upgrade_all(places: Places) -> Iterator[Upgrade]:
    """Check every server that has an earlier version here.

    Raises:
        SystemExit: a server cannot be locked or checked.
    """
    for server in SERVERS:
        if server.before:
            yield _upgrade(server, places)


def _upgrade(server: Server, places: Places) -> Upgrade:
    given = environment(server, places)
    file = places.home / f"{server.name}-before.lock"
    file.unlink(missing_ok=True)
    old = command(server, "before", places)
    made = lock(server.name, old, file, given, places.home)
    if made.status != 0:
        raise SystemExit(f"{server.name} {server.before}: {made.error[-500:]}")
    new = command(server, "now", places)
    ran = check(server.name, new, file, given, places.home, "--json")
    if ran.status == 2:
        raise SystemExit(f"{server.name} {server.now}: {ran.error[-500:]}")
    said = ran.json()
    (places.home / f"{server.name}-upgrade.json").write_text(ran.out, encoding="utf-8")
    findings = tuple(said["findings"])
    earlier = _tools(server, "before", places)
    present = _tools(server, "now", places)
    differ = differing(earlier, present)
    shown = [one for one in findings if one["kind"] in _SHOWN and one["witness"] is not None]
    named = {one["name"] for one in earlier if one["inputSchema"].get("properties")}
    told = {one["name"] for one in findings if one["subject"] == "tool"}
    return Upgrade(
        server,
        ran.status,
        findings,
        tuple(sorted(differ - told)),
        tuple(sorted(told - differ)),
        len(shown),
        tuple(misjudged(shown, earlier, present)),
        tuple(_tried(server, findings, named, places)) if server.harmless else (),
        _menu(said, server.name),
        ran.seconds,
    )


def _menu(said: Mapping[str, Any], name: str) -> tuple[int, int]:
    """Return what the menu cost before and costs now."""
    own = next(one for one in said["servers"] if one["name"] == name)
    return own["old_tokens"] or 0, own["new_tokens"] or 0


def _tools(server: Server, side: Side, places: Places) -> list[dict[str, Any]]:
    with Line(command(server, side, places), environment(server, places), places.home) as line:
        return line.tools()


def differing(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the names of the tools that are gone, new, or have an entry that reads otherwise, `_meta` aside."""
    first, second = (
        {one["name"]: json.dumps({**one, "_meta": None}, sort_keys=True) for one in tools}
        for tools in (old, new)
    )
    return {name for name in first | second if first.get(name) != second.get(name)}


def misjudged(
    shown: Sequence[Mapping[str, Any]],
    old: Sequence[Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    """Yield the tools whose shown call is not refused, or not accepted, as its finding says."""
    schemas = [{one["name"]: one["inputSchema"] for one in tools} for tools in (old, new)]
    for one in shown:
        accepted = tuple(_accepts(each[one["name"]], one["witness"]) for each in schemas)
        if accepted != _SHOWN[one["kind"]]:
            yield one["name"]


def _accepts(schema: Mapping[str, Any], call: object) -> bool:
    judge = validator_for(schema, default=Draft202012Validator)
    return bool(judge(schema).is_valid(call))


def refused(result: Mapping[str, Any]) -> bool:
    """Return whether the result of a call says that its arguments are not allowed."""
    if not result.get("isError"):
        return False
    said = " ".join(block.get("text", "") for block in result.get("content", ())).lower()
    return any(phrase in said for phrase in _REFUSALS)


def _tried(
    server: Server, findings: Sequence[Mapping[str, Any]], named: Collection[str], places: Places
) -> Iterator[Tried]:
    """Make each refused call that a finding shows, to the earlier server and to the present one."""
    calls = [
        (one["name"], one["witness"])
        for one in findings
        if one["kind"] == "call-refused" and isinstance(one.get("witness"), dict)
    ]
    if not calls:
        return
    given = environment(server, places)
    with (
        Line(command(server, "before", places), given, places.home) as before,
        Line(command(server, "now", places), given, places.home) as now,
    ):
        for tool, arguments in calls:
            was, is_now = (refused(line.call(tool, arguments)[0]) for line in (before, now))
            yield Tried(tool, arguments, was, is_now, tool in named)
