"""Several actions in one tool: the union of their fields, what each needs, and the hints of all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from econome.errors import MenuError
from econome.lean.actions import Action, Namespace, action_of
from econome.lean.group import discriminator_of, grouped, hints_of, shared_meta
from tests.lean.group_reader import says_every_field
from tests.lean.schemas import alike_tools, arguments_for, count, tool
from tests.requirements import requirement

_ID = {"type": "string", "description": "Identifier of the item."}


def _namespace(*tools: dict[str, Any]) -> Namespace:
    return Namespace("items", tuple(map(action_of, tools)))


def _hinted(entry: dict[str, Any], **hints: bool) -> dict[str, Any]:
    return {**entry, "annotations": {f"{name}Hint": hint for name, hint in hints.items()}}


@requirement("LC10", "L2")
def test_three_actions_with_a_common_field_are_one_tool() -> None:
    tools = [
        _hinted(
            tool(
                "list",
                "List items",
                ("workspace_id",),
                workspace_id="string",
                id=_ID,
                state={"enum": ["a", "b"]},
            ),
            readOnly=True,
            destructive=False,
            idempotent=True,
        ),
        _hinted(
            tool(
                "create",
                "Create an item",
                ("workspace_id", "title"),
                workspace_id="string",
                title="string",
            ),
            readOnly=False,
            destructive=False,
            idempotent=False,
        ),
        _hinted(
            tool(
                "delete",
                "Delete an item",
                ("workspace_id", "id"),
                workspace_id="string",
                id=_ID,
                state={"enum": ["b", "c"]},
            ),
            readOnly=False,
            destructive=True,
            idempotent=True,
        ),
    ]
    assert grouped(_namespace(*tools), count) == {
        "name": "items",
        "description": (
            "Give `action` and its fields (! destructive).\n\n"
            "items actions|desc|required\n"
            "list|List items|workspace_id\n"
            "create|Create an item|workspace_id,title\n"
            "delete!|Delete an item|workspace_id,id"
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "action": {"enum": ["list", "create", "delete"]},
                "workspace_id": {"type": "string"},
                "id": {
                    "type": "string",
                    "description": "Identifier of the item. Required for: delete. For: list",
                },
                "state": {
                    "type": "string",
                    "enum": ["a", "b", "c"],
                    "description": "list:'a'|'b'\ndelete:'b'|'c'",
                },
                "title": {"type": "string", "description": "Required for: create"},
            },
            "required": ["action", "workspace_id"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
    }


@requirement("L2")
@given(alike_tools(), st.data())
def test_a_group_says_and_takes_what_its_actions_said_and_took(
    tools: list[dict[str, Any]], data: st.DataObject
) -> None:
    group = grouped(_namespace(*tools), count)
    says_every_field(group, tools)
    called = data.draw(st.sampled_from(tools))
    declared = called["inputSchema"]["properties"]
    # What a schema does not name, the server takes by the tool's own name.
    drawn = data.draw(arguments_for(called["inputSchema"]))
    arguments = {key: value for key, value in drawn.items() if key in declared}
    discriminator = next(iter(group["inputSchema"]["properties"]))
    if Draft202012Validator(called["inputSchema"]).is_valid(arguments):
        whole = {**arguments, discriminator: called["name"]}
        assert Draft202012Validator(group["inputSchema"]).is_valid(whole)


@requirement("LC10")
def test_one_field_of_two_types_is_refused() -> None:
    with pytest.raises(MenuError) as caught:
        grouped(_namespace(tool("a", x="string"), tool("b", x="number")), count)
    assert str(caught.value) == (
        "items: the field x is number in one action and string in another; give it one type or another name"
    )


@requirement("L2")
@pytest.mark.parametrize(
    "one, two, merged",
    [
        ({"type": "integer"}, {"type": "number"}, {"type": "number"}),
        ({"type": "integer", "minimum": 1}, {"type": "integer"}, {"type": "integer"}),
        ({"enum": ["a"], "type": "string"}, {"type": "string"}, {"type": "string"}),
        ({"type": "string"}, {"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "string"}, {}, {}),
        ({"type": "array", "items": {"type": "string"}}, {"type": "array"}, {"type": "array"}),
    ],
)
def test_a_field_that_actions_see_differently_takes_what_any_takes(
    one: dict[str, Any], two: dict[str, Any], merged: dict[str, Any]
) -> None:
    schema = grouped(_namespace(tool("a", x=one), tool("b", x=two)), count)["inputSchema"]
    field = schema["properties"]["x"]
    assert {key: value for key, value in field.items() if key != "description"} == merged
    assert field["description"].startswith("a:")


@requirement("L2")
@pytest.mark.parametrize(
    "odd",
    [
        {"anyOf": [{"required": ["x"]}]},
        {"minProperties": 1},
        {"additionalProperties": {"type": "string"}},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"required": ["undeclared"]},
        {"properties": {"x": {"$ref": "#/properties/y"}}},
    ],
)
def test_what_cannot_be_said_of_one_action_in_a_group_is_refused(odd: dict[str, Any]) -> None:
    other = tool("b", x="string")
    other["inputSchema"] |= odd
    with pytest.raises(MenuError):
        grouped(_namespace(tool("a", x="string"), other), count)


@requirement("L2")
def test_definitions_are_kept_once_and_may_not_contradict_each_other() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}

    def using(name: str, definition: dict[str, Any]) -> dict[str, Any]:
        entry = tool(name, node={"$ref": "#/$defs/Node"})
        entry["inputSchema"]["$defs"] = {"Node": definition}
        return entry

    schema = grouped(_namespace(using("a", node), using("b", node)), count)["inputSchema"]
    assert schema["$defs"] == {"Node": node}
    assert schema["properties"]["node"] == {"$ref": "#/$defs/Node"}
    with pytest.raises(MenuError):
        grouped(_namespace(using("a", node), using("b", {"type": "object"})), count)


@requirement("L2")
def test_a_group_is_closed_where_every_action_is() -> None:
    closed = tool("a", x="string")
    closed["inputSchema"]["additionalProperties"] = False
    both = [closed, {**closed, "name": "b"}]
    assert grouped(_namespace(*both), count)["inputSchema"]["additionalProperties"] is False
    assert (
        "additionalProperties" not in grouped(_namespace(closed, tool("b")), count)["inputSchema"]
    )


@requirement("L2")
def test_the_discriminator_has_a_name_that_no_field_has() -> None:
    assert discriminator_of([action_of(tool("a", action="string", action_="string"))]) == "action__"


@requirement("L2")
@pytest.mark.parametrize(
    "actions, hints",
    [
        ([Action("a"), Action("b")], {}),
        ([Action("a", read_only=True), Action("b", read_only=True)], {"readOnlyHint": True}),
        ([Action("a", read_only=True), Action("b")], {"readOnlyHint": False}),
        ([Action("a", destructive=False), Action("b")], {}),
        (
            [Action("a", destructive=False), Action("b", destructive=False)],
            {"destructiveHint": False},
        ),
        (
            [Action("a", destructive=False), Action("b", destructive=True)],
            {"destructiveHint": True},
        ),
        ([Action("a", idempotent=True), Action("b")], {"idempotentHint": False}),
        ([Action("a", open_world=False), Action("b")], {}),
        ([Action("a", open_world=False), Action("b", open_world=True)], {"openWorldHint": True}),
    ],
)
def test_hints_of_a_group_never_promise_more_than_its_actions(
    actions: list[Action], hints: dict[str, bool]
) -> None:
    assert hints_of(actions) == hints


@requirement("L2")
def test_what_all_actions_have_in_common_beside_their_schemas_stays() -> None:
    tools = [
        {**tool("a"), "_meta": {"anthropic/x": 1, "own": 1}},
        {**tool("b"), "_meta": {"anthropic/x": 1, "own": 2}},
    ]
    assert shared_meta([action_of(entry) for entry in tools]) == {"anthropic/x": 1}
    assert shared_meta([action_of(tool("a")), action_of(tools[0])]) == {}
