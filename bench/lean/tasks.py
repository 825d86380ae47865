"""Whole tasks in each form of menu: the menu in every turn, what the model writes to call, and what it looks up.

The model is one that knows nothing and forgets nothing: where a menu keeps something back, it looks up every action
once before it first calls it, in a turn of its own. Answers of the servers are the same in every form and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.lean.calling import Route, route
from bench.lean.record import compact
from bench.lean.script import TASKS, Call, Task

__all__ = ["Form", "Spent", "spend", "spend_all"]

Count = Callable[[str], int]
Tools = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of menu at work: the menu of each server, and what looking an action up takes.

    *looked* maps a server and an action to the texts of the calls that look it up, and to the texts of their answers.
    """

    name: str
    menus: Mapping[str, Tools]
    texts: Mapping[str, str]
    looked: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
    joined: bool = False
    """Whether one menu stands for all the servers of a task."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a task took: turns, the tokens of the menus over all of them, of calls, and of look-ups."""

    task: str
    form: str
    turns: int
    menus: int
    calls: int
    lookups: int

    @property
    def total(self) -> int:
        """Return all tokens that depend on the form of the menu."""
        return self.menus + self.calls + self.lookups


def spend(task: Task, form: Form, count: Count) -> Spent:
    """Return what *task* takes in that *form*."""
    turns, calls, lookups = len(task.calls) + 1, 0, 0
    known: set[tuple[str, str]] = set()
    for call in task.calls:
        key = (call.server, call.tool)
        calls += count(_written(call, form))
        if key not in known:
            known.add(key)
            for asked, answered in form.looked.get(key, ()):
                turns += 1
                calls += count(asked)
                lookups += count(answered)
    shown = task.servers[:1] if form.joined else task.servers
    menus = turns * sum(count(form.texts[server]) for server in shown)
    return Spent(task.name, form.name, turns, menus, calls, lookups)


def _written(call: Call, form: Form) -> str:
    way: Route = route(form.menus[call.server], call.tool)
    return way.tool + compact(way.arguments(call.tool, call.arguments))


def spend_all(forms: Sequence[Form], count: Count) -> list[Spent]:
    """Return what every task of the script takes in every one of *forms*."""
    return [spend(task, form, count) for task in TASKS for form in forms]
