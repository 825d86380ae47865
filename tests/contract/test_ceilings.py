"""A ceiling that is exceeded is told with its tokens, one that fails apart from one that warns, and nothing is made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from econome.contract.ceilings import Over, over
from econome.lean.rules import Budget, Ceilings
from tests.contract.bodies import of_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L16")

SHOP = of_tools({"list": tool(tokens=300), "pay": tool(tokens=90), "view": tool(tokens=40)})

ROWS = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"id": {"type": "string"}}},
        }
    },
}


def test_a_budget_without_ceilings_says_nothing() -> None:
    assert over("shop", SHOP, Budget(), answers={"list": 10**9}) == []


def test_the_menu_each_namespace_and_each_tool_are_held_to_their_ceilings() -> None:
    budget = Budget(
        menu_tokens=429, namespace_tokens=429, tool_tokens=89, tools={"list": 300, "view": 39}
    )
    assert over("shop", SHOP, budget) == [
        Over("fail", "shop", "server", "shop", 430, 429),
        Over("fail", "shop", "namespace", "s", 430, 429),
        Over("fail", "shop", "tool", "pay", 90, 89),
        Over("fail", "shop", "tool", "view", 40, 39),
    ]


def test_what_is_at_its_ceiling_is_not_over_it() -> None:
    assert over("shop", SHOP, Budget(430, namespace_tokens=430, tool_tokens=300)) == []


def test_what_only_warns_is_told_apart_and_not_twice() -> None:
    budget = Budget(tool_tokens=200, warn=Ceilings(menu_tokens=400, tool_tokens=80))
    assert over("shop", SHOP, budget) == [
        Over("warn", "shop", "server", "shop", 430, 400),
        Over("fail", "shop", "tool", "list", 300, 200),
        Over("warn", "shop", "tool", "pay", 90, 80),
    ]


def test_a_ceiling_for_what_the_server_does_not_have_is_told_and_fails_nothing() -> None:
    budget = Budget(tools={"gone": 5}, warn=Ceilings(namespaces={"old": 7}))
    assert over("shop", SHOP, budget) == [
        Over("warn", "shop", "namespace", "old", None, 7),
        Over("warn", "shop", "tool", "gone", None, 5),
    ]


@requirement("LC18")
def test_an_answer_is_judged_by_what_was_seen_and_else_by_what_its_schema_bounds() -> None:
    shop = of_tools(
        {
            "seen": tool(tokens=1, outputSchema=ROWS, economy={"limit": 50}),
            "bounded": tool(tokens=1, outputSchema=ROWS, economy={"limit": 50}),
            "capped": tool(tokens=1, outputSchema=ROWS, economy={"limit": 5000, "max_bytes": 350}),
            "unbounded": tool(tokens=1, outputSchema=ROWS),
            "unknown": tool(tokens=1),
        }
    )
    assert over("shop", shop, Budget(answer_tokens=200), answers={"seen": 201}) == [
        Over("warn", "shop", "answer", "bounded", 400, 200, estimated=True),
        Over("fail", "shop", "answer", "seen", 201, 200),
    ]
    assert over("shop", shop, Budget(answer_tokens=400), answers={"seen": 201}) == []


_tokens = st.none() | st.integers(1, 9)
_named = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9))
_ceilings = st.builds(Ceilings, _tokens, _tokens, _tokens, _tokens, _named, _named)
_budgets = st.builds(Budget, _tokens, _tokens, _tokens, _tokens, _named, _named, _ceilings)
_servers = st.dictionaries(
    st.sampled_from("abc"), st.builds(lambda tokens: tool(tokens=tokens), st.integers(0, 12))
).map(of_tools)
_answers = st.dictionaries(st.sampled_from("abc"), st.integers(0, 12))


def _raised(ceilings: Any, by: int) -> Any:
    """Return the ceilings, each higher by so much."""
    plain = ("menu_tokens", "answer_tokens", "tool_tokens", "namespace_tokens")
    said = {
        name: None if getattr(ceilings, name) is None else getattr(ceilings, name) + by
        for name in plain
    }
    tools = {name: value + by for name, value in ceilings.tools.items()}
    spaces = {name: value + by for name, value in ceilings.namespaces.items()}
    return replace(ceilings, **said, tools=tools, namespaces=spaces)


@given(_servers, _budgets, _answers, st.integers(0, 9), st.integers(0, 9))
def test_raising_a_ceiling_never_adds_anything(
    server: dict[str, Any], budget: Budget, answers: dict[str, int], by: int, warn_by: int
) -> None:
    higher = replace(_raised(budget, by), warn=_raised(budget.warn, warn_by))

    def told(held: Budget, *levels: str) -> set[tuple[str, str]]:
        found = over("x", server, held, answers=answers)
        return {(one.scope, one.name) for one in found if one.level in levels}

    assert told(higher, "warn", "fail") <= told(budget, "warn", "fail")
    assert told(higher, "fail") <= told(budget, "fail")


@given(_servers, _budgets, _answers)
def test_everything_that_is_told_is_over_what_it_names_and_is_told_once(
    server: dict[str, Any], budget: Budget, answers: dict[str, int]
) -> None:
    found = over("x", server, budget, answers=answers)
    assert all(one.tokens is None or one.tokens > one.ceiling for one in found)
    assert len({(one.scope, one.name) for one in found}) == len(found)
    assert not any(one.level == "fail" and one.tokens is None for one in found)
