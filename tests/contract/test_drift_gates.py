"""A tool that a table of states closed where the same calls led before is breaking, whatever the states are called."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from econome.contract.drift import drift
from econome.contract.findings import Finding
from econome.contract.lockfile import Lock
from tests.contract.bodies import of_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

CART = {
    "initial": "empty",
    "states": {"empty": {"ADD": "full"}, "full": {"PAY": "paid"}, "paid": {}},
}
TOOLS: dict[str, dict[str, Any]] = {
    "add": {"states": ["empty", "full"], "event": "ADD"},
    "checkout": {"states": ["full"]},
    "pay": {"states": ["full"], "event": "PAY"},
    "view": {},
}


def cart(machine: Any = CART, **bound: dict[str, Any]) -> dict[str, Any]:
    """Return the cart, its tools bound as *bound* says and else as they were."""
    tools = {name: tool(economy=economy) for name, economy in {**TOOLS, **bound}.items()}
    return of_tools(tools, machine=machine)


def unbound() -> dict[str, Any]:
    return of_tools({name: tool() for name in TOOLS})


def between(old: dict[str, Any], new: dict[str, Any]) -> tuple[Finding, ...]:
    return drift(Lock("t", {"shop": old}), Lock("t", {"shop": new})).findings


def told(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [(each.kind, each.name, each.witness) for each in between(old, new)]


def test_a_tool_that_is_closed_in_a_state_it_was_open_in_is_breaking_with_that_state() -> None:
    assert told(cart(), cart(checkout={"states": ["paid"]})) == [
        ("call-gated", "checkout", {"state": "full"}),
        ("call-opened", "checkout", None),
    ]


def test_a_tool_that_is_bound_only_now_is_closed_from_the_beginning() -> None:
    assert told(cart(), cart(view={"states": ["full", "paid"]})) == [
        ("call-gated", "view", {"state": "empty"})
    ]


def test_a_table_where_there_was_none_closes_what_it_closes() -> None:
    found = [one for one in told(unbound(), cart()) if one[0] == "call-gated"]
    assert found == [
        ("call-gated", "add", {"state": "paid"}),
        ("call-gated", "checkout", {"state": "empty"}),
        ("call-gated", "pay", {"state": "empty"}),
    ]


def test_a_table_that_is_gone_opens_what_it_closed() -> None:
    found = between(cart(), unbound())
    assert {one.name for one in found if one.kind == "call-opened"} == {"add", "checkout", "pay"}
    assert {one.severity for one in found} == {"RISKY", "SAFE"}


def test_a_state_that_the_same_calls_do_not_reach_any_more_closes_what_was_open_in_it() -> None:
    longer = {
        "initial": "empty",
        "states": {**CART["states"], "empty": {"ADD": "review"}, "review": {}},  # type: ignore[dict-item]
    }
    found = between(cart(), cart(longer))
    gated = [(one.name, one.witness) for one in found if one.kind == "call-gated"]
    assert gated == [
        ("add", {"state": "full"}),
        ("checkout", {"state": "full"}),
        ("pay", {"state": "full"}),
    ]
    assert "after the same calls the state is now `review`" in found[0].text


def test_states_under_other_names_close_nothing() -> None:
    names = {"empty": "leer", "full": "voll", "paid": "bezahlt"}
    renamed = {
        "initial": "leer",
        "states": {"leer": {"ADD": "voll"}, "voll": {"PAY": "bezahlt"}, "bezahlt": {}},
    }
    bound = {
        name: {**economy, "states": [names[state] for state in economy["states"]]}
        for name, economy in TOOLS.items()
        if economy
    }
    assert {one.kind for one in between(cart(), cart(renamed, **bound))} == {"machine-changed"}


def test_a_state_that_cannot_be_reached_closes_nothing() -> None:
    island = {"initial": "empty", "states": {**CART["states"], "island": {}}}  # type: ignore[dict-item]
    old = cart(island, view={"states": ["empty", "full", "paid", "island"]})
    new = cart(island, view={"states": ["empty", "full", "paid"]})
    assert [(one[0], one[1]) for one in told(old, new)] == [("machine-changed", "view")]


def test_another_event_is_a_change_of_the_table() -> None:
    found = told(cart(), cart(checkout={"states": ["full"], "event": "LEAVE"}))
    assert found == [("machine-changed", "checkout", None)]


def test_a_table_too_large_to_be_walked_says_so() -> None:
    def chain(first: str) -> dict[str, Any]:
        states = {f"{first}{n}": {"ADD": f"{first}{n + 1}"} for n in range(120_000)}
        return {"initial": f"{first}0", "states": {**states, f"{first}120000": {}}}

    bound: dict[str, Any] = {"add": {"event": "ADD"}, "pay": {"event": "NONE"}}
    found = between(cart(chain("a"), **bound), cart(chain("b"), **bound))
    assert any("too large to be walked whole" in one.text for one in found)


_states = st.sampled_from(["a", "b", "c"])
_machines = st.none() | st.fixed_dictionaries(
    {
        "initial": _states,
        "states": st.fixed_dictionaries(
            {name: st.dictionaries(st.sampled_from(["E", "F"]), _states) for name in "abc"}
        ),
    }
)
_bindings = st.fixed_dictionaries(
    {}, optional={"states": st.lists(_states, unique=True), "event": st.sampled_from(["E", "F"])}
)
_carts = st.builds(
    lambda machine, x, y: of_tools({"x": tool(economy=x), "y": tool(economy=y)}, machine=machine),
    _machines,
    _bindings,
    _bindings,
)


def _run(server: dict[str, Any], calls: list[str]) -> bool:
    """Tell whether a server lets all these calls through, one after the other."""
    machine = server["machine"]
    state = machine["initial"] if machine else None
    for call in calls:
        economy = server["tools"][call]["economy"]
        if machine is None:
            continue
        if "states" in economy and state not in economy["states"]:
            return False
        state = machine["states"][state].get(economy.get("event"), state)
    return True


@given(_carts, _carts, st.lists(st.sampled_from("xy"), max_size=6))
def test_where_nothing_is_told_to_be_closed_every_row_of_calls_still_goes_through(
    old: dict[str, Any], new: dict[str, Any], calls: list[str]
) -> None:
    if not any(one.kind == "call-gated" for one in between(old, new)):
        assert not _run(old, calls) or _run(new, calls)
