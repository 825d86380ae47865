"""What the heads of a table say, what its first line says of them, and how its form is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.lean.reading import readings
from bench.lean.tables import read_table
from econome.lean.exact import same
from econome.lean.forms import encode
from econome.lean.limits import capped, limited
from econome.lean.tables import table
from econome.lean.untables import untable
from econome.tokenizers import tokenizer
from tests.lean.values import documents, records, scalars, texts
from tests.requirements import requirement

pytestmark = requirement("L5")

count = tokenizer().count


def _refuses(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return True
    return False


def test_a_short_beginning_stays_in_its_cells_and_a_short_text_is_said_again() -> None:
    rows = [{"from": f"Person {at}", "to": f"Person {at + 1}", "kind": "knows" if at else "likes"} for at in range(9)]  # fmt: skip
    lines = table(rows, rich=True, blocks=True).split("\n")
    assert lines[:3] == ["[9] from\tto\tkind", "Person 0\tPerson 1\tlikes", "Person 1\tPerson 2\tknows"]  # fmt: skip


def test_a_long_beginning_is_told_in_part_and_a_long_value_not_again() -> None:
    start = "https://example.org/projects/econome/issues/"
    rows = [{"url": f"{start}{at}", "by": "somebody of a long name, and one more"} for at in range(9)]  # fmt: skip
    lines = table(rows, rich=True, blocks=True).split("\n")
    assert lines[:3] == [
        "(=x: x in all rows; url=…nome/issues/*: * is the cell)",
        f"[9] url={start}*\tby=somebody of a long name, and one more",
        "0",
    ]


def test_what_is_not_written_is_not_explained() -> None:
    inside = {"a": {"x": "same", "y": []}, "b": {"x": "same", "y": []}, "c": {"x": "same", "y": []}}
    text = table({"small": inside, "rows": [{"n": 1}, {"n": 2}]}, rich=True, blocks=True)
    assert ("=" in text.partition("\n")[0]) is ("x=same" in text.partition("\n")[2])


def test_lists_whose_columns_are_named_beside_them_are_one_table() -> None:
    value: dict[str, Any] = {
        "ok": True,
        "columns": ["path", "bytes", "notes"],
        "types": ["VARCHAR", "BIGINT", "JSON"],
        "rows": [["a.py", 12, [{"at": 1}, {"at": 2}]], ["b.py", None, []]],
        "count": 2,
    }
    assert table(value, rich=True, blocks=True).split("\n") == [
        "(blank: null)",
        "ok:true",
        "columns[3]",
        'types:["VARCHAR","BIGINT","JSON"]',
        "rows[2x3] path\tbytes\tnotes(below)",
        " at",
        "a.py\t12",
        " 1",
        " 2",
        "b.py",
        "count:2",
    ]


def test_lists_that_their_first_names_are_one_table() -> None:
    sheet = {"range": "A1:C4", "values": [["zone", "lat", "note"], ["x", 1.5], ["y", 2.0, "z"]]}
    assert table(sheet, rich=False, blocks=True).split("\n") == [
        "(blank under ?: no such key)",
        "range:A1:C4",
        "values[1+2x3] zone\tlat~\tnote?",
        "x\t1.5",
        "y\t2\tz",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "columns[2]",
        "columns[2]\nrows[1x3] a\tb\tc\n1\t2\t3",
        "rows[1x2] a\tb\n1\t2",
        "[1x2] a\tb\n1\t2",
        "columns[2]\nkeys[2]\nrows[1x2] a\tb\n1\t2",
        "[1+1] a\n1",
        "[1+1x2]\n1\t2",
    ],
)
def test_names_without_their_table_are_refused(text: str) -> None:
    assert _refuses(untable, text)
    assert _refuses(read_table, text)


@given(
    documents
    | records()
    | st.dictionaries(texts, st.lists(scalars, min_size=8, max_size=30), min_size=1, max_size=3)
    | st.lists(texts, min_size=12, max_size=30)
)
def test_the_first_form_that_a_text_can_be_read_as_is_the_one_it_was_sent_in(value: Any) -> None:
    chosen = encode(value, count)
    form, found = next(readings(chosen.text))
    assert form == chosen.form.partition("-")[0]
    assert same(found, value)


def test_of_a_table_with_names_beside_it_the_rows_are_cut_and_the_names_stay() -> None:
    value: dict[str, Any] = {
        "columns": ["a", "b", "c"],
        "types": ["INT", "INT", "TEXT"],
        "rows": [[at, at * 2, f"text {at}"] for at in range(30)],
    }
    few, cuts = limited(value, 2)
    assert few == {**value, "rows": value["rows"][:2]}
    assert [(cut.place, cut.total, cut.shown) for cut in cuts] == [(("rows",), 30, 2)]
    short, cuts = capped(value, 200)
    assert {**short, "rows": value["rows"]} == value
    assert [cut.place for cut in cuts] == [("rows",)]
