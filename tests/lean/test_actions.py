"""Actions, their namespaces and their names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.actions import (
    NAME,
    Action,
    Namespace,
    action_of,
    flat_names,
    free_name,
    safe_name,
)
from econome.lean.calls import Passed, Said
from econome.lean.menus import Menu
from tests.lean.schemas import FILES, count, tool
from tests.requirements import requirement


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


@requirement("LC9")
@given(st.text(max_size=90), st.text(max_size=90))
def test_every_flat_name_is_one_that_clients_take(namespace: str, action: str) -> None:
    assert NAME.fullmatch(flat_names([(namespace, action)], "_")[namespace, action])


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
