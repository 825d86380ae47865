"""A gate says what is open in a state, what moves it, and what opens the rest; it never leaves its table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import MenuError
from econome.lean.gate import Binding, Closed, Gate, Machine, Opened, Snapshot
from tests.requirements import requirement

pytestmark = requirement("L4")

CART = Machine(
    "empty",
    {
        "empty": {"ADD": "has_items"},
        "has_items": {"CHECKOUT": "payment"},
        "payment": {"PAY": "confirmed"},
        "confirmed": {},
    },
)
BINDINGS = {
    "add": Binding(frozenset({"empty", "has_items"}), "ADD"),
    "checkout": Binding(frozenset({"has_items"}), "CHECKOUT"),
    "pay": Binding(frozenset({"payment"}), "PAY"),
}
GATE = Gate(CART, BINDINGS)
VISIBLE = {name: name for name in ("add", "checkout", "pay", "view")}


def test_a_refusal_tells_the_state_what_is_open_and_what_opens_the_rest() -> None:
    assert GATE.decide("pay", None, VISIBLE) == Closed(
        "pay: closed in state empty. Open now: add, view. Then: add opens checkout; checkout opens pay."
    )


def test_a_refusal_says_what_never_opens_again() -> None:
    assert GATE.refusal("pay", "confirmed", VISIBLE) == (
        "pay: closed in state confirmed. Open now: view. No more: add, checkout, pay."
    )


def test_a_refusal_names_only_what_its_caller_may_see_and_by_the_callers_names() -> None:
    seen = {"checkout": "cart_checkout", "pay": "cart_pay"}
    assert GATE.refusal("pay", "has_items", seen) == (
        "cart_pay: closed in state has_items. Open now: cart_checkout. Then: cart_checkout opens cart_pay."
    )


def test_success_moves_along_the_table_and_an_event_without_a_row_moves_nothing() -> None:
    assert GATE.decide("add", None, VISIBLE) == Opened("empty", "has_items")
    assert GATE.decide("add", Snapshot("has_items", 3), VISIBLE) == Opened("has_items", "has_items")
    assert GATE.decide("view", Snapshot("payment"), VISIBLE) == Opened("payment", "payment")


def test_while_one_moves_the_workflow_no_other_bound_action_runs() -> None:
    claimed = Snapshot("payment", 2).claimed("payment", "pay", "run-1")
    refused = GATE.decide("pay", claimed, VISIBLE)
    assert refused == Closed(
        "pay: refused, pay is running or was cut off and may have been done. Look before you call again.",
        why="busy",
    )
    assert GATE.decide("view", claimed, VISIBLE) == Opened("payment", "payment")
    assert GATE.decide("pay", claimed, VISIBLE, repeatable=True) == Opened("payment", "confirmed")


def test_a_snapshot_of_an_unknown_state_is_the_initial_one_and_a_warning() -> None:
    state, warning = GATE.state_of(Snapshot("shipped", 7))
    assert state == "empty"
    assert (
        warning
        == "a kept workflow is in state shipped, which the machine does not have; taken for empty"
    )
    assert GATE.state_of(Snapshot("payment")) == ("payment", None)
    assert GATE.decide("pay", Snapshot("shipped", 7), VISIBLE) == GATE.decide("pay", None, VISIBLE)


def test_a_table_with_a_hole_is_refused() -> None:
    with pytest.raises(MenuError, match=r"^state gone: not in the table"):
        Machine("here", {"here": {"GO": "gone"}})
    with pytest.raises(MenuError, match=r"^state nowhere: not in the table"):
        Machine("nowhere", {})


def test_a_binding_to_what_the_machine_does_not_have_is_refused() -> None:
    with pytest.raises(MenuError, match=r"^pay: state paid: the machine has none"):
        Gate(CART, {"pay": Binding(frozenset({"paid"}))})
    with pytest.raises(MenuError, match=r"^pay: event REFUND: no state"):
        Gate(CART, {"pay": Binding(None, "REFUND")})


@st.composite
def gates(draw: st.DrawFn) -> Gate:
    """Draw a machine of a few states, and actions bound to it in every way."""
    names = draw(st.lists(st.sampled_from("ABCDE"), min_size=1, unique=True))
    events = st.sampled_from(["go", "turn", "stop"])
    table = {name: draw(st.dictionaries(events, st.sampled_from(names))) for name in names}
    known = sorted({event for row in table.values() for event in row})
    states = st.none() | st.frozensets(st.sampled_from(names))
    event = st.none() | st.sampled_from(known) if known else st.none()
    bindings = draw(
        st.dictionaries(st.sampled_from(["one", "two", "three"]), st.builds(Binding, states, event))
    )
    return Gate(Machine(names[0], table), bindings)


@given(gates(), st.data())
def test_every_step_stays_in_the_table_and_every_refusal_tells_the_truth(
    gate: Gate, data: st.DataObject
) -> None:
    state = data.draw(st.sampled_from(sorted(gate.machine.states)))
    action = data.draw(st.sampled_from(["one", "two", "three"]))
    visible = {name: name for name in ("one", "two", "three")}
    step = gate.decide(action, Snapshot(state), visible)
    assert isinstance(step, Opened) == gate.opens(action, state)
    if isinstance(step, Opened):
        assert step.target in gate.machine.states
        return
    assert f"closed in state {state}." in step.text
    opened = _named(step.text, "Open now: ", {"nothing"})
    assert opened == {name for name in visible if gate.opens(name, state)}
    later = {name for part in step.text.split(" opens ")[1:] for name in _names(part)}
    never = _named(step.text, "No more: ", set())
    assert opened | later | never == set(visible)
    assert never == {name for name in visible if not _reachable(gate, state, name)}


def _names(part: str) -> set[str]:
    return set(part.partition(";")[0].partition(".")[0].split(", "))


def _named(text: str, label: str, without: set[str]) -> set[str]:
    return _names(text.partition(label)[2]) - without - {""} if label in text else set()


def _reachable(gate: Gate, state: str, action: str) -> bool:
    """Tell by trying every walk whether *action* is open somewhere ahead of *state*."""
    ahead = {state}
    for _ in gate.machine.states:
        ahead |= {
            gate.machine.after(at, gate.bindings.get(name, Binding()).event)
            for at in ahead
            for name in ("one", "two", "three")
            if gate.opens(name, at)
        }
    return any(gate.opens(action, at) for at in ahead)
