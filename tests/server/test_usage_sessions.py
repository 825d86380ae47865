"""The table of sessions of the page of usage, and names that anybody may have given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from econome import settings
from econome.server.desk import Desk
from tests.browser.hostile import NAMES, PROOF, write_hostile
from tests.builders import Tree, assistant
from tests.requirements import requirement
from tests.server.usage_page import Marks, Query, page, rows


@pytest.fixture
def tree(home: Path) -> Tree:
    return Tree(home / "claude")


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


def _fifty_more(tree: Tree, count: int) -> None:
    for at in range(count):
        time = f"2026-10-{1 + at % 16:02d}T{at % 24:02d}:00:00Z"
        tree.main(
            f"{at:03d}-session",
            assistant(f"a{at}", time=time, cwd=f"/home/dev/p{at % 3}"),
            slug=f"-p{at % 3}",
        )


def _sessions(text: str) -> list[str]:
    return [
        (attributes["href"] or "").removeprefix("/session/")
        for tag, attributes in Marks(text).tags
        if tag == "a" and (attributes.get("href") or "").startswith("/session/")
    ]


@requirement("V8")
def test_the_table_of_sessions_is_paged_searched_and_sorted_without_scripts_too(
    desk: Desk, tree: Tree
) -> None:
    _fifty_more(tree, 120)
    sort: Query = (("sort", "session"), ("order", "up"))
    names = [f"{at:03d}-session" for at in range(120)]
    pages = [_sessions(page(desk, *sort, ("page", str(at)), part="sessions")) for at in (1, 2, 3)]
    assert pages == [names[:25], names[25:50], names[50:75]]
    assert _sessions(page(desk, *sort, ("page", "99"), part="sessions")) == names[100:]
    down = page(desk, ("sort", "session"), ("order", "down"), part="sessions")
    assert _sessions(down) == names[:-26:-1]
    assert 'aria-sort="descending"' in down
    assert _sessions(page(desk, *sort, ("q", "P1"), part="sessions")) == names[1::3][:25]
    whole = page(desk, *sort, ("q", "11"))
    assert _sessions(whole.partition('id="sessions"')[2]) == [
        "011-session",
        *names[110:],
    ]
    assert '<input type="hidden" form="search" name="sort" value="session">' in whole
    assert len(rows(desk, "sessions", *sort, ("page", "2"))) == 120


@pytest.mark.parametrize("language", ["en", "fr"])
@requirement("V8")
def test_names_meant_to_do_harm_are_shown_and_do_nothing(
    desk: Desk, home: Path, language: str
) -> None:
    write_hostile(home)
    text = page(desk, language=language)
    found = Marks(text)
    assert not [
        tag for tag, attributes in found.tags if PROOF in attributes or "onmouseover" in attributes
    ]
    assert {tag for tag, _ in found.tags}.isdisjoint({"img", "iframe", "object"})
    assert all(attributes.get("src") for tag, attributes in found.tags if tag == "script")
    links = [attributes["href"] or "" for tag, attributes in found.tags if tag == "a"]
    assert all(link.startswith(("/", "#")) for link in links)
    assert "\u202e" not in text
    for name in NAMES:
        assert rows(desk, "models", ("model", name))[0]["model"] == name
        page(desk, ("agent", name), ("hide", name), ("q", name), part="sessions")
