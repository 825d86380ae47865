"""The forms that tasks are held in: ours as the proxy shows them, and the public peer's search."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.lean.arms import Arm, over
from bench.lean.calling import lookups
from bench.lean.counting import answer_text, menu_text
from bench.lean.lines import Line
from bench.lean.menus import Menu
from bench.lean.record import compact
from bench.lean.script import TASKS, Task
from bench.lean.servers import PEER, Places, python_of, tool_path
from bench.lean.tasks import Form

__all__ = ["joined_form", "own_form", "peer_form"]

_HERE = Path(__file__).parent
_SEARCH = "search_tools"


def _needed() -> Iterator[tuple[str, str]]:
    """Yield the servers and actions that the tasks use, each once."""
    yield from dict.fromkeys((call.server, call.tool) for task in TASKS for call in task.calls)


def _recorder(menu: Menu, places: Places) -> list[str]:
    listed = places.home / f"{menu.server}.menu.json"
    listed.write_text(json.dumps(menu.tools), encoding="utf-8")
    notes = str(places.home / f"{menu.server}.calls")
    return [sys.executable, str(_HERE / "recorder.py"), str(listed), notes]


def own_form(arm: Arm, old: Sequence[Menu], shown: Sequence[Menu], places: Places) -> Form:
    """Return the form of *arm*, with what each look-up answers."""
    looked: dict[tuple[str, str], list[tuple[str, str]]] = {}
    by_name = {menu.server: menu for menu in shown}
    with ExitStack() as open_:
        lines: dict[str, Line] = {}
        for menu in old:
            line = open_.enter_context(over(arm, menu.server, _recorder(menu, places), places))
            line.tools()
            lines[menu.server] = line
        for server, action in _needed():
            texts = []
            for tool, arguments in lookups(by_name[server].tools, action):
                result, _ = lines[server].call(tool, arguments)
                texts.append((tool + compact(arguments), answer_text(result)))
            looked[server, action] = texts
    menus = {menu.server: menu.tools for menu in shown}
    return Form(arm.name, menus, {menu.server: menu.text for menu in shown}, looked)


def peer_form(old: Sequence[Menu], places: Places) -> Form:
    """Return the form of the peer's search before each server, as a proxy of one server stands."""
    looked: dict[tuple[str, str], list[tuple[str, str]]] = {}
    menus: dict[str, list[dict[str, Any]]] = {}
    for menu in old:
        with _peer([menu], places) as line:
            menus[menu.server] = line.tools()
            for server, action in _needed():
                if server == menu.server:
                    looked[server, action] = [_sought(line, action)]
    texts = {server: menu_text(tools) for server, tools in menus.items()}
    return Form("peer", menus, texts, looked)


def joined_form(task: Task, old: Sequence[Menu], places: Places) -> Form:
    """Return the form of one search of the peer before all the servers of *task*."""
    members = [menu for menu in old if menu.server in task.servers]
    with _peer(members, places) as line:
        tools = line.tools()
        keys = dict.fromkeys((call.server, call.tool) for call in task.calls)
        looked = {key: [_sought(line, key[1])] for key in keys}
    menus = dict.fromkeys(task.servers, tools)
    texts = dict.fromkeys(task.servers, menu_text(tools))
    return Form("peer joined", menus, texts, looked, joined=True)


def _peer(old: Sequence[Menu], places: Places) -> Line:
    entries = {}
    for menu in old:
        program, *arguments = _recorder(menu, places)
        entries[menu.server] = {"command": program, "args": arguments}
    config = places.home / "peer.json"
    config.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    words = [str(python_of(PEER, places)), str(_HERE / "fastmcp_search.py"), str(config)]
    environ = {"PATH": tool_path(), "HOME": str(places.home), "LC_ALL": "C.UTF-8"}
    return Line(words, environ, places.home)


def _sought(line: Line, action: str) -> tuple[str, str]:
    """Return the search that finds *action*, by the words of its name, which suits the peer best."""
    arguments = {"query": action.replace("_", " ").replace("-", " ")}
    result, _ = line.call(_SEARCH, arguments)
    answer = answer_text(result)
    if action not in answer:
        raise LookupError(f"the peer does not find {action}")
    return _SEARCH + compact(arguments), answer
