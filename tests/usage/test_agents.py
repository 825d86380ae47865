"""F10 and F16: which kind of agent a response is of, from the best source that names it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import Row, Tree, assistant, call, counts, returned, user, without
from tests.door import expected, figures, split, total, usage
from tests.requirements import requirement


def agents(tree: Tree) -> dict[str, int]:
    """The responses of each kind of agent."""
    return split(tree.root, "agent")


@requirement("F10")
def test_what_is_no_side_chain_is_main(tree: Tree) -> None:
    tree.main("s1", assistant("a", attributionAgent="x"), without(assistant("b"), "isSidechain"))
    tree.agent("s1", "a1", assistant("c", isSidechain=False), meta={"agentType": "Explore"})
    assert agents(tree) == {"main": 3}


@requirement("F10", "F16")
def test_each_source_wins_over_those_after_it(tree: Tree) -> None:
    parent = (assistant("m", content=[call("toolu_01", "by-call")]), returned("a1", "toolu_01"))
    named = (parent[0], returned("a1", "toolu_01", agentType="by-result"))
    own = assistant("b", attributionAgent="by-itself")
    meta = {"agentType": "by-meta", "description": "x"}
    cases: list[tuple[tuple[Row, ...], Row, Row | None, str]] = [
        (named, own, meta, "by-itself"),
        (named, assistant("b"), meta, "by-meta"),
        (named, assistant("b"), None, "by-result"),
        (parent, assistant("b"), None, "by-call"),
        ((assistant("m"),), assistant("b"), None, "unknown"),
    ]
    for rows, row, given, kind in cases:
        path = tree.agent("s1", "a1", row, meta=given)
        if given is None:
            path.with_suffix("").with_suffix(".meta.json").unlink(missing_ok=True)
        tree.main("s1", *rows)
        assert agents(tree) == {"main": 1, kind: 1}


@requirement("F10")
@pytest.mark.parametrize(
    "folder", ["{session}/subagents", "", "{session}/subagents/workflows/wf_1"]
)
def test_the_parents_call_is_found_from_every_layout(tree: Tree, folder: str) -> None:
    tree.main("s1", assistant("m", content=[call(kind="Plan", tool="Task")]), returned("7f3a9c2"))
    tree.agent("s1", "7f3a9c2", assistant("b"), folder=folder)
    assert agents(tree) == {"main": 1, "Plan": 1}


@requirement("F10")
def test_the_right_call_of_several_is_taken(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("m", content=[call("toolu_01", "Explore"), call("toolu_02", "Plan")]),
        returned("a2", "toolu_02"),
        returned("a1", "toolu_01"),
    )
    tree.agent("s1", "a1", assistant("b"))
    tree.agent("s1", "a2", assistant("c"), assistant("d"))
    assert agents(tree) == {"main": 1, "Explore": 1, "Plan": 2}


@requirement("F10")
def test_a_nested_agent_is_found_through_the_agent_that_called_it(tree: Tree) -> None:
    tree.main("s1", assistant("m", content=[call("toolu_01", "Plan")]), returned("a1", "toolu_01"))
    tree.agent(
        "s1",
        "a1",
        assistant("b", content=[call("toolu_02", "Explore")]),
        returned("a2", "toolu_02"),
    )
    tree.agent("s1", "a2", assistant("c"))
    assert agents(tree) == {"main": 1, "Plan": 1, "Explore": 1}


@requirement("F10")
@pytest.mark.parametrize(
    "result",
    [
        "text",
        ["a1"],
        {"agentId": "other"},
        {"agentId": None},
        {"agentId": "a1"},
        {"agentId": "a1", "agentType": ""},
        {"agentId": "a1", "agentType": 7},
        {"prompt": "agentId a1 of subagent_type Explore"},
    ],
)
def test_a_result_that_names_nothing_leaves_the_kind_unknown(tree: Tree, result: Any) -> None:
    row = {**returned("a1"), "toolUseResult": result}
    tree.main("s1", assistant("m", content=[call(kind=None)]), row)
    tree.agent("s1", "a1", assistant("b"))
    assert agents(tree) == {"main": 1, "unknown": 1}


@requirement("F10")
def test_the_kind_is_read_from_the_call_whatever_the_style_of_the_lines(tree: Tree) -> None:
    rows = (assistant("m", content=[call()]), returned("a1"))
    styled = [
        json.dumps({**row, "sessionId": "s1"}, indent=None, separators=(" , ", " : "))
        for row in rows
    ]
    tree.main("s1", *(text.encode() for text in styled))
    tree.agent("s1", "a1", assistant("b"))
    assert agents(tree) == {"main": 1, "Explore": 1}


@requirement("F10")
@pytest.mark.parametrize(
    "meta",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"Explore"',
        b"\xff\xfe",
        b"{}",
        b'{"agentType": null}',
        b'{"agentType": ""}',
        b'{"agentType": 7}',
    ],
)
def test_a_broken_meta_file_loses_no_token(tree: Tree, meta: bytes) -> None:
    tree.main("s1", assistant("m"))
    tree.agent("s1", "a1", assistant("b"), meta=meta)
    answer = usage(tree.root, "--by", "agent")
    assert figures(answer["total"]) == expected(2)
    assert {row["agent"]: row["responses"] for row in answer["rows"]} == {"main": 1, "unknown": 1}


@requirement("F10")
def test_a_meta_file_is_read_tolerantly(tree: Tree) -> None:
    tree.agent(
        "s1", "a1", assistant("b"), meta=b'\xef\xbb\xbf{\r\n "agentType" : "Pl\xc3\xa4n"}\r\n'
    )
    assert agents(tree) == {"Pl\u00e4n": 1}


@requirement("F10")
@pytest.mark.parametrize(
    "kind", ["plugin:review", "workflow-subagent", "a b", "\u00e9\u4e2d", "main2"]
)
def test_a_kind_is_shown_as_it_is_written(tree: Tree, kind: str) -> None:
    tree.agent("s1", "a1", assistant("b"), meta={"agentType": kind})
    assert agents(tree) == {kind: 1}


@requirement("F10")
def test_a_meta_file_speaks_for_its_own_agent_only(tree: Tree) -> None:
    tree.agent("s1", "a1", assistant("b"), meta={"agentType": "Explore"})
    tree.agent("s1", "a2", assistant("c"))
    assert agents(tree) == {"Explore": 1, "unknown": 1}


@requirement("F10", "F5")
def test_the_kind_is_that_of_the_owning_row(tree: Tree) -> None:
    early, late = "2026-01-05T09:00:00Z", "2026-01-05T10:00:00Z"
    tree.agent("s1", "a2", assistant("b", time=late), meta={"agentType": "Copy"})
    tree.agent(
        "s1",
        "a3",
        assistant("x", time=early),
        assistant("b", time=late),
        meta={"agentType": "Born"},
    )
    assert agents(tree) == {"Born": 2}


@requirement("F10")
def test_inline_side_chain_rows_are_unknown_but_for_their_attribution(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("a", isSidechain=True),
        assistant("b", isSidechain=True, attributionAgent="Explore"),
    )
    assert agents(tree) == {"unknown": 1, "Explore": 1}


@requirement("F16")
def test_the_total_of_a_tool_result_is_never_a_cost(tree: Tree) -> None:
    tree.main("s1", assistant("m", content=[call()]), returned("a1", totalTokens=1_000_000))
    tree.agent("s1", "a1", assistant("b"), assistant("c"))
    assert total(tree.root) == expected(3)
    tree.main("s2", assistant("n", content=[call()]), returned("lost", totalTokens=1_000_000))
    assert total(tree.root) == expected(4, sessions=2)


@requirement("F16")
def test_an_attribution_that_names_nothing_is_passed_over(tree: Tree) -> None:
    rows = [{**assistant(f"b{n}"), "attributionAgent": v} for n, v in enumerate((None, "", 7))]
    tree.agent("s1", "a1", *rows, meta={"agentType": "Explore"})
    assert agents(tree) == {"Explore": 3}


@requirement("F10", "F12")
@pytest.mark.usefixtures("age")
def test_a_call_that_is_written_after_the_agent_was_indexed_is_found(tree: Tree) -> None:
    main = tree.main("s1", assistant("m", content=[call()]))
    tree.agent("s1", "a1", assistant("b"))
    assert agents(tree) == {"main": 1, "unknown": 1}
    tree.main("s1", assistant("m", content=[call()]), user("more"), returned("a1"))
    assert agents(tree) == {"main": 1, "Explore": 1}
    main.unlink()
    assert agents(tree) == {"unknown": 1}


@requirement("F10", "F12")
@pytest.mark.usefixtures("age")
def test_a_meta_file_that_comes_changes_or_goes_is_noticed(tree: Tree) -> None:
    path = tree.agent("s1", "a1", assistant("b", usage=counts(output=7)))
    meta = path.with_suffix("").with_suffix(".meta.json")
    assert agents(tree) == {"unknown": 1}
    for kind in ("Explore", "Planner", "general-purpose"):
        meta.write_text(f'{{"agentType": "{kind}"}}', encoding="utf-8")
        assert agents(tree) == {kind: 1}
    meta.unlink()
    assert agents(tree) == {"unknown": 1}
