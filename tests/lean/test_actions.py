"""Actions, their namespaces and their names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import MenuError
from econome.lean.actions import (
    NAME,
    Action,
    Namespace,
    action_of,
    flat_name,
    flat_names,
    free_name,
    merge,
    safe_name,
)
from econome.lean.calls import Passed, Said
from econome.lean.menus import Menu
from tests.lean.schemas import FILES, count, tool
from tests.requirements import requirement


def _namespace(name: str, *actions: str) -> Namespace:
    return Namespace(name, tuple(Action(action) for action in actions))


@requirement("LC9")
def test_flat_names_are_namespace_and_action() -> None:
    named = flat_names([_namespace("billing", "refund", "list"), _namespace("search", "default")])
    assert {name: action.name for name, action in named.items()} == {
        "billing_refund": "refund",
        "billing_list": "list",
        "search": "default",
    }
    assert flat_name("billing", "refund", "-") == "billing-refund"
    assert flat_name("billing", "default") == "billing"


@requirement("LC9")
def test_only_a_lone_default_is_named_as_its_namespace() -> None:
    assert list(flat_names([_namespace("billing", "default", "refund")])) == [
        "billing_default",
        "billing_refund",
    ]


@requirement("LC9")
def test_two_actions_of_one_flat_name_are_refused() -> None:
    with pytest.raises(MenuError) as caught:
        flat_names([_namespace("a", "b_c"), _namespace("a_b", "c")])
    assert str(caught.value) == "a_b.c and a.b_c would both be named a_b_c; rename one"
    with pytest.raises(MenuError):
        flat_name("a", "b", ".")


@requirement("LC9")
def test_a_dot_in_an_action_becomes_a_sign_that_names_may_hold() -> None:
    assert flat_name("plat", "users.list") == "plat_users_list"


@requirement("LC9")
@given(st.text(max_size=90), st.text(max_size=90))
def test_every_flat_name_is_one_that_clients_take(namespace: str, action: str) -> None:
    assert NAME.fullmatch(flat_name(namespace, action))


@requirement("L2")
@given(st.text(max_size=80), st.sets(st.sampled_from(["a", "a_", "a__", "b" * 64])))
def test_a_free_name_is_free_and_one_that_clients_take(text: str, taken: set[str]) -> None:
    for wanted in ("a", "b" * 64, safe_name(text)):
        name = free_name(wanted, taken)
        assert name not in taken
        assert NAME.fullmatch(name)


_TAGGED = Namespace(
    "shop",
    (
        Action("buy", tags=frozenset({"x", "y"})),
        Action("look", tags=frozenset({"x"})),
        Action("drop", tags=frozenset({"y", "z"})),
        Action("help"),
    ),
)


@requirement("LC11")
@pytest.mark.parametrize(
    "chosen, names",
    [
        ({"tags": {"x", "y"}}, ["buy"]),
        ({"any_tag": {"x", "z"}}, ["buy", "look", "drop"]),
        ({"exclude": {"z"}}, ["buy", "look", "help"]),
        ({"tags": {"y"}, "exclude": {"z"}}, ["buy"]),
        ({}, ["buy", "look", "drop", "help"]),
    ],
)
def test_tags_choose_actions(chosen: dict[str, set[str]], names: list[str]) -> None:
    assert [action.name for action in _TAGGED.chosen(**chosen).actions] == names


@requirement("LC11")
@pytest.mark.parametrize("form", ["flat", "signatures", "lean", "lazy"])
def test_an_action_that_was_left_out_is_refused_by_every_name(form: str) -> None:
    long = tuple(
        replace(action_of({**entry, "name": action.name}), tags=action.tags)
        for action, entry in zip(_TAGGED.actions, [*FILES, FILES[0]], strict=True)
    )
    menu = Menu.made(replace(_TAGGED, actions=long).chosen(exclude={"z"}), form=form, count=count)
    assert menu.form == form
    assert menu.call("drop", {}) == Said("drop is not offered here", True, "refused")
    assert menu.call("buy", {}) == Passed(long[0])
    if menu.tool is not None:
        outcome = menu.call(menu.tool, {"action": "drop"})
        assert outcome == Said(
            "shop: drop is not offered here; action is one of: buy, look, help"
            + ("; find searches" if form == "lazy" else ""),
            True,
            "refused",
        )


@requirement("LC11")
def test_merging_keeps_what_is_each_action_s_own() -> None:
    guard = object()
    first = Namespace("shop", (Action("look", tags=frozenset({"x"})),), hidden=frozenset({"old"}))
    own = Action("buy", tags=frozenset({"y"}), select=("id",), strict=True, bound=guard)
    merged = merge(first, Namespace("shop", (own,), "A shop"))
    assert merged == Namespace("shop", (*first.actions, own), "A shop", frozenset({"old"}))
    assert merged.actions[1].bound is guard


@requirement("LC11")
def test_only_parts_of_one_namespace_with_different_actions_are_merged() -> None:
    with pytest.raises(MenuError):
        merge(_namespace("a", "x"), _namespace("b", "y"))
    with pytest.raises(MenuError) as caught:
        merge(_namespace("a", "x"), _namespace("a", "x"))
    assert str(caught.value) == "a: the action x is declared twice; rename one"


@requirement("L2")
@pytest.mark.parametrize(
    "odd",
    [
        {"name": "x", "inputSchema": {"type": "string"}},
        {"name": "x", "inputSchema": True},
        {"name": "x"},
        {"name": 3, "inputSchema": {}},
        {"inputSchema": {"type": "object"}},
        {"name": "x", "description": ["a"], "inputSchema": {"type": "object"}},
        {"name": "x", "inputSchema": {"properties": [], "type": "object"}},
        {"name": "x", "inputSchema": {"properties": {"a": "string"}}},
        {"name": "x", "inputSchema": {"required": "a"}},
        {"name": "x", "inputSchema": {"additionalProperties": "no"}},
        {**tool("x"), "execution": {"taskSupport": "required"}},
        {**tool("x"), "_meta": {"ui": {"resourceUri": "ui://x"}}},
        tool("x", "", (), region={"type": "string", "x-mcp-header": "Region"}),
    ],
)
def test_an_odd_tool_stays_alone_and_as_it_is(odd: dict[str, Any]) -> None:
    action = action_of(odd)
    assert action.alone
    assert action.wire() == odd


@requirement("L2")
def test_an_endless_schema_stays_alone() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(5000):
        schema = {"type": "object", "properties": {"a": schema}}
    assert action_of({"name": "x", "inputSchema": schema}).alone


@requirement("L2")
def test_an_action_made_in_python_is_shown_on_the_wire() -> None:
    action = Action(
        "x", "X", {"type": "object"}, {"type": "object"}, read_only=True, open_world=False
    )
    assert action.wire() == {
        "name": "x",
        "description": "X",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    assert Action("y").wire()["inputSchema"] == {"type": "object", "properties": {}}


@requirement("L2", "L3")
def test_the_title_of_a_function_is_no_part_of_an_actions_schema() -> None:
    tool = {"name": "pay_bill", "inputSchema": {"type": "object", "title": "settleArguments"}}
    assert action_of(tool).schema == {"type": "object"}
    assert action_of(tool).wire() == tool
    tool["inputSchema"] = {"type": "object", "title": "All Arguments of a bill"}
    assert action_of(tool).schema == tool["inputSchema"]
