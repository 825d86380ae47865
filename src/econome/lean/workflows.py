"""Where workflows are kept, and the steps of one call through the gate (L4).

A workflow belongs to a principal and is named by a handle that an answer gave out; a connection plays no part. Every change
is a compare-and-set, so several processes may share a store. The order of the steps is what makes a store's failure
harmless: the claim is on record before an action runs, and what could not be recorded after it ran is remembered here and
recorded later. At worst an action that was done stays refused; it is never done twice.
"""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import anyio

from econome.errors import MenuError
from econome.lean.gate import Closed, Gate, Opened, Snapshot

__all__ = ["CAPACITY", "Key", "MemoryStore", "Passage", "Store", "Workflows"]

CAPACITY: Final = 10_000
"""How many workflows a store in memory keeps, as the framework behind the seed does."""

_SAVE_SECONDS: Final = 10.0
_TRIES: Final = 8  # of a compare-and-set that others keep winning
_NOTHING_DONE: Final = "{}: the store of workflows failed; nothing was done. Try again later."
_UNSAVED: Final = (
    "Done, but the workflow's new state could not be stored yet. Do not repeat the call."
)

_LOG: Final = logging.getLogger(__name__)


class Key(NamedTuple):
    """What names a workflow in a store: the namespace, whose it is, and its handle."""

    scope: str
    principal: str
    handle: str


class Store(Protocol):
    """Where snapshots are kept. Any exception it raises is taken for "cannot say", never for "did not happen"."""

    async def load(self, key: Key) -> Snapshot | None:
        """Return the snapshot that is kept for *key*, or None."""

    async def swap(self, key: Key, before: Snapshot | None, after: Snapshot) -> bool:
        """Keep *after* where *before* is what is kept now, and tell whether it was; in one step."""


class MemoryStore:
    """Keeps workflows in this process; the one unused for longest goes first, never one that is claimed."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        if capacity < 1:
            raise MenuError(f"capacity {capacity}: a store keeps at least one workflow")
        self._capacity = capacity
        self._kept: OrderedDict[Key, Snapshot] = OrderedDict()

    async def load(self, key: Key) -> Snapshot | None:
        """Return the snapshot that is kept for *key*, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def swap(self, key: Key, before: Snapshot | None, after: Snapshot) -> bool:
        """Keep *after* where *before* is what is kept now; False also where there is no room left."""
        if self._kept.get(key) != before:
            return False
        if key not in self._kept and len(self._kept) >= self._capacity:
            oldest = next((known for known, kept in self._kept.items() if kept.claim is None), None)
            if oldest is None:
                return False
            del self._kept[oldest]
        self._kept[key] = after
        self._kept.move_to_end(key)
        return True


@dataclass(slots=True)
class Passage:
    """One call that the gate let through, or did not; who ran it says how it ended, within the turn."""

    refused: Closed | None
    state: str
    target: str
    handle: str | None
    succeeded: bool = False
    given: str | None = None
    """The handle that the answer itself carries."""
    warning: str | None = None
    """What the caller should be told beside a good answer; set once the turn is over."""

    def done(self, given: str | None = None) -> None:
        """Say that the call succeeded, and which handle its answer carries."""
        self.succeeded, self.given = True, given


class Workflows:
    """The workflows of one gate in one store.

    *mint* makes a handle of 128 random bits.
    """

    def __init__(
        self,
        gate: Gate,
        scope: str,
        store: Store | None = None,
        mint: Callable[[], str] = lambda: secrets.token_urlsafe(16),
    ) -> None:
        self.gate = gate
        self._scope = scope
        self._store: Store = MemoryStore() if store is None else store
        self._mint = mint
        self._turns: dict[Key, tuple[anyio.Lock, int]] = {}
        self._unsaved: OrderedDict[Key, tuple[Snapshot | None, Snapshot]] = OrderedDict()

    async def state(self, principal: str, handle: str | None) -> str:
        """Return the state of a workflow for a list of tools; what cannot be read is in its initial state."""
        if handle is None:
            return self.gate.machine.initial
        key = Key(self._scope, principal, handle)
        if key in self._unsaved:
            return self.gate.state_of(self._unsaved[key][1])[0]
        try:
            snapshot = await self._store.load(key)
        except Exception:
            return (
                self.gate.machine.initial
            )  # a list is no permission: the call is decided on its own
        return self.gate.state_of(snapshot)[0]

    async def settle(self, principal: str, handle: str, state: str) -> bool:
        """Put a workflow into *state*, whatever it claims; for who has looked what really happened.

        Raises:
            MenuError: the machine has no such state.
        """
        if state not in self.gate.machine.states:
            raise MenuError(f"state {state}: the machine has none of that name")
        key = Key(self._scope, principal, handle)
        self._unsaved.pop(key, None)
        before = await self._store.load(key)
        return await self._store.swap(key, before, (before or Snapshot(state)).moved(state))

    @asynccontextmanager
    async def turn(
        self,
        action: str,
        principal: str,
        handle: str | None,
        visible: Mapping[str, str],
        *,
        repeatable: bool = False,
    ) -> AsyncIterator[Passage]:
        """Let one call of *action* through the gate, or not, and record how it ended.

        Calls that send an event take turns by workflow. One that ends in an exception has failed; one that was cancelled
        may have been done, so its claim stays.
        """
        if handle is None:
            passage = self._first(action, visible)
            yield passage
            await self._remember(principal, passage)
            return
        key = Key(self._scope, principal, handle)
        async with self._turn(key):
            passage, claimed = await self._enter(key, action, visible, repeatable)
            if claimed is not None or self._sends(action):
                try:
                    yield passage
                except Exception:
                    await self._leave(key, claimed, passage)
                    raise
                await self._leave(key, claimed, passage)
                return
        yield passage
        await self._remember(principal, passage)

    def _sends(self, action: str) -> bool:
        binding = self.gate.bindings.get(action)
        return binding is not None and binding.event is not None

    def _first(self, action: str, visible: Mapping[str, str]) -> Passage:
        """Return the passage of a call without a handle: it begins a workflow, which nobody else can know yet."""
        step = self.gate.decide(action, None, visible)
        return _passage(step, self.gate.machine.initial, None)

    async def _enter(
        self, key: Key, action: str, visible: Mapping[str, str], repeatable: bool
    ) -> tuple[Passage, Snapshot | None]:
        """Return the passage of a call, and the snapshot with its claim where it makes one."""
        name = visible.get(action, action)
        state = self.gate.machine.initial
        try:
            for _ in range(_TRIES):
                if not await self._save_late(key):
                    continue
                snapshot = await self._store.load(key)
                if snapshot is None and not self.gate.machine.adopt:
                    return _passage(
                        Closed(self._unknown(name), why="unknown"), state, key.handle
                    ), None
                state, warning = self.gate.state_of(snapshot)
                if warning is not None:
                    _LOG.warning("%s: %s", self._scope, warning)
                step = self.gate.decide(action, snapshot, visible, repeatable=repeatable)
                if isinstance(step, Closed) or not step.moves:
                    return _passage(step, state, key.handle), None
                claimed = (snapshot or Snapshot(state)).claimed(state, action, self._mint())
                # What raises may have been written all the same: then nothing ran under this claim, and it is let go later.
                self._late(key, claimed, claimed.released())
                swapped = await self._store.swap(key, snapshot, claimed)
                self._unsaved.pop(key, None)
                if swapped:
                    return _passage(step, state, key.handle), claimed
        except Exception as error:
            # A store is another's code, and whatever it raises means that nothing may run.
            _LOG.warning("%s: the store of workflows failed: %s", self._scope, type(error).__name__)
            return _passage(Closed(_NOTHING_DONE.format(name), why="busy"), state, key.handle), None
        return _passage(Closed(_NOTHING_DONE.format(name), why="busy"), state, key.handle), None

    def _unknown(self, name: str) -> str:
        argument = self.gate.machine.argument
        return f"{name}: no workflow has this {argument}; leave {argument} out to begin one."

    async def _leave(self, key: Key, claimed: Snapshot | None, passage: Passage) -> None:
        """Record the end of a call; where that fails, remember it until it can be recorded."""
        if claimed is not None:
            after = claimed.moved(passage.target) if passage.succeeded else claimed.released()
            if not await self._save(key, claimed, after) and passage.succeeded:
                passage.warning = _UNSAVED
        if passage.given is not None and passage.given != key.handle:
            await self._begin(Key(key.scope, key.principal, passage.given))

    async def _remember(self, principal: str, passage: Passage) -> None:
        """Record the workflow that a call without a handle began, under the answer's handle or a new one."""
        if not passage.succeeded or passage.refused is not None:
            return
        moved = passage.handle is None and passage.state != passage.target
        if passage.given is None and moved and self.gate.machine.handle is None:
            passage.given = self._mint()
        if passage.given is None or passage.given == passage.handle:
            return
        key = Key(self._scope, principal, passage.given)
        if not moved:
            await self._begin(key)
        elif not await self._save(key, None, Snapshot(passage.target, 1)):
            if self.gate.machine.handle is not None and await self._kept(key):
                self._unsaved.pop(
                    key, None
                )  # the tools' own handle of a workflow that had begun: it stays where it is
            else:
                passage.warning = _UNSAVED

    async def begun(self, principal: str, handle: str) -> None:
        """Take note of a handle that an answer of an unbound tool gave out."""
        await self._begin(Key(self._scope, principal, handle))

    async def _kept(self, key: Key) -> bool:
        try:
            return await self._store.load(key) is not None
        except Exception:
            return False

    async def _begin(self, key: Key) -> None:
        """Record that a handle was given out, where that is asked of handles; known ones stay as they are."""
        if self.gate.machine.adopt:
            return
        initial = Snapshot(self.gate.machine.initial)
        try:
            await self._store.swap(key, None, initial)
        except Exception:
            self._late(key, None, initial)

    async def _save(self, key: Key, before: Snapshot | None, after: Snapshot) -> bool:
        saved = False
        try:
            # What was done is recorded although its caller may have hung up meanwhile.
            with anyio.move_on_after(_SAVE_SECONDS, shield=True):
                saved = await self._store.swap(key, before, after)
        except Exception as error:
            _LOG.warning("%s: the store of workflows failed: %s", self._scope, type(error).__name__)
        if not saved:
            self._late(key, before, after)
        return saved

    def _late(self, key: Key, before: Snapshot | None, after: Snapshot) -> None:
        self._unsaved[key] = before, after
        if len(self._unsaved) > CAPACITY:
            self._unsaved.popitem(last=False)

    async def _save_late(self, key: Key) -> bool:
        """Record what could not be recorded before, and tell whether that is settled; a store that still fails raises."""
        if key not in self._unsaved:
            return True
        before, after = self._unsaved[key]
        if await self._store.load(key) == before and not await self._store.swap(key, before, after):
            return False
        self._unsaved.pop(key, None)
        return True

    @asynccontextmanager
    async def _turn(self, key: Key) -> AsyncIterator[None]:
        lock, users = self._turns.get(key, (anyio.Lock(), 0))
        self._turns[key] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = self._turns[key]
            if users == 1:
                del self._turns[key]
            else:
                self._turns[key] = lock, users - 1


def _passage(step: Opened | Closed, state: str, handle: str | None) -> Passage:
    if isinstance(step, Closed):
        return Passage(step, state, state, handle)
    return Passage(None, step.state, step.target, handle)
