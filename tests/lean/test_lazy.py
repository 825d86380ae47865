"""Finding an action by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.actions import action_of
from econome.lean.lazy import FOUND, find
from econome.lean.menus import Menu
from tests.lean.schemas import BILLING, FILES, count, tool
from tests.requirements import requirement

pytestmark = requirement("L4b")

_ACTIONS = [action_of(entry) for entry in (*FILES, *BILLING)]


@pytest.mark.parametrize(
    "query, first",
    [
        ("read lines", "read_lines"),
        ("refund an invoice", "refund"),
        ("Find all patterns", "find_text"),
        ("which invoices are there? list them", "list_invoices"),
        ("amount", "refund"),
    ],
)
def test_what_is_meant_comes_first(query: str, first: str) -> None:
    assert find(_ACTIONS, query)[0].name == first


GRAPH = [
    tool(
        "create_entities",
        "Create new entities of a person or a place",
        ("entities",),
        entities="array",
    ),
    tool("delete_entities", "Delete entities and their relations", ("names",), names="array"),
    tool("delete_observations", "Delete observations", ("deletions",), deletions="array"),
    tool("delete_relations", "Delete relations", ("relations",), relations="array"),
]


@pytest.mark.parametrize(
    "query, first",
    [
        ("delete a person", "delete_entities"),
        ("delete the relation", "delete_relations"),
        ("delete an entity", "delete_entities"),
        ("an observation", "delete_observations"),
        ("the", None),
    ],
)
def test_of_those_that_fit_alike_the_first_declared_comes_first(
    query: str, first: str | None
) -> None:
    found = find(list(map(action_of, GRAPH)), query)
    assert [action.name for action in found[:1]] == ([] if first is None else [first])


def test_a_plural_is_found_by_its_singular() -> None:
    names = ["add_boxes", "add_caches", "add_issues", "add_entities", "add_branches", "add_days"]
    actions = [action_of(tool(name)) for name in names]
    for word in ("box", "cache", "issue", "entity", "branch", "day"):
        assert [action.name for action in find(actions, word)] == [names[0]]
        names.append(names.pop(0))


def test_a_word_of_a_name_weighs_more_than_one_of_a_text() -> None:
    assert [action.name for action in find(_ACTIONS, "text")] == [
        "write_text",
        "find_text",
        "read_lines",
    ]


@given(st.text(max_size=40))
def test_a_search_finds_few_actions_and_each_once(query: str) -> None:
    names = [action.name for action in find(_ACTIONS, query)]
    assert len(names) <= FOUND
    assert len(set(names)) == len(names)


def test_nothing_is_found_where_no_word_fits() -> None:
    assert find(_ACTIONS, "zebra") == ()
    assert find([], "read") == ()


def test_a_lazy_menu_pays_over_a_whole_task_of_few_calls() -> None:
    tools = [
        {**entry, "name": f"{entry['name']}_{part}"}
        for part in "abcdef"
        for entry in (*FILES, *BILLING)
    ]
    turns = 6

    def cost(form: str, look_ups: list[str]) -> int:
        menu = Menu.of(tools, name="big", form=form, count=count)
        told = 0
        for query in look_ups:
            outcome = menu.call("big", {"action": "find", "query": query})
            told += count(getattr(outcome, "text", ""))
        return menu.total_after * turns + told * turns

    assert (
        cost("lazy", ["read lines a", "refund b"]) < cost("signatures", []) < cost("untouched", [])
    )
