"""What a cut hides is read by the calls that its note gives, as they stand there."""

from __future__ import annotations

import json
from itertools import count as numbers
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.exact import compact, same
from econome.lean.forms import decode
from econome.lean.kept import Kept
from econome.lean.limits import Cut, advice, call_text, capped, collection, limited, note
from econome.tokenizers import tokenizer
from tests.lean.values import documents, records
from tests.requirements import requirement

pytestmark = requirement("L7")

tokens = tokenizer().count

_KEYS = st.sampled_from(["items", "a", "a.b", "/x", "~", "", "0"])
_GRAPHS = st.recursive(
    st.lists(documents, max_size=9) | records(),
    lambda inner: st.dictionaries(_KEYS, inner, max_size=3) | st.lists(inner, max_size=4),
    max_leaves=8,
)


def _calls(text: str, call: str) -> list[dict[str, Any]]:
    """Return what the calls in a note give, read as the JSON that they are."""
    found, decoder = [], json.JSONDecoder()
    for part in text.split(f"{call} {{")[1:]:
        found.append(decoder.raw_decode("{" + part)[0])
    return found


def _read(kept: Kept, arguments: dict[str, Any]) -> list[Any]:
    """Return the rows from the offset of *arguments* to the end."""
    rows: list[Any] = []
    while True:
        page = kept.more("me", {**arguments, "offset": arguments["offset"] + len(rows)}, tokens)
        assert not page.failed, page
        head, _, text = page.text.partition("\n")
        rows += decode(text, page.form)
        if head.endswith("the end"):
            return rows


@given(_GRAPHS, st.integers(1, 5), st.none() | st.integers(1, 300), st.booleans())
def test_the_calls_of_a_note_read_all_that_is_hidden(
    value: Any, limit: int, max_bytes: int | None, known: bool
) -> None:
    kept, cuts = limited(value, limit)
    if max_bytes is not None:
        kept, cuts = capped(kept, max_bytes, cuts=cuts)
    if not cuts:
        return
    serial = numbers()
    keep = Kept(lambda: 0.0, lambda: f"h{next(serial)}")
    handle = keep.put("me", compact(value), plain=False, page=limit, max_bytes=max_bytes)
    said = note(cuts, handle, main=collection(value) if known else None)
    calls = _calls(said, "more")
    assert len(calls) == min(len(cuts), 3)
    shown = sorted(cuts, key=lambda cut: (len(cut.place), -cut.hidden))
    for cut, call in zip(shown, calls, strict=False):
        whole = value
        for key in cut.place:
            whole = whole[int(key) if isinstance(whole, list) else key]
        assert call["offset"] == cut.shown
        assert same(_read(keep, call), whole[cut.shown :])


def test_a_note_has_one_call_for_each_list_that_was_cut() -> None:
    cuts = (Cut(("entities",), 9, 2), Cut(("relations",), 30, 5))
    main = ("entities",)
    assert note(cuts, "h", 'memory {"action":"more"}', main=main) == (
        "[cut] relations: 5 of 30 shown, 25 hidden; entities: 2 of 9 shown, 7 hidden. "
        "Narrow the call with a filter, or read on: "
        'memory {"action":"more","handle":"h","rows":"relations","offset":5}; '
        'memory {"action":"more","handle":"h","offset":2}'
    )


def test_lists_beyond_the_third_are_named_with_where_to_read_on() -> None:
    cuts = [Cut(("a", name), 9, 2) for name in "bcdef"]
    said = note(cuts, "h")
    assert "14 hidden in 2 other lists (a.e from 2, a.f from 2). Narrow" in said
    assert len(_calls(said, "more")) == 3
    many = [Cut(("a", str(number)), 9, 2) for number in range(20)]
    assert "and 11 more)" in note(many, "h")


@pytest.mark.parametrize(
    ("handle", "narrows", "said"),
    [
        (None, True, " Narrow the call with a filter or a smaller range."),
        (None, False, " Narrow the call with a filter or a smaller range."),
        (
            "h",
            True,
            ' Narrow the call with a filter, or read on: more {"handle":"h","offset":2}',
        ),
        ("h", False, ' Read on: more {"handle":"h","offset":2}'),
    ],
)
def test_a_note_says_to_narrow_only_where_that_can_be_done(
    handle: str | None, narrows: bool, said: str
) -> None:
    assert note([Cut((), 5, 2)], handle, narrows=narrows) == f"[cut] 2 of 5 shown, 3 hidden.{said}"
    assert advice(handle, 2, narrows=narrows) == said.strip()


def test_a_call_is_written_as_a_model_can_copy_it() -> None:
    assert call_text("more", handle="h") == 'more {"handle":"h"}'
    assert call_text('fs {"action":"more"}', handle="h") == 'fs {"action":"more","handle":"h"}'


@requirement("L9")
def test_rows_are_dropped_before_the_inside_of_one_is_cut() -> None:
    graph: dict[str, Any] = {
        "entities": [
            {"name": f"E{at}", "observations": [f"a remark {n}" for n in range(3)]}
            for at in range(4)
        ],
        "relations": [{"from": "E0", "to": f"E{at}"} for at in range(9)],
    }
    for max_bytes in range(120, len(compact(graph))):
        kept, cuts = capped(graph, max_bytes)
        assert kept["entities"] == graph["entities"][: len(kept["entities"])]
        assert len(compact(kept)) <= max_bytes
        assert {cut.place for cut in cuts} <= {("entities",), ("relations",)}


@requirement("L9")
@given(st.lists(st.lists(st.integers(), max_size=30), max_size=9), st.integers(4, 200))
def test_the_inside_of_a_row_is_cut_only_where_it_alone_is_over_the_cap(
    rows: list[Any], max_bytes: int
) -> None:
    kept, cuts = capped(rows, max_bytes)
    if any(len(cut.place) > 0 for cut in cuts):
        assert len(compact(rows[:1])) > max_bytes
        assert len(kept) == 1
    elif cuts and kept:
        assert len(compact(rows[: len(kept) + 1])) > max_bytes


@requirement("L9")
def test_a_cap_that_the_named_rows_cannot_keep_takes_the_other_lists_as_well() -> None:
    value = {"items": [{"id": at} for at in range(9)], "log": [{"at": at} for at in range(90)]}
    kept, cuts = capped(value, 200, "items")
    assert len(compact(kept)) <= 200
    assert [cut.place for cut in cuts] == [("items",), ("log",)]
