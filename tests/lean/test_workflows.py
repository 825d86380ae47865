"""A workflow moves once for each success, whoever else calls, and whatever its store does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import MenuError
from econome.lean.gate import Binding, Gate, Machine, Snapshot
from econome.lean.workflows import Key, MemoryStore, Passage, Workflows
from tests.lean.test_gate import BINDINGS, CART, GATE, VISIBLE
from tests.requirements import requirement

pytestmark = requirement("L4")


class Flaky:
    """A store in memory that gives way to others at each step, and fails as it is told: before or after it wrote."""

    def __init__(self, faults: list[str] | None = None) -> None:
        self.inner = MemoryStore()
        self.faults = faults or []

    async def _fault(self) -> str:
        await asyncio.sleep(0)
        return self.faults.pop() if self.faults else ""

    async def load(self, key: Key) -> Snapshot | None:
        if await self._fault():
            raise ConnectionError
        return await self.inner.load(key)

    async def swap(self, key: Key, before: Snapshot | None, after: Snapshot) -> bool:
        fault = await self._fault()
        if fault == "before":
            raise ConnectionError
        swapped = await self.inner.swap(key, before, after)
        if fault == "after":
            raise ConnectionError
        return swapped


@dataclass
class Life:
    """What really happened to one workflow, in the order in which it took effect."""

    gate: Gate
    state: str
    in_doubt: str | None = None
    wrong: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)

    def begin(self, action: str, passage: Passage) -> None:
        if self.in_doubt is not None and passage.state != passage.target:
            self.wrong.append(f"{action} ran over {self.in_doubt}, which may have been done")
        if passage.state != passage.target and passage.state != self.state:
            self.wrong.append(f"{action} ran in {self.state}, taken for {passage.state}")

    def end(self, action: str, passage: Passage) -> None:
        self.effects.append(action)
        if passage.state != passage.target:
            self.state = passage.target


async def _call(
    workflows: Workflows,
    life: Life,
    action: str,
    outcome: str,
    handle: str | None,
    said: list[str],
) -> str | None:
    """Make one call that ends as *outcome* says, and note what it did."""
    async with workflows.turn(action, "me", handle, VISIBLE) as passage:
        if passage.refused is not None:
            said.append(passage.refused.text)
            return None
        life.begin(action, passage)
        await asyncio.sleep(0)
        if outcome == "raise":
            raise ValueError(action)
        if outcome == "cancel":
            if passage.state != passage.target:
                life.in_doubt = action
            raise asyncio.CancelledError
        if outcome == "done":
            life.end(action, passage)
            passage.done()
    return passage.given


CALLS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from(sorted(VISIBLE)),
        st.sampled_from(["done", "done", "done", "fail", "raise", "cancel"]),
    ),
    max_size=12,
)
FAULTS = st.lists(st.sampled_from(["", "", "", "", "before", "after"]), max_size=30)


@st.composite
def machines(draw: st.DrawFn) -> Gate:
    names = draw(st.lists(st.sampled_from("ABCD"), min_size=1, unique=True))
    events = ["ADD", "CHECKOUT", "PAY"]
    table = {
        name: draw(st.dictionaries(st.sampled_from(events), st.sampled_from(names)))
        for name in names
    }
    table[names[0]] |= {event: draw(st.sampled_from(names)) for event in events}
    states = st.none() | st.frozensets(st.sampled_from(names))
    return Gate(
        Machine(names[0], table, adopt=True),
        {
            name: Binding(draw(states), draw(st.sampled_from([None, *events])))
            for name in ("add", "checkout", "pay")
        },
    )


@given(machines(), CALLS, FAULTS)
def test_whatever_interleaves_and_fails_each_success_moves_once_from_the_state_it_saw(
    gate: Gate, calls: list[tuple[int, str, str]], faults: list[str]
) -> None:
    async def run() -> None:
        store = Flaky(faults)
        processes = [Workflows(gate, "cart", store) for _ in range(2)]
        life = Life(gate, gate.machine.initial)
        await asyncio.gather(
            *(_call(processes[at], life, name, ends, "w", []) for at, name, ends in calls),
            return_exceptions=True,
        )
        assert life.wrong == []
        store.faults.clear()
        for process in processes:
            await _call(process, life, "view", "fail", "w", [])
            async with process.turn("add", "me", "w", VISIBLE):
                pass
        snapshot = await store.inner.load(Key("cart", "me", "w"))
        assert life.wrong == []
        assert gate.state_of(snapshot)[0] == life.state
        assert (snapshot is not None and snapshot.claim is not None) == (life.in_doubt is not None)

    asyncio.run(run())


@pytest.mark.parametrize("processes", [1, 3], ids=["one process", "three processes"])
@requirement("LC12")
def test_three_calls_at_once_of_a_one_shot_action_run_it_once(processes: int) -> None:
    async def run() -> tuple[list[str], list[str]]:
        store = Flaky()
        key = Key("cart", "me", "w")
        await store.inner.swap(key, None, Snapshot("payment"))
        workers = [Workflows(GATE, "cart", store) for _ in range(processes)]
        life, said = Life(GATE, "payment"), list[str]()
        await asyncio.gather(
            *(_call(workers[at % processes], life, "pay", "done", "w", said) for at in range(3))
        )
        assert await store.inner.load(key) == Snapshot("confirmed", 2)
        return life.effects, said

    effects, said = asyncio.run(run())
    assert effects == ["pay"]
    assert len(said) == 2
    assert all("pay: " in text for text in said)


def _run(
    faults: list[str], body: Callable[[Workflows, Life, list[str]], Awaitable[None]]
) -> tuple[Life, list[str], Snapshot | None]:
    """Run *body* against a workflow `w` in state payment whose store fails as told, last fault first."""

    async def run() -> tuple[Life, list[str], Snapshot | None]:
        store = Flaky(faults)
        key = Key("cart", "me", "w")
        await store.inner.swap(key, None, Snapshot("payment"))
        life, said = Life(GATE, "payment"), list[str]()
        await body(Workflows(GATE, "cart", store), life, said)
        return life, said, await store.inner.load(key)

    return asyncio.run(run())


def test_a_store_that_fails_before_the_action_keeps_it_from_running() -> None:
    async def body(workflows: Workflows, life: Life, said: list[str]) -> None:
        await _call(workflows, life, "pay", "done", "w", said)

    life, said, kept = _run(["before"], body)
    assert life.effects == []
    assert said == ["pay: the store of workflows failed; nothing was done. Try again later."]
    assert kept == Snapshot("payment")


def test_a_store_that_fails_after_the_action_answers_well_and_never_repeats_it() -> None:
    warnings: list[str | None] = []

    async def body(workflows: Workflows, life: Life, said: list[str]) -> None:
        async with workflows.turn("pay", "me", "w", VISIBLE) as passage:
            life.end("pay", passage)
            passage.done()
        warnings.append(passage.warning)
        await _call(workflows, life, "pay", "done", "w", said)

    life, said, kept = _run(["before", "", ""], body)
    assert life.effects == ["pay"]
    assert warnings == [
        "Done, but the workflow's new state could not be stored yet. Do not repeat the call."
    ]
    assert said == [
        "pay: closed in state confirmed. Open now: view. No more: add, checkout, pay.",
    ]
    assert kept == Snapshot("confirmed", 2)


def test_a_claim_that_was_written_although_the_store_failed_is_let_go() -> None:
    async def body(workflows: Workflows, life: Life, said: list[str]) -> None:
        await _call(workflows, life, "pay", "done", "w", said)
        await _call(workflows, life, "pay", "done", "w", said)

    life, said, kept = _run(["after", ""], body)
    assert said == ["pay: the store of workflows failed; nothing was done. Try again later."]
    assert life.effects == ["pay"]
    assert kept == Snapshot("confirmed", 4)


def test_nobody_lets_go_of_the_claim_of_another_process() -> None:
    async def run() -> None:
        store = Flaky(["before", ""])
        await store.inner.swap(Key("cart", "me", "w"), None, Snapshot("payment"))
        here, there = Workflows(GATE, "cart", store), Workflows(GATE, "cart", store)
        life, said = Life(GATE, "payment"), list[str]()
        await _call(here, life, "pay", "done", "w", said)
        async with there.turn("pay", "me", "w", VISIBLE) as passage:
            assert passage.refused is None
            await _call(here, life, "pay", "done", "w", said)
            passage.done()
        assert life.effects == []
        assert [text.partition(",")[0] for text in said] == [
            "pay: the store of workflows failed; nothing was done. Try again later.",
            "pay: refused",
        ]

    asyncio.run(run())


def test_a_call_that_was_cancelled_stays_claimed_until_somebody_settles_it() -> None:
    async def body(workflows: Workflows, life: Life, said: list[str]) -> None:
        with pytest.raises(asyncio.CancelledError):
            await _call(workflows, life, "pay", "cancel", "w", said)
        await _call(workflows, life, "pay", "done", "w", said)
        assert await workflows.settle("me", "w", "payment")
        await _call(workflows, life, "pay", "done", "w", said)
        with pytest.raises(MenuError, match=r"^state shipped"):
            await workflows.settle("me", "w", "shipped")

    life, said, kept = _run([], body)
    assert said == [
        "pay: refused, pay is running or was cut off and may have been done. Look before you call again."
    ]
    assert life.effects == ["pay"]
    assert kept is not None
    assert kept.state == "confirmed"


def test_a_failing_call_moves_nothing() -> None:
    async def body(workflows: Workflows, life: Life, said: list[str]) -> None:
        await _call(workflows, life, "pay", "fail", "w", said)
        with pytest.raises(ValueError, match="pay"):
            await _call(workflows, life, "pay", "raise", "w", said)

    _, said, kept = _run([], body)
    assert said == []
    assert kept is not None
    assert (kept.state, kept.claim) == ("payment", None)


def test_a_first_call_begins_a_workflow_under_a_handle_that_only_its_principal_can_use() -> None:
    async def run() -> None:
        workflows = Workflows(GATE, "cart", mint=iter(["h1", "run", "h2"]).__next__)
        life, said = Life(GATE, "empty"), list[str]()
        assert await _call(workflows, life, "add", "done", None, said) == "h1"
        assert await workflows.state("me", "h1") == "has_items"
        assert await workflows.state("you", "h1") == "empty"
        async with workflows.turn("checkout", "you", "h1", VISIBLE) as passage:
            assert passage.refused is not None
            assert passage.refused.text == (
                "checkout: no workflow has this workflow; leave workflow out to begin one."
            )
        assert await _call(workflows, life, "checkout", "done", "h1", said) is None
        assert await workflows.state("me", "h1") == "payment"
        assert said == []

    asyncio.run(run())


def test_a_handle_that_an_answer_carries_names_the_workflow() -> None:
    gate = Gate(Machine("empty", CART.states, handle="cart_id"), BINDINGS)

    async def run() -> None:
        workflows = Workflows(gate, "cart")
        async with workflows.turn("view", "me", None, VISIBLE) as passage:
            passage.done("c-1")
        async with workflows.turn("add", "me", "c-1", VISIBLE) as passage:
            assert passage.refused is None
            passage.done("c-1")
        assert await workflows.state("me", "c-1") == "has_items"

    asyncio.run(run())


def test_a_kept_state_that_the_machine_lost_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        store = MemoryStore()
        await store.swap(Key("cart", "me", "w"), None, Snapshot("shipped", 4))
        workflows = Workflows(GATE, "cart", store)
        async with workflows.turn("add", "me", "w", VISIBLE) as passage:
            passage.done()
        assert await workflows.state("me", "w") == "has_items"

    with caplog.at_level(logging.WARNING, "econome.lean.workflows"):
        asyncio.run(run())
    assert [record.getMessage() for record in caplog.records] == [
        "cart: a kept workflow is in state shipped, which the machine does not have; taken for empty"
    ]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=30))
def test_the_store_in_memory_is_bounded_and_never_forgets_a_claim(
    changes: list[tuple[str, bool]],
) -> None:
    async def run() -> None:
        store, claims = MemoryStore(capacity=3), dict[Key, Snapshot]()
        for handle, claimed in changes:
            key = Key("cart", "me", handle)
            before = await store.load(key)
            after = Snapshot("s", 1 + (before.version if before else 0), "pay" if claimed else None)
            if await store.swap(key, before, after):
                claims.pop(key, None)
                if claimed:
                    claims[key] = after
            assert not await store.swap(key, Snapshot("other"), after)
        kept = [await store.load(Key("cart", "me", handle)) for handle in "abcdef"]
        assert sum(snapshot is not None for snapshot in kept) <= 3
        assert {key: await store.load(key) for key in claims} == claims

    asyncio.run(run())


def test_a_store_that_keeps_nothing_is_refused() -> None:
    with pytest.raises(MenuError, match=r"^capacity 0"):
        MemoryStore(capacity=0)
