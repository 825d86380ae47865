"""One whole run of the bench: menus, checks, tasks, answers, latency, in this order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.lean.arms import ALONE, LAZY, LEAN, LIMITED, LOSSLESS, STRANGER, Arm
from bench.lean.asking import Asked, ask
from bench.lean.counting import JUDGE, counters
from bench.lean.data import build, page
from bench.lean.figures import Figures
from bench.lean.forming import joined_form, own_form, peer_form
from bench.lean.latency import Added, added, measure
from bench.lean.menus import Checked, check, menus
from bench.lean.script import TASKS
from bench.lean.servers import Places
from bench.lean.tasks import Spent, spend, spend_all

__all__ = ["Setting", "run"]

_OURS = (LOSSLESS, LEAN, LAZY)


@dataclass(frozen=True, slots=True)
class Setting:
    """Where to run, how many rounds of latency, how many random calls of each tool."""

    places: Places
    rounds: int
    each: int


def run(setting: Setting) -> Figures:
    """Run everything and return what was found."""
    build(setting.places.data)
    with page(setting.places.data) as address:
        places = replace(setting.places, page=address)
        return _run(places, setting)


def _run(places: Places, setting: Setting) -> Figures:
    shown = {}
    for arm in (ALONE, *_OURS, STRANGER):
        print(f"menus, {arm.name} ...", flush=True)
        shown[arm.name] = menus(arm, places)
    old = shown[ALONE.name]
    checked: list[Checked] = []
    for arm in (*_OURS, STRANGER):
        print(f"facts and random calls, {arm.name} ...", flush=True)
        checked += [check(menu.server, menu.tools, places, setting.each, arm) for menu in old]
    print("tasks ...", flush=True)
    count = counters()[JUDGE]
    forms = [own_form(arm, old, shown[arm.name], places) for arm in (ALONE, *_OURS)]
    spent: list[Spent] = spend_all([*forms, peer_form(old, places)], count)
    spent += [spend(task, joined_form(task, old, places), count) for task in TASKS]
    answers = {arm.name: _answers(arm, places) for arm in (LOSSLESS, LIMITED, STRANGER)}
    found: dict[str, Added] = {}
    for way in ("stdio", "http") if setting.rounds else ():
        print(f"latency, {way} ...", flush=True)
        build(places.data)
        samples = measure(places, setting.rounds, http=way == "http")
        found[way] = added(samples)
        for kind in ("rows", "nested", "text"):
            found[f"{way}, {kind}"] = added([one for one in samples if one.kind == kind])
    return Figures(counters(), shown, answers, checked, spent, found)


def _answers(arm: Arm, places: Places) -> list[Asked]:
    """Ask the script on data that no earlier call has changed."""
    print(f"answers, {arm.name} ...", flush=True)
    build(places.data)
    return list(ask(arm, places))
