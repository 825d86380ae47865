"""What each server's menu costs a turn in each form, and that the cheaper form says and does all that the old one did."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from bench.lean.arguments import calls
from bench.lean.arms import LOSSLESS, Arm, over, session
from bench.lean.calling import lookups, route
from bench.lean.counting import menu_text
from bench.lean.facts import facts, missing, own_texts
from bench.lean.lines import Line
from bench.lean.servers import SERVERS, Places

__all__ = ["Checked", "Menu", "check", "menus"]

_RECORDER = Path(__file__).with_name("recorder.py")

Tools = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Menu:
    """The menu of a server in one way of asking."""

    server: str
    arm: str
    tools: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """Return what the model reads of it, each turn."""
        return menu_text(self.tools)


def menus(arm: Arm, places: Places) -> list[Menu]:
    """Return the menus of all servers in the way of *arm*."""
    found = []
    for server in SERVERS:
        with session(arm, server, places) as line:
            found.append(Menu(server.name, arm.name, line.tools()))
    return found


@dataclass(frozen=True, slots=True)
class Checked:
    """How a menu was held against the old one: what was counted, and what was found wrong."""

    server: str
    facts: int
    looked_up: int
    calls: int
    faults: tuple[str, ...]


def check(server: str, old: Tools, places: Places, each: int, arm: Arm = LOSSLESS) -> Checked:
    """Hold the menu of *arm* against the *old* one: its facts, and *each* random calls of every tool of it.

    What the proxy sends on is noted by a server that lists the old menu and does nothing else.
    """
    menu_file, log = places.home / f"{server}.menu.json", places.home / f"{server}.calls"
    menu_file.write_text(json.dumps(list(old)), encoding="utf-8")
    log.write_text("", encoding="utf-8")
    upstream = [sys.executable, str(_RECORDER), str(menu_file), str(log)]
    faults: list[str] = []
    said = looked = made = 0
    dice = random.Random(server)
    with over(arm, server, upstream, places) as line, log.open(encoding="utf-8") as noted:
        menu = line.tools()
        for tool in old:
            texts = own_texts(menu, tool["name"])
            for way, arguments in lookups(menu, tool["name"]):
                texts += _texts(line.call(way, arguments)[0])
                looked += 1
            said += sum(1 for _ in facts(tool))
            faults += [f"{tool['name']}: {fact} is not told" for fact in missing(tool, texts)]
            for given in calls(tool["inputSchema"], each, dice):
                made += 1
                faults += _tried(menu, tool["name"], given, line, noted.readlines)
    return Checked(server, said, looked, made, tuple(faults))


def _texts(result: Mapping[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


def _tried(menu: Tools, name: str, given: dict[str, Any], line: Line, noted: Any) -> list[str]:
    way = route(menu, name)
    arguments = way.arguments(name, given)
    schema = next(tool["inputSchema"] for tool in menu if tool["name"] == way.tool)
    faults = []
    if not Draft202012Validator(schema).is_valid(arguments):
        faults.append(f"{name}: the new schema refuses {json.dumps(given)[:200]}")
    result, _ = line.call(way.tool, arguments)
    came = [json.loads(text) for text in noted()]
    if len(came) != 1:
        faults.append(f"{name}: {len(came)} calls reached the server: {_texts(result)[:1]}")
    elif (came[0]["name"], json.dumps(came[0]["arguments"])) != (name, json.dumps(given)):
        faults.append(
            f"{name}: {json.dumps(given)[:200]} reached it as {json.dumps(came[0])[:200]}"
        )
    return faults
