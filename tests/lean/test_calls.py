"""What a call of a menu becomes: exactly the old call, or a short refusal that says what to do next."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from econome.lean.actions import action_of
from econome.lean.calls import MoreAsked, Outcome, Passed, Said, Sent
from econome.lean.describe import look_up
from econome.lean.menus import Menu
from econome.lean.schemas import compact
from tests.lean.schemas import BILLING, FILES, arguments_for, count, named_tools, tool
from tests.requirements import requirement

_CLOSED = tool(
    "close",
    "Close a case for good, whatever its state was before.",
    ("id",),
    id="string",
    note="string",
)
_CLOSED["inputSchema"]["additionalProperties"] = False
_TOOLS = [*FILES, _CLOSED]
_CLOSE = 'Call {"action":"close","id":…}, as in close(id, note?)$'
_NAMES = "read_lines, write_text, find_text, close"
_ALIKE = [
    tool(f"step_{number}", "", ("path",), path=FILES[0]["inputSchema"]["properties"]["path"])
    for number in range(6)
]
"""Actions of one field, which a group says once."""


def _menu(form: str, **more: Any) -> Menu:
    tools = [*_TOOLS, *_ALIKE] if form == "grouped" else _TOOLS
    menu = Menu.of(tools, name="fs", form=form, count=count, **more)
    assert menu.form == form
    return menu


@requirement("L2")
@given(st.data())
def test_a_valid_call_of_the_old_menu_reaches_the_server_unchanged(data: st.DataObject) -> None:
    tools = data.draw(named_tools())
    form = data.draw(st.sampled_from(["auto", "flat", "grouped", "signatures", "lean", "lazy"]))
    menu = Menu.of(tools, name="fs", form=form, count=count)
    called = data.draw(st.sampled_from(tools))
    schema = called["inputSchema"]
    arguments = data.draw(arguments_for(schema))
    judge = validator_for(schema, default=Draft202012Validator)
    assume(judge(schema).is_valid(arguments))

    assume(arguments != {menu.describe_key: True})  # no schema names it
    assert _reaches(menu.call(called["name"], arguments), called["name"], arguments) == arguments
    offered = {entry["name"]: entry for entry in menu.tools}
    if menu.grouping is None or called["name"] in offered:
        new = offered[called["name"]]["inputSchema"]
        assert validator_for(new, default=Draft202012Validator)(new).is_valid(arguments)
        return
    key = menu.grouping.discriminator
    # What no schema names cannot be told from the group's own; the tool's own name takes it.
    assume(key not in arguments)
    assume(menu.form != "grouped" or arguments.keys() <= schema["properties"].keys())
    items = list(arguments.items())
    items.insert(data.draw(st.integers(0, len(items))), (key, called["name"]))
    new = offered[str(menu.tool)]["inputSchema"]
    assert validator_for(new, default=Draft202012Validator)(new).is_valid(dict(items))
    sent = _reaches(menu.call(str(menu.tool), dict(items)), called["name"], arguments)
    assert compact(sent) == compact(arguments)


def _reaches(outcome: Outcome, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that reach the tool *name* of the server."""
    if isinstance(outcome, Passed):
        assert outcome.action is not None
        assert outcome.action.name == name
        return arguments
    assert isinstance(outcome, Sent), outcome
    assert (outcome.name, outcome.action.name) == (name, name)
    return dict(outcome.arguments)


@requirement("L2")
@pytest.mark.parametrize("form", ["signatures", "grouped", "lean", "lazy"])
def test_a_grouped_call_becomes_the_call_of_its_action(form: str) -> None:
    menu = _menu(form)
    given_arguments = {"text": "x", "action": "write_text", "path": "a", "more": [1.0, None]}
    assert menu.call("fs", given_arguments) == Sent(
        "write_text", {"text": "x", "path": "a", "more": [1.0, None]}, action_of(FILES[1])
    )


@requirement("L2")
def test_the_discriminator_gives_way_to_a_field_of_its_name() -> None:
    tools = [*_TOOLS, tool("act", "Act", ("action",), action="string")]
    menu = Menu.of(tools, name="fs", form="signatures", count=count)
    assert menu.call("fs", {"action_": "act", "action": "now"}) == Sent(
        "act", {"action": "now"}, action_of(tools[-1])
    )


@requirement("L2", "L11")
@pytest.mark.parametrize(
    "arguments, text",
    [
        ({}, "fs: action is missing; action is one of: " + _NAMES),
        ({"path": "a"}, "fs: action is missing; action is one of: " + _NAMES),
        ({"action": 3}, "fs: action must be a text; action is one of: " + _NAMES),
        ({"action": None}, "fs: action must be a text; action is one of: " + _NAMES),
        ({"action": "remove"}, "fs: there is no action 'remove'; action is one of: " + _NAMES),
        ({"action": ""}, "fs: there is no action ''; action is one of: " + _NAMES),
        ({"action": "close"}, "close: id is missing. " + _CLOSE),
        (
            {"action": "write_text", "mode": "new"},
            'write_text: path, text are missing. Call {"action":"write_text","path":…,"text":…}, as in '
            "write_text(path (Path from a root (no leading slash)), text, mode?:'new'|'append'|'replace'='new')",
        ),
        (
            {"action": "close", "id": "1", "path": "a"},
            "close: it has no field path, its fields are: id, note. " + _CLOSE,
        ),
        (
            {"action": "close", "ident": "1"},
            "close: id is missing; it has no field ident, its fields are: id, note. " + _CLOSE,
        ),
    ],
)
def test_a_call_that_cannot_be_is_refused_with_what_to_do_next(
    arguments: dict[str, Any], text: str
) -> None:
    assert _menu("signatures").call("fs", arguments) == Said(text, True, "refused")


@requirement("L11")
def test_a_refusal_of_a_lean_menu_teaches_the_action() -> None:
    said = _menu("lean").call("fs", {"action": "close"})
    assert said == Said(
        f"close: id is missing. {_CLOSE}: Close a case for good, whatever its state was before.",
        True,
        "refused",
    )


@requirement("L2")
def test_an_open_schema_takes_fields_that_it_does_not_name() -> None:
    arguments = {"path": "a", "other": 1}
    assert _menu("lean").call("fs", {"action": "read_lines", **arguments}) == Sent(
        "read_lines", arguments, action_of(FILES[0])
    )


@requirement("LC7")
def test_a_field_of_another_action_is_reported_by_a_strict_one() -> None:
    menu = _menu("signatures")
    outcome = menu.call("fs", {"action": "close", "id": "1", "pattern": "x"})
    assert isinstance(outcome, Said)
    assert outcome.text.startswith("close: it has no field pattern, its fields are: id, note.")


@requirement("L2")
@pytest.mark.parametrize("name", ["arguments", "args", "input", "params", "parameters"])
def test_fields_in_an_object_of_their_own_are_taken_out_of_it(name: str) -> None:
    menu = _menu("lean")
    inner = {"path": "a", "text": [1.0]}
    outcome = menu.call("fs", {name: inner, "action": "write_text"})
    assert outcome == Sent("write_text", inner, action_of(FILES[1]))
    assert isinstance(outcome, Sent)
    assert outcome.arguments is inner  # so that its bytes can stay what they are
    beside = menu.call("fs", {"path": "a", "action": "write_text", name: {"text": "x"}})
    assert beside == Sent("write_text", {"path": "a", "text": "x"}, action_of(FILES[1]))


@requirement("L2", "L11")
@pytest.mark.parametrize(
    "given_",
    [
        {"arguments": {"path": "a"}, "path": "b", "text": "c"},
        {"arguments": {"path": "a", "more": 1}, "path": "b"},
        {"arguments": "path", "path": "b"},
        {"arguments": {"text": "a"}, "args": {"path": "a"}},
    ],
)
def test_an_object_that_may_be_meant_for_the_server_stays(given_: dict[str, Any]) -> None:
    outcome = _menu("lean").call("fs", {"action": "write_text", **given_})
    if isinstance(outcome, Sent):
        assert outcome.arguments == given_
    else:
        assert isinstance(outcome, Said)
        assert 'Call {"action":"write_text","path":…,"text":…}, as in ' in outcome.text


@requirement("L2")
def test_a_field_called_as_such_an_object_is_the_action_s_own() -> None:
    tools = [*_TOOLS, tool("run", "Run a program", ("cmd", "args"), cmd="string", args="object")]
    menu = Menu.of(tools, name="fs", form="lean", count=count)
    said = menu.call("fs", {"action": "run", "args": {"cmd": "x"}})
    assert isinstance(said, Said)
    assert said.text.startswith('run: cmd is missing. Call {"action":"run","cmd":…,"args":…}, as')


@requirement("L1")
def test_a_name_with_the_mark_of_a_destructive_action_is_its_name() -> None:
    outcome = _menu("lean").call("fs", {"action": "close!", "id": "1"})
    assert outcome == Sent("close", {"id": "1"}, action_of(_CLOSED))


@requirement("L4b")
@pytest.mark.parametrize(
    "given_",
    [
        {"action": "close", "id": "1"},
        {"action": "call", "name": "close", "id": "1"},
        {"action": "call", "name": "close", "arguments": {"id": "1"}},
        {"name": "close", "action": "call", "args": {"id": "1"}},
    ],
)
def test_a_lazy_menu_is_called_by_name_or_through_call(given_: dict[str, Any]) -> None:
    assert _menu("lazy").call("fs", given_) == Sent("close", {"id": "1"}, action_of(_CLOSED))


@requirement("L4b", "L11")
def test_call_wants_a_name_that_there_is() -> None:
    menu = _menu("lazy")
    for given_, text in (
        ({}, "fs: call takes the name of an action; action is one of: "),
        ({"name": 3}, "fs: call takes the name of an action; action is one of: "),
        ({"name": "nope"}, "fs: there is no action 'nope'; action is one of: "),
    ):
        outcome = menu.call("fs", {"action": "call", **given_})
        assert isinstance(outcome, Said)
        assert (outcome.failed, outcome.text.startswith(text)) == (True, True)


@requirement("L1", "L4b")
def test_look_ups_take_an_object_of_their_own_as_well() -> None:
    menu = _menu("lazy", more=True)
    for asked, of in (("describe", {"of": "close"}), ("find", {"query": "close"})):
        assert menu.call("fs", {"action": asked, "arguments": of}) == menu.call(
            "fs", {"action": asked, **of}
        )
    assert menu.call("fs", {"action": "more", "args": {"handle": "h"}}) == MoreAsked(
        {"handle": "h"}
    )


@requirement("L1")
@pytest.mark.parametrize(
    "of, names",
    [
        ("close", ["close"]),
        (["close", "read_lines", "close"], ["close", "read_lines"]),
        (None, ["read_lines", "write_text", "find_text", "close"]),
        ([], []),
    ],
)
def test_describe_tells_all_of_what_was_asked(of: object, names: list[str]) -> None:
    actions = {entry["name"]: action_of(entry) for entry in _TOOLS}
    asked = {"action": "describe"} | ({} if of is None else {"of": of})
    told = look_up(actions[name] for name in names)
    assert _menu("lean").call("fs", asked) == Said(told, False, "describe")


@requirement("L1")
@pytest.mark.parametrize("name", ["name", "names", "action_name"])
def test_describe_takes_names_as_models_give_them(name: str) -> None:
    told = Said(look_up([action_of(_CLOSED)]), False, "describe")
    for asked in ("close", ["close"]):
        assert _menu("lean").call("fs", {"action": "describe", name: asked}) == told


@requirement("L1", "L11")
@pytest.mark.parametrize(
    "asked, wrong",
    [
        ({"tool": "close"}, "has no field tool, it takes"),
        ({"of": "close", "verbose": True, "x": 1}, "has no field verbose, x, it takes"),
        ({"of": "close", "name": "write_text"}, "takes"),
        ({"of": 3}, "takes"),
        ({"name": {"close": True}}, "takes"),
    ],
)
def test_describe_refuses_what_it_does_not_take(asked: dict[str, Any], wrong: str) -> None:
    assert _menu("lean").call("fs", {"action": "describe", **asked}) == Said(
        f"fs: describe {wrong} of, with a name or a list of names; action is one of: {_NAMES}",
        True,
        "refused",
    )


@requirement("L11")
def test_describe_and_find_refuse_what_does_not_exist() -> None:
    menu = _menu("lazy")
    assert menu.call("fs", {"action": "describe", "of": ["close", "x", 3]}) == Said(
        f"fs: there is no action x, 3 to describe; action is one of: {_NAMES}; find searches",
        True,
        "refused",
    )
    assert menu.call("fs", {"action": "find", "query": "zebra"}) == Said(
        f"fs: nothing fits 'zebra'; action is one of: {_NAMES}; find searches", True, "refused"
    )
    assert menu.call("fs", {"action": "find"}) == Said(
        f"fs: find takes a query, some words; action is one of: {_NAMES}; find searches",
        True,
        "refused",
    )


@requirement("L4b")
def test_find_tells_how_to_call_what_it_found() -> None:
    told = _menu("lazy").call("fs", {"action": "find", "query": "close this case"})
    assert told == Said(look_up([action_of(_CLOSED)]), False, "find")


@requirement("L7")
@pytest.mark.parametrize("form", ["flat", "signatures", "grouped", "lean", "lazy"])
def test_the_rest_of_a_cut_answer_can_be_asked_for_in_every_form(form: str) -> None:
    menu = _menu(form, more=True)
    arguments = {"handle": "h", "offset": 3}
    if form == "flat":
        assert menu.more_call == "more"
        assert menu.call("more", arguments) == MoreAsked(arguments)
    else:
        assert menu.more_call == 'fs {"action":"more"}'
        assert menu.call("fs", {"action": "more", **arguments}) == MoreAsked(arguments)
    whole = {"handle": "h", "offset": 1, "filter": "x", "select": ["a"], "rows": "items"}
    tools = {entry["name"]: entry["inputSchema"] for entry in menu.tools}
    asked = whole if form == "flat" else {"action": "more", **whole}
    assert Draft202012Validator(tools["more" if form == "flat" else "fs"]).is_valid(asked)


@requirement("L7")
def test_the_rest_is_not_offered_where_nobody_asked_for_it() -> None:
    menu = _menu("signatures")
    assert menu.more_call is None
    assert isinstance(menu.call("fs", {"action": "more", "handle": "h"}), Said)


@requirement("L1")
def test_the_one_tool_of_a_lean_menu_describes_itself() -> None:
    menu = Menu.of(FILES[2:], name="fs", form="lean", count=count)
    action = action_of(FILES[2])
    assert menu.call("find_text", {"_describe": True}) == Said(look_up([action]), False, "describe")
    assert menu.call("find_text", {"_describe": True, "pattern": "x"}) == Passed(action)


@requirement("L2")
def test_a_call_of_a_name_that_nobody_knows_goes_to_the_server() -> None:
    assert _menu("signatures").call("nobody", {"a": 1}) == Passed(None)
    assert _menu("signatures").call("close", None) == Passed(action_of(_CLOSED))


@requirement("L2")
def test_actions_called_as_what_can_be_asked_keep_their_names() -> None:
    tools = [
        {**entry, "name": name}
        for entry, name in zip(_TOOLS, ["describe", "more", "find", "fs"], strict=True)
    ]
    menu = Menu.of(tools, name="fs", form="lazy", count=count, more=True)
    assert menu.tool == "fs_"
    for entry in tools:
        outcome = menu.call(
            "fs_", {"action": entry["name"], "path": "a", "text": "", "pattern": "x", "id": "1"}
        )
        assert isinstance(outcome, Sent) or (isinstance(outcome, Said) and entry["name"] == "fs")
    assert menu.call("fs_", {"action": "more_", "handle": "h"}) == MoreAsked({"handle": "h"})
    assert isinstance(menu.call("fs_", {"action": "find_", "query": "lines"}), Said)
    assert BILLING[0]["name"] not in {entry["name"] for entry in menu.tools}
