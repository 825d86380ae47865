"""What a menu costs, in parts that add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.costs import MenuCost, NamespaceCost, apportioned, menu_cost, name_of
from econome.lean.menus import Menu, baseline
from tests.lean.schemas import FILES, count, named_tools
from tests.requirements import requirement

pytestmark = requirement("L15")

_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
_ODD = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("name", "description", "inputSchema", "outputSchema"), _JSON)
)


@pytest.mark.slow
@given(named_tools() | st.lists(_ODD, max_size=5), st.randoms())
def test_tools_namespaces_and_parts_add_up_in_any_order(tools: list[Any], dice: Any) -> None:
    homes = ["one" if at % 2 else "two" for at in range(len(tools))]
    cost = menu_cost(tools, server="fs", count=count, namespaces=homes)
    assert cost.tokens == sum(one.tokens for one in cost.tools)
    assert cost.tokens == sum(one.tokens for one in cost.namespaces)
    assert cost.deferred == sum(one.listed for one in cost.tools)
    assert all(
        one.tokens == one.in_name + one.in_description + one.in_schema == one.found
        for one in cost.tools
    )
    for rows in (cost.tools, cost.namespaces):
        assert sum(round(one.share * 1_000) for one in rows) == (1_000 if tools else 0)
    pairs = list(zip(tools, homes, strict=True))
    dice.shuffle(pairs)
    again = menu_cost(
        [tool for tool, _ in pairs],
        server="fs",
        count=count,
        namespaces=[home for _, home in pairs],
    )
    assert (again.tokens, again.namespaces) == (cost.tokens, cost.namespaces)


@pytest.mark.slow
@given(named_tools())
def test_a_menu_costs_what_the_proxy_says_of_it_and_the_worst_tool_comes_first(
    tools: list[Any],
) -> None:
    cost = menu_cost(tools, server="fs", count=count)
    assert cost.tokens == sum(
        one.tokens for one in Menu.of(tools, name="fs", form="untouched", count=count).before
    )
    assert [one.tokens for one in cost.tools] == sorted(
        (count(baseline(tool)) for tool in tools), reverse=True
    )


def test_a_client_that_defers_shows_names_alone() -> None:
    cost = menu_cost(FILES, server="fs", count=count)
    names = "\n".join(f"mcp__fs__{tool['name']}" for tool in FILES)
    assert cost.deferred == count(names) < cost.tokens
    assert cost.namespaces == (NamespaceCost("fs", len(FILES), cost.tokens, 1.0),)
    assert menu_cost([], server="fs", count=count) == MenuCost(0, 0, (), ())


@given(st.lists(st.integers(0, 10**6), max_size=8), st.integers(0, 10**4))
def test_parts_are_whole_and_none_is_off_by_one_or_more(weights: Sequence[int], whole: int) -> None:
    parts, total = apportioned(weights, whole), sum(weights)
    assert sum(parts) == (whole if total else 0)
    assert all(
        abs(part * total - weight * whole) < total
        for part, weight in zip(parts, weights, strict=True)
        if total
    )


def test_a_name_that_is_no_text_is_none() -> None:
    assert [name_of(tool) for tool in ({"name": "a"}, {"name": 3}, {})] == ["a", "", ""]
