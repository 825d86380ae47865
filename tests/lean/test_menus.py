"""The menu of a namespace: the cheapest form that loses nothing, never larger than what it replaces."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
import quicktok
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import MenuError
from econome.lean import FORMS
from econome.lean.calls import Passed, Said
from econome.lean.menus import Cost, Menu, baseline
from tests.lean.group_reader import says_every_field
from tests.lean.notation_reader import normal, read_listing, read_signature, said_by
from tests.lean.schemas import BILLING, FILES, count, named_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L2")

Schema = dict[str, Any]
Said3 = tuple[str, Any, str]

_LOSSLESS = st.sampled_from(["auto", "flat", "grouped", "signatures", "untouched"])


@given(named_tools(), st.sampled_from(FORMS), st.booleans())
def test_no_menu_is_larger_than_the_one_it_replaces(
    tools: list[Schema], form: str, keep: bool
) -> None:
    menu = Menu.of(tools, name="fs", form=form, count=count, keep_output=keep)
    before, after = map(baseline, tools), map(baseline, menu.tools)
    texts = list(before), list(after)
    assert sum(map(count, texts[1])) == menu.total_after
    assert sum(map(count, texts[0])) == sum(cost.tokens for cost in menu.before)
    assert menu.total_after <= sum(map(count, texts[0]))
    assert sum(len(text.encode()) for text in texts[1]) <= sum(
        len(text.encode()) for text in texts[0]
    )


@given(named_tools(), _LOSSLESS)
def test_a_lossless_menu_says_all_that_the_tools_said(tools: list[Schema], form: str) -> None:
    menu = Menu.of(tools, name="fs", form=form, count=count)
    if menu.form == "grouped":
        names = (
            set() if menu.grouping is None else {a.name for a in menu.grouping.namespace.actions}
        )
        says_every_field(menu.tools[0], [entry for entry in tools if entry["name"] in names])
        return
    said = _said(menu)
    for entry in tools:
        name, schema, text = said_by(entry)
        if "$schema" not in said[name][1]:
            schema.pop("$schema", None)
        assert said[name] == (name, schema, text)


def _said(menu: Menu) -> dict[str, Said3]:
    """Return what a menu says of each action, by its name."""
    told: list[Said3] = []
    for entry in menu.tools:
        if entry["name"] == menu.tool and menu.grouping is not None:
            names = [action.name for action in menu.grouping.namespace.actions]
            assert entry["inputSchema"]["properties"][menu.grouping.discriminator] == {
                "enum": names
            }
            told += read_listing(entry["description"], names, lambda _: "$defs")
        elif menu.form == "signatures" and entry["inputSchema"] == {"type": "object"}:
            text, _, arguments = entry["description"].rpartition("\narguments(")
            text, _, legend = text.rpartition("\n") if "\n" in text else ("", "", text)
            assert legend.startswith("field?:type=default (text)")
            told.append((entry["name"], read_signature(f"arguments({arguments}")[1], text))
        else:
            schema = _unfolded(entry["inputSchema"])
            told.append((entry["name"], schema, entry.get("description") or ""))
    return {
        name: (name, normal({"type": "object", **schema}, name), text)
        for name, schema, text in told
    }


def _unfolded(schema: Schema) -> Schema:
    """Return a schema with the parts that the diet wrote once put back where they stood."""
    defined = schema.get("$defs", {})
    moved = {
        f"#/$defs/{name}": part for name, part in defined.items() if re.fullmatch(r"d\d", name)
    }

    def put_back(value: Any) -> Any:
        if isinstance(value, dict):
            if value.keys() == {"$ref"} and value["$ref"] in moved:
                return put_back(moved[value["$ref"]])
            return {key: put_back(part) for key, part in value.items()}
        return [put_back(part) for part in value] if isinstance(value, list) else value

    own = {name: part for name, part in defined.items() if f"#/$defs/{name}" not in moved}
    whole: Schema = put_back({key: part for key, part in schema.items() if key != "$defs"})
    return {**whole, "$defs": put_back(own)} if own else whole


@given(named_tools(), st.sampled_from(["lean", "lazy"]))
def test_a_lean_menu_tells_the_rest_when_asked(tools: list[Schema], form: str) -> None:
    menu = Menu.of(tools, name="fs", form=form, count=count)
    for entry in tools:
        if menu.grouping is not None:
            key = menu.grouping.discriminator
            asked = {key: menu.grouping.describe, "of": entry["name"]}
            told = menu.call(str(menu.tool), asked)
        elif menu.describe_key is not None:
            told = menu.call(entry["name"], {menu.describe_key: True})
        else:
            continue  # the tools cost too little for this form, and are shown whole
        assert isinstance(told, Said)
        name, schema, text = read_signature(told.text.partition("\n")[2])
        whole = said_by(entry)
        if "$schema" not in schema:
            whole[1].pop("$schema", None)
        assert (name, normal(schema, name), text) == whole


def test_the_cheapest_form_that_loses_nothing_is_chosen() -> None:
    menu = Menu.of(FILES, name="fs", form="auto", count=count)
    assert menu.form == "signatures"
    costs = {
        form: Menu.of(FILES, name="fs", form=form, count=count).total_after
        for form in ("untouched", "flat", "grouped", "signatures")
    }
    assert menu.total_after == min(costs.values())
    assert menu.after == (Cost("fs", menu.total_after),)
    assert [cost.name for cost in menu.before] == ["read_lines", "write_text", "find_text"]


def test_a_small_menu_stays_as_it_is() -> None:
    ping = {"name": "ping", "inputSchema": {"type": "object", "properties": {}}}
    menu = Menu.of([ping], name="net", form="auto", count=count)
    assert (menu.form, menu.tools) == ("untouched", (ping,))


def test_a_form_that_would_cost_more_is_not_used_and_says_so() -> None:
    menu = Menu.of([tool("ping")], name="net", form="lean", count=count)
    assert menu.form == "flat"
    assert menu.reason.startswith("lean would cost ")


def test_a_group_that_contradicts_itself_is_refused_in_a_server_and_left_flat_before_one() -> None:
    tools = [tool("a", x="string"), tool("b", x="integer")]
    menu = Menu.of(tools, name="n", form="grouped", count=count)
    assert menu.form in ("flat", "untouched")
    assert menu.reason.startswith("n: the field x is ")
    with pytest.raises(MenuError):
        Menu.made(menu.namespace, form="grouped", count=count)


def test_a_form_that_does_not_exist_is_refused() -> None:
    with pytest.raises(MenuError) as caught:
        Menu.of([], name="n", form="tiny", count=count)
    assert str(caught.value) == f"menu 'tiny': expected one of {', '.join(FORMS)}"


@pytest.mark.parametrize("form", FORMS)
def test_no_tools_are_no_tools(form: str) -> None:
    menu = Menu.of([], name="n", form=form, count=count)
    assert (menu.tools, sum(cost.tokens for cost in menu.before), menu.total_after) == ((), 0, 0)
    assert menu.call("x", {}) == Passed(None)


def test_a_flat_tool_keeps_all_that_is_not_its_schema() -> None:
    entry = {
        **FILES[0],
        "title": "Read",
        "icons": [{"src": "data:,"}],
        "_meta": {"anthropic/alwaysLoad": True},
        "annotations": {"readOnlyHint": True},
        "outputSchema": {"type": "object"},
    }
    (kept,) = Menu.of([entry], name="fs", form="flat", count=count, keep_output=True).tools
    assert {**kept, "inputSchema": None} == {**entry, "inputSchema": None}
    (bare,) = Menu.of([entry], name="fs", form="flat", count=count).tools
    assert bare == {key: value for key, value in kept.items() if key != "outputSchema"}


def test_what_cannot_be_grouped_stands_beside_the_group() -> None:
    task = {**FILES[1], "name": "task", "execution": {"taskSupport": "required"}}
    odd = {"name": "odd", "inputSchema": {"type": "array"}}
    menu = Menu.of(
        [*FILES, task, odd, {**odd, "name": "find_text"}], name="fs", form="signatures", count=count
    )
    assert [entry["name"] for entry in menu.tools] == [
        "fs",
        "find_text",
        "task",
        "odd",
        "find_text",
    ]
    assert menu.tools[3] == odd


_HOSTILE: list[Any] = [
    {"name": "a", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#"}}}},
    {"name": "b", "inputSchema": {"$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/x"}}}},
    {"name": "a", "description": "twice", "inputSchema": {"type": "object"}},
    {"name": "ü b", "description": "x" * 100_000, "inputSchema": {"type": "object", "$defs": 3}},
    {
        "name": "",
        "inputSchema": {"type": "object", "properties": {"": {"enum": []}, "x": {"type": []}}},
    },
    {"name": "n", "inputSchema": None},
    {"name": None, "description": None},
    {
        "name": "\ud800",
        "description": "\udfff",
        "inputSchema": {"properties": {"\ud800": {"default": "\ud800"}}},
    },
    {
        "name": "c",
        "inputSchema": {
            "properties": {"action": True, "of": False, "_select": {}},
            "required": ["of"],
        },
    },
    {
        "name": "d",
        "inputSchema": {
            "anyOf": 3,
            "items": [1],
            "enum": "x",
            "allOf": [3],
            "properties": {"x": {"anyOf": []}},
        },
    },
    {
        "name": "e",
        "annotations": 3,
        "_meta": [],
        "execution": "x",
        "outputSchema": 3,
        "inputSchema": {"title": 3},
    },
    {},
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("more", [False, True])
def test_a_hostile_menu_breaks_nothing(form: str, more: bool) -> None:
    menu = Menu.of(
        _HOSTILE, name="\ud800 x" * 40, form=form, count=count, more=more, select=lambda name: True
    )
    assert menu.total_after <= sum(cost.tokens for cost in menu.before) + 150 * more
    for entry in _HOSTILE:
        outcome = menu.call(entry.get("name"), {"action": "a"})
        assert isinstance(outcome, Passed)
    if menu.tool is not None:
        odd: list[Any] = ["a", "c", "describe", "", None, [], {}]
        for asked in odd:
            menu.call(menu.tool, {"action": asked})
            menu.call(menu.tool, {"action_": asked, "of": asked, "query": asked})
    json.dumps(menu.tools)


@pytest.mark.parametrize("form", FORMS)
def test_a_very_long_menu_is_made_all_the_same(form: str) -> None:
    tools = [{**FILES[number % 3], "name": f"tool_{number}"} for number in range(741)]
    started = time.process_time()
    menu = Menu.of(tools, name="big", form=form, count=count)
    assert menu.total_after <= sum(cost.tokens for cost in menu.before)
    assert time.process_time() - started < 20  # seconds; it takes less than one
    if menu.tool is not None:
        refused = menu.call(menu.tool, {"action": "x"})
        assert isinstance(refused, Said)
        assert "and 641 more" in refused.text


def test_lean_is_far_smaller_than_what_loses_nothing() -> None:
    tools = [*FILES, *BILLING]
    sizes = {form: Menu.of(tools, name="n", form=form, count=count).total_after for form in FORMS}
    assert sizes["lazy"] < sizes["lean"] < sizes["signatures"] < sizes["flat"] < sizes["untouched"]


@requirement("L1", "L4b")
@pytest.mark.parametrize("form", ["lean", "lazy", "signatures"])
def test_a_menu_says_where_the_fields_of_an_action_go(form: str) -> None:
    menu = Menu.of([*FILES, *BILLING], name="n", form=form, count=count)
    assert " beside" in menu.tools[0]["description"].partition("\n")[0]


@requirement("L4b")
def test_a_lazy_index_marks_what_destroys_and_what_is_given_up() -> None:
    tools = [
        {**tool("old_way", "An old way. Obsolete.", ("id",), id="string")},
        {
            **tool("drop", "Drops all", ("id",), id="string"),
            "annotations": {"destructiveHint": True},
        },
        *FILES,
    ]
    menu = Menu.of(tools, name="n", form="lazy", count=count)
    assert menu.tools[0]["description"] == (
        '{"action":"find","query":words} or {"action":"describe","of":[names]} tells fields; '
        '{"action":name} with its fields beside calls; ! destructive:\n'
        "drop!, read_lines, write_text, find_text; deprecated: old_way"
    )


@requirement("L7")
def test_the_tool_for_the_rest_of_a_cut_answer_declares_what_it_takes() -> None:
    menu = Menu.of(FILES, name="fs", form="flat", count=count, more=True)
    text = {"type": "string"}
    assert menu.tools[-1] == {
        "name": "more",
        "description": "Rest of a cut answer; filter: text or field=value",
        "inputSchema": {
            "type": "object",
            "properties": {
                "handle": text,
                "offset": {"type": "integer"},
                "filter": text,
                "select": {"type": "array", "items": text},
                "rows": text,
            },
            "required": ["handle"],
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    assert menu.after[-1] == Cost("more", count(baseline(menu.tools[-1])))


@pytest.mark.parametrize("form", ["flat", "grouped", "signatures"])
def test_the_title_of_a_whole_schema_says_nothing(form: str) -> None:
    tools = [
        {**entry, "inputSchema": {"title": "ReadLinesArguments of ours", **entry["inputSchema"]}}
        for entry in _ALIKE
    ]
    menu = Menu.of(tools, name="fs", form=form, count=count)
    assert (menu.form, menu.reason) == (form, "")
    assert "Arguments" not in json.dumps(menu.tools)


_ALIKE = [
    tool(
        f"step_{number}",
        f"Step {number}.",
        ("path",),
        path={**FILES[0]["inputSchema"]["properties"]["path"]},
    )
    for number in range(6)
]


_WORDS = re.findall(
    r"\w+", "path query owner repo title body state label limit cursor node edge table"
)


@given(st.data(), st.sampled_from(FORMS))
def test_no_menu_of_tools_that_share_nothing_is_larger_by_another_tokenizer(
    data: st.DataObject, form: str
) -> None:
    names = data.draw(st.permutations(_WORDS))
    kinds = st.sampled_from(["string", "integer", "boolean"])
    tools = []
    for place in range(data.draw(st.integers(2, 6))):
        fields = {name: data.draw(kinds) for name in names[2 * place : 2 * place + 2]}
        text = data.draw(st.sampled_from(["", "Do it", "Return the thing that was asked for."]))
        tools.append(tool(f"get_{names[place]}_{place}", text, tuple(fields)[:1], **fields))
    menu = Menu.of(tools, name="svc", form=form, count=count)
    tokens = quicktok.get_encoding("o200k_base")

    def size(listed: Any) -> int:
        return sum(len(tokens.encode(baseline(entry))) for entry in listed)

    assert size(menu.tools) <= size(tools)


@pytest.mark.parametrize("odd", [[None], "object", True, 3])
@pytest.mark.parametrize("form", FORMS)
def test_a_tool_whose_schema_is_no_object_is_shown_as_it_is(form: str, odd: object) -> None:
    broken = {"name": "broken", "inputSchema": odd}
    menu = Menu.of([broken, *FILES], name="fs", form=form, count=count, keep_output=True)
    assert broken in menu.tools
