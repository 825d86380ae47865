"""The benchmark can be believed: its calls are in fair shares, and its checks find what they are there to find."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.lean.arguments import calls
from bench.lean.arms import LOSSLESS, Tapped
from bench.lean.calling import route
from bench.lean.cutting import compare_cut
from bench.lean.facts import missing
from bench.lean.guard import Verdict, compare, differences
from bench.lean.menus import check
from bench.lean.script import CALLS
from bench.lean.servers import Places
from bench.lean.tables import read_table
from econome.lean.rows import Unfit
from econome.lean.tables import table
from tests.requirements import requirement

pytestmark = requirement("L17")

TOOL: dict[str, Any] = {
    "name": "list_books",
    "description": "List the books of a shelf. Newest first.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "shelf": {"type": "string", "enum": ["a", "b"], "description": "which shelf"},
            "most": {"type": "integer", "minimum": 1, "maximum": 90, "default": 20},
        },
        "required": ["shelf"],
        "additionalProperties": False,
    },
}

words = st.text(max_size=6) | st.sampled_from(
    ["a b", "x|y", "1", "true", "null", "", "-", "é", "a.b"]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
)
objects = st.dictionaries(words, scalars | st.lists(scalars, max_size=3), min_size=1, max_size=4)
trees = st.recursive(
    objects,
    lambda inner: st.dictionaries(
        words, inner | st.lists(inner, max_size=4), min_size=1, max_size=3
    ),
)


def said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": False}


def test_the_calls_come_in_fair_shares_from_at_least_eight_servers() -> None:
    kinds = [call.kind for call in CALLS]
    shares = {kind: kinds.count(kind) / len(kinds) for kind in ("rows", "nested", "text")}
    assert all(0.28 < share < 0.4 for share in shares.values()), shares
    assert len({call.server for call in CALLS}) >= 8


@given(st.lists(trees, min_size=1, max_size=5) | trees, st.booleans(), st.booleans())
def test_the_reader_of_tables_and_their_writer_agree(value: Any, rich: bool, blocks: bool) -> None:
    try:
        text = table(value, rich=rich, blocks=blocks)
    except Unfit:
        return
    assert list(differences(value, read_table(text))) == []


ROWS = [{"id": 1, "title": "One", "price": 1.0}, {"id": 2, "title": "Two", "price": 2.5}]


@pytest.mark.parametrize(
    ("shown", "form"),
    [
        ('[{"id":1,"title":"One","price":1.0},{"id":2,"title":"Two","price":2.5}]', "json"),
        ("[2] id\ttitle\tprice~\n1\tOne\t1\n2\tTwo\t2.5", "table"),
    ],
)
def test_an_answer_in_another_form_is_the_same(shown: str, form: str) -> None:
    whole = json.dumps(ROWS, indent=2)
    assert compare(said(whole), said(shown)) == Verdict(form)
    wrapped = {**said(whole), "structuredContent": {"result": whole}}
    assert compare(wrapped, said(shown)) == Verdict(form)
    assert compare(said(repr(ROWS)), said(shown)) == Verdict(form)


@pytest.mark.parametrize(
    "shown",
    [
        '[{"id":1,"title":"One","price":1},{"id":2,"title":"Two","price":2.5}]',
        '[{"id":1,"title":"One","price":1.0}]',
        '[{"title":"One","id":1,"price":1.0},{"id":2,"title":"Two","price":2.5}]',
        '[{"id":1,"title":"one","price":1.0},{"id":2,"title":"Two","price":2.5}]',
        '[{"id":true,"title":"One","price":1.0},{"id":2,"title":"Two","price":2.5}]',
        "One and Two",
    ],
)
def test_an_answer_that_lost_something_is_found(shown: str) -> None:
    verdict = compare(said(json.dumps(ROWS)), said(shown))
    assert (verdict.form, len(verdict.faults) > 0) == (None, True)


def test_a_lost_picture_or_a_changed_flag_is_found() -> None:
    picture = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    whole = {"content": [*said("[1, 2]")["content"], picture], "isError": False}
    assert compare(whole, said("[1,2]")).faults == ("a block that is no text differs",)
    failed = {**said("[1,2]"), "isError": True}
    assert compare(said("[1, 2]"), failed).faults == ("isError differs",)


def cut(note: str) -> dict[str, Any]:
    rest = {"type": "text", "text": "[0,1]"}
    return {"content": [{"type": "text", "text": note}, rest], "isError": False}


def paged(arguments: dict[str, Any]) -> str:
    start = int(arguments["offset"])
    rest = "the end" if start else "next offset 3"
    return f"[more] 3 of 5 rows from offset {start}, {rest}\n{list(range(5))[start : start + 3]}"


def test_a_cut_answer_is_read_to_its_end() -> None:
    note = '[cut] 2 of 5 shown, 3 hidden. Read on: more {"handle":"ab","offset":2}'
    assert compare_cut(said("[0, 1, 2, 3, 4]"), cut(note), paged) == (Verdict("json, cut"), 2)


def test_a_note_that_counts_wrongly_is_found() -> None:
    note = '[cut] 2 of 6 shown, 4 hidden. Read on: more {"handle":"ab","offset":2}'
    verdict, _ = compare_cut(said("[0, 1, 2, 3, 4]"), cut(note), paged)
    assert len(verdict.faults) == 2


def test_a_rest_that_lacks_a_row_is_found() -> None:
    note = '[cut] 2 of 5 shown, 3 hidden. Read on: more {"handle":"ab","offset":2}'
    verdict, _ = compare_cut(
        said("[0, 1, 2, 3, 4]"),
        cut(note),
        lambda _: "[more] 4 of 4 rows from offset 0, the end\n[0,1,2,3]",
    )
    assert verdict.faults == ("more: $: 5 items became 4",)


def test_what_a_menu_no_longer_says_is_found() -> None:
    whole = "list_books(shelf:'a'|'b' (which shelf), most?:integer<1..90>=20): List the books of a shelf. Newest first."
    assert missing(TOOL, [whole]) == []
    for lost, kind in (
        ("Newest first.", "sentence"),
        ("'b'", "value"),
        ("90", "maximum"),
        ("most", "field"),
    ):
        assert kind in {fact.kind for fact in missing(TOOL, [whole.replace(lost, "")])}, lost


def test_random_calls_are_valid_and_many() -> None:
    made = list(calls(TOOL["inputSchema"], 30, random.Random(1)))
    assert len(made) == 30
    assert {call["shelf"] for call in made} == {"a", "b"}
    assert any("most" in call for call in made)


def test_a_menu_is_called_by_name_or_through_its_group() -> None:
    assert route([TOOL], "list_books").arguments("list_books", {"shelf": "a"}) == {"shelf": "a"}
    group = {"name": "g", "inputSchema": {"properties": {"action": {"enum": ["list_books"]}}}}
    way = route([group], "list_books")
    assert (way.tool, way.arguments("list_books", {"shelf": "a"})) == (
        "g",
        {"action": "list_books", "shelf": "a"},
    )


@pytest.mark.slow
def test_random_calls_through_a_lean_menu_reach_the_server_unchanged(tmp_path: Path) -> None:
    menu = [{**TOOL, "name": name} for name in ("list_books", "find_books", "count_books")]
    found = check("shelf", menu, Places(tmp_path, tmp_path, tmp_path), 5, LOSSLESS)
    assert (found.faults, found.calls) == ((), 15)


def test_the_log_of_both_sides_gives_the_calls_and_their_answers(tmp_path: Path) -> None:
    log = tmp_path / "log"
    asked = {"id": 1, "method": "tools/call", "params": {"name": "t", "arguments": {"a": 1}}}
    lines = [
        ("up", asked),
        ("down", {"id": 1, "result": said("x")}),
        ("down", {"id": 2, "result": {}}),
    ]
    log.write_text(
        "".join(json.dumps({"way": way, "line": json.dumps(one)}) + "\n" for way, one in lines),
        encoding="utf-8",
    )
    tapped = Tapped(log)
    assert [(one.tool, one.arguments, one.result) for one in tapped.calls()] == [
        ("t", {"a": 1}, said("x"))
    ]
    assert tapped.calls() == []
