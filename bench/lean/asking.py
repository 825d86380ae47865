"""The script asked in one way: what the model reads of each answer, beside what the server said in that very call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bench.lean.arms import Arm, Heard, Tapped, session
from bench.lean.calling import route
from bench.lean.counting import answer_text
from bench.lean.cutting import MARK, Ask, compare_cut
from bench.lean.guard import Verdict, compare
from bench.lean.lines import Line
from bench.lean.record import placed
from bench.lean.script import CALLS, Call
from bench.lean.servers import SERVERS, Places, Server

__all__ = ["Asked", "ask"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of the script: what a model would have read, what it reads, and what was found wrong with that."""

    call: Call
    before: str
    after: str
    verdict: Verdict
    pages: int = 0
    """How many times the rest was asked for until nothing was missing."""

    @property
    def structured(self) -> bool:
        """Whether the answer is data, and not prose."""
        return self.call.kind != "text"


def ask(arm: Arm, places: Places) -> Iterator[Asked]:
    """Ask every server its calls of the script, in the order of the script."""
    for server in SERVERS:
        calls = [call for call in CALLS if call.server == server.name]
        if calls:
            yield from _server(arm, server, calls, places)


def _server(arm: Arm, server: Server, calls: list[Call], places: Places) -> Iterator[Asked]:
    log = places.home / f"{server.name}-{arm.name}.heard"
    log.unlink(missing_ok=True)
    with session(arm, server, places, log=log) as line:
        menu = line.tools()
        tapped = Tapped(log)
        for call in calls:
            given = placed(call.arguments, places)
            way = route(menu, call.tool)
            result, _ = line.call(way.tool, way.arguments(call.tool, given))
            yield _judged(call, given, result, tapped.calls(), partial(_more, line, menu))


def _more(line: Line, menu: list[dict[str, Any]], arguments: dict[str, Any]) -> str:
    way = route(menu, "more")
    return answer_text(line.call(way.tool, way.arguments("more", arguments))[0])


def _judged(
    call: Call, given: Mapping[str, Any], result: dict[str, Any], heard: list[Heard], more: Ask
) -> Asked:
    after = answer_text(result)
    if len(heard) != 1:
        wrong = f"the server heard {len(heard)} calls, not one"
        return Asked(call, "", after, Verdict(None, (wrong,)))
    asked = heard[0]
    faults: tuple[str, ...] = ()
    if (asked.tool, json.dumps(asked.arguments)) != (call.tool, json.dumps(given)):
        faults = ("the server heard another call than was made",)
    pages = 0
    if after.startswith(MARK):
        verdict, pages = compare_cut(asked.result, result, more)
    else:
        verdict = compare(asked.result, result)
    whole = Verdict(verdict.form, faults + verdict.faults)
    return Asked(call, answer_text(asked.result), after, whole, pages)
