"""What the search for witnesses stands on: schemas read tolerantly, patterns that stay quick, judges, sentences, shrinking."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from econome.contract.accepts import Judge, Work
from econome.contract.cases import Cases
from econome.contract.complaints import complaint
from econome.contract.patterns import longest_judged, matching
from econome.contract.readings import Reading, key_of, read
from econome.contract.sameness import Sameness, outlined, unsettled
from econome.contract.scalars import LONGEST_TEXT, numbers, texts
from econome.contract.shrinking import shrunk
from tests.contract.drawn import Schema, accepts, base_schemas, calls_of
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "items", "enum", "required", "anyOf", "$ref"])
            | st.text(max_size=4),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


# Readings


@given(_JSON)
def test_whatever_is_declared_is_read_and_reading_it_again_changes_nothing(schema: Any) -> None:
    reading = read(schema)
    again = read(reading.schema)
    assert key_of(again.schema) == key_of(reading.schema)
    assert again.left_out == {}


@settings(deadline=None)
@given(st.data())
def test_a_reading_accepts_what_the_schema_accepts(data: st.DataObject) -> None:
    schema = data.draw(base_schemas(), label="schema")
    other = data.draw(base_schemas(), label="other")
    call = data.draw(calls_of(schema) | calls_of(other), label="call")
    assert Draft202012Validator(read(schema).schema).is_valid(call) == accepts(schema, call)


def test_a_rule_that_cannot_be_read_is_left_out_and_kept_in_mind() -> None:
    schema = {"properties": {"a": {"type": "string", "required": True, "pattern": "["}}}
    assert read(schema) == Reading(
        {"properties": {"a": {"type": "string"}}},
        left_out={"/properties/a/pattern": '"["', "/properties/a/required": "true"},
        size=6,
    )


def test_what_a_reference_leads_to_stays_in_its_place() -> None:
    schema = {
        "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "x-shared": {"B": {"type": "integer"}},
        "allOf": [{"$ref": "#/properties/a/anyOf/0"}, {"$ref": "#/x-shared/B"}],
    }
    assert read(schema).schema == {**schema, "allOf": schema["allOf"]}


def test_one_of_two_equal_branches_is_not_taken_for_one() -> None:
    twice = {"oneOf": [{"type": "string"}, {"type": "string"}]}
    assert read(twice).schema == twice
    assert read({"anyOf": twice["oneOf"]}).schema == {"anyOf": [{"type": "string"}]}


def test_equal_values_have_one_key() -> None:
    assert key_of([1.0, {"a": -0.0}]) == key_of([1, {"a": 0}])
    assert len({key_of(one) for one in (1, True, "1", [1], None)}) == 5


# Patterns


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z0-9-]+$",
        r"^\d{4}-\d\d-\d\d$",
        "^(foo|bar|b[ax]z)$",
        r"^[^\s@]+@[^\s@]+\.[^\s@]+$",
        "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
        r"^(?:[A-Z]{2}|[a-z]+)(-\w+)*$",
        "x",
        r"^(a|b)\1$",
        r"^(?![0-9])\w+$",
    ],
)
def test_texts_are_made_that_a_pattern_matches(pattern: str) -> None:
    made = matching(pattern)
    assert made
    assert all(re.search(pattern, text) for text in made)
    assert len(set(made)) == len(made)


def test_each_choice_of_a_pattern_is_made() -> None:
    assert set(matching("^(foo|b[ax]r)$")) == {"foo", "bar", "bxr"}
    assert any(len(text) == 20 for text in matching("^[a-z]+$", (20,)))


@pytest.mark.parametrize(
    "pattern", ["[", r"^\p{L}+$", "(?<n>a)", "[[a]", "x" * 3000, "a{99999999999}"]
)
def test_a_pattern_that_cannot_be_run_is_given_up(pattern: str) -> None:
    assert (longest_judged(pattern), matching(pattern)) == (0, ())


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "(a|a)*b",
        "(a|aa)+$",
        "(.*)*x",
        ".*.*.*.*.*x",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        r"(\w+\s?)*$",
        "a?" * 12 + "a" * 12,
        "(a{1000}){1000}",
        r"^(a*)\1b",
        "((((a*)*)*)*)*b",
    ],
)
def test_no_text_that_may_be_judged_keeps_a_pattern_busy(pattern: str) -> None:
    length = longest_judged(pattern)
    begun = time.process_time()
    for text in ("a" * length, "a" * (length - 1) + "!", "a " * (length // 2)):
        re.search(pattern, text[:length])
    matching(pattern, (length,))
    assert time.process_time() - begun < 5


@given(st.text(alphabet="ab()[]{}|*+?^$\\d.,-12", max_size=12))
@example("(|)*")
@example("[^\\d\\D]")
def test_any_pattern_is_read_or_given_up(pattern: str) -> None:
    for text in matching(pattern, (3,)):
        assert re.search(pattern, text)


# Scalars


_NUMBERS = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6)


@given(_NUMBERS, st.sampled_from([0.25, 1, 3, 2.5]))
def test_numbers_stand_at_a_bound_and_on_both_sides_of_it(bound: float, step: float) -> None:
    made = list(numbers([{"maximum": bound}, {"multipleOf": step}]))
    assert bound in made
    assert min(made) < bound < max(made)
    assert any(
        one <= bound and Draft202012Validator({"multipleOf": step}).is_valid(one) for one in made
    )


def test_no_text_is_longer_than_can_be_held() -> None:
    made = list(texts([{"minLength": 10**9}], [{"maxLength": LONGEST_TEXT}]))
    assert max(map(len, made)) == LONGEST_TEXT


# Judges


def test_a_judge_ends_where_its_work_does_and_never_raises() -> None:
    work = Work(100)
    judge = Judge(read({"items": {"type": "integer"}}), work)
    assert (judge.accepts([1]), judge.accepts(["a"])) == (True, False)
    assert judge.accepts([1] * 500) is True  # one value, however often it stands there
    assert judge.accepts(list(range(500))) is None
    assert (work.spent, judge.accepts([1])) == (True, None)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.com/elsewhere.json"},
        {"$ref": "#/$defs/nowhere"},
        {"$ref": "#"},
        {"pattern": "^(a+)+$"},
    ],
)
def test_what_cannot_be_told_is_not_guessed(schema: Schema) -> None:
    judge = Judge(read(schema), Work(1_000_000))
    assert (judge.accepts("a" * 40), judge.complaints("a" * 40)) == (None, [])


def test_a_format_is_a_note_and_refuses_nothing() -> None:
    assert Judge(read({"format": "email"}), Work(100)).accepts("no address") is True


def test_a_part_is_judged_alone_with_references_of_the_whole() -> None:
    reading = read({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"maximum": 3}}})
    assert isinstance(reading.schema, dict)
    judge, part = Judge(reading, Work(1000)), reading.schema["properties"]["a"]
    assert (judge.accepts(3, [part, True]), judge.accepts(4, [part])) == (True, False)


# Cases and sameness


def test_each_way_through_a_schema_is_a_case() -> None:
    schema = {
        "allOf": [{"anyOf": [{"minimum": 1}, {"minimum": 2}]}],
        "oneOf": [{"maximum": 3}, True],
    }
    reading = read(schema)
    cases = Cases(reading).of([reading.schema])
    bounds = [sorted(key for node in case for key in node if "imum" in key) for case in cases]
    assert sorted(bounds) == [["maximum", "minimum"]] * 2 + [["minimum"]] * 2


def test_a_part_is_the_same_only_while_what_it_refers_to_is() -> None:
    def told(bound: int) -> tuple[Reading, Cases]:
        reading = read(
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"minimum": bound}}}
        )
        return reading, Cases(reading)

    for bound, same in ((1, True), (2, False)):
        (old, old_cases), (new, new_cases) = told(1), told(bound)
        sameness = Sameness(old, new, [old_cases, new_cases])
        part: Schema = {"$ref": "#/$defs/A"}
        assert sameness.same([part], [part]) is same


def test_rules_that_no_call_settles_are_told_by_place() -> None:
    old, new = (
        read({"properties": {"a": {"format": "uri"}, "b": {"pattern": "^a"}}}),
        read({"properties": {"a": {"format": "date"}, "c": {"not": {"const": 1}}}}),
    )
    told = unsettled(outlined(old, Cases(old)), outlined(new, Cases(new)))
    assert told == ["`format` at /a", "`not` at /c"]


# Sentences and shrinking


@pytest.mark.slow
@settings(deadline=None)
@given(base_schemas(), _JSON)
def test_any_complaint_is_one_sentence_about_a_place(schema: Schema, call: Any) -> None:
    where, reason = complaint(Judge(read(schema), Work(10_000)).complaints(call))
    assert where == "" or where.startswith("/")
    assert reason
    assert len(reason) < 200
    assert "\n" not in reason


def test_what_was_ruled_before_is_no_reason() -> None:
    schema = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    errors = Judge(read(schema), Work(1000)).complaints({})
    assert complaint(errors)[1] == "`a` is now required"
    assert complaint(errors, said={("", "required", '["a"]')})[1] == "`b` is now required"


@given(st.lists(st.integers(0, 1000)), st.text(max_size=9))
def test_a_value_shrinks_to_what_it_shows(items: list[int], text: str) -> None:
    value = {"items": [*items, 500], "text": text, "more": {"a": [1]}}
    small = shrunk(value, lambda one: any(item >= 500 for item in one.get("items", [])))
    assert sorted(small) == ["items"]
    assert len(small["items"]) == 1
    assert small["items"][0] >= 500
    assert shrunk(small, lambda one: False) == small


def test_a_witness_is_made_of_values_that_people_send_as_far_as_they_show_it_too() -> None:
    call = {"text": "", "number": 0, "float": 1.0, "long": "bb", "inside": [{"n": -3}]}
    kept = {"text": "a", "number": 1, "float": 1, "long": "a", "inside": [{"n": 1}]}
    small = shrunk(call, lambda one: one.keys() == call.keys() and one["inside"] not in ([], [{}]))
    assert (small, type(small["float"])) == (kept, int)
    assert shrunk({"text": ""}, lambda one: one.get("text") == "") == {"text": ""}
    assert shrunk({"number": 50}, lambda one: one.get("number", 1) > 9) == {"number": 12}


@pytest.mark.parametrize("schema", [{"items": {"type": "integer"}}, {"prefixItems": [{}], "items": {"type": "integer"}}])  # fmt: skip
def test_a_value_that_stands_twice_in_an_array_is_complained_of_where_it_stands_first(
    schema: dict[str, Any],
) -> None:
    judge = Judge(read(schema), Work(1_000))
    found = judge.complaints([1, 1, "x", 1, "x"])
    assert [list(one.absolute_path) for one in found] == [[2]]
