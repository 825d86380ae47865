"""What is told quickly of an answer is what a close look would have told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.answers import settled, shape
from econome.lean.cells import cell_of, value_of, values_of
from econome.lean.exact import compact, read_compact, read_literal, same
from econome.lean.policies import policy_of
from econome.lean.treatment import AnswerRule
from econome.tokenizers import tokenizer
from tests.lean.values import documents, records, scalars
from tests.requirements import requirement

pytestmark = requirement("L5")

count = tokenizer().count
CLIENTS = [policy_of("claude-code"), policy_of("someone")]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


_texts = st.sampled_from(
    ["", "plain", "[section]\na = [1]", "[1, 2]", "lead\n{}", "x\n[", "[FILE] a]"]
) | st.builds(compact, documents | records())
_results = st.builds(
    lambda texts, structure, rest: {"content": list(map(_text, texts)), **structure, **rest},
    st.lists(_texts, max_size=2),
    st.just({})
    | st.builds(lambda value: {"structuredContent": value}, documents)
    | st.builds(lambda value: {"structuredContent": {"result": value}}, documents),
    st.sampled_from([{}, {"isError": True}, {"isError": False}, {"resultType": "task"}]),
)
_wrapped = st.builds(
    lambda text, key: {"content": [_text(text)], "structuredContent": {key: text}},
    _texts,
    st.sampled_from(["content", "result"]),
)


@pytest.mark.parametrize("policy", CLIENTS)
@given(_results | _wrapped)
def test_an_answer_that_is_settled_quickly_is_what_a_close_look_makes_of_it(
    policy: Any, result: dict[str, Any]
) -> None:
    form = settled(result, AnswerRule(), policy)
    if form is None:
        return
    closely = shape(result, rule=AnswerRule(), policy=policy, count=count)
    kept = {name: part for name, part in result.items() if name != "structuredContent"}
    assert (closely.form, closely.result) == (form, result if form == "untouched" else kept)


def test_most_answers_are_settled_quickly() -> None:
    claude, other = CLIENTS
    text = {"content": [_text("On branch main\n[section]")]}
    wrapped = {**text, "structuredContent": {"content": "On branch main\n[section]"}}
    small = {"content": [_text("{}")], "structuredContent": {"a": 1, "b": "x"}}
    assert [settled(one, AnswerRule(), claude) for one in (text, wrapped, small)] == [
        "untouched",
        "text",
        "untouched",
    ]
    assert settled(wrapped, AnswerRule(), other) is None
    assert settled(text, AnswerRule(max_bytes=10), claude) is None


@given(documents, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_is_read_the_same_however_it_is_written(
    value: Any, indent: int | None, escaped: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    read, own = read_compact(text)
    assert same(read, value)
    assert same(json.loads(own), value)


@given(st.lists(documents, min_size=1))
def test_a_literal_is_read_as_python_reads_it(value: Any) -> None:
    assert compact(read_literal(repr(value))) == compact(value)


@given(st.lists(scalars, max_size=6))
def test_cells_are_read_together_as_each_alone(values: list[Any]) -> None:
    cells = list(map(cell_of, values))
    assert same(values_of(cells), list(map(value_of, cells)))
    assert same(values_of(cells), values)
