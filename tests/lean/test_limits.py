"""A cut collection says first what is shown and hidden, and what is left is still a value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import MenuError
from econome.lean.answers import AnswerRule
from econome.lean.blocks import KINDS, Answer, Block, arranged
from econome.lean.exact import compact
from econome.lean.limits import Cut, capped, collection, limited, note, text_capped
from econome.tokenizers import tokenizer
from tests.lean.values import documents
from tests.requirements import requirement

pytestmark = requirement("L6")

count = tokenizer().count


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
def test_the_note_comes_first_and_says_shown_hidden_and_filter() -> None:
    first, data = arranged(Answer(_rows(4250)), count=count, limit=50, table=False)
    assert (first.kind, data.kind) == ("cut", "data")
    assert all(word in first.text for word in ("50", "4200", "filter"))
    assert json.loads(data.text) == _rows(50)


@requirement("LC5")
@pytest.mark.parametrize("total", [0, 50])
def test_exactly_the_limit_or_nothing_has_no_note(total: int) -> None:
    blocks = arranged(Answer(_rows(total)), count=count, limit=50, table=False)
    assert [(block.kind, json.loads(block.text)) for block in blocks] == [("data", _rows(total))]


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


@requirement("LC8", "L9")
def test_a_cap_of_1024_bytes_on_60_rows_keeps_valid_json_and_the_rule() -> None:
    rows = [{"id": at, "title": f"issue number {at}", "state": "open"} for at in range(60)]
    answer = Answer(rows, rules=["amounts are in cents"])
    blocks = arranged(answer, count=count, max_bytes=1024, table=False)
    cut, data, rule = blocks
    kept = json.loads(data.text)
    assert [block.kind for block in blocks] == ["cut", "data", "rules"]
    assert kept == rows[: len(kept)]
    assert f"{len(kept)} of 60 shown, {60 - len(kept)} hidden" in cut.text
    assert "amounts are in cents" in rule.text
    assert 900 < sum(len(block.text.encode()) for block in blocks) <= 1024


@requirement("LC8", "L9")
def test_blocks_come_in_one_order_with_their_kinds_and_costs() -> None:
    answer = Answer(
        _rows(60),
        note="as of today",
        ui=["<chart>"],
        rules=["amounts are in cents"],
        suggestions=["refund: takes it back"],
        invalidation=["billing", "invoices"],
    )
    blocks = arranged(answer, count=count, limit=50, table=False)
    assert tuple(block.kind for block in blocks) == KINDS
    assert blocks[0] == Block("invalidation", "Stale now: billing, invoices", 9)
    assert blocks[5].text == "Rules:\n- amounts are in cents"
    assert [block.tokens for block in blocks] == [count(block.text) for block in blocks]


@requirement("LC6", "L8")
def test_only_the_data_is_narrowed() -> None:
    record = {"id": "i1", "status": "paid", "amount": 5, "client": {"name": "Ann"}}
    known = tuple(record)
    rule = ["pay"]
    narrow = arranged(
        Answer(record, rules=rule), count=count, select=["status"], known=known, table=False
    )
    whole = arranged(Answer(record, rules=rule), count=count, known=known, table=False)
    assert narrow[0].text == '{"status":"paid"}'
    assert narrow[1:] == whole[1:]


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
