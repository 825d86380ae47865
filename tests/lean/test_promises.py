"""What holds for every answer: no selection makes an error, no cap cuts what fits, no reference to what was never sent."""

from __future__ import annotations

import json
from itertools import count as numbers
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.answers import shape
from econome.lean.exact import compact, same
from econome.lean.forms import decode
from econome.lean.kept import Kept
from econome.lean.policies import STRANGER, policy_of
from econome.lean.treatment import AnswerRule, Shaped
from econome.tokenizers import tokenizer
from tests.lean.values import documents, records
from tests.requirements import requirement

tokens = tokenizer().count
CLAUDE = policy_of("claude-code")
FIELDS = ("a", "b", "c", "items", "id", "nickname")

values = documents | records() | st.dictionaries(st.sampled_from(FIELDS), records(), max_size=3)
paths = st.sampled_from([*FIELDS, "nope", "a.b", "items.id", "items.nope", "client.name", "", "."])
rules = st.builds(
    AnswerRule,
    limit=st.none() | st.integers(1, 5),
    max_bytes=st.none() | st.integers(1, 900),
    encode=st.booleans(),
)


def kept() -> Kept:
    serial = numbers()
    return Kept(lambda: 0.0, lambda: f"{next(serial):022}")


def structured(value: Any) -> dict[str, Any]:
    text = {"type": "text", "text": json.dumps(value, indent=2)}
    return {"content": [text], "structuredContent": value}


def text(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def sent(result: dict[str, Any], rule: AnswerRule | None = None, **more: Any) -> Shaped:
    asked: dict[str, Any] = {"policy": CLAUDE, "count": tokens, "keep": kept()} | more
    return shape(result, rule=rule or AnswerRule(), **asked)


@requirement("L8", "LC6")
@given(values, st.lists(paths, max_size=4), st.booleans(), st.booleans(), rules)
def test_no_selection_makes_an_error_of_an_answer(
    value: Any, select: list[str], declared: bool, wrapped: bool, rule: AnswerRule
) -> None:
    result = structured(value) if wrapped and isinstance(value, dict | list) else text(value)
    found = sent(result, rule, select=select, fields=FIELDS if declared else ())
    assert "isError" not in found.result
    said = [block["text"] for block in found.result["content"]]
    assert bool(found.remark) is any(one.startswith("_select: ") for one in said)
    if found.remark and rule == AnswerRule(encode=rule.encode):
        whole = sent(result, rule)
        own = whole.result["content"] if whole.form != "untouched" else None
        assert found.result["content"][0] == {"type": "text", "text": found.remark}
        assert own is None or found.result["content"][1:] == own
        assert "structuredContent" not in found.result


@requirement("L8", "LC6")
@pytest.mark.parametrize(
    ("value", "select", "narrow"),
    [
        ({"id": 1, "b": 2}, ["nickname"], {}),
        ({"id": 1, "b": 2}, ["id", "nickname"], {"id": 1}),
        ([], ["id"], []),
        ({"items": []}, ["items"], {"items": []}),
        ({"items": []}, ["items.id"], {"items": []}),
        ({"items": None, "b": 1}, ["items.id"], {"items": None}),
        ([{"id": 1}, {"b": 2}], ["b"], [{}, {"b": 2}]),
        ([{"a": {"x": 1}}, {"a": None}, {"b": 2}], ["a.x"], [{"a": {"x": 1}}, {"a": None}, {}]),
    ],
)
def test_a_declared_field_that_an_answer_lacks_is_simply_absent(
    value: Any, select: list[str], narrow: Any
) -> None:
    found = sent(text(value), select=select, fields=FIELDS)
    assert found.remark == ""
    assert json.loads(found.result["content"][0]["text"]) == narrow


@requirement("L8", "LC6")
@pytest.mark.parametrize(
    ("value", "select"),
    [
        ({"a": {"x": 1}}, ["a.nope"]),
        ({"a": 5}, ["a.nope"]),
        ({"a": [1, 2], "b": 1}, ["b", "a.x"]),
    ],
)
def test_a_path_that_leads_nowhere_below_a_declared_field_is_a_remark(
    value: Any, select: list[str]
) -> None:
    found = sent(text(value), select=select, fields=FIELDS)
    assert found.remark.startswith(f"_select: no such field: {select[-1]}; choose from: a, b, c")
    assert json.loads(found.result["content"][1]["text"]) == value


@requirement("L6", "L8", "L9")
@given(values, rules, st.none() | st.lists(paths, max_size=3))
def test_a_structure_that_a_client_keeps_is_whole(
    value: Any, rule: AnswerRule, select: list[str] | None
) -> None:
    found = sent(structured(value), rule, policy=STRANGER, select=select)
    assert same(found.result["structuredContent"], value)
    assert (found.cut, found.handle, found.remark) == (None, None, "")


TABLES = st.builds(
    lambda rows, wide: [
        {"id": at, "name": f"customer number {at}", "cents": at * 100, "state": "open" * wide}
        for at in range(rows)
    ],
    st.integers(1, 120),
    st.integers(1, 9),
)


@requirement("L9", "LC8")
@given(TABLES, st.integers(1000, 6000), st.booleans(), st.booleans())
def test_a_cap_is_on_what_is_sent_and_cuts_no_more_than_it_must(
    rows: list[Any], cap: int, wrapped: bool, encode: bool
) -> None:
    value = {"items": rows, "total": len(rows)} if wrapped else rows
    rule = AnswerRule(max_bytes=cap, encode=encode)
    found = sent(text(value), rule)
    whole = sent(text(value), AnswerRule(encode=encode))
    if len(whole.after.encode()) <= cap:
        assert found == whole
        return
    if found.cut is None:  # a note would cost more than what it spares
        assert found.after in (whole.after, compact(value)) or len(found.after.encode()) <= cap
        return
    assert len(found.after.encode()) <= cap
    data = decode(found.result["content"][1]["text"], found.form)
    shown = data["items"] if wrapped else data
    assert shown == rows[: len(rows) - found.rows_cut]
    more = sent(text(value), AnswerRule(limit=max(1, round(len(shown) * 1.15) + 6), encode=encode))
    assert len(more.after.encode()) > cap


@requirement("L9")
def test_rows_that_fit_as_a_table_are_all_there() -> None:
    rows = [{"id": at, "state": "open", "kind": "invoice"} for at in range(60)]
    assert len(compact(rows)) > 2048
    found = sent(text(rows), AnswerRule(max_bytes=1024))
    assert (found.cut, found.form) == (None, "table")
    assert len(found.after.encode()) <= 1024


@requirement("L9")
@given(st.integers(1, 200), st.integers(200, 3000))
def test_a_cap_on_lines_counts_the_note(lines: int, cap: int) -> None:
    whole = "\n".join(f"line {at} of a long text" for at in range(lines))
    found = sent({"content": [{"type": "text", "text": whole}]}, AnswerRule(max_bytes=cap))
    assert (
        found.after == whole if len(whole) <= cap else found.cut is None or len(found.after) <= cap
    )


@requirement("L9")
def test_a_very_large_answer_is_cut_to_what_is_sent_of_it() -> None:
    rows = [{"id": at, "name": f"customer {at}", "note": "n" * 90} for at in range(30_000)]
    found = sent(text(rows), AnswerRule(max_bytes=4000))
    assert 2000 < len(found.after.encode()) <= 4000
    assert decode(found.result["content"][1]["text"], found.form) == rows[: 30_000 - found.rows_cut]


steps = st.tuples(
    st.sampled_from([None, "one", "two"]),
    st.sampled_from(["whole", "limit", "cap", "select", "text", "text cap"]),
)


@requirement("L7")
@given(st.lists(steps, max_size=8))
def test_a_reference_is_only_to_what_was_sent_in_full_in_the_same_conversation(
    asked: list[tuple[str | None, str]],
) -> None:
    rows = [{"id": at, "name": f"customer number {at}", "cents": at} for at in range(60)]
    lines = "\n".join(f"line {at} of a long text" for at in range(60))
    ways: dict[str, dict[str, Any]] = {
        "limit": {"limit": 3},
        "cap": {"max_bytes": 300},
        "text cap": {"max_bytes": 600},
    }
    keep, seen = kept(), set[tuple[str, bool]]()
    for conversation, way in asked:
        plain = way.startswith("text")
        result = {"content": [{"type": "text", "text": lines}]} if plain else text(rows)
        found = sent(
            result,
            AnswerRule(repeats=True, **ways.get(way, {})),
            keep=keep,
            conversation=conversation,
            select=["id"] if way == "select" else None,
            fields=FIELDS,
        )
        known = conversation is not None and (conversation, plain) in seen
        assert (found.form == "reference") is (known and way != "select")
        assert (found.cut is None) is ((known and way != "select") or way in ("whole", "text"))
        if conversation is not None and way in ("whole", "text"):
            seen.add((conversation, plain))
