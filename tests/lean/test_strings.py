"""A string stays a string: what the structure says is a text is sent as that text, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.answers import settled, shape
from econome.lean.exact import compact, same
from econome.lean.forms import decode
from econome.lean.policies import policy_of
from econome.lean.treatment import AnswerRule, Shaped
from econome.tokenizers import tokenizer
from tests.lean.connections import exchange, rpc, tool
from tests.lean.values import documents, records
from tests.requirements import requirement

pytestmark = requirement("L5", "L10")

count = tokenizer().count
CLAUDE = policy_of("claude-code")
ROWS = [{"id": at, "title": f"issue {at}", "state": "open"} for at in range(20)]
FASTMCP = {
    "type": "object",
    "properties": {"result": {"type": "string"}},
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}
SDK: dict[str, Any] = {
    "type": "object",
    "properties": {"result": {"title": "Result", "type": "string"}},
    "required": ["result"],
    "title": "list_issuesOutput",
}
OTHERS: list[Any] = [
    None,
    {"type": "object", "properties": {"result": {"type": "string"}}},
    {**SDK, "properties": {**SDK["properties"], "page": {"type": "integer"}}},
    {**SDK, "properties": {"content": {"type": "string"}}},
    {"title": "xOutput", "properties": ["result"]},
]
written = st.builds(
    lambda value, indent, end: json.dumps(value, indent=indent) + end,
    documents | records(),
    st.sampled_from([None, 1, 2, 4]),
    st.sampled_from(["", "\n", "\r\n"]),
)


def _wrapped(key: str, text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "structuredContent": {key: text}, **more}


def _only(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _shape(result: dict[str, Any], rule: AnswerRule | None = None, **more: Any) -> Shaped:
    rule = rule or AnswerRule()
    return shape(result, rule=rule, policy=CLAUDE, count=count, **more)


@given(written, st.sampled_from(["content", "result", "text", "a b"]), st.sampled_from(OTHERS))
def test_a_text_in_a_structure_is_that_text_byte_for_byte(
    text: str, key: str, schema: dict[str, Any] | None
) -> None:
    if key == "result" and schema is not None and schema.get("title"):
        key = "content"
    shaped = _shape(_wrapped(key, text), schema=schema)
    assert (shaped.result, shaped.form) == (_only(text), "text")
    assert settled(_wrapped(key, text), AnswerRule(), CLAUDE, schema=schema) in (None, "text")


def test_a_string_and_a_list_that_look_alike_stay_apart() -> None:
    text = _shape(_wrapped("result", "[1, 2]"))
    both = {
        "content": [{"type": "text", "text": "[1, 2]"}],
        "structuredContent": {"result": [1, 2]},
    }
    assert (text.after, _shape(both).after) == ("[1, 2]", "[1,2]")


@pytest.mark.parametrize("schema", [FASTMCP, SDK])
@given(records(), st.sampled_from([None, 2]))
def test_a_plain_return_value_in_the_wrap_of_a_library_is_what_the_text_alone_would_be(
    schema: dict[str, Any], rows: Any, indent: int | None
) -> None:
    text = json.dumps(rows, indent=indent)
    wrapped = _shape(_wrapped("result", text), schema=schema)
    if wrapped.form == "text":
        assert wrapped.result == _only(text)
    else:
        assert same(decode(wrapped.after, wrapped.form), rows)
    if _shape(_only(text)).form != "untouched":
        assert wrapped.form != "text"
    assert _shape(_wrapped("result", text + "\n"), schema=schema).result == _only(text + "\n")


def test_the_wrap_is_known_by_the_answer_where_it_says_so_itself() -> None:
    text = json.dumps(ROWS, indent=2)
    shaped = _shape(_wrapped("result", text, _meta={"fastmcp": {"wrap_result": True}}))
    assert same(decode(shaped.after, shaped.form), ROWS)


@given(written, st.sampled_from(["", "Contents of x.json:\n"]))
def test_a_text_that_ends_with_a_line_end_passes(text: str, lead: str) -> None:
    result = _only(f"{lead}{text}\n")
    shaped = _shape(result)
    assert (shaped.result, shaped.form) == (result, "untouched")
    assert settled(result, AnswerRule(), CLAUDE) == "untouched"


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_json_in_texts_is_data_where_the_rule_says_so(end: str) -> None:
    text = json.dumps(ROWS, indent=2) + end
    for result in (_wrapped("content", text), _only(text), _only(f"Found:\n{text}")):
        shaped = _shape(result, AnswerRule(json=True))
        assert same(decode(shaped.after.removeprefix("Found:\n"), shaped.form), ROWS)
        assert settled(result, AnswerRule(json=True), CLAUDE) is None
        cut = _shape(result, AnswerRule(json=True, limit=3))
        assert cut.rows_cut == 17


def test_json_in_texts_is_a_text_where_the_rule_says_so() -> None:
    text = json.dumps(ROWS, indent=2)
    result = _only(text)
    assert _shape(result, AnswerRule(json=False)).result == result
    assert settled(result, AnswerRule(json=False), CLAUDE) == "untouched"
    wrapped = _wrapped("result", text)
    assert _shape(wrapped, AnswerRule(json=False), schema=FASTMCP).result == _only(text)
    structured = {**_only(text), "structuredContent": {"result": ROWS}}
    assert same(decode(_shape(structured, AnswerRule(json=False)).after, "table"), ROWS)


def test_a_text_in_a_structure_is_cut_by_its_lines_and_never_by_its_rows() -> None:
    text = json.dumps(ROWS, indent=2)
    assert _shape(_wrapped("content", text), AnswerRule(limit=3)).after == text
    cut = _shape(_wrapped("content", text), AnswerRule(max_bytes=200))
    note, shown = (block["text"] for block in cut.result["content"])
    assert text.startswith(shown)
    assert note.startswith("[cut] ")


def test_texts_inside_data_are_never_looked_into() -> None:
    rows = [{"id": at, "body": compact({"a": [at]})} for at in range(20)]
    shaped = _shape({**_only("20 rows"), "structuredContent": {"rows": rows}})
    assert same(decode(shaped.after, shaped.form), {"rows": rows})


@pytest.mark.parametrize(("schema", "decoded"), [(SDK, True), (FASTMCP, True), (OTHERS[1], False)])
def test_the_proxy_knows_what_a_tool_wraps_from_the_list_that_was_shown(
    schema: dict[str, Any], decoded: bool
) -> None:
    found = exchange(menu="flat")
    tools = [{**tool("list_issues", text="string"), "outputSchema": schema}]
    text = json.dumps(ROWS, indent=2)
    found.client_said(rpc("l", "tools/list"))
    found.server_said(json.dumps({"id": "l", "result": {"tools": tools}}).encode())
    found.client_said(rpc(3, "tools/call", {"name": "list_issues", "arguments": {"text": "a"}}))
    (move,) = found.server_said(json.dumps({"id": 3, "result": _wrapped("result", text)}).encode())
    result = json.loads(move.message)["result"]
    if decoded:
        assert same(decode(result["content"][0]["text"], "table"), ROWS)
    else:
        assert result == _only(text)
