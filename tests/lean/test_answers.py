"""An answer goes out in the cheaper form, paid for once, and what is no data passes as it came."""

from __future__ import annotations

import copy
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
from econome.lean.policies import STRANGER, Policy, policy_of
from econome.lean.treatment import AnswerRule, Shaped
from econome.tokenizers import tokenizer
from tests.lean.values import documents, records
from tests.requirements import requirement

pytestmark = requirement("L10")

tokens = tokenizer().count
CLAUDE = policy_of("claude-code")
ROWS = [{"id": at, "title": f"issue {at}", "state": "open"} for at in range(60)]
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def _structured(value: Any, *texts: str) -> dict[str, Any]:
    blocks = [_text(text) for text in texts or (json.dumps(value, indent=2),)]
    return {"content": blocks, "structuredContent": value}


def _shape(result: dict[str, Any], rule: AnswerRule | None = None, **more: Any) -> Shaped:
    kept = copy.deepcopy(result)
    asked: dict[str, Any] = {"policy": CLAUDE, "count": tokens} | more
    shaped = shape(result, rule=rule or AnswerRule(), **asked)
    assert result == kept  # what came is never changed in place
    return shaped


def _kept() -> Kept:
    serial = numbers()
    return Kept(lambda: 0.0, lambda: f"h{next(serial)}")


def test_a_client_of_texts_alone_gets_a_structure_as_one_text() -> None:
    shaped = _shape(_structured({"items": ROWS}))
    assert list(shaped.result) == ["content"]
    (block,) = shaped.result["content"]
    assert same(decode(block["text"], shaped.form), {"items": ROWS})
    assert (shaped.before, shaped.after) == (compact({"items": ROWS}), block["text"])
    assert shaped.cut is None


def test_a_client_of_no_policy_keeps_its_structure_and_the_text_beside_it_loses_its_blanks() -> (
    None
):
    shaped = _shape(_structured({"items": ROWS}), policy=STRANGER)
    assert shaped.result == {
        "content": [_text(compact({"items": ROWS}))],
        "structuredContent": {"items": ROWS},
    }
    assert shaped.before == shaped.after == compact({"items": ROWS})


def test_text_that_says_something_else_stays_only_for_a_client_that_reads_it() -> None:
    result = _structured(ROWS[:9], "There are nine.")
    assert _shape(result, policy=STRANGER).result == result
    shaped = _shape(result)
    assert shaped.result == {"content": [_text(shaped.after)]}
    assert same(decode(shaped.after, shaped.form), ROWS[:9])


def test_a_text_in_a_wrapping_is_the_text() -> None:
    text = 'first line\n\tsecond "line"\n'
    shaped = _shape(_structured({"content": text}, text))
    assert shaped.result == {"content": [_text(text)]}
    assert (shaped.after, shaped.form) == (text, "text")


@pytest.mark.parametrize(
    "result",
    [
        {"content": [_text(json.dumps(ROWS, indent=2))]},
        {"content": [_text(repr(ROWS))]},
        _structured({"result": ROWS}, *map(json.dumps, ROWS)),
        _structured({"result": json.dumps(ROWS)}, json.dumps(ROWS))
        | {"_meta": {"fastmcp": {"wrap_result": True}}},
    ],
)
def test_rows_are_found_wherever_they_lie(result: dict[str, Any]) -> None:
    shaped = _shape(result)
    assert same(decode(shaped.after, shaped.form), ROWS)
    assert tokens(shaped.after) < tokens(shaped.before) * 0.65


def test_lines_before_the_data_stay_before_it() -> None:
    lead = "Contents of https://example.org/issues.json:\n"
    shaped = _shape({"content": [_text(lead + json.dumps(ROWS, indent=1))]})
    assert shaped.after.startswith(lead)
    assert same(decode(shaped.after.removeprefix(lead), shaped.form), ROWS)


@pytest.mark.parametrize(
    "content",
    [
        [],
        [IMAGE],
        [_text("plain text\nof two lines")],
        [_text("{not json}")],
        [_text("[1] see below"), _text("[2]")],
        [_text('{"a":1,"a":2}')],
        [_text("[" * 10_000 + "]" * 10_000)],
        [_text('["\\ud800"]')],
        [_text("[NaN, 1e400]")],
        [_text("5")],
        [{"type": "resource", "resource": {"uri": "file:///x", "text": json.dumps(ROWS)}}],
    ],
)
def test_what_is_no_data_passes_untouched(content: list[Any]) -> None:
    shaped = _shape({"content": content, "_meta": {"x": 1}}, AnswerRule(limit=1))
    assert shaped.result == {"content": content, "_meta": {"x": 1}}
    assert (shaped.form, shaped.before) == ("untouched", shaped.after)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [_text(json.dumps(ROWS))], "isError": True},
        {"resultType": "input_required", "inputRequests": {}},
        {"content": "no list"},
        {"content": [_text("x"), 5]},
        {"content": [{"type": "text"}]},
        {"task": {"taskId": "t"}},
    ],
)
def test_errors_questions_and_tasks_pass_untouched(result: dict[str, Any]) -> None:
    rule = AnswerRule(limit=1, max_bytes=5)
    assert _shape(result, rule) == Shaped(result, "", "", "untouched")


def test_pictures_and_links_stay_in_their_places_and_blocks_keep_what_is_said_of_them() -> None:
    link = {"type": "resource_link", "uri": "file:///x", "name": "x"}
    text = _text(json.dumps(ROWS), annotations={"audience": ["assistant"]})
    shaped = _shape({"content": [IMAGE, text, link], "_meta": {"x": 1}})
    assert shaped.result == {
        "content": [IMAGE, text | {"text": shaped.after}, link],
        "_meta": {"x": 1},
    }


@requirement("L6", "L7", "LC5")
def test_a_cut_answer_begins_with_its_note_and_the_rest_is_read_by_its_handle() -> None:
    kept = _kept()
    shaped = _shape(
        _structured({"items": ROWS, "page": 1}),
        AnswerRule(limit=20, rows="items"),
        keep=kept,
        principal="me",
        more_call="github_more",
    )
    note, data = shaped.result["content"]
    assert note["text"] == (
        "[cut] items: 20 of 60 shown, 40 hidden. Narrow the call with a filter, "
        'or read on: github_more {"handle":"h0","offset":20}'
    )
    assert same(decode(data["text"], shaped.form), {"items": ROWS[:20], "page": 1})
    assert (shaped.rows_cut, shaped.handle) == (40, "h0")
    assert shaped.cut == (
        compact({"items": ROWS, "page": 1}),
        compact({"items": ROWS[:20], "page": 1}),
    )
    page = kept.more("me", {"handle": "h0", "offset": 40}, tokens)
    assert same(decode(page.text.partition("\n")[2], page.form), ROWS[40:])


@requirement("L6")
def test_without_more_the_note_has_no_handle() -> None:
    shaped = _shape(_structured(ROWS), AnswerRule(limit=9, more=False), keep=_kept())
    assert shaped.handle is None
    assert "handle" not in shaped.after


@requirement("L6")
def test_a_structure_is_cut_only_where_its_author_wants_so() -> None:
    result = _structured({"items": ROWS})
    shaped = _shape(result, AnswerRule(limit=5), policy=STRANGER, restructures=True)
    note, text = shaped.result["content"]
    assert note["text"].startswith("[cut] items: 5 of 60 shown, 55 hidden.")
    assert shaped.result["structuredContent"] == {"items": ROWS[:5]}
    assert json.loads(text["text"]) == {"items": ROWS[:5]}


@requirement("L9")
def test_a_cap_drops_whole_rows_and_a_handle_reads_them() -> None:
    shaped = _shape(_structured({"items": ROWS}), AnswerRule(max_bytes=600), keep=_kept())
    found = decode(shaped.result["content"][1]["text"], shaped.form)
    assert found["items"] == ROWS[: len(found["items"])]
    assert 5 < len(found["items"]) < 60
    assert len(shaped.after.encode()) <= 600


@requirement("L6")
def test_plain_text_is_cut_by_a_cap_alone() -> None:
    text = "\n".join(f"line {at} of a long text" for at in range(200))
    result = {"content": [_text(text)]}
    assert _shape(result, AnswerRule(limit=5)).form == "untouched"
    kept = _kept()
    shaped = _shape(result, AnswerRule(max_bytes=500), keep=kept)
    note, shown = (block["text"] for block in shaped.result["content"])
    lines = shown.split("\n")
    assert text.startswith(shown)
    assert f"[cut] {len(lines)} of 200 lines shown, {200 - len(lines)} hidden." in note
    page = kept.more("", {"handle": shaped.handle, "offset": len(lines)}, tokens)
    assert page.text.split("\n")[1] == f"line {len(lines)} of a long text"


@requirement("L8", "LC6")
def test_a_selection_narrows_and_the_whole_can_still_be_counted() -> None:
    shaped = _shape(_structured({"items": ROWS, "total": 60}), select=["total"])
    assert decode(shaped.after, shaped.form) == {"total": 60}
    assert shaped.cut == (compact({"items": ROWS, "total": 60}), '{"total":60}')


@requirement("L8", "L11", "LC6")
def test_a_selection_of_what_there_is_not_is_a_remark_on_all_of_it() -> None:
    result = _structured({"items": ROWS, "total": 60})
    shaped = _shape(result, select=["nope"])
    remark, data = shaped.result["content"]
    assert remark == _text("_select: no such field: nope; choose from: items, total. All is sent.")
    assert data == _shape(result).result["content"][0]
    assert shaped.after == f"{remark['text']}\n{data['text']}"


@requirement("L7")
def test_an_identical_answer_is_a_reference_that_reads_it_again() -> None:
    kept = _kept()
    result = _structured({"items": ROWS})
    rule = AnswerRule(repeats=True)
    first, again, other = (
        _shape(result, rule, keep=kept, principal=who, conversation="c")
        for who in ("me", "me", "you")
    )
    assert (first.form, again.form, other.form) == ("table", "reference", "table")
    assert tokens(again.after) < 80
    page = kept.more("me", {"handle": again.handle, "offset": 59}, tokens)
    assert same(decode(page.text.partition("\n")[2], page.form), ROWS[59:])


@requirement("L7")
def test_a_short_answer_is_said_again() -> None:
    kept = _kept()
    result = _structured({"n": 1})
    rule = AnswerRule(repeats=True)
    assert [_shape(result, rule, keep=kept, conversation="c").form for _ in range(2)] == [
        "untouched",
        "untouched",
    ]


def test_nothing_is_encoded_where_that_is_not_wanted() -> None:
    shaped = _shape(_structured({"items": ROWS}), AnswerRule(encode=False))
    assert shaped.after == compact({"items": ROWS})


values = documents | records() | st.dictionaries(st.sampled_from("abc"), records(), max_size=2)


@given(values, st.booleans(), st.sampled_from(["json", "pretty", "repr", "structure", "wrapped"]))
def test_an_answer_is_never_larger_and_gives_back_what_it_held(
    value: Any, text: bool, how: str
) -> None:
    if not isinstance(value, dict | list):
        return
    result: dict[str, Any] = {
        "json": {"content": [_text(compact(value))]},
        "pretty": {"content": [_text(json.dumps(value, indent=2))]},
        "repr": {"content": [_text(repr(value))]},
        "structure": _structured(value),
        "wrapped": _structured({"result": value}),
    }[how]
    shaped = _shape(result, policy=Policy("x", text=text, menu="flat"))
    assert len(shaped.after.encode()) <= len(shaped.before.encode())
    assert tokens(shaped.after) <= tokens(shaped.before)
    if shaped.form == "untouched":
        assert shaped.result == result
    elif "structuredContent" in shaped.result:
        assert shaped.result["structuredContent"] == result["structuredContent"]
    else:
        assert same(decode(shaped.after, shaped.form), value)


LINE = "a line of some words"


@requirement("L6")
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_text_just_above_its_cap_stays_whole(wrapped: bool) -> None:
    text = "\n".join([LINE] * 6)  # fewer bytes than a note takes
    result = _structured({"content": text}, text) if wrapped else {"content": [_text(text)]}
    for rule in (AnswerRule(max_bytes=len(text) - 1), AnswerRule(max_bytes=len(text) - 40)):
        for policy in (CLAUDE, STRANGER):
            shaped = _shape(result, rule, policy=policy, keep=_kept())
            assert (shaped.cut, shaped.rows_cut, shaped.handle) == (None, 0, None)
            assert {block["text"] for block in shaped.result["content"]} == {text}


@requirement("L6")
@given(st.integers(1, 40), st.integers(1, 900))
def test_a_capped_text_is_never_larger(lines: int, max_bytes: int) -> None:
    text = "\n".join([LINE] * lines)
    shaped = _shape({"content": [_text(text)]}, AnswerRule(max_bytes=max_bytes), keep=_kept())
    sent = "\n".join(block["text"] for block in shaped.result["content"])
    assert sent == shaped.after
    assert len(sent) <= len(text)
    assert tokens(sent) <= tokens(text)


@given(values, st.integers(1, 5), st.none() | st.integers(1, 400), st.booleans())
def test_a_cut_answer_is_never_larger(
    value: Any, limit: int, max_bytes: int | None, text: bool
) -> None:
    rule = AnswerRule(limit=limit, max_bytes=max_bytes)
    policy = Policy("x", text=text, menu="flat")
    shaped = _shape(_structured(value), rule, policy=policy, keep=_kept())
    assert len(shaped.after.encode()) <= len(shaped.before.encode())
    assert (shaped.cut is None) is (shaped.handle is None)
