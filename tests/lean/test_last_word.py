"""Where a real vocabulary is chosen, no answer is more of its tokens than it was."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.answers import shape
from econome.lean.policies import STRANGER, policy_of
from econome.lean.treatment import AnswerRule
from econome.tokenizers import tokenizer
from tests.lean.connections import exchange, rpc
from tests.lean.values import documents, records
from tests.requirements import requirement

pytestmark = requirement("L5", "L12")
pytest.importorskip("quicktok")

quick, real = tokenizer().count, tokenizer("o200k").count
CLAUDE = policy_of("claude-code")
rules = st.sampled_from(
    [AnswerRule(), AnswerRule(json=True), AnswerRule(limit=1), AnswerRule(max_bytes=40)]
)
values = documents | records() | st.dictionaries(st.sampled_from("abc"), records(), max_size=2)


def _result(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


results = (
    st.builds(lambda value, indent: _result(json.dumps(value, indent=indent)), values, st.sampled_from([None, 1, 2]))
    | st.builds(lambda value: _result(repr(value)), values)
    | st.builds(lambda value: _result(json.dumps(value), structuredContent=value), values)
    | st.builds(lambda value: _result("x", structuredContent={"result": value}), values)
    | st.builds(lambda text: _result(text, structuredContent={"content": text}), st.text())
)  # fmt: skip


def _read(result: dict[str, Any]) -> str:
    """What Claude Code gives its model."""
    if "structuredContent" in result:
        structure = result["structuredContent"]
        return json.dumps(structure, ensure_ascii=False, separators=(",", ":"))
    return "\n".join(block["text"] for block in result["content"])


def _all(result: dict[str, Any]) -> str:
    texts = [block["text"] for block in result["content"]]
    return "\n".join([*texts, _read(result)] if "structuredContent" in result else texts)


@given(results, rules)
def test_no_answer_is_more_to_read_by_the_vocabulary_that_has_the_last_word(
    result: dict[str, Any], rule: AnswerRule
) -> None:
    came = copy.deepcopy(result)
    for policy, read in ((CLAUDE, _read), (STRANGER, _all)):
        shaped = shape(result, rule=rule, policy=policy, count=quick, last=real)
        assert real(read(shaped.result)) <= real(read(came))


@pytest.mark.parametrize(
    "result",
    [
        _result('{\n "(key)": "[2]"\n}'),
        _result('[\n "(below)",\n "-0",\n "(key)"\n]'),
        _result(
            "x",
            structuredContent={
                "r": [{"c~": "{}", "": "2024-010/z"}, {"c~": "0x10", "": "2024-05/z"}]
            },
        ),
    ],
)
def test_an_answer_that_only_the_estimate_takes_for_smaller_passes_through_the_proxy(
    result: dict[str, Any],
) -> None:
    found = exchange(menu="flat")
    found._lean.last = real
    found.client_said(rpc("l", "tools/list"))
    found.server_said(b'{"id":"l","result":{"tools":[]}}')
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {}}))
    (move,) = found.server_said(json.dumps({"id": 3, "result": result}).encode())
    assert real(_read(json.loads(move.message)["result"])) <= real(_read(result))
