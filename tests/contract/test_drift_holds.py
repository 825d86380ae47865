"""What holds for every two locks: nothing that differs is silent, nothing equal is told, and what is told is true and harmless."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.contract.canonical import canonical
from econome.contract.drift import drift
from econome.contract.findings import Finding
from econome.contract.lockfile import Lock
from tests.brief import examples
from tests.contract.bodies import of_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

_names = st.sampled_from(["a", "b", "c", "d e"])
_texts = st.sampled_from(
    ["", "Find it.", "Find them.", "Always call this first.", "\u202ex\x1b[0m"]
)
_leaf = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "boolean"])},
        optional={"description": _texts, "default": st.sampled_from(["x", 1, True])},
    ),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["x", "y", 1, True]), min_size=1)}),
)
_schemas = st.builds(
    lambda fields, required, closed: {
        "type": "object",
        "properties": fields,
        "required": sorted(set(required) & fields.keys()),
        **({"additionalProperties": False} if closed else {}),
    },
    st.dictionaries(_names, _leaf, max_size=3),
    st.lists(_names, max_size=2),
    st.booleans(),
)
_economies = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.sampled_from([10, 50]),
        "select": st.lists(_names, min_size=1, unique=True),
        "short": _texts,
        "guards": st.integers(1, 2),
        "states": st.lists(st.sampled_from(["s", "t"]), unique=True),
    },
)
_tools = st.builds(
    lambda schema, text, economy, declared: tool(schema, text, economy=economy, **declared),
    _schemas,
    _texts,
    _economies,
    st.fixed_dictionaries(
        {},
        optional={
            "outputSchema": _schemas,
            "annotations": st.dictionaries(
                st.sampled_from(["readOnlyHint", "idempotentHint", "title"]), st.booleans()
            ),
            "title": _texts,
            "execution": st.fixed_dictionaries(
                {"taskSupport": st.sampled_from(["optional", "required", "x"])}
            ),
        },
    ),
)
_prompts = st.dictionaries(
    _names,
    st.fixed_dictionaries(
        {
            "arguments": st.lists(
                st.fixed_dictionaries({"name": _names}, optional={"required": st.booleans()}),
                max_size=2,
            )
        }
    ),
    max_size=2,
)
_servers = st.builds(
    lambda tools, text, capabilities, prompts, machine: of_tools(
        tools, instructions=text, capabilities=capabilities, prompts=prompts, machine=machine
    ),
    st.dictionaries(_names, _tools, max_size=2),
    _texts,
    st.dictionaries(
        st.sampled_from(["tools", "logging"]), st.sampled_from([{}, {"x": True}, False])
    ),
    _prompts,
    st.none() | st.just({"initial": "s", "states": {"s": {}, "t": {}}}),
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | _texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_names, inner, max_size=2),
    max_leaves=4,
)


def between(old: dict[str, Any], new: dict[str, Any]) -> tuple[Finding, ...]:
    return drift(Lock("t", {"shop": old}), Lock("t", {"shop": new})).findings


@given(_servers)
def test_a_lock_does_not_differ_from_itself(server: dict[str, Any]) -> None:
    assert between(server, copy.deepcopy(server)) == ()


@given(_servers, _servers)
@settings(max_examples=examples(60))
def test_findings_are_told_where_promises_differ_and_only_there(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert (between(old, new) == ()) == (canonical(old) == canonical(new))


def _places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        inner = [each for key in value for each in _places(value[key], (*place, key))]
    elif isinstance(value, list):
        inner = [each for at, one in enumerate(value) for each in _places(one, (*place, at))]
    else:
        inner = []
    return [*([place] if place else []), *inner]


def _with(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    made = copy.deepcopy(value)
    at = made
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = new
    return made


@given(_servers, st.data())
@settings(max_examples=examples(120))
def test_whatever_is_put_anywhere_in_a_promise_is_told_and_breaks_nothing(
    server: dict[str, Any], data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(_places(server)))
    odd = _with(server, place, data.draw(_json))
    differs = canonical(server) != canonical(odd)
    for found in (between(server, odd), between(odd, server)):
        assert bool(found) == differs
        assert list(found) == sorted(found, key=lambda one: one.rank)


@given(_servers, _servers, st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_the_order_of_keys_does_not_matter(
    old: dict[str, Any], new: dict[str, Any], rng: random.Random
) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            keys = list(value)
            rng.shuffle(keys)
            return {key: shuffled(value[key]) for key in keys}
        return [shuffled(one) for one in value] if isinstance(value, list) else value

    assert between(shuffled(old), shuffled(new)) == between(old, new)


@given(_servers, _servers)
@settings(max_examples=examples(60))
def test_what_is_told_is_short_and_hides_nothing(old: dict[str, Any], new: dict[str, Any]) -> None:
    for one in between(old, new):
        assert one.text.isprintable()
        assert one.text.endswith(".")
        assert len(one.text) < 700


@given(_servers, _servers)
@settings(max_examples=examples(60))
def test_a_call_that_is_told_to_be_refused_was_accepted_and_is_refused(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    from jsonschema import Draft202012Validator

    for one in between(old, new):
        if one.kind != "call-refused":
            continue
        if one.where.startswith("/inputSchema"):
            schemas = [each["tools"][one.name]["declared"]["inputSchema"] for each in (old, new)]
            accepted = [Draft202012Validator(each).is_valid(one.witness) for each in schemas]
            assert accepted == [True, False]
            continue
        tool = old["tools"][one.name]
        call = dict(one.witness)
        if one.where == "/economy/select":
            (field,) = call.pop("_select")
            held = [each["tools"][one.name]["economy"].get("select", []) for each in (old, new)]
            assert [field in each for each in held] == [True, False]
        else:
            assert one.where == "/execution/taskSupport"
        assert Draft202012Validator(tool["declared"]["inputSchema"]).is_valid(call)


@given(_servers, _servers)
@settings(max_examples=examples(60))
def test_a_call_of_a_tool_that_is_gone_was_accepted(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    from jsonschema import Draft202012Validator

    for one in between(old, new):
        if one.kind == "tool-removed":
            schema = old["tools"][one.name]["declared"]["inputSchema"]
            assert Draft202012Validator(schema).is_valid(one.witness)


@pytest.mark.slow
@given(_servers, _servers)
@settings(max_examples=examples(60))
def test_seen_from_the_other_side_what_came_is_gone_and_what_is_wider_is_refused(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    forth, back = between(old, new), between(new, old)

    def names(found: tuple[Finding, ...], kind: str, place: str = "") -> set[str]:
        return {one.name for one in found if one.kind == kind and one.where.startswith(place)}

    for come, gone in (("tool-added", "tool-removed"), ("prompt-added", "prompt-removed"), ("capability-added", "capability-removed")):  # fmt: skip
        assert names(forth, come) == names(back, gone)
    wider = {
        one.name
        for one in forth
        if one.kind == "call-widened" and one.where == "/inputSchema" and one.witness is not None
    }
    unsure = names(back, "call-unproven", "/inputSchema")  # where a server may fill in a default
    assert wider <= names(back, "call-refused", "/inputSchema") | unsure


def test_a_number_and_a_truth_value_are_not_the_same() -> None:
    def choice(value: Any) -> dict[str, Any]:
        return of_tools({"t": tool({"type": "object", "properties": {"a": {"const": value}}})})

    (found,) = between(choice(1), choice(True))
    assert found.kind == "call-refused"


@pytest.mark.parametrize("number", [741])
def test_a_large_server_that_did_not_change_is_compared_without_making_a_call(number: int) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    body = of_tools({f"tool_{n}": tool(schema, "Finds it.") for n in range(number)})
    assert between(body, json.loads(json.dumps(body))) == ()


def test_the_worst_of_findings_is_that_of_the_first() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    old, new = of_tools({"a": tool(schema), "b": tool()}), of_tools({"a": tool(schema, "x")})
    found = between(old, new)
    assert [one.severity for one in found] == ["BREAKING", "COSMETIC"]
