"""What a lock keeps of a server is the same for the same server, and nothing that cannot be kept passes unsaid."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.contract.captured import Captured
from econome.contract.lockfile import Lock, check, written
from econome.contract.promises import MOST_LEVELS, namespace_of, promise
from econome.errors import LockBroken
from econome.lean.menus import baseline
from econome.lean.rules import ToolRules
from tests.brief import examples
from tests.contract.captures import captures, count, shuffled, tool
from tests.requirements import requirement

pytestmark = requirement("L16")

ROWS = {
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": {"properties": {"id": {"type": "string"}}}},
    },
}


def nested(levels: int) -> Any:
    value: Any = "leaf"
    for level in range(levels):
        value = [value] if level % 2 else {"properties": value}
    return value


def server(*tools: Any, **others: Any) -> Captured:
    return Captured("shop", tools=tools, menu=tools, **others)


def promised(captured: Captured, **options: Any) -> dict[str, Any]:
    return promise(captured, count=count, **options)


def test_all_that_a_server_promises_is_there() -> None:
    listing = tool("cart.list", outputSchema=ROWS, title="List", _meta={"at": "12:00"})
    told = promised(
        Captured(
            "shop",
            tools=(listing,),
            menu=(listing,),
            prompts=({"name": "greet", "arguments": [{"name": "who"}], "_meta": {}},),
            resources=({"uri": "file:///a", "name": "a"},),
            templates=({"uriTemplate": "file:///{b}", "name": "b"},),
            instructions="Ask first.",
            capabilities={"tools": {"listChanged": True}},
            version="1.2.3",
            protocol="2025-06-18",
        )
    )
    tokens = count(baseline(listing))
    assert told == {
        "instructions": "Ask first.",
        "capabilities": {"tools": {"listChanged": True}},
        "machine": None,
        "menu": {"form": "untouched", "tokens": tokens, "tools": 1, "listed": {}},
        "class": "high",
        "namespaces": {"cart": tokens},
        "tools": {
            "cart.list": {
                "declared": {key: value for key, value in listing.items() if key != "_meta"},
                "economy": {},
                "namespace": "cart",
                "tokens": tokens,
                "short_tokens": None,
                "class": "high",
                "fields": 1,
                "collections": ["/rows"],
                "reason": told["tools"]["cart.list"]["reason"],
            }
        },
        "prompts": {"greet": {"name": "greet", "arguments": [{"name": "who"}]}},
        "resources": {"file:///a": {"uri": "file:///a", "name": "a"}},
        "templates": {"file:///{b}": {"uriTemplate": "file:///{b}", "name": "b"}},
    }
    assert "/rows" in told["tools"]["cart.list"]["reason"]


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(captures(), st.randoms(use_true_random=False))
@requirement("LC19")
def test_neither_order_nor_version_of_a_server_matters(
    captured: Captured, rng: random.Random
) -> None:
    once, again = promised(captured), promised(shuffled(captured, rng))
    assert once == again
    assert written(Lock("t", {"shop": once})) == written(Lock("t", {"shop": again}))


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(captures())
def test_whatever_is_promised_can_be_locked(captured: Captured) -> None:
    check(promised(captured), "shop")


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(captures())
def test_a_server_is_left_as_it_was(captured: Captured) -> None:
    before = repr(captured)
    promised(captured)
    assert repr(captured) == before


def test_sets_of_a_schema_are_sorted_and_nothing_else_is() -> None:
    schema = {
        "type": ["string", "null"],
        "required": ["b", "a"],
        "enum": ["b", 2, None, "a", {"z": 1, "a": [2, 1]}, 10],
        "dependentRequired": {"a": ["z", "y"]},
        "dependencies": {"a": ["z", "y"], "b": {"required": ["d", "c"]}},
        "properties": {"required": {"enum": ["b", "a"]}, "enum": {"type": ["b", "a"]}},
        "items": [{"required": ["b", "a"]}],
        "anyOf": [{"required": ["b", "a"]}, {"required": ["a"]}],
        "additionalProperties": {"required": ["b", "a"]},
        "default": {"required": ["b", "a"], "enum": ["b", "a"]},
        "const": {"type": ["b", "a"]},
        "examples": [{"required": ["b", "a"]}, 1],
        "x-order": ["b", "a"],
        "title": " Kept as it is\n",
    }
    kept = promised(server(tool(inputSchema=schema)))["tools"]["list"]["declared"]["inputSchema"]
    assert kept == schema | {
        "type": ["null", "string"],
        "required": ["a", "b"],
        "enum": ["a", "b", 10, 2, None, {"z": 1, "a": [2, 1]}],
        "dependentRequired": {"a": ["y", "z"]},
        "dependencies": {"a": ["y", "z"], "b": {"required": ["c", "d"]}},
        "properties": {"required": {"enum": ["a", "b"]}, "enum": {"type": ["a", "b"]}},
        "items": [{"required": ["a", "b"]}],
        "anyOf": [{"required": ["a", "b"]}, {"required": ["a"]}],
        "additionalProperties": {"required": ["a", "b"]},
    }


def test_what_a_resource_weighs_and_when_it_changed_is_no_promise() -> None:
    resource = {
        "uri": "file:///a",
        "size": 12,
        "annotations": {"lastModified": "2026-01-01", "priority": 1},
    }
    other = {"uri": "file:///b", "annotations": {"lastModified": "2026-01-01"}}
    assert promised(server(resources=(resource, other)))["resources"] == {
        "file:///a": {"uri": "file:///a", "annotations": {"priority": 1}},
        "file:///b": {"uri": "file:///b"},
    }


def test_a_whole_number_beyond_all_doubles_of_its_own_is_the_double_it_is() -> None:
    kept = promised(server(tool(inputSchema={"maximum": 2**63, "minimum": -0.0, "default": 7.0})))
    assert repr(kept["tools"]["list"]["declared"]["inputSchema"]) == repr(
        {"default": 7, "maximum": 2.0**63, "minimum": 0}
    )


@pytest.mark.parametrize(
    "name, namespace",
    [
        ("cart.list", "cart"),
        ("cart/list", "cart"),
        ("cart__list.all", "cart"),
        ("cart_list", "shop"),
        ("list", "shop"),
        ("__list", "shop"),
        (".", "shop"),
        ("", "shop"),
        ("a.", "a"),
    ],
)
def test_the_namespace_of_a_tool_is_the_first_part_of_its_name(name: str, namespace: str) -> None:
    assert namespace_of(name, "shop") == namespace
    assert list(promised(server(tool(name)))["namespaces"]) == [namespace]


def test_the_namespace_that_the_library_says_counts() -> None:
    told = promised(
        server(tool("a.b"), tool("a.c"), economies={"a.b": {"namespace": "own"}}),
    )
    assert {name: one["namespace"] for name, one in told["tools"].items()} == {
        "a.b": "own",
        "a.c": "a",
    }
    assert told["namespaces"] == {
        "own": told["tools"]["a.b"]["tokens"],
        "a": told["tools"]["a.c"]["tokens"],
    }


def test_the_short_text_of_a_tool_is_counted_too() -> None:
    told = promised(server(tool(), economies={"list": {"short": "Lists."}}))["tools"]["list"]
    assert told["short_tokens"] == count(baseline(tool(description="Lists.")))
    assert told["short_tokens"] < told["tokens"]


def test_a_menu_that_a_library_shows_is_counted_as_it_is_shown() -> None:
    tools = (tool("a"), tool("b"))
    captured = replace(server(*tools), menu=(tool("grouped"),))
    assert promised(captured)["menu"] == {
        "form": "lean",
        "tokens": count(baseline(tool("grouped"))),
        "tools": 1,
        "listed": {"grouped": tool("grouped")},
    }


def test_a_menu_in_another_order_is_that_of_the_tools() -> None:
    tools = (tool("a"), tool("b"))
    captured = replace(server(*tools), menu=tools[::-1])
    assert promised(captured) == promised(server(*tools))
    true = {"type": "object", "const": True}
    captured = replace(
        server(tool(inputSchema={**true, "const": 1})), menu=(tool(inputSchema=true),)
    )
    assert promised(captured)["menu"]["listed"] == {"list": tool(inputSchema=true)}


@requirement("LC18")
@pytest.mark.parametrize(
    "own, rules, economy, name",
    [
        ({}, ToolRules(), {}, "high"),
        ({"limit": 50}, ToolRules(), {"limit": 50}, "low"),
        ({}, ToolRules(limit=50), {"limit": 50}, "low"),
        ({"limit": 50}, ToolRules(limit=20), {"limit": 20}, "low"),
        ({"limit": 20}, ToolRules(limit=50), {"limit": 20}, "low"),
        ({}, ToolRules(limit=5, rows="rows"), {"limit": 5, "rows": "rows"}, "low"),
        ({}, ToolRules(max_bytes=900), {"max_bytes": 900}, "low"),
        ({"limit": 9}, ToolRules(max_bytes=900), {"limit": 9, "max_bytes": 900}, "low"),
        ({"max_bytes": 800}, ToolRules(max_bytes=900), {"max_bytes": 800}, "low"),
        ({"short": "s"}, ToolRules(select=True, json=True), {"short": "s"}, "high"),
    ],
)
def test_the_tighter_limit_counts_and_moves_the_class(
    own: dict[str, Any], rules: ToolRules, economy: dict[str, Any], name: str
) -> None:
    told = promised(
        server(tool(outputSchema=ROWS), economies={"list": own}),
        limits={"list": rules, "other": ToolRules(limit=1)},
    )
    assert (told["tools"]["list"]["economy"], told["tools"]["list"]["class"]) == (economy, name)
    assert told["class"] == name


def test_a_server_without_anything_can_be_locked() -> None:
    assert promised(Captured("shop")) == {
        "instructions": "",
        "capabilities": {},
        "machine": None,
        "menu": {"form": "untouched", "tokens": 0, "tools": 0, "listed": {}},
        "class": "low",
        "namespaces": {},
        "tools": {},
        "prompts": {},
        "resources": {},
        "templates": {},
    }


@requirement("LC20")
@pytest.mark.parametrize(
    "captured, said",
    [
        (server(tool(), tool()), 'tool "list" cannot be locked: there are two of it'),
        (server(tool(), "list"), "tool 2 cannot be locked: it is no object"),
        (server(None), "tool 1 cannot be locked: it is no object"),
        (server({"description": "x"}), "tool 1 cannot be locked: it has no name"),
        (server(tool(name=7)), "tool 1 cannot be locked: it has no name"),
        (server(prompts=({"name": "a"}, {"name": "a"})), 'prompt "a" cannot be locked'),
        (server(prompts=([],)), "prompt 1 cannot be locked: it is no object"),
        (server(resources=({"name": "a"},)), "resource 1 cannot be locked: it has no uri"),
        (server(resources=(1,)), "resource 1 cannot be locked: it is no object"),
        (
            server(templates=({"uriTemplate": "a"}, {"uriTemplate": "a"})),
            'resource template "a" cannot be locked',
        ),
        (server(tool(description="\ud800")), 'tool "list" cannot be locked: a text holds half'),
        (server(tool("\udc00")), 'tool "\\udc00" cannot be locked: a text holds half'),
        (server(tool(inputSchema={"maximum": float("inf")})), "a number is not finite"),
        (server(tool(inputSchema={"maximum": 10**400})), "too large for JSON"),
        (server(tool(inputSchema=nested(100_000))), "nested more than 100 levels deep"),
        (server(tool(inputSchema=nested(MOST_LEVELS))), "nested more than 100 levels deep"),
        (server(prompts=({"name": "a", "x": nested(500)},)), "nested more than 100 levels deep"),
        (server(capabilities={"x": nested(500)}), "its capabilities cannot be locked: it is nes"),
        (server(machine={"x": nested(500)}), "its table of states cannot be locked: it is nested"),
        (server(instructions="\udfff"), "its instructions cannot be locked: a text holds half"),
        (replace(server(tool()), menu=(tool("a"), tool("a"))), 'tool of the menu "a" cannot be'),
        (
            server(tool(), economies={"list": {"limit": 0}}),
            'the economy of tool "list" cannot be locked: its limit is no whole number',
        ),
        (server(tool(), economies={"list": {"limit": True}}), "its limit is no whole number"),
        (server(tool(), economies={"list": {"max_bytes": "9"}}), "its max_bytes is no whole"),
        (server(tool(), economies={"list": {"tags": 1}}), "not of the shape of a lock"),
        (server(machine={"initial": "a", "states": []}), "not of the shape of a lock"),
        (replace(server(), name="\ud800"), "its name cannot be locked"),
        (
            server(unreadable=("entry 2 of its tools is no object that can be read",)),
            "what it lists cannot be locked: entry 2 of its tools is no object that can be read",
        ),
    ],
)
def test_what_cannot_be_locked_is_told_in_one_line_that_names_it(
    captured: Captured, said: str
) -> None:
    with pytest.raises(LockBroken) as caught:
        promised(captured)
    assert said in str(caught.value)
    assert caught.value.path == captured.name
    assert "\n" not in str(caught.value)


def test_a_name_that_is_too_long_is_cut_where_it_is_told() -> None:
    with pytest.raises(LockBroken) as caught:
        promised(server(tool("n" * 10_000), tool("n" * 10_000)))
    assert len(str(caught.value)) < 200


def test_an_entry_as_deep_as_may_be_is_promised() -> None:
    deep = tool(inputSchema=nested(MOST_LEVELS - 1))
    assert promised(server(deep))["tools"]["list"]["declared"] == deep


@settings(max_examples=examples(40))
@given(captures(), st.data())
def test_whatever_odd_thing_a_list_holds_nothing_but_the_one_error_is_raised(
    captured: Captured, data: st.DataObject
) -> None:
    odd: st.SearchStrategy[Any] = (
        st.none() | st.integers() | st.floats() | st.text() | st.lists(st.text(), max_size=2)
    )
    entries = odd | st.dictionaries(
        st.sampled_from(["name", "uri", "uriTemplate", "inputSchema", "outputSchema", "x"]), odd
    )
    drawn = tuple(data.draw(st.lists(entries, max_size=3)))
    with_odd = replace(
        captured,
        tools=captured.tools + drawn,
        prompts=drawn,
        resources=drawn,
        templates=drawn,
        economies={**captured.economies, "": {}},
    )
    with suppress(LockBroken):
        check(promised(with_odd), "shop")
