"""The table of sessions: what is found in it, in which order, and on which page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from econome.usage.listing import ORDERS, begins, listed, searched
from econome.usage.panorama import Strand
from tests.requirements import requirement

pytestmark = requirement("V8")


def strand(
    name: str, project: str = "/home/dev/shop", cost: int | None = 1, last: int | None = 0
) -> Strand:
    """A session with one response."""
    made = Strand(name, "claude")
    made.last = last
    made.amount.add([1, 2, 3, 4, 5, 6, 0, 0], cost)
    made.parts[project, "main"] = made.amount
    return made


STRANDS = st.lists(
    st.builds(
        strand,
        st.text("abc", min_size=1, max_size=4),
        st.sampled_from(("/a/One", "/a/two", "")),
        st.none() | st.integers(0, 5),
        st.none() | st.integers(0, 5),
    ),
    unique_by=lambda one: one.name,
)


@given(STRANDS, st.sampled_from(sorted(ORDERS)), st.booleans(), st.integers(1, 4))
def test_the_pages_together_are_all_sessions_once_and_in_order(
    strands: list[Strand], order: str, down: bool, size: int
) -> None:
    found = searched(strands, "", order, down=down)
    pages = listed(found, 1, size).pages
    shown = [one for page in range(1, pages + 1) for one in listed(found, page, size).sessions]
    assert shown == found
    assert sorted(one.name for one in found) == sorted(one.name for one in strands)
    keys = [key for one in found if (key := ORDERS[order](one)) is not None]
    assert keys == sorted(keys, reverse=down)
    assert all(ORDERS[order](one) is None for one in found[len(keys) :])
    assert listed(found, pages + 7, size) == listed(found, pages, size)


def test_a_search_finds_ids_and_projects_whatever_their_capitals() -> None:
    strands = [strand("abc-1", "/home/dev/Shop"), strand("def-2", "/home/dev/game")]
    assert [one.name for one in searched(strands, "shop", "session", down=False)] == ["abc-1"]
    assert [one.name for one in searched(strands, "DEF", "session", down=False)] == ["def-2"]
    assert searched(strands, "nowhere", "session", down=False) == []


def test_sessions_without_a_price_or_a_time_come_last_in_both_directions() -> None:
    strands = [
        strand("a", cost=None, last=None), strand("b", cost=0, last=9), strand("c", cost=7, last=4),
        strand("d", cost=None, last=None), strand("e", cost=7, last=4),
    ]  # fmt: skip
    for order, down, names in (
        ("cost", True, "cebad"),
        ("cost", False, "bcead"),
        ("last", True, "bcead"),
        ("last", False, "cebad"),
    ):
        assert "".join(one.name for one in searched(strands, "", order, down=down)) == names


@given(st.lists(st.text("ab", min_size=1, max_size=14), unique=True))
def test_a_beginning_names_one_session_alone_where_any_beginning_does(names: list[str]) -> None:
    found = begins(names, sorted(names))
    for name in names:
        begin = found[name]
        assert name.startswith(begin)
        others = [other for other in names if other != name and other.startswith(begin)]
        assert begin == name or not others
        assert len(begin) >= min(8, len(name))
