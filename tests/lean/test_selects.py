"""`_select`: its enum, flat and grouped, and whether it pays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from econome.lean.actions import Action, Namespace, action_of
from econome.lean.calls import Passed, Sent
from econome.lean.menus import Menu
from econome.lean.selects import BreakEven, break_even, root_fields, select_property
from tests.lean.schemas import FILES, count, tool
from tests.requirements import requirement

_A = Action("A", select=("b", "a"))
_B = Action("B", select=("c",))
_WIDE = tuple(f"field{number}" for number in range(20))


@requirement("LC7")
def test_the_enum_is_the_union_of_the_fields_sorted() -> None:
    assert select_property([_A]) == {"type": "array", "items": {"enum": ["a", "b"]}}
    assert select_property([_A, _B]) == {"type": "array", "items": {"enum": ["a", "b", "c"]}}


@requirement("LC7")
def test_there_is_no_enum_without_fields_or_where_an_argument_has_its_name() -> None:
    assert select_property([Action("C")]) is None
    assert select_property([_A, action_of(tool("D", _select="string"))]) is None


def _selecting(*fields: str) -> list[Action]:
    return [replace(action_of(entry), select=fields) for entry in FILES]


@requirement("LC7", "L8")
@pytest.mark.parametrize("form", ["flat", "signatures", "lean"])
def test_the_argument_is_offered_and_never_reaches_the_server(form: str) -> None:
    menu = Menu.made(
        Namespace("fs", tuple(_selecting("b", "a"))), form=form, count=count, select_always=True
    )
    assert menu.form == form
    offered = {"type": "array", "items": {"enum": ["a", "b"]}}
    for entry in menu.tools:
        assert entry["inputSchema"]["properties"]["_select"] == offered
    action = menu.namespace.actions[0]
    name = menu.tool or "read_lines"
    arguments = {"path": "x", "_select": "a"} | ({"action": "read_lines"} if menu.tool else {})
    assert menu.call(name, arguments) == Sent("read_lines", {"path": "x"}, action, "a")
    assert menu.call("read_lines", {"path": "x"}) == Passed(action)


@requirement("LC7")
def test_the_argument_is_the_server_s_where_it_is_not_offered() -> None:
    menu = Menu.of(FILES, name="fs", form="signatures", count=count)
    arguments = {"path": "x", "_select": ["a"]}
    assert menu.call("fs", {"action": "read_lines", **arguments}) == Sent(
        "read_lines", arguments, menu.namespace.actions[0]
    )


@requirement("L8")
def test_the_argument_is_off_where_one_narrowed_answer_does_not_pay_for_it() -> None:
    narrow, wide = break_even([_A], count), break_even([Action("W", select=_WIDE)], count)
    assert (narrow.pays, wide.pays) == (False, True)
    assert narrow.answers > 1 > wide.answers
    assert break_even([Action("C")], count) == BreakEven(0, 0)
    for fields, offered in (("a", "b"), False), (_WIDE, True):
        menu = Menu.made(Namespace("fs", tuple(_selecting(*fields))), form="flat", count=count)
        assert ["_select" in entry["inputSchema"]["properties"] for entry in menu.tools] == [
            offered
        ] * 3


@requirement("L8")
@pytest.mark.parametrize(
    "schema, fields",
    [
        ({"type": "object", "properties": {"b": {}, "a": {}}}, ("b", "a")),
        ({"type": "array", "items": {"properties": {"a": {}}}}, ("a",)),
        (
            {
                "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/x/y"}}},
                "$defs": {"x/y": {}},
            },
            (),
        ),
        ({"$ref": "#/$defs/x~1y", "$defs": {"x/y": {"properties": {"a": {}}}}}, ("a",)),
        ({"anyOf": [{"properties": {"a": {}}}, {"type": "null"}]}, ("a",)),
        ({"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, ()),
        ({"$ref": "#"}, ()),
        ({"properties": {"result": {"type": "string"}}}, ()),
        ({"properties": {"result": {}, "total": {}}}, ("result", "total")),
        (None, ()),
    ],
)
def test_root_fields_are_found_through_what_stands_around_them(
    schema: dict[str, Any] | None, fields: tuple[str, ...]
) -> None:
    assert root_fields(schema) == fields
