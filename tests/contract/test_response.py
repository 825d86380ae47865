"""One answer by its blocks: payload and overhead, its class, and at most one piece of advice."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.response import (
    CEILING,
    FLOOR,
    OVERHEAD,
    PAYLOAD,
    BlockProfile,
    ResponseProfile,
    parts_of,
    profile_response,
)
from econome.lean.blocks import KINDS, Answer, beside
from econome.tokenizers import tokenizer
from tests.requirements import requirement

count = tokenizer("chars/3.5").count
"""The labelled fallback, which the cases are worked out by."""

_OLDER: Any = {"ratio": "data", "floor": 0}
"""The older rule: overhead over data, warned of from the first token on."""


def texts(*lengths: int) -> list[tuple[str, str]]:
    """Return one block of data and rules behind it, of so many characters."""
    return [("rules" if at else "data", "x" * length) for at, length in enumerate(lengths)]


@requirement("LC14")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("x" * 35, 10), ("x" * 36, 11), ("📊", 1), ("七つの漢字語句", 2)],
)
def test_the_fallback_counts_utf16_units(text: str, tokens: int) -> None:
    assert count(text) == tokens


@requirement("L13", "LC14")
@pytest.mark.parametrize(
    ("characters", "risk"),
    [
        (3_500, "low"),
        (3_501, "medium"),
        (14_000, "medium"),
        (14_001, "high"),
        (28_000, "high"),
        (28_001, "critical"),
    ],
)
def test_the_class_of_an_answer_changes_at_these_lengths(characters: int, risk: str) -> None:
    assert profile_response(texts(characters), count=count).risk == risk


@requirement("L13", "LC15")
def test_the_older_rule_takes_the_last_blocks_as_overhead_over_the_data() -> None:
    blocks = [("data", "x" * 700), ("data", "x" * 70), ("data", "x" * 35)]
    assert profile_response(blocks, count=count, tool="get", overhead_last=2, **_OLDER) == (
        ResponseProfile(
            tool="get",
            blocks=(
                BlockProfile("data", 200),
                BlockProfile("data", 20),
                BlockProfile("data", 10),
            ),
            total=230,
            payload=200,
            overhead=30,
            ratio=0.15,
            risk="low",
            advisory="",
        )
    )
    shares = {
        last: profile_response(blocks, count=count, overhead_last=last).overhead
        for last in (-1, 0, 1, 3, 9)
    }
    assert shares == {-1: 0, 0: 0, 1: 10, 3: 230, 9: 230}


@requirement("L13", "LC15")
@pytest.mark.parametrize(
    ("lengths", "ratio", "advisory"),
    [
        ((350, 105), 0.30, None),
        ((350, 109), 0.32, "OVERHEAD WARNING: 32%"),
        ((14_001,), 0.0, "HIGH TOKEN DENSITY: an answer of get is 4001 tokens"),
        ((28_001,), 0.0, "COGNITIVE OVERLOAD: an answer of get is 8001 tokens"),
        ((28_001, 28_001), 1.0, "COGNITIVE OVERLOAD"),
        ((0, 35), float("inf"), "OVERHEAD WARNING: Infinity%"),
        ((0, 0), 0.0, None),
    ],
)
def test_the_older_rule_says_one_thing_at_most(
    lengths: tuple[int, ...], ratio: float, advisory: str | None
) -> None:
    found = profile_response(texts(*lengths), count=count, tool="get", **_OLDER)
    assert found.ratio == ratio
    assert found.advisory.startswith(advisory) if advisory else found.advisory == ""
    assert found.advisory.count(":") == (advisory is not None)


@requirement("L13", "LC15")
@pytest.mark.parametrize(
    ("lengths", "total", "share", "advisory"),
    [
        ((700, 105), 230, 0.13, ""),
        ((350, 109), 132, 0.24, ""),
        ((1_400, 700), 600, 0.33, "OVERHEAD WARNING: 33% of an answer of get is overhead. "),
    ],
)
def test_the_usual_ratio_is_the_share_of_the_whole_answer(
    lengths: tuple[int, ...], total: int, share: float, advisory: str
) -> None:
    found = profile_response(texts(*lengths), count=count, tool="get")
    assert (found.total, round(found.ratio, 2)) == (total, share)
    assert found.advisory.startswith(advisory)
    assert bool(found.advisory) is bool(advisory)


@requirement("L13", "LC16")
def test_a_small_answer_that_is_mostly_overhead_is_told_and_not_warned_of() -> None:
    blocks = [("data", "x" * 70), ("ui", "x" * 189), ("rules", "x" * 84), ("suggestions", "x" * 84)]
    found = profile_response(blocks, count=count)
    assert (found.payload, found.overhead, found.advisory) == (20, 102, "")
    assert round(found.ratio * 100) == 84
    assert profile_response(blocks, count=count, floor=102).advisory.startswith(
        "OVERHEAD WARNING: 84%"
    )
    assert (FLOOR, CEILING) == (200, 0.30)


@requirement("L13", "LC16")
def test_overhead_is_found_by_the_kind_of_a_block() -> None:
    kinds = [*KINDS, "text", "image", "audio", "resource", "link", "what"]
    found = profile_response([(kind, "x" * 7) for kind in kinds], count=count)
    assert set(found.by_kind) == set(kinds)
    assert found.payload == 2 * len(PAYLOAD)
    assert found.overhead == 2 * (len(OVERHEAD) + 1)
    assert set(KINDS) == {"data", *OVERHEAD}


@requirement("L13", "LC16")
def test_what_is_no_text_is_estimated_and_says_how() -> None:
    picture = b64encode(bytes(100_000)).decode("ascii")
    found = profile_response(
        parts_of(
            {
                "content": [
                    {"type": "text", "text": "x" * 7},
                    {"type": "image", "data": picture, "mimeType": "image/png"},
                    {"type": "audio", "data": "A" * 4_000, "mimeType": "audio/wav"},
                    {"type": "resource", "resource": {"uri": "a:b", "text": "x" * 7}},
                    {"type": "resource", "resource": {"uri": "a:b", "blob": "A" * 35}},
                    {"type": "resource_link", "uri": "a:b", "name": "b", "_meta": {}},
                ]
            }
        ),
        count=count,
    )
    assert found.blocks == (
        BlockProfile("text", 2),
        BlockProfile("image", 1_568, "assumed 1,568 tokens"),
        BlockProfile("audio", 6, "bytes/500"),
        BlockProfile("resource", 3),
        BlockProfile("resource", 11, "base64/3.5"),
        BlockProfile("link", 7),
    )
    assert found.by_kind == {"text": 2, "image": 1_568, "audio": 6, "resource": 14, "link": 7}
    assert found.estimated == ("assumed 1,568 tokens", "base64/3.5", "bytes/500")


@requirement("L13")
def test_thresholds_are_the_callers_and_an_unknown_ratio_is_refused() -> None:
    assert profile_response(texts(35), count=count, thresholds=(1, 2, 3)).risk == "critical"
    with pytest.raises(ValueError, match="expected one of share, data"):
        profile_response([], count=count, ratio="both")


def _result(*said: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in said], **more}


@requirement("L13")
@pytest.mark.parametrize(
    ("result", "parts"),
    [
        (_result("plain"), [("text", "plain")]),
        (_result('{"a":[1]}'), [("data", '{"a":[1]}')]),
        (_result('Found one:\n{"a":[1]}'), [("note", "Found one:\n"), ("data", '{"a":[1]}')]),
        (_result("old", structuredContent={"a": 1}), [("data", '{"a":1}')]),
        (_result("x", structuredContent={"result": "x"}), [("text", '{"result":"x"}')]),
        (_result("no", isError=True), [("text", "no")]),
        (_result("one", "[1,2]"), [("text", "one"), ("data", "[1,2]")]),
        (
            _result("[cut] 1 of 2 shown", "[1]", "Rules:\n- a", "Next:\n- b", "Stale now: c"),
            [
                ("cut", "[cut] 1 of 2 shown"),
                ("data", "[1]"),
                ("rules", "Rules:\n- a"),
                ("suggestions", "Next:\n- b"),
                ("invalidation", "Stale now: c"),
            ],
        ),
        (None, []),
        ({"content": []}, []),
        ({"content": 3}, []),
        ({"content": [3]}, [("text", 3)]),
    ],
)
def test_a_result_of_any_server_is_told_by_what_a_model_reads_of_it(
    result: Any, parts: list[tuple[str, object]]
) -> None:
    assert list(parts_of(result)) == parts


@requirement("L13")
def test_what_the_library_says_beside_its_data_is_recognised() -> None:
    answer = Answer([1], rules=("a",), suggestions=("b",), invalidation=("c",))
    blocks = beside(answer)
    result = {"content": [{"type": "text", "text": "[1]"}, *(block.content for block in blocks)]}
    assert [kind for kind, _ in parts_of(result)[1:]] == [block.kind for block in blocks]


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["type", "text", "content", "resource", "blob", "data", "uri", "isError", "structuredContent"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=15,
)  # fmt: skip
_BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link"]) | _JSON},
    optional=dict.fromkeys(("text", "data", "resource", "uri", "mimeType"), _JSON),
)
_RESULTS = _JSON | st.fixed_dictionaries(
    {"content": st.lists(_BLOCKS, max_size=4) | _JSON},
    optional={"structuredContent": _JSON, "isError": _JSON},
)


@requirement("L13")
@given(_RESULTS, st.sampled_from(["share", "data"]))
def test_every_result_has_a_profile_whose_sums_agree(result: Any, ratio: str) -> None:
    found = profile_response(parts_of(result), count=count, ratio=ratio)
    assert sum(found.by_kind.values()) == found.total == found.payload + found.overhead
    assert sum(block.tokens for block in found.blocks) == found.total


@requirement("L13")
@given(
    st.lists(st.tuples(st.sampled_from([*PAYLOAD, *OVERHEAD]), st.text()), max_size=6), st.randoms()
)
def test_the_order_of_blocks_changes_no_sum(parts: list[tuple[str, str]], dice: Any) -> None:
    other = list(parts)
    dice.shuffle(other)
    one, two = (profile_response(blocks, count=count) for blocks in (parts, other))
    assert (one.total, one.overhead, one.ratio, one.risk, one.advisory) == (
        two.total,
        two.overhead,
        two.ratio,
        two.risk,
        two.advisory,
    )


@requirement("L13")
def test_a_structure_too_deep_for_json_is_weighed_as_what_it_is() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    (part,) = parts_of({"content": [], "structuredContent": {"a": deep}})
    assert part == ("data", repr(dict))
    assert json.dumps(part)
