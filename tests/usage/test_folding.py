"""F3: one response out of many lines."""

from __future__ import annotations

import itertools

import pytest

from tests.builders import Tree, assistant, counts
from tests.door import expected, split, total
from tests.requirements import requirement

EARLY, LATE = "2026-01-05T10:00:00Z", "2026-01-05T11:00:00Z"
OPUS, SONNET = "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929"


@requirement("F3")
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_each_counter_is_at_its_greatest_whatever_the_order(
    tree: Tree, order: tuple[int, ...]
) -> None:
    rows = [
        assistant("a", usage=counts(fresh=9, output=1, read=5, write=20, w5m=20, w1h=0)),
        assistant("a", usage=counts(fresh=1, output=8, read=7, write=60, w5m=0, w1h=40)),
        assistant("a", usage=counts(fresh=2, output=2, read=9, write=10, searches=3)),
    ]
    tree.main("s1", *(rows[number] for number in order))
    assert total(tree.root) == expected(
        1,
        input_tokens=9,
        output_tokens=8,
        cache_read_tokens=9,
        cache_write_5m_tokens=20,
        cache_write_1h_tokens=40,
        web_searches=3,
    )


@requirement("F3")
def test_the_greatest_is_taken_over_all_files(tree: Tree) -> None:
    tree.main("s1", assistant("a", usage=counts(output=7)))
    tree.main("s2", assistant("a", usage=counts(output=9)))
    tree.agent("s1", "a1", assistant("a", usage=counts(output=8)))
    assert total(tree.root) == expected(1, output_tokens=9)


@requirement("F3")
def test_the_model_comes_from_the_line_with_the_greatest_output(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("a", model=OPUS, usage=counts(output=5), time=EARLY),
        assistant("a", model=SONNET, usage=counts(output=6), time=LATE),
        assistant("a", model=OPUS, usage=counts(output=5, fresh=99), time=EARLY),
    )
    assert split(tree.root, "model") == {SONNET: 1}


@requirement("F3")
@pytest.mark.parametrize("swap", [False, True])
def test_of_equal_outputs_the_earliest_line_names_the_model(tree: Tree, swap: bool) -> None:
    rows = [assistant("a", model=OPUS, time=LATE), assistant("a", model=SONNET, time=EARLY)]
    tree.main("s1", *(reversed(rows) if swap else rows))
    assert split(tree.root, "model") == {SONNET: 1}


@requirement("F3")
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("time", [EARLY, None])
def test_of_equal_lines_the_smallest_model_id_is_taken(
    tree: Tree, swap: bool, time: str | None
) -> None:
    rows = [assistant("a", model=SONNET, time=time), assistant("a", model=OPUS, time=time)]
    tree.main("s1", *(reversed(rows) if swap else rows))
    assert split(tree.root, "model") == {OPUS: 1}


@requirement("F3")
@pytest.mark.parametrize("swap", [False, True])
def test_the_line_that_names_the_model_may_stand_in_any_file(tree: Tree, swap: bool) -> None:
    rows = [assistant(name, model=model) for name in "abc" for model in (SONNET, OPUS)]
    rows[2]["message"]["usage"] = counts(output=51)
    rows[4]["timestamp"] = "2026-01-05T09:00:00Z"
    for number, row in enumerate(reversed(rows) if swap else rows):
        tree.main(f"s{number}", row)
    assert split(tree.root, "model") == {OPUS: 1, SONNET: 2}


@requirement("F3")
@pytest.mark.parametrize("swap", [False, True])
def test_a_line_with_a_time_comes_before_one_without(tree: Tree, swap: bool) -> None:
    rows = [assistant("a", model=OPUS, time=None), assistant("a", model=SONNET, time=LATE)]
    tree.main("s1", *(reversed(rows) if swap else rows))
    assert split(tree.root, "model") == {SONNET: 1}


@requirement("F3")
def test_instants_are_compared_and_not_their_texts(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("a", model=OPUS, time="2026-01-05T10:30:00Z"),
        assistant("a", model=SONNET, time="2026-01-05T12:00:00+02:00"),
    )
    assert split(tree.root, "model") == {SONNET: 1}


@requirement("F3")
@pytest.mark.parametrize("model", [None, "", 7, ["x"]])
def test_a_missing_model_is_unknown(tree: Tree, model: object) -> None:
    tree.main("s1", assistant("a", message={"model": model}))
    assert split(tree.root, "model") == {"unknown": 1}


@requirement("F3")
def test_the_model_is_shown_as_it_is_written(tree: Tree) -> None:
    names = ("claude-opus-4-5", OPUS, "anthropic/Claude-Opus-4.5", "modèle-é\u2028x")
    tree.main("s1", *(assistant(f"a{n}", model=name) for n, name in enumerate(names)))
    assert split(tree.root, "model") == dict.fromkeys(names, 1)


@requirement("F3", "P7")
@pytest.mark.parametrize(
    ("field", "dear"), [("speed", "fast"), ("inference_geo", "us"), ("service_tier", "batch")]
)
@pytest.mark.parametrize("swap", [False, True])
def test_speed_tier_and_region_come_from_the_line_with_the_greatest_output(
    tree: Tree, field: str, dear: str, swap: bool
) -> None:
    plain = assistant("a", model="claude-opus-4-8", usage=counts(output=10))
    other = assistant("a", model="claude-opus-4-8", usage=counts(output=11, **{field: dear}))
    alone = assistant("b", model="claude-opus-4-8", usage=counts(output=11, **{field: dear}))
    tree.main("s1", *([other, plain] if swap else [plain, other]))
    tree.main("s2", alone)
    first, second = split(tree.root, "session", number="cost_usd").values()
    assert first == second
    lesser = assistant("a", model="claude-opus-4-8", usage=counts(output=12))
    tree.main("s1", *([lesser, other] if swap else [other, lesser]))
    tree.main("s2", {**lesser, "requestId": "req_x"})
    first, second = split(tree.root, "session", number="cost_usd").values()
    assert first == second
