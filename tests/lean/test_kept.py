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
        "[more] 40-79 of 100 rows, next offset=80",
        ROWS[40:80],
    )
    assert _rows(kept, handle, offset=80) == ("[more] 80-99 of 100 rows, the end", ROWS[80:])
    assert _rows(kept, handle, offset=100) == ("[more] none of 100 rows from offset 100", [])


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("state=closed", lambda row: row["state"] == "closed"),
        ("by.name=N7", lambda row: row["by"]["name"] == "N7"),
        ("id=12", lambda row: row["id"] == 12),
        ("n9", lambda row: "9" in row["by"]["name"][:2]),
        ("nowhere=1", lambda row: False),
    ],
)
def test_a_filter_is_a_field_and_its_value_or_a_text_in_the_row(text: str, fits: Any) -> None:
    kept = _kept()
    handle = kept.put("me", compact(ROWS), plain=False, page=100)
    head, found = _rows(kept, handle, filter=text)
    assert found == list(filter(fits, ROWS))
    assert f"{len(found)} of 100 rows that fit" in head


def test_a_selection_narrows_and_names_the_fields_where_it_cannot() -> None:
    kept = _kept()
    handle = kept.put("me", compact({"items": ROWS, "total": 100}), plain=False, page=2)
    assert _rows(kept, handle, select=["id"]) == (
        "[more] items: 0-1 of 100 rows, next offset=2",
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
        "[more] 2-3 of 4 lines, the end\nthree\nTwo again"
    )
    assert kept.more("me", {**more, "filter": "two"}, tokens).text == (
        "[more] 0-1 of 2 of 4 lines that fit, the end\ntwo\nTwo again"
    )
    assert kept.more("me", {**more, "select": ["a"]}, tokens).failed


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
    ],
)
def test_what_more_cannot_read_is_refused_by_name(arguments: dict[str, Any], about: str) -> None:
    kept = _kept()
    given_ = {"handle": kept.put("me", "[1]", plain=False)} if about != "handle" else {}
    page = kept.more("me", given_ | arguments, tokens)
    assert (page.failed, page.text.startswith(f"more: {about}")) == (True, True)


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
    assert kept.known("me", "[1]") == handle == kept.put("me", "[1]", plain=False)
    assert kept.known("you", "[1]") is None
    assert kept.put("you", "[1]", plain=False) != handle
