"""Witnesses are what they say, are found where there is something to find, and are always the same."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from econome.contract.witness import Verdict, compare
from tests.contract.drawn import (
    BREAKING,
    WIDENING,
    Schema,
    accepts,
    base_schemas,
    calls_of,
    places,
)
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

_PATIENT = settings(
    deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


def _changed(data: st.DataObject, schema: Schema, changes: dict[str, Any], name: str) -> Schema:
    """Return a copy of a schema with one change at one place where it applies."""
    count = len(list(places(schema)))
    order = data.draw(st.permutations(range(count)), label="places")
    for nth in order:
        other = copy.deepcopy(schema)
        if changes[name](list(places(other))[nth]):
            return other
    assume(False)
    raise AssertionError


def _sound(old: Schema, new: Schema, verdict: Verdict) -> None:
    if verdict.refused is not None:
        assert (accepts(old, verdict.refused), accepts(new, verdict.refused)) == (True, False)
        assert verdict.reason
    if verdict.wider is not None:
        assert (accepts(old, verdict.wider), accepts(new, verdict.wider)) == (False, True)


@pytest.mark.slow
@_PATIENT
@given(base_schemas(), base_schemas())
def test_a_witness_is_accepted_by_one_schema_and_refused_by_the_other(
    old: Schema, new: Schema
) -> None:
    _sound(old, new, compare(old, new))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BREAKING))
@settings(_PATIENT, max_examples=25)
@given(data=st.data())
def test_a_breaking_change_has_a_witness_wherever_it_stands(name: str, data: st.DataObject) -> None:
    old = data.draw(base_schemas(), label="old")
    new = _changed(data, old, BREAKING, name)
    verdict = compare(old, new)
    _sound(old, new, verdict)
    if verdict.refused is None and verdict.proven:
        # Behind a union, another branch may take what this one refuses now.
        for _ in range(20):
            call = data.draw(calls_of(old), label="call")
            assert not accepts(old, call) or accepts(new, call)
        assert "anyOf" in json.dumps(old) or new == old


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WIDENING))
@settings(_PATIENT, max_examples=25)
@given(data=st.data())
def test_a_widening_change_refuses_nothing_and_shows_what_is_new(
    name: str, data: st.DataObject
) -> None:
    old = data.draw(base_schemas(), label="old")
    new = _changed(data, old, WIDENING, name)
    verdict = compare(old, new)
    _sound(old, new, verdict)
    assert (verdict.refused, verdict.proven) == (None, True)
    if verdict.wider is None:
        for _ in range(20):
            call = data.draw(calls_of(new), label="call")
            assert not accepts(new, call) or accepts(old, call)
        assert "anyOf" in json.dumps(old)


@pytest.mark.slow
@settings(_PATIENT, max_examples=100)
@given(st.data())
def test_calls_drawn_at_random_find_no_refusal_where_none_was_told(data: st.DataObject) -> None:
    old = data.draw(base_schemas(), label="old")
    new = old
    for name in data.draw(st.lists(st.sampled_from(sorted(BREAKING | WIDENING)), max_size=3)):
        new = _changed(data, new, BREAKING | WIDENING, name)
    verdict = compare(old, new)
    _sound(old, new, verdict)
    if verdict.refused is None and verdict.proven:
        for _ in range(25):
            call = data.draw(calls_of(old), label="call")
            assert not accepts(old, call) or accepts(new, call)


@_PATIENT
@given(base_schemas())
def test_a_schema_against_itself_needs_no_call(schema: Schema) -> None:
    assert compare(schema, copy.deepcopy(schema)) == Verdict()


@pytest.mark.slow
@settings(_PATIENT, max_examples=40)
@given(base_schemas(), base_schemas(), st.randoms(use_true_random=False))
def test_the_order_in_which_a_schema_is_written_does_not_matter(
    old: Schema, new: Schema, rng: Any
) -> None:
    assert compare(_shuffled(old, rng), _shuffled(new, rng)) == compare(old, new)


def _shuffled(value: Any, rng: Any) -> Any:
    if isinstance(value, dict):
        names = list(value)
        rng.shuffle(names)
        return {name: _shuffled(value[name], rng) for name in names}
    return [_shuffled(one, rng) for one in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_each_run_of_python_gives_the_same_verdict() -> None:
    old = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b", "c"]},
            "more": {"type": "object", "properties": {"x": {"type": "integer"}}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    }
    new = copy.deepcopy(old)
    new["properties"]["more"]["additionalProperties"] = False  # type: ignore[index]
    script = (
        "import json, sys; from econome.contract.witness import compare;"
        "print(compare(*json.loads(sys.argv[1])))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script, json.dumps([old, new])],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert runs == {f"{compare(old, new)}\n"}
