"""F6: what `usage.iterations` adds, and what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Row, Tree, assistant, counts
from tests.door import expected, figures, split, total, usage
from tests.requirements import requirement

ADVISER = "claude-opus-4-8"


def item(kind: str, model: str | None = None, **numbers: Any) -> Row:
    """An item of `usage.iterations`."""
    given = {
        key: value
        for key, value in counts(**numbers).items()
        if key not in ("server_tool_use", "service_tier")
    }
    return {"type": kind, **given, **({} if model is None else {"model": model})}


def advice(model: str | None = ADVISER, **numbers: Any) -> Row:
    """An adviser's item: 70 tokens in, 7 out, no cache."""
    return item(
        "advisor_message", model, **{"fresh": 70, "output": 7, "read": 0, "write": 0, **numbers}
    )


def asked(*items: Row | None, name: str = "a", **more: Any) -> Row:
    """A line with iterations."""
    return assistant(name, usage=counts(iterations=list(items)), **more)


@requirement("F6")
@pytest.mark.parametrize(
    "iterations",
    [None, [], [item("message")], [item("message"), item("message")], "x", [None, 1, "x", []], {}],
)
def test_message_items_repeat_the_top_level_and_add_nothing(tree: Tree, iterations: Any) -> None:
    tree.main("s1", assistant("a", usage=counts(iterations=iterations)))
    assert total(tree.root) == expected(1)


@requirement("F6")
def test_an_advisor_item_is_a_response_of_its_own(tree: Tree) -> None:
    tree.main("s1", asked(item("message"), advice(), item("message")))
    answer = usage(tree.root, "--by", "agent", "--by", "model")
    assert figures(answer["total"]) == expected(1) | {
        "responses": 2,
        "input_tokens": 73,
        "output_tokens": 57,
    }
    found = {(row["agent"], row["model"]): row["input_tokens"] for row in answer["rows"]}
    assert found == {("main", "claude-haiku-4-5-20251001"): 3, ("advisor", ADVISER): 70}


@requirement("F6")
def test_an_advisor_without_a_model_has_its_parents(tree: Tree) -> None:
    tree.main("s1", asked(advice(None)))
    assert split(tree.root, "model") == {"claude-haiku-4-5-20251001": 2}


@requirement("F6")
def test_an_advisor_has_the_time_and_the_owner_of_its_parent(tree: Tree) -> None:
    late = {"time": "2026-01-06T10:00:00Z", "sessionId": "s1", "cwd": "/other"}
    tree.main("s1", asked(advice()))
    tree.main("s2", asked(advice(), **late))
    for by, where in (("session", "s1"), ("day", "2026-01-05"), ("project", "/home/dev/shop")):
        assert split(tree.root, by) == {where: 2}


@requirement("F6")
def test_the_advisor_of_a_sub_agent_is_an_advisor(tree: Tree) -> None:
    tree.agent("s1", "a1", asked(advice()), meta={"agentType": "Explore"})
    assert split(tree.root, "agent") == {"Explore": 1, "advisor": 1}


@requirement("F6")
def test_an_advisor_item_is_folded_at_its_position(tree: Tree) -> None:
    tree.main(
        "s1",
        asked(item("message"), advice(fresh=70, output=9)),
        asked(item("message"), advice(fresh=80, output=7)),
    )
    tree.main("s2", asked(item("message"), advice(fresh=60, output=8)))
    assert total(tree.root) == expected(1) | {
        "responses": 2,
        "input_tokens": 83,
        "output_tokens": 59,
    }


@requirement("F6")
def test_two_positions_are_two_responses(tree: Tree) -> None:
    tree.main("s1", asked(item("message"), advice(), item("message"), advice()))
    assert total(tree.root) == expected(1) | {
        "responses": 3,
        "input_tokens": 143,
        "output_tokens": 64,
    }


@requirement("F6", "F4")
def test_the_advisors_of_a_replay_are_not_counted_either(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.agent("s1", "a1", asked(advice(), requestId="req_2"))
    assert total(tree.root) == expected(1)


@requirement("F6")
def test_a_refused_attempt_is_in_no_total(tree: Tree) -> None:
    refused = item("message", "claude-fable-5", fresh=9, output=0, read=0, write=21_874)
    answered = item("fallback_message", "claude-opus-4-8")
    tree.main("s1", asked(refused, answered, model="claude-opus-4-8"))
    answer = usage(tree.root, "--by", "model")
    assert figures(answer["total"]) == expected(1)
    assert [row["model"] for row in answer["rows"]] == ["claude-opus-4-8"]
    (apart,) = answer["refused"]
    assert (apart["model"], apart["attempts"]) == ("claude-fable-5", 1)
    assert (apart["input_tokens"], apart["cache_write_5m_tokens"]) == (9, 21_874)


@requirement("F6", "P1")
def test_an_advisor_is_priced_under_its_own_model(tree: Tree) -> None:
    big: Row = {"fresh": 1_000_000, "output": 0, "read": 0, "write": 0}
    plain = counts(**big, iterations=[advice(**big)])
    tree.main("s1", assistant("a", usage=plain))
    assert split(tree.root, "agent", number="cost_usd") == {"main": "1", "advisor": "5"}


@requirement("F6")
@pytest.mark.parametrize("kind", ["compaction", "something_new", None, 7])
def test_items_of_other_types_add_nothing(tree: Tree, kind: Any) -> None:
    tree.main("s1", asked({**advice(), "type": kind}))
    assert total(tree.root) == expected(1)


@requirement("F6", "F3")
@pytest.mark.parametrize("swap", [False, True])
def test_the_model_of_an_advisor_comes_from_the_line_with_its_greatest_output(
    tree: Tree, swap: bool
) -> None:
    rows = [asked(advice(ADVISER, output=7)), asked(advice("claude-sonnet-5", output=9))]
    for number, row in enumerate(reversed(rows) if swap else rows):
        tree.main(f"s{number}", row)
    assert split(tree.root, "model") == {"claude-haiku-4-5-20251001": 1, "claude-sonnet-5": 1}
