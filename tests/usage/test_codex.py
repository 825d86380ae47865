"""Codex rollouts: running totals become responses (F18)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from econome.usage.occurrences import OWN, RANK, TIME, Groups, merge_groups
from econome.usage.readers.codex import parser
from tests.builders import Row, lines
from tests.builders_codex import meta, spent, totals, turn
from tests.requirements import requirement
from tests.usage.rollouts import (
    COUNTERS,
    FORK,
    LATE,
    NEW_TURN,
    OLD_TURN,
    ROOT,
    folded,
    headed,
    read,
    record,
    stem,
    turned,
    used,
)

pytestmark = requirement("F18")


# Running totals


def test_a_response_is_the_difference_of_two_totals() -> None:
    file = read(
        meta(),
        turn(),
        spent(totals(1000, 600, 50), totals(1000, 600, 50)),
        spent(totals(2500, 1900, 80), totals(1500, 1300, 30)),
    )
    assert used(file) == [(200, 1300, 30), (400, 600, 50)]


def test_a_repeated_total_is_no_response() -> None:
    once = spent(totals(1000, 600, 50), totals(1000, 600, 50))
    assert used(read(meta(), turn(), once, once, once)) == [(400, 600, 50)]


def test_a_token_count_without_info_is_skipped() -> None:
    file = read(meta(), turn(), spent(None), spent(totals(10, 0, 5)), spent(None))
    assert (used(file), file.rejected, file.malformed) == ([(10, 0, 5)], 0, 0)


def test_totals_that_go_down_begin_again_from_zero() -> None:
    file = read(meta(), turn(), spent(totals(1000, 800, 100)), spent(totals(900, 700, 60)))
    assert used(file) == [(200, 700, 60), (200, 800, 100)]


def test_reasoning_is_part_of_the_output() -> None:
    total = totals(100, 0, 40) | {"reasoning_output_tokens": 30}
    assert used(read(meta(), turn(), spent(total))) == [(100, 0, 40)]


def test_tokens_written_to_the_cache_are_part_of_the_input_and_told_apart() -> None:
    total = totals(1000, 300, 40) | {"cache_write_input_tokens": 500}
    (one,) = folded(read(meta(), turn(), spent(total)))
    assert [one[name] for name in COUNTERS] == [200, 40, 300, 500, 500]


def test_a_counter_that_falls_while_the_sum_grows_leaves_the_last_request() -> None:
    first, second = totals(1000, 900, 10), totals(2000, 800, 20)
    file = read(meta(), turn(), spent(first), spent(second, totals(1000, 700, 10)))
    assert used(file)[1] == (300, 700, 10)


# Labels


def test_the_model_is_that_of_the_last_turn() -> None:
    file = read(
        meta(),
        turn("gpt-a"),
        spent(totals(10, 0, 1)),
        turn("gpt-b"),
        spent(totals(30, 0, 3)),
    )
    assert [one["model"] for one in folded(file)] == ["gpt-a", "gpt-b"]


def test_without_a_turn_the_model_is_unknown() -> None:
    assert [one["model"] for one in folded(read(meta(), spent(totals(10, 0, 1))))] == ["unknown"]


def test_session_directory_branch_and_time_come_from_the_lines() -> None:
    file = read(
        meta(cwd="/srv/a"),
        turn() | {"payload": {"model": "m"}},
        spent(totals(1, 0, 1), time="2026-01-05T10:00:07Z"),
    )
    ((one,),) = file.fold.groups().values()
    assert (one[OWN], one[TIME]) == (("c1", "/srv/a", "main", ""), 1_767_607_207 * 10**9)


def test_without_a_first_line_the_session_is_the_name_of_the_file() -> None:
    assert [one["session"] for one in folded(read(spent(totals(1, 0, 1))))] == [stem("c1")]


@pytest.mark.parametrize(
    "source, agent",
    [
        ("cli", ""),
        ({"subagent": "review"}, "review"),
        ({"subagent": {"thread_spawn": {"agent_role": "explorer"}}}, "explorer"),
        ({"subagent": {"thread_spawn": {"agent_role": None}}}, "unknown"),
        ({"subagent": {"other": "guardian"}}, "guardian"),
    ],
)
def test_a_sub_agent_is_a_side_chain_of_its_own_kind(source: Any, agent: str) -> None:
    file = read(
        headed(FORK, source=source), turned(NEW_TURN), spent(totals(1, 0, 1), totals(1, 0, 1))
    )
    ((one,),) = file.fold.groups().values()
    assert (one[OWN][3], one[RANK] >= 2) == (agent, agent != "")


# Bytes


@requirement("R4")
@pytest.mark.parametrize("bad", [-1, 1.5, True, "many", 2**53 + 1, [], {}])
@pytest.mark.parametrize("name", ["input_tokens", "cached_input_tokens", "output_tokens"])
def test_a_bad_counter_rejects_its_line_and_the_next_total_makes_good(name: str, bad: Any) -> None:
    file = read(
        meta(),
        turn(),
        spent(totals(100, 0, 10)),
        spent(totals(150, 0, 15) | {name: bad}),
        spent(totals(200, 0, 20)),
    )
    assert (sorted(used(file)), file.rejected) == ([(100, 0, 10), (100, 0, 10)], 1)


@requirement("R3")
def test_damaged_lines_are_counted_and_lose_no_other() -> None:
    good = json.dumps(spent(totals(100, 0, 10))).encode()
    file = read(meta(), turn(), b"no line at all", good[:60], b"[1]", b"", good, b'{"a": NaN}')
    assert (used(file), file.malformed, file.lines) == ([(100, 0, 10)], 4, 8)


@requirement("R3")
def test_the_order_and_spacing_of_keys_do_not_matter() -> None:
    def turned_over(row: Row) -> bytes:
        return json.dumps(
            dict(reversed(row.items())), indent=None, separators=(" , ", " : ")
        ).encode()

    rows = meta(), turn("m"), spent(totals(100, 0, 10))
    assert used(read(*map(turned_over, rows))) == used(read(*rows))


@requirement("R3")
def test_words_inside_texts_are_not_events() -> None:
    text = json.dumps(spent(totals(9, 9, 9)))
    message = {
        "timestamp": LATE,
        "type": "response_item",
        "payload": {"type": "message", "text": text},
    }
    shaped = {"timestamp": LATE, "type": "response_item", "payload": {"type": "token_count"}}
    assert used(read(meta(), turn(), message, shaped)) == []


@requirement("R3")
def test_a_last_line_without_its_end_counts_when_it_parses() -> None:
    made = read(meta(), turn())
    good = json.dumps(spent(totals(100, 0, 10))).encode()
    assert (made.last(good[:-1], 0), used(made)) == (False, [])
    assert (made.last(good, 0), used(made)) == (True, [(100, 0, 10)])


@requirement("F12")
@pytest.mark.parametrize("seed", range(10))
def test_reading_on_from_any_line_gives_what_one_reading_gives(seed: int) -> None:
    dice = random.Random(seed)
    rows: list[Row] = [headed(FORK, forked_from_id=ROOT)]
    level = [0, 0, 0]
    for number in range(60):
        kind = dice.randrange(8)
        if kind == 0:
            rows.append(turned(dice.choice((OLD_TURN, NEW_TURN)), f"m{number}"))
        elif kind == 1:
            rows.append(spent(None))
        elif kind == 2:
            rows.append(headed(dice.choice((ROOT, FORK))))
        elif kind == 3 and number > 30:
            rows.append(record(f"r{number}", totals(5, 2, 1)))
        else:
            if dice.random() < 0.2:
                level = [0, 0, 0]
            level = [value + dice.randrange(2) * (3 - at) for at, value in enumerate(level)]
            rows.append(spent(totals(*level), totals(3, 2, 1)))
    whole = read(*rows, thread=FORK)
    groups: Groups = {}
    state, at = None, 0
    while at < len(rows):
        step = dice.randrange(1, 9)
        part = parser("", stem(FORK), "salt", state)
        part.feed(lines(rows[at : at + step]), len(lines(rows[:at])))
        merge_groups(groups, part.fold.groups())
        state, at = part.state(), at + step
    assert groups == whole.fold.groups()
