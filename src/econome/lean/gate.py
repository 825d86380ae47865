"""The gate (L4): a table of states that says which actions are open, and what moves a workflow to the next one.

It knows tables, bindings and one workflow's snapshot, and what is allowed with them. It keeps nothing, asks nobody and
runs nothing: `lean/workflows.py` holds the snapshots in a store and takes the steps that this module decides.

An action is known by its identity, the name its server registered it under; whatever name a call came by, it is looked up
here by that. An action whose event would move the workflow *claims* it first: the claim is in the snapshot, so that of
several calls at once, in however many processes, one alone runs. A claim whose end nobody wrote down stays: the action may
have been done, and is not done again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from econome.errors import MenuError

__all__ = ["WORKFLOW", "Binding", "Closed", "Gate", "Machine", "Opened", "Snapshot"]

WORKFLOW: Final = "workflow"
"""The argument that carries a workflow's handle where the tools have none of their own."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A table of states: each state, and where each event leads from it; an event that is not there leads nowhere.

    *handle* names the argument and the root field of an answer in which the tools themselves carry the workflow's handle
    (`cart_id`); without it the library makes one, and adds an argument `workflow`. A handle that no answer gave out is
    refused unless *adopt* is set: then it is a workflow in its initial state. With *follow*, the list of tools of a session
    that began with a handshake follows the state of the workflow it was at last.

    Raises:
        MenuError: there is no such initial state, or an event leads to a state that is not in the table.
    """

    initial: str
    states: Mapping[str, Mapping[str, str]]
    handle: str | None = None
    adopt: bool = False
    follow: bool = False

    def __post_init__(self) -> None:
        targets = {target for events in self.states.values() for target in events.values()}
        for state in (self.initial, *sorted(targets)):
            if state not in self.states:
                raise MenuError(
                    f"state {state}: not in the table; add it, with no events if it is an end"
                )

    @property
    def argument(self) -> str:
        """The name of the argument that carries a handle."""
        return self.handle or WORKFLOW

    def after(self, state: str, event: str | None) -> str:
        """Return the state after *event*, which is the same one where the event means nothing there."""
        return state if event is None else self.states[state].get(event, state)


@dataclass(frozen=True, slots=True)
class Binding:
    """In which states an action is open (None: in all), and the event that its success sends."""

    states: frozenset[str] | None = None
    event: str | None = None

    def open_in(self, state: str) -> bool:
        """Tell whether the action may be called in *state*."""
        return self.states is None or state in self.states


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is kept of one workflow: its state, the count of its changes, and the action whose end is not known yet.

    *run* tells one run of that action from every other, so that nobody ends the claim of another.
    """

    state: str
    version: int = 0
    claim: str | None = None
    run: str | None = None

    def claimed(self, state: str, action: str, run: str) -> Snapshot:
        """Return the snapshot while *action* runs, begun in *state*."""
        return Snapshot(state, self.version + 1, action, run)

    def released(self) -> Snapshot:
        """Return the snapshot once the action that claimed it has failed."""
        return Snapshot(self.state, self.version + 1)

    def moved(self, state: str) -> Snapshot:
        """Return the snapshot once the action that claimed it has succeeded."""
        return Snapshot(state, self.version + 1)


@dataclass(frozen=True, slots=True)
class Opened:
    """A call may run: from *state*, and to *target* if it succeeds; where they differ it has to claim the workflow first."""

    state: str
    target: str

    @property
    def moves(self) -> bool:
        """Whether success changes the state."""
        return self.state != self.target


@dataclass(frozen=True, slots=True)
class Closed:
    """A call may not run; *text* says why. *why* is `state` (then the text tells the way), `busy`, or `unknown`: no such workflow."""

    text: str
    why: Literal["state", "busy", "unknown"] = "state"


@dataclass(frozen=True, slots=True)
class Gate:
    """A machine and what is bound to it: the actions by identity, in the order in which they were registered.

    Raises:
        MenuError: an action is bound to a state, or sends an event, that the machine does not have.
    """

    machine: Machine
    bindings: Mapping[str, Binding] = field(default_factory=dict)

    def __post_init__(self) -> None:
        events = {event for known in self.machine.states.values() for event in known}
        for action, binding in self.bindings.items():
            for state in sorted(binding.states or ()):
                if state not in self.machine.states:
                    raise MenuError(f"{action}: state {state}: the machine has none of that name")
            if binding.event is not None and binding.event not in events:
                raise MenuError(f"{action}: event {binding.event}: no state of the machine has it")

    def state_of(self, snapshot: Snapshot | None) -> tuple[str, str | None]:
        """Return the state a snapshot stands for, and a warning where it named one that the machine does not have."""
        if snapshot is None:
            return self.machine.initial, None
        if snapshot.state in self.machine.states:
            return snapshot.state, None
        warning = f"a kept workflow is in state {snapshot.state}, which the machine does not have; taken for {self.machine.initial}"
        return self.machine.initial, warning

    def opens(self, action: str, state: str) -> bool:
        """Tell whether *action* may be called in *state*; one that is not bound may be called in all."""
        binding = self.bindings.get(action)
        return binding is None or binding.open_in(state)

    def decide(
        self,
        action: str,
        snapshot: Snapshot | None,
        visible: Mapping[str, str],
        *,
        repeatable: bool = False,
    ) -> Opened | Closed:
        """Say whether *action* may run now.

        *visible* holds the actions the caller may know of, each with the name it is called by. A *repeatable* action may
        run over a claim that an earlier run of itself left.
        """
        state, _ = self.state_of(snapshot)
        binding = self.bindings.get(action, Binding())
        target = self.machine.after(state, binding.event)
        claim = None if snapshot is None else snapshot.claim
        name = visible.get(action, action)
        if claim is not None and (binding.states is not None or state != target):
            if not (claim == action and repeatable):
                held = visible.get(claim, claim)
                text = f"{name}: refused, {held} is running or was cut off and may have been done."
                return Closed(text + " Look before you call again.", why="busy")
        if not binding.open_in(state):
            return Closed(self.refusal(action, state, visible))
        return Opened(state, target)

    def refusal(self, action: str, state: str, visible: Mapping[str, str]) -> str:
        """Return the words for an action that is closed: the state, what is open now, what opens the rest."""
        names = [visible[known] for known in visible if self.opens(known, state)]
        text = f"{visible.get(action, action)}: closed in state {state}. Open now: {', '.join(names) or 'nothing'}."
        openers, never = self._openers(state, visible)
        rest = [
            f"{visible[by]} opens {', '.join(visible[one] for one in those)}"
            for by, those in openers.items()
        ]
        if rest:
            text += f" Then: {'; '.join(rest)}."
        if never:
            text += f" No more: {', '.join(visible[one] for one in never)}."
        return text

    def _openers(
        self, state: str, visible: Collection[str]
    ) -> tuple[dict[str, list[str]], list[str]]:
        """Return the closed actions by the action whose success first opens them, nearest first, and those out of reach."""
        closed = [known for known in visible if not self.opens(known, state)]
        openers: dict[str, list[str]] = {}
        reached, frontier = {state}, [state]
        while frontier and closed:
            before, frontier = frontier, []
            for at in before:
                for action in [known for known in visible if self.opens(known, at)]:
                    binding = self.bindings.get(action, Binding())
                    after = self.machine.after(at, binding.event)
                    if after in reached:
                        continue
                    reached.add(after)
                    frontier.append(after)
                    opened = [known for known in closed if self.opens(known, after)]
                    closed = [known for known in closed if known not in opened]
                    if opened:
                        openers.setdefault(action, []).extend(opened)
        return openers, closed
