"""Which tools a table of states opened and closed before, and which it does now, along the same calls.

Both tables are walked side by side from their beginnings, by the calls that both let through: what a caller could do after
them and now cannot is told, whatever the states are called.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from econome.contract.about import About
from econome.contract.entries import differing, mapping
from econome.contract.findings import Finding
from econome.contract.shown import listed, shown

__all__ = ["gates_drift"]

_MOST_STEPS: Final = 200_000
_EVERYWHERE: Final = ""
"""The one state of a server without a table."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of states and the tools that are bound to it, read tolerantly."""

    initial: str
    states: Mapping[str, Mapping[str, Any]]
    bindings: Mapping[str, tuple[frozenset[str] | None, str | None]]

    @classmethod
    def of(cls, server: Mapping[str, Any]) -> _Table:
        machine = mapping(server.get("machine"))
        states = {name: mapping(events) for name, events in mapping(machine.get("states")).items()}
        initial = machine.get("initial")
        bindings: dict[str, tuple[frozenset[str] | None, str | None]] = {}
        for name, tool in mapping(server.get("tools")).items() if machine else ():
            economy = mapping(mapping(tool).get("economy"))
            said, event = economy.get("states"), economy.get("event")
            opens = (
                frozenset(one for one in said if isinstance(one, str))
                if isinstance(said, list)
                else None
            )
            if opens is not None or isinstance(event, str):
                bindings[name] = opens, event if isinstance(event, str) else None
        return cls(initial if isinstance(initial, str) else _EVERYWHERE, states, bindings)

    def opens(self, tool: str, state: str) -> bool:
        states = self.bindings.get(tool, (None, None))[0]
        return states is None or state in states

    def after(self, tool: str, state: str) -> str:
        event = self.bindings.get(tool, (None, None))[1]
        target = self.states.get(state, {}).get(event) if event is not None else None
        return target if isinstance(target, str) else state


@dataclass(slots=True)
class _Walk:
    """What was met on the way: for each tool the pairs of states in which only one table opens it."""

    closed: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    opened: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    whole: bool = True


def gates_drift(
    about: About, abouts: Mapping[str, About], old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield what differs in the states of a server and of its tools; *abouts* are the tools that both locks hold."""
    before, after = _Table.of(old), _Table.of(new)
    walk = _walked(before, after, sorted(abouts)) if before.bindings or after.bindings else _Walk()
    if old.get("machine") != new.get("machine"):
        yield _machine(about, old.get("machine"), new.get("machine"), walk.whole)
    for name, one in abouts.items():
        was, now = (mapping(mapping(each["tools"][name]).get("economy")) for each in (old, new))
        states = was.get("states"), now.get("states")
        if name in walk.closed:
            yield _gated(one, walk.closed[name], bool(before.initial), states)
        if name in walk.opened:
            told = listed(
                {_state(pair, bool(after.initial), late=True) for pair in walk.opened[name]}
            )
            text = f"It is open in {told}, where it was closed."
            yield one.tells(
                "call-opened",
                text,
                "/economy/states",
                old=states[0],
                new=states[1],
                regression=True,
            )
        for key in ("states", "event"):
            if was.get(key) == now.get(key):
                continue
            if key == "states" and (name in walk.closed or name in walk.opened):
                continue
            text = f"`{key}` was {_given(was, key)} and is {_given(now, key)}."
            yield one.tells(
                "machine-changed", text, f"/economy/{key}", old=was.get(key), new=now.get(key)
            )


def _gated(
    about: About, pairs: list[tuple[str, str]], had_states: bool, states: tuple[Any, Any]
) -> Finding:
    told = listed({_state(pair, had_states, late=False) for pair in pairs})
    witness = {"state": _state(pairs[0], had_states, late=False)}
    renamed = pairs[0][0] not in ("", pairs[0][1])
    now = f" (after the same calls the state is now `{shown(pairs[0][1])}`)" if renamed else ""
    text = f"It was open in {told} and is closed there{now}."
    old, new = states
    return about.tells("call-gated", text, "/economy/states", old=old, new=new, witness=witness)


def _state(pair: tuple[str, str], known: bool, *, late: bool) -> str:
    """Return the state that tells the place: the old one, or the new one where there was no table or *late* is asked for."""
    old, new = pair
    return (new if late else old) if known else (old if late else new)


def _given(economy: Mapping[str, Any], key: str) -> str:
    return f"`{shown(economy[key])}`" if key in economy else "not given"


def _walked(before: _Table, after: _Table, tools: list[str]) -> _Walk:
    """Walk both tables at once, the nearest states first."""
    walk = _Walk()
    bound = [name for name in tools if name in before.bindings or name in after.bindings]
    start = (before.initial, after.initial)
    seen, queue, steps = {start}, deque([start]), 0
    while queue:
        was, now = pair = queue.popleft()
        for name in bound:
            steps += 1
            if steps > _MOST_STEPS:
                walk.whole = False
                return walk
            opened, opens = before.opens(name, was), after.opens(name, now)
            if opened and opens:
                following = (before.after(name, was), after.after(name, now))
                if following not in seen:
                    seen.add(following)
                    queue.append(following)
            elif opened:
                walk.closed.setdefault(name, []).append(pair)
            elif opens:
                walk.opened.setdefault(name, []).append(pair)
    return walk


def _machine(about: About, old: Any, new: Any, whole: bool) -> Finding:
    limits = "" if whole else "; it is too large to be walked whole"
    if not old or not new:
        what = "has a table of states now" if new else "has no table of states any more"
        return about.tells(
            "machine-changed", f"The server {what}{limits}.", "/machine", old=old, new=new
        )
    was, now = mapping(mapping(old).get("states")), mapping(mapping(new).get("states"))
    told = []
    if added := now.keys() - was.keys():
        told.append(f"new states {listed(added)}")
    if gone := was.keys() - now.keys():
        told.append(f"no longer states {listed(gone)}")
    if changed := {name for name in was.keys() & now.keys() if was[name] != now[name]}:
        told.append(f"other events in {listed(changed)}")
    others = [place for place, *_ in differing(mapping(old), mapping(new)) if place != "/states"]
    told += [f"another `{shown(place[1:])}`" for place in others]
    text = f"The table of states has {', '.join(told) or 'changed'}{limits}."
    return about.tells("machine-changed", text, "/machine", old=old, new=new)
