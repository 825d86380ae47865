"""Which model the main thread of a session used, for what a ledger asks the price of (S9)."""

from __future__ import annotations

from typing import Any

import pytest

from econome import settings
from econome.usage.main_models import main_models
from econome.usage.open import read_tree
from tests.builders import Row, Tree, assistant, counts
from tests.requirements import requirement
from tests.usage.test_iterations import advice, asked, item

pytestmark = requirement("S9")

OPUS, HAIKU = "claude-opus-4-8", "claude-haiku-4-5"


def _models(tree: Tree) -> dict[str, str]:
    """Return the models, the same without an index, with a new one and with a warm one."""
    found = []
    for use_index in (False, True, True):
        with read_tree([str(tree.root)], settings.load(), use_index) as read:
            found.append(main_models(read))
    assert found[0] == found[1] == found[2]
    return found[0]


def _wrote(name: str, model: str, output: int, **more: Any) -> Row:
    return assistant(name, model=model, usage=counts(output=output), **more)


def test_a_tree_without_transcripts_has_no_session(tree: Tree) -> None:
    assert _models(tree) == {}


def test_it_is_the_one_that_wrote_most_over_all_days(tree: Tree) -> None:
    tree.main(
        "s1",
        _wrote("a", HAIKU, 60, time="2026-01-05T10:00:00Z"),
        _wrote("b", OPUS, 100, time="2026-01-05T11:00:00Z"),
        _wrote("c", HAIKU, 50, time="2026-01-09T10:00:00Z"),
    )
    tree.main("s2", _wrote("d", OPUS, 1))
    assert _models(tree) == {"s1": HAIKU, "s2": OPUS}


@pytest.mark.parametrize("days", [("05", "09"), ("09", "05")])
def test_of_equals_the_first_by_id_is_taken(tree: Tree, days: tuple[str, str]) -> None:
    opus, haiku = (f"2026-01-{day}T10:00:00Z" for day in days)
    tree.main("s1", _wrote("a", OPUS, 7, time=opus), _wrote("b", HAIKU, 7, time=haiku))
    assert _models(tree) == {"s1": HAIKU}


def test_sub_agents_advisors_and_refused_attempts_have_no_say(tree: Tree) -> None:
    tree.main(
        "s1",
        _wrote("a", HAIKU, 10),
        asked(item("message"), advice(output=900), name="b", model=HAIKU),
        asked(
            item("message", OPUS, output=900),
            item("fallback_message", HAIKU),
            name="c",
            model=HAIKU,
        ),
    )
    tree.agent("s1", "a1", _wrote("d", OPUS, 5000))
    assert _models(tree) == {"s1": HAIKU}


def test_a_session_of_which_only_a_sub_agent_is_left_is_unknown(tree: Tree) -> None:
    tree.agent("s1", "a1", _wrote("d", OPUS, 5000))
    assert _models(tree) == {}


def test_an_undated_response_counts(tree: Tree) -> None:
    tree.main("s1", _wrote("a", OPUS, 9, time=None), _wrote("b", HAIKU, 8))
    assert _models(tree) == {"s1": OPUS}
