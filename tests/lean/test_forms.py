"""A value is sent in the smallest form that gives it back."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.lean.tables import read_table
from econome.lean.exact import compact, read_json, read_literal, same
from econome.lean.forms import decode, encode, toon
from econome.lean.rows import Unfit
from econome.lean.tables import table
from econome.lean.untables import untable
from econome.tokenizers import tokenizer
from tests.conftest import REPOSITORY
from tests.lean.values import documents, names, records, scalars, trees
from tests.requirements import requirement

pytestmark = requirement("L5")

count = tokenizer().count
WAYS = [(rich, blocks) for rich in (False, True) for blocks in (False, True)]
widths = st.integers(2, 4)
headed = widths.flatmap(
    lambda width: st.builds(
        lambda names, rows, types, first, last: {**first, "columns": names, **types, "rows": rows} | last,
        st.lists(names | st.text("ab", max_size=3), min_size=width, max_size=width),
        st.lists(st.lists(documents, min_size=width, max_size=width), max_size=5),
        st.just({}) | st.fixed_dictionaries({"types": st.lists(st.text("ab"), min_size=width, max_size=width)}),
        st.just({}) | st.just({"ok": True}),
        st.just({}) | st.fixed_dictionaries({"more": documents}),
    )
    | st.builds(
        lambda names, rows: {"values": [names, *rows]},
        st.lists(st.text("abc", max_size=3), min_size=width, max_size=width),
        st.lists(st.lists(scalars, max_size=width), max_size=5),
    )
)  # fmt: skip
shapes = (
    documents
    | headed
    | records()
    | st.lists(trees, min_size=1, max_size=3)
    | st.dictionaries(st.sampled_from(["items", "total", "a b"]), records() | documents, max_size=3)
    | st.dictionaries(st.text("abc", max_size=3), trees, min_size=3, max_size=5)
    | st.lists(st.lists(st.integers() | st.text("ab", max_size=2), max_size=4), max_size=5)
)


def _refuses(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return True
    return False


@given(shapes)
def test_every_form_chosen_decodes_to_the_same_value_and_is_no_larger(value: Any) -> None:
    chosen = encode(value, count)
    assert same(decode(chosen.text, chosen.form), value)
    assert len(chosen.text.encode()) <= len(compact(value).encode())
    assert count(chosen.text) <= count(compact(value))


@pytest.mark.parametrize(("rich", "blocks"), WAYS)
@given(shapes)
def test_a_table_that_can_be_written_gives_the_value_back(
    rich: bool, blocks: bool, value: Any
) -> None:
    try:
        text = table(value, rich=rich, blocks=blocks)
    except Unfit:
        return
    assert compact(untable(text)) == compact(value)
    assert compact(read_table(text)) == compact(value)  # by its description alone


@given(st.text(st.characters(codec="utf-8", max_codepoint=0x2100), max_size=60))
def test_what_is_no_table_is_refused_and_nothing_else_happens(text: str) -> None:
    try:
        untable(text)
    except ValueError:
        return


@given(records(), st.randoms())
def test_a_damaged_table_is_refused_or_read_as_something(rows: Any, rng: Any) -> None:
    try:
        text = table(rows, rich=True, blocks=True)
    except Unfit:
        return
    at = rng.randrange(len(text))
    try:
        untable(text[:at] + text[at + 1 :])
    except ValueError:
        return


def test_rows_become_a_line_each_under_one_head() -> None:
    rows = [
        {"id": 1, "name": "Alice", "city": "Oslo", "zip": "0150", "tags": ["a", "b"], "rate": 2.0},
        {"id": 2, "name": "Bob", "city": None, "zip": "0151", "tags": [], "rate": 2.5},
    ]
    assert table(rows, rich=False, blocks=True).split("\n") == [
        "(blank: null; blank under []: empty list)",
        "[2] id\tname\tcity\tzip\ttags[]\trate~",
        "1\tAlice\tOslo\t0150\ta,b\t2",
        "2\tBob\t\t0151\t\t2.5",
    ]


def test_a_number_written_as_text_keeps_its_quotes() -> None:
    assert table([{"a": "12"}, {"a": "x"}], rich=False, blocks=False) == '[2] a\n"12"\nx'


def test_heads_say_once_what_rows_share_and_nested_rows_go_beneath() -> None:
    files = [
        {
            "path": f"src/econome/{name}.py",
            "lang": "py",
            "owner": "platform-team",
            "parts": [{"at": at, "of": name} for at in range(number)],
        }
        for number, name in enumerate(("alpha", "beta", "gamma"))
    ]
    assert table(files, rich=True, blocks=True).split("\n") == [
        "(lang=py: py in all rows; path=src/econome/*.py: * is the cell)",
        "[3] path=src/econome/*.py\tlang=py\towner=platform-team\tparts(below)",
        " at\tof",
        "alpha",
        "beta",
        " 0\tbeta",
        "gamma",
        " 0\tgamma",
        " 1\tgamma",
    ]


def test_a_tree_is_rows_beneath_rows_of_the_same_columns() -> None:
    tree = [
        {"name": "src", "children": [{"name": "a.py"}, {"name": "empty", "children": []}]},
        {"name": "LICENSE"},
    ]
    assert table(tree, rich=False, blocks=True).split("\n") == [
        "(blank under ?: no such key)",
        "[2] name\tchildren?(below, same columns)",
        "src",
        " a.py",
        " empty",
        "  []",
        "LICENSE",
    ]


def test_a_missing_key_is_told_from_null_and_a_repeated_text_is_left_out() -> None:
    rows = [{"who": "someone@example.org", "n": None}, {"who": "someone@example.org"}] * 3
    rows.append({"who": "x"})
    assert table(rows, rich=True, blocks=False).split("\n") == [
        "(blank under ?: no such key; blank under ^: as above)",
        "[7] who^\tn?",
        "someone@example.org\tnull",
        *["", "\tnull"] * 2,
        "",
        "x",
    ]


def test_the_example_of_the_page_is_what_is_written() -> None:
    page = (REPOSITORY / "docs" / "answers.md").read_text(encoding="utf-8")
    example = page.partition("```text\n")[2].partition("\n```")[0]
    assert example.startswith("(blank: null;")
    assert table(untable(example), rich=True, blocks=True) == example


def test_toon_is_the_same_without_the_faster_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("toons")
    values = [{"id": 1, "tags": ["a", "b"]}, [{"a": "x,y", "b": None}, {"a": "05", "b": 1.5}], [1]]
    fast = [toon(value, delimiter) for value in values for delimiter in ",\t|"]
    monkeypatch.setitem(sys.modules, "toons", None)
    assert [toon(value, delimiter) for value in values for delimiter in ",\t|"] == fast


@requirement("LC3")
def test_rows_are_a_pipe_table_in_toon() -> None:
    rows = [{"id": 1, "name": "Alice"}, {"name": "Bob", "id": 2}]
    text = toon(rows, "|")
    assert text == "[2|]{id|name}:\n  1|Alice\n  2|Bob"
    assert decode(text, "toon-pipe") == rows


@requirement("LC3")
@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("x|y", '"x|y"'),
        ("x,y", "x,y"),
        ("05", '"05"'),
        ("true", '"true"'),
        (None, "null"),
        ("a\nb", '"a\\nb"'),
    ],
)
def test_what_toon_quotes_in_a_pipe_table(value: str | None, cell: str) -> None:
    rows = [{"a": 1, "b": value}]
    assert toon(rows, "|") == f"[1|]{{a|b}}:\n  1|{cell}"
    assert decode(toon(rows, "|"), "toon-pipe") == rows


@requirement("LC4")
@pytest.mark.parametrize("name", ["features-v1", "features-v1:o200k", "o200k"])
@pytest.mark.parametrize(
    "rows",
    [
        [{"id": n, "name": f"n{n}", **({"extra": "x"} if n == 7 else {})} for n in range(50)],
        [{"id": n, "name": f"n{n}", **({"note": "y"} if n % 2 else {})} for n in range(50)],
        [{"id": n, "client": {"name": f"c{n}", "city": "Oslo"}} for n in range(50)],
        [{f"k{n}": n} for n in range(50)],
        [{"id": n, "tags": [f"t{at}" for at in range(n % 4)]} for n in range(50)],
    ],
)
def test_sparse_or_nested_rows_are_never_larger_than_compact_json(name: str, rows: Any) -> None:
    if name == "o200k":
        pytest.importorskip("quicktok")
    own = tokenizer(name).count
    chosen = encode(rows, own)
    assert same(decode(chosen.text, chosen.form), rows)
    assert own(chosen.text) <= own(compact(rows))


@pytest.mark.parametrize(
    "value",
    [1.0, -0.0, 1e300, 2**80, True, "05", "1e5", "-", "📊", "a\tb", {"": {"": ""}}, [[]], [{}, {}]],
)
def test_types_survive_in_whatever_form_is_chosen(value: object) -> None:
    rows = [{"a": value, "b": number} for number in range(30)]
    chosen = encode(rows, count)
    assert compact(decode(chosen.text, chosen.form)) == compact(rows)
    assert chosen.form == "table"


@pytest.mark.parametrize(
    "value",
    [
        [1.0, 2.0, 3.5] * 30,
        [-0.0] * 40,
        [1.0, -0.0, 2.5] * 30,
        {"a": [1.0] * 40},
        ["alpha", 1.0, "beta", -0.0] * 20,
    ],
)
def test_numbers_in_a_list_keep_their_types_though_another_form_would_be_smaller(
    value: Any,
) -> None:
    smaller = toon(value, "\t")
    assert count(smaller) < count(compact(value))
    assert compact(decode(smaller, "toon-tab")) != compact(value)
    chosen = encode(value, count)
    assert compact(decode(chosen.text, chosen.form)) == compact(value)


def test_rows_that_share_no_key_stay_json_though_the_estimate_takes_a_table_for_smaller() -> None:
    words = ["alpha", "bravo", "delta", "hotel", "india", "lima", "oscar", "papa", "tango", "zulu"]
    rows = [{word: 1} for word in words * 3]
    other = table(rows, rich=True, blocks=True)
    assert count(other) < count(compact(rows))
    assert encode(rows, count).text == compact(rows)
    pytest.importorskip("quicktok")
    real = tokenizer("o200k").count
    assert real(other) > real(compact(rows))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        "[NaN]",
        "[1e400]",
        "[-Infinity]",
        "[0.12345678901234567890123]",
        '["\\ud800"]',
        "[" * 10_000 + "]" * 10_000,
        "[-0]",
        '{"a":-0 }',
        "[" + "9" * 5_000 + "]",
        "[1] x",
        "",
    ],
)
def test_json_that_would_lose_something_is_not_read(text: str) -> None:
    assert _refuses(read_json, text)


@pytest.mark.parametrize("text", ["[-0.0]", "[1.50, 2e3]", '["-0"]', "[9007199254740993]"])
def test_json_that_loses_nothing_is_read(text: str) -> None:
    assert read_json(text) == json.loads(text)


@given(st.lists(documents) | st.dictionaries(st.text(max_size=3), documents))
def test_a_python_literal_is_read_where_repr_gives_it_back(value: Any) -> None:
    assert same(read_literal(repr(value)), value)


@pytest.mark.parametrize(
    "text", ["[(1, 2)]", "[1,2]", "{1: 2}", "[b'']", "f()", "[" * 5_000, "{1}"]
)
def test_other_literals_are_not_read(text: str) -> None:
    assert _refuses(read_literal, text)


def test_what_nests_deeply_stays_json_or_is_refused() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = {"a": deep, "b": [1]}
    chosen = encode(deep, count)
    assert same(decode(chosen.text, chosen.form), deep)
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        encode(deep, count)


def test_a_value_beyond_a_million_characters_is_only_compacted() -> None:
    rows = [{"id": n, "text": "x" * 1_000} for n in range(1_000)]
    assert encode(rows, count).form == "json"


def test_no_form_of_that_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no form"):
        decode("x", "yaml")
