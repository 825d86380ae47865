"""F1, F13, F15: which rows are responses, and which of these never got their final count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import (
    SLUG,
    Row,
    Tree,
    assistant,
    counts,
    line,
    progress,
    returned,
    user,
    without,
)
from tests.door import coverage, expected, figures, split, total, usage
from tests.requirements import requirement

ZERO: Row = counts(fresh=0, output=0, read=0, write=0)


@requirement("F1")
@pytest.mark.parametrize(
    "row",
    [
        pytest.param({**assistant("b"), "type": "user"}, id="a user row"),
        pytest.param({**assistant("b"), "type": None}, id="a null type"),
        pytest.param(without(assistant("b"), "type"), id="no type"),
        pytest.param({**assistant("b"), "type": "Assistant"}, id="another spelling"),
        pytest.param(without(assistant("b"), "message"), id="no message"),
        pytest.param({**assistant("b"), "message": "text"}, id="a message of text"),
        pytest.param({**assistant("b"), "message": None}, id="a null message"),
        pytest.param({**assistant("b"), "message": [counts()]}, id="a message list"),
        pytest.param(
            {**assistant("b"), "message": {str(n): c for n, c in enumerate("data: {}")}},
            id="a message of numeric keys",
        ),
        pytest.param(assistant("b", message={"usage": None}), id="no usage"),
        pytest.param(assistant("b", usage=[1, 2]), id="a usage list"),  # type: ignore[arg-type]
        pytest.param(assistant("b", usage="12"), id="a usage text"),  # type: ignore[arg-type]
        pytest.param({**without(assistant("b"), "message"), "usage": counts()}, id="usage above"),
        pytest.param(assistant("b", model="<synthetic>"), id="synthetic with usage"),
        pytest.param(assistant("b", model="<synthetic>", usage=ZERO), id="synthetic"),
        pytest.param(
            assistant("b", model="<synthetic>", usage=counts(output=-1)), id="synthetic, bad count"
        ),
        pytest.param(assistant("b", usage=ZERO, isApiErrorMessage=True), id="an API error"),
        pytest.param(returned("a1"), id="a tool result with totals"),
        pytest.param(progress(assistant("b")), id="progress"),
        pytest.param(
            {"type": "cost-state", "sessionId": "s1", "modelUsage": {"x": {"inputTokens": 9}}},
            id="cost-state",
        ),
        pytest.param(
            {
                "type": "system",
                "subtype": "compact_boundary",
                "compactMetadata": {"preTokens": 150_000},
                "usage": counts(),
            },
            id="a compaction",
        ),
        pytest.param({"type": "summary", "usage": counts()}, id="a summary"),
        pytest.param({"type": "attachment", "attachment": {"usage": counts()}}, id="attachment"),
    ],
)
def test_what_is_no_response_is_not_counted(tree: Tree, row: Row) -> None:
    tree.main("s1", row, assistant("a"), row)
    answer = usage(tree.root, "--by", "model")
    assert figures(answer["total"]) == expected(1)
    assert len(answer["rows"]) == 1
    names = ("lines", "usage_lines", "rejected", "malformed")
    assert [answer["coverage"][name] for name in names] == [3, 1, 0, 0]


@requirement("F1")
def test_an_error_row_with_usage_is_a_response(tree: Tree) -> None:
    tree.main("s1", assistant("a", isApiErrorMessage=True))
    assert total(tree.root) == expected(1)


@requirement("F1")
def test_a_row_without_use_that_is_no_error_is_a_response(tree: Tree) -> None:
    tree.main("s1", assistant("a", usage=ZERO), assistant("b", usage={}))
    assert total(tree.root)["responses"] == 2


@requirement("F1", "F15", "F16")
def test_the_summaries_beside_a_transcript_are_never_added(tree: Tree) -> None:
    cost = {
        "type": "cost-state",
        "sessionId": "s1",
        "totalCostUSD": 9.5,
        "modelUsage": {"claude-opus-4-5": {"inputTokens": 9, "outputTokens": 9, "costUSD": 9.5}},
    }
    tree.main("s1", user(), assistant("a"), returned("gone"), progress(assistant("b")), cost)
    tree.put("../stats-cache.json", line({"tokens": 9}))
    tree.put(f"{SLUG}/s1/tool-results/x.txt", line(assistant("c")))
    assert total(tree.root) == expected(1)


@requirement("F13")
@pytest.mark.parametrize(
    ("stops", "incomplete"),
    [
        ([None], 1),
        ([None, None, None], 1),
        (["end_turn"], 0),
        ([None, "tool_use"], 0),
        (["tool_use", None], 0),
        ([""], 0),
    ],
)
def test_a_response_whose_lines_never_got_a_stop_reason_is_incomplete(
    tree: Tree, stops: list[Any], incomplete: int
) -> None:
    tree.main("s1", *(assistant("a", stop=stop) for stop in stops))
    assert total(tree.root) == expected(1, output_incomplete=incomplete)


@requirement("F13")
def test_a_response_without_the_field_is_incomplete(tree: Tree) -> None:
    row = assistant("a")
    tree.main("s1", {**row, "message": without(row["message"], "stop_reason")})
    assert total(tree.root) == expected(1, output_incomplete=1)


@requirement("F13")
@pytest.mark.parametrize("output", [0, 1, 5_000])
def test_an_incomplete_response_counts_as_it_stands(tree: Tree, output: int) -> None:
    tree.main("s1", assistant("a", stop=None, usage=counts(output=output)))
    assert total(tree.root) == expected(1, output_tokens=output, output_incomplete=1)


@requirement("F13")
def test_one_copy_with_a_stop_reason_completes_the_response(tree: Tree) -> None:
    tree.main("s1", assistant("a", stop=None))
    tree.main("s2", assistant("a"))
    assert total(tree.root) == expected(1)


@requirement("F13")
def test_incomplete_responses_are_counted_row_by_row(tree: Tree) -> None:
    tree.main("s1", assistant("a", stop=None), assistant("b"))
    tree.main("s2", assistant("c", stop=None))
    assert split(tree.root, "session", number="output_incomplete") == {"s1": 1, "s2": 1}
    assert coverage(tree.root)["responses"] == 3
