"""R4: what a counter may be, and what a bad one costs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import SLUG, Row, Tree, assistant, counts, line
from tests.door import expected, figures, usage
from tests.requirements import requirement

FULL: Row = {"sessionId": "s1", "isSidechain": False}
FIELDS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_5m_tokens",
}
NESTED = (
    ("cache_creation", "ephemeral_5m_input_tokens"),
    ("cache_creation", "ephemeral_1h_input_tokens"),
    ("server_tool_use", "web_search_requests"),
)
GOOD = {
    "0": 0,
    "7": 7,
    "null": 0,
    "7.0": 7,
    "7e2": 700,
    "0.0": 0,
    "-0.0": 0,
    "-0": 0,
    '"7"': 7,
    '"0000000000000007"': 7,
    "9007199254740992": 2**53,
    '"9007199254740992"': 2**53,
    "9007199254740992.0": 2**53,
}
BAD = (
    "-1",
    "-1.0",
    "1.5",
    "1e400",
    "-1e400",
    "1e-9",
    "true",
    "false",
    '""',
    '"seven"',
    '"-1"',
    '"+1"',
    '" 7"',
    '"7.0"',
    '"1_000"',
    '"00000000000000007"',
    '"\u0667"',
    '"\u00b2"',
    "9007199254740993",
    "9007199254740994.0",
    '"9007199254740993"',
    '"9999999999999999"',
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1" + "0" * 30,
    "-9223372036854775809",
    "1" * 5000,
    "[]",
    "[7]",
    "{}",
)


def odd(row: Row, written: str) -> bytes:
    """*row* with the JSON text *written* where it says 4242."""
    data = line(row)
    assert data.count(b"4242") == 1
    return data.replace(b"4242", written.encode())


def plain() -> Row:
    """Usage whose cache counters do not depend on a split."""
    return {
        "input_tokens": 3,
        "output_tokens": 50,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 200,
    }


@requirement("R4")
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("written", GOOD)
def test_a_good_counter_is_read(tree: Tree, field: str, written: str) -> None:
    row = assistant("a", usage={**plain(), field: 4242}, **FULL)
    tree.put(f"{SLUG}/s1.jsonl", odd(row, written))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1, **{FIELDS[field]: GOOD[written]})
    assert answer["coverage"]["rejected"] == 0


@requirement("R4")
@pytest.mark.parametrize("field", FIELDS)
def test_an_absent_counter_is_zero(tree: Tree, field: str) -> None:
    tree.main("s1", assistant("a", usage={k: v for k, v in plain().items() if k != field}))
    assert figures(usage(tree.root)["total"]) == expected(1, **{FIELDS[field]: 0})


@requirement("R4")
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("written", BAD)
def test_a_bad_counter_rejects_its_row_and_no_other(tree: Tree, field: str, written: str) -> None:
    row = assistant("a", usage={**plain(), field: 4242}, **FULL)
    tree.put(f"{SLUG}/s1.jsonl", odd(row, written), line(assistant("b", **FULL)))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    found = {name: answer["coverage"][name] for name in ("lines", "rejected", "malformed")}
    assert found == {"lines": 2, "rejected": 1, "malformed": 0}


@requirement("R4")
@pytest.mark.parametrize(("parent", "field"), NESTED)
@pytest.mark.parametrize("written", ["-1", "1.5", "true", '"x"', "9223372036854775808"])
def test_a_bad_counter_of_a_split_rejects_its_row_too(
    tree: Tree, parent: str, field: str, written: str
) -> None:
    given = counts()
    given[parent] = {**given[parent], field: 4242}
    row = assistant("a", usage=given, **FULL)
    tree.put(f"{SLUG}/s1.jsonl", odd(row, written), line(assistant("b", **FULL)))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert answer["coverage"]["rejected"] == 1


@requirement("R4")
@pytest.mark.parametrize(("parent", "field"), NESTED)
@pytest.mark.parametrize("value", [None, 0, "0", 0.0])
def test_an_empty_counter_of_a_split_is_zero(
    tree: Tree, parent: str, field: str, value: Any
) -> None:
    given = counts(write=0, w5m=0)
    given[parent] = {**given[parent], field: value}
    tree.main("s1", assistant("a", usage=given))
    assert figures(usage(tree.root)["total"]) == expected(1, cache_write_5m_tokens=0)


@requirement("R4")
@pytest.mark.parametrize("parent", ["cache_creation", "server_tool_use"])
def test_a_split_that_is_null_or_absent_is_no_split(tree: Tree, parent: str) -> None:
    tree.main(
        "s1",
        assistant("a", usage=counts(**{parent: None})),
        assistant("b", usage={k: v for k, v in counts().items() if k != parent}),
    )
    assert figures(usage(tree.root)["total"]) == expected(2)


@requirement("R4")
def test_a_rejected_row_does_not_take_its_siblings_along(tree: Tree) -> None:
    tree.main("s1", assistant("a", usage=counts(output=-1)), assistant("a"))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert answer["coverage"]["rejected"] == 1


@requirement("R4")
def test_great_counters_add_up_exactly(tree: Tree) -> None:
    big = counts(output=2**53, fresh=2**53, read=2**53, write=2**53, w5m=0, w1h=2**53)
    tree.main("s1", *(assistant(f"a{n}", usage=big) for n in range(2100)))
    want = 2100 * 2**53  # more than 64 bits hold
    assert figures(usage(tree.root)["total"]) == expected(
        2100,
        input_tokens=want,
        output_tokens=want,
        cache_read_tokens=want,
        cache_write_5m_tokens=0,
        cache_write_1h_tokens=want,
    )
