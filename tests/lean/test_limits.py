"""A cut collection says first what is shown and hidden, and what is left is still a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import MenuError
from econome.lean.exact import compact
from econome.lean.limits import Cut, capped, collection, limited, note, text_capped
from econome.lean.treatment import AnswerRule
from tests.lean.values import documents
from tests.requirements import requirement

pytestmark = requirement("L6")


def _rows(number: int) -> list[dict[str, Any]]:
    return [{"id": at, "status": "open"} for at in range(number)]


@requirement("LC5")
@pytest.mark.parametrize(
    ("total", "shown", "cuts"), [(4250, 50, (Cut((), 4250, 50),)), (50, 50, ()), (0, 0, ())]
)
def test_a_limit_cuts_what_is_longer_and_nothing_else(
    total: int, shown: int, cuts: tuple[Cut, ...]
) -> None:
    assert limited(_rows(total), 50) == (_rows(shown), cuts)


@requirement("LC5")
def test_a_collection_under_a_named_field_is_cut_where_it_lies() -> None:
    value = {"total": 3, "page": {"items": _rows(9)}, "others": _rows(20)}
    cut = limited(value, 4, "page.items")
    assert cut == (
        {"total": 3, "page": {"items": _rows(4)}, "others": _rows(20)},
        (Cut(("page", "items"), 9, 4),),
    )


@requirement("LC5", "L11")
@pytest.mark.parametrize("name", ["limit", "max_bytes"])
@pytest.mark.parametrize("bound", [0, -1])
def test_a_bound_below_one_cannot_be_built(name: str, bound: int) -> None:
    with pytest.raises(MenuError) as caught:
        AnswerRule(**{name: bound})  # type: ignore[arg-type]
    assert str(caught.value) == f"{name} {bound}: must be at least 1"


def test_a_collection_is_found_by_its_type_and_not_by_its_name() -> None:
    value = {"items": "no list", "thing": {"specialist": _rows(5)}, "few": [1]}
    assert collection(value) == ("thing", "specialist")
    assert limited(value, 2)[1] == (Cut(("thing", "specialist"), 5, 2),)


def test_the_names_of_columns_are_not_cut_with_their_rows() -> None:
    value = {"columns": [f"c{at}" for at in range(30)], "rows": [[0] * 30] * 90}
    kept, cuts = limited(value, 20)
    assert (kept["columns"], cuts) == (value["columns"], (Cut(("rows",), 90, 20),))


def test_columns_beside_each_other_are_cut_alike() -> None:
    value = {"x": list(range(90)), "y": list(range(90)), "unit": ["m"]}
    kept, _ = limited(value, 20)
    assert kept == {"x": list(range(20)), "y": list(range(20)), "unit": ["m"]}


def test_a_field_that_is_no_collection_is_left() -> None:
    assert limited({"items": _rows(9)}, 2, "nothing") == ({"items": _rows(9)}, ())


def _length(value: object) -> int:
    return len(compact(value).encode())


@requirement("L9")
@given(st.lists(documents, max_size=30), st.integers(2, 300))
def test_a_cap_keeps_whole_rows_from_the_first_on(rows: list[Any], max_bytes: int) -> None:
    kept, cuts = capped(rows, max_bytes)
    whole = [row for row, own in zip(kept, rows, strict=False) if row == own]
    assert len(whole) >= len(kept) - 1  # the last may be cut inside, where it holds collections
    assert _length(kept) <= max_bytes
    assert bool(cuts) is (kept != rows)


@requirement("L9")
@given(documents, st.integers(1, 200))
def test_what_is_cut_is_counted_and_the_rest_is_what_it_was(value: Any, max_bytes: int) -> None:
    kept, cuts = capped(value, max_bytes)
    assert (kept == value) is (not cuts)
    assert _length(kept) <= _length(value)
    for cut in cuts:
        assert 0 <= cut.shown < cut.total
        assert note(cuts).startswith("[cut] ")


@requirement("L9")
def test_a_row_too_long_to_show_is_cut_inside() -> None:
    tree = [{"name": "root", "kids": [{"name": f"kid {at}"} for at in range(100)]}, {"name": "b"}]
    kept, cuts = capped(tree, 200)
    assert kept[0]["name"] == "root"
    assert 0 < len(kept[0]["kids"]) < 100
    assert cuts == (Cut((), 2, 1), Cut(("0", "kids"), 100, len(kept[0]["kids"])))


def test_a_cap_after_a_limit_counts_from_the_whole() -> None:
    value, cuts = limited(_rows(500), 100)
    kept, both = capped(value, 300, cuts=cuts)
    assert both == (Cut((), 500, len(kept)),)


@given(st.text(max_size=80), st.integers(1, 60))
def test_a_text_is_cut_after_whole_lines(text: str, max_bytes: int) -> None:
    short = text_capped(text, max_bytes)
    if short is None:
        assert len(text.encode()) <= max_bytes
        return
    kept, shown, total = short
    assert total == text.count("\n") + 1
    assert len(kept.encode()) <= max_bytes
    assert text.split("\n")[:shown] == kept.split("\n")[:shown]
    assert text.startswith(kept)
