"""What was cut is read page by page, by who it was made for, while it is kept."""

from __future__ import annotations

from itertools import count as numbers
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.exact import compact
from econome.lean.forms import decode
from econome.lean.kept import GONE, Kept
from econome.lean.paging import Page
from econome.tokenizers import tokenizer
from tests.requirements import requirement

pytestmark = requirement("L7")

tokens = tokenizer().count
ROWS = [
    {"id": at, "state": "open" if at % 3 else "closed", "by": {"name": f"N{at}"}}
    for at in range(100)
]


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _kept(clock: _Clock | None = None, **bounds: Any) -> Kept:
    serial = numbers()
    return Kept(clock or _Clock(), lambda: f"h{next(serial)}", **bounds)


def _rows(kept: Kept, handle: str | None, **arguments: Any) -> tuple[str, Any]:
    page = kept.more("me", {"handle": handle, **arguments}, tokens)
    head, _, text = page.text.partition("\n")
    return head, decode(text, page.form)


def test_pages_follow_each_other_to_the_end() -> None:
    kept = _kept()
    handle = kept.put("me", compact(ROWS), plain=False, page=40)
    assert _rows(kept, handle, offset=40) == (
        "[more] 40 of 100 rows from offset 40, next offset 80",
        ROWS[40:80],
    )
    assert _rows(kept, handle, offset="80") == (
        "[more] 20 of 100 rows from offset 80, the end",
        ROWS[80:],
    )
    assert _rows(kept, handle, offset=100) == (
        "[more] nothing from offset 100 on, there are 100 rows",
        [],
    )


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("state=closed", lambda row: row["state"] == "closed"),
        ("by.name=N7", lambda row: row["by"]["name"] == "N7"),
        ("id=12", lambda row: row["id"] == 12),
        ("n9", lambda row: "9" in row["by"]["name"][:2]),
        ("state = closed", lambda row: row["state"] == "closed"),
        ("no such text", lambda row: False),
    ],
)
def test_a_filter_is_a_field_and_its_value_or_a_text_in_the_row(text: str, fits: Any) -> None:
    kept = _kept()
    handle = kept.put("me", compact(ROWS), plain=False, page=100)
    head, found = _rows(kept, handle, filter=text)
    assert found == list(filter(fits, ROWS))
    said = {0: "none of 100 rows fits the filter", 1: "1 of 100 rows fits the filter, all shown"}
    assert head == "[more] " + said.get(
        len(found), f"{len(found)} of 100 rows fit the filter, all shown"
    )


def test_rows_that_fit_are_read_page_by_page() -> None:
    kept = _kept()
    handle = kept.put("me", compact(ROWS), plain=False, page=30)
    fit = [row for row in ROWS if row["state"] == "closed"]
    assert _rows(kept, handle, filter="state=closed") == (
        "[more] 34 of 100 rows fit the filter, 30 shown from offset 0, next offset 30",
        fit[:30],
    )
    assert _rows(kept, handle, filter="state=closed", offset=30) == (
        "[more] 34 of 100 rows fit the filter, 4 shown from offset 30, the end",
        fit[30:],
    )
    assert _rows(kept, handle, filter="state=closed", offset=50) == (
        "[more] nothing from offset 50 on, 34 of 100 rows fit the filter",
        [],
    )


@pytest.mark.parametrize(
    ("value", "select"),
    [
        (ROWS, ["id"]),
        ({"items": ROWS, "total": 100}, ["id"]),
        ({"items": ROWS, "total": 100}, ["items.id"]),
    ],
)
def test_rows_are_filtered_by_what_is_not_selected_too(value: Any, select: list[str]) -> None:
    kept = _kept()
    handle = kept.put("me", compact(value), plain=False, page=100)
    _, found = _rows(kept, handle, filter="state=closed", select=select)
    assert found == [{"id": row["id"]} for row in ROWS if row["state"] == "closed"]


def test_what_was_selected_beside_the_rows_is_there() -> None:
    kept = _kept()
    handle = kept.put("me", compact({"items": ROWS, "total": 100, "x": 1}), plain=False, page=2)
    _, found = _rows(kept, handle, select=["items.id", "total"], offset=98)
    assert found == {"items": [{"id": 98}, {"id": 99}], "total": 100}


@requirement("L11")
@pytest.mark.parametrize("filter_", ["nope=1", "by.nope=1", "NOPE = x"])
def test_a_filter_by_a_field_that_is_none_names_the_fields(filter_: str) -> None:
    kept = _kept()
    handle = kept.put("me", compact(ROWS), plain=False)
    page = kept.more("me", {"handle": handle, "filter": filter_}, tokens)
    field = filter_.partition("=")[0].strip()
    assert page == Page(f"more: no such field: {field}; choose from: id, state, by", failed=True)


def test_a_text_with_a_sign_of_equality_is_found() -> None:
    kept = _kept()
    rows = [{"query": "a=1"}, {"query": "a=2"}, {"url": "https://x.example/?q=1"}]
    handle = kept.put("me", compact(rows), plain=False)
    assert _rows(kept, handle, filter="a=1")[1] == rows[:1]
    assert _rows(kept, handle, filter="/?q=1")[1] == rows[2:]
    assert _rows(kept, handle, filter="/?q=2")[1] == []


GRAPH: dict[str, Any] = {
    "entities": [{"name": f"E{at}", "notes": [f"n{at}.{n}" for n in range(9)]} for at in range(12)],
    "relations": [{"from": f"E{at}", "to": "E0"} for at in range(30)],
    "page": {"a.b": list(range(70))},
}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("relations", GRAPH["relations"]),
        ("entities", GRAPH["entities"]),
        ("entities.3.notes", GRAPH["entities"][3]["notes"]),
        ("/page/a.b", GRAPH["page"]["a.b"]),
        ("page.a.b", GRAPH["page"]["a.b"]),
    ],
)
def test_a_list_is_read_by_its_name_with_offsets_of_its_own(name: str, rows: list[Any]) -> None:
    kept = _kept()
    handle = kept.put("me", compact(GRAPH), plain=False, page=4)
    head, found = _rows(kept, handle, rows=name, offset=2)
    assert found == rows[2:6]
    assert f": 4 of {len(rows)} rows from offset 2, next offset 6" in head


def test_a_named_list_is_narrowed_by_the_fields_of_its_rows() -> None:
    kept = _kept()
    handle = kept.put("me", compact(GRAPH), plain=False, page=2)
    more = {"rows": "relations", "filter": "from=E7"}
    assert _rows(kept, handle, **more, select=["to"])[1] == [{"to": "E0"}]
    page = kept.more("me", {"handle": handle, **more, "select": ["name"]}, tokens)
    assert page == Page("more: no such field: name; choose from: from, to", failed=True)


@requirement("L11")
def test_a_list_that_is_none_or_one_of_several_is_answered_with_their_names() -> None:
    kept = _kept()
    handle = kept.put("me", compact(GRAPH), plain=False)
    names = "entities, relations, /page/a.b"
    for name in ("nope", "entities.99.notes", "entities.0", "page", "/", "/x"):
        assert kept.more("me", {"handle": handle, "rows": name}, tokens) == Page(
            f"more: rows: there is no list {name}; choose from: {names}", failed=True
        )
    select = {"handle": handle, "select": ["entities", "relations"]}
    assert kept.more("me", select, tokens) == Page(
        "more: select: there are several lists; choose by rows one of: entities, relations",
        failed=True,
    )


def test_a_selection_narrows_and_names_the_fields_where_it_cannot() -> None:
    kept = _kept()
    handle = kept.put("me", compact({"items": ROWS, "total": 100}), plain=False, page=2)
    assert _rows(kept, handle, select=["id"]) == (
        "[more] items: 2 of 100 rows from offset 0, next offset 2",
        [{"id": 0}, {"id": 1}],
    )
    assert kept.more("me", {"handle": handle, "select": ["total"]}, tokens).text == '{"total":100}'
    refused = kept.more("me", {"handle": handle, "select": ["x"]}, tokens)
    assert (refused.failed, "choose from: items, total" in refused.text) == (True, True)


@given(st.integers(1, 400), st.integers(1, 30))
def test_every_row_can_be_reached_under_any_cap(max_bytes: int, page: int) -> None:
    kept = _kept()
    handle = kept.put("me", compact(ROWS), plain=False, page=page, max_bytes=max_bytes)
    read: list[Any] = []
    while len(read) < len(ROWS):
        _, rows = _rows(kept, handle, offset=len(read))
        assert 1 <= len(rows) <= page
        read += rows
    assert read == ROWS


def test_a_text_is_read_by_lines() -> None:
    kept = _kept()
    handle = kept.put("me", "one\ntwo\nthree\nTwo again", plain=True, page=2)
    more = {"handle": handle}
    assert kept.more("me", {**more, "offset": 2}, tokens) == Page(
        "[more] 2 of 4 lines from offset 2, the end\nthree\nTwo again"
    )
    assert kept.more("me", {**more, "filter": "two"}, tokens).text == (
        "[more] 2 of 4 lines fit the filter, all shown\ntwo\nTwo again"
    )
    assert (
        kept.more("me", {**more, "filter": "four"}, tokens).text
        == "[more] none of 4 lines fits the filter"
    )
    assert kept.more("me", {**more, "select": ["a"]}, tokens).failed
    assert kept.more("me", {**more, "rows": "a"}, tokens).failed


@requirement("L11")
def test_an_unknown_an_expired_and_a_foreign_handle_are_told_alike() -> None:
    clock = _Clock()
    kept = _kept(clock, seconds=10)
    handle = kept.put("me", "[1]", plain=False)
    gone = Page(GONE, failed=True)
    assert kept.more("me", {"handle": handle}, tokens) != gone
    assert kept.more("you", {"handle": handle}, tokens) == gone
    assert kept.more("me", {"handle": "h99"}, tokens) == gone
    clock.now = 10.0
    assert kept.more("me", {"handle": handle}, tokens) == gone


@requirement("L11")
@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({}, "handle"),
        ({"handle": 5}, "handle"),
        ({"offset": -1}, "offset"),
        ({"offset": "many"}, "offset"),
        ({"offset": True}, "offset"),
        ({"filter": 3}, "filter"),
        ({"select": 3}, "select"),
        ({"rows": 3}, "rows"),
        ({"limit": 3, "page": 2}, "it has no field limit, page, its fields are: "),
    ],
)
def test_what_more_cannot_read_is_refused_by_name(arguments: dict[str, Any], about: str) -> None:
    kept = _kept()
    given_ = {"handle": kept.put("me", "[1]", plain=False)} if about != "handle" else {}
    page = kept.more("me", given_ | arguments, tokens)
    assert (page.failed, page.text.startswith(f"more: {about}")) == (True, True)


def test_what_has_no_rows_is_not_filtered() -> None:
    kept = _kept()
    handle = kept.put("me", '{"a":1,"b":2}', plain=False)
    assert kept.more("me", {"handle": handle, "select": ["b"]}, tokens).text == '{"b":2}'
    page = kept.more("me", {"handle": handle, "filter": "x"}, tokens)
    assert page == Page("more: filter: there are no rows here to filter.", failed=True)


def test_bytes_and_entries_are_bounded_and_the_one_not_read_goes_first() -> None:
    kept = _kept(max_entries=2, max_bytes=100)
    first, second = (kept.put("me", f'["{name}"]', plain=False) for name in "ab")
    kept.more("me", {"handle": first}, tokens)
    kept.put("me", '["c"]', plain=False)
    assert kept.more("me", {"handle": second}, tokens).failed
    assert not kept.more("me", {"handle": first}, tokens).failed
    assert kept.put("me", compact(["x" * 95]), plain=False) is not None
    assert kept.more("me", {"handle": first}, tokens).failed
    assert kept.put("me", compact(["x" * 200]), plain=False) is None


def test_the_same_result_again_has_the_handle_it_had() -> None:
    kept = _kept()
    handle = kept.put("me", "[1]", plain=False)
    assert handle == kept.put("me", "[1]", plain=False)
    assert kept.put("you", "[1]", plain=False) != handle


def test_a_result_is_known_to_whom_and_where_all_of_it_was_sent() -> None:
    kept = _kept()
    kept.put("me", "[1]", plain=False)
    handle = kept.put("me", "[1]", plain=False, conversation="one")
    asked = [("me", "one"), ("me", "two"), ("you", "one"), ("m", "eone")]
    assert [kept.known(*who, "[1]") for who in asked] == [handle, None, None, None]
    assert kept.known("me", "one", "[2]") is None
