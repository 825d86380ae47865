"""Codex rollouts: running totals become responses, and copied history is not counted again (F18)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from econome.usage.occurrences import Groups, merge_groups
from econome.usage.readers.codex import CodexParser, parser
from tests.builders import Row, lines
from tests.builders_codex import meta, spent, totals, turn
from tests.requirements import requirement

pytestmark = requirement("F18")

ROOT = "019a0000-0000-7000-8000-00000000000a"  # a thread of millisecond 0x019a00000000
FORK = "019a0000-0100-7000-8000-00000000000b"  # and one of 256 milliseconds later
OLD_TURN = "019a0000-0001-7000-8000-000000000001"
NEW_TURN = "019a0000-0200-7000-8000-000000000002"
LATE = "2026-01-06T08:00:00.000Z"
COUNTERS = ("input", "output", "cache_read", "cache_write", "write_5m")


def stem(thread: str) -> str:
    return f"rollout-2026-01-05T10-00-00-{thread}"


def read(*rows: Row | bytes, thread: str = "c1") -> CodexParser:
    made: CodexParser = parser("", stem(thread), "salt", None)
    made.feed(lines(rows), 0)
    return made


def folded(*files: CodexParser) -> list[dict[str, Any]]:
    """The responses of several files, in time order."""
    groups: Groups = {}
    for file in files:
        merge_groups(groups, file.fold.groups())
    found = [
        dict(zip(COUNTERS, one[:5], strict=True))
        | {"model": one[9][0], "session": one[16][0], "agent": one[16][3], "time": one[8]}
        for group in groups.values()
        for one in group
    ]
    return sorted(found, key=lambda one: (one["time"], one["output"]))


def used(*files: CodexParser) -> list[tuple[int, int, int]]:
    """Fresh input, cached input and output of each response."""
    return used_in(folded(*files))


def used_in(found: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    return [(one["input"], one["cache_read"], one["output"]) for one in found]


def stamped(row: Row, time: str) -> Row:
    return row | {"timestamp": time}


def started(turn_id: str) -> Row:
    return {
        "timestamp": LATE,
        "type": "event_msg",
        "payload": {"type": "task_started", "turn_id": turn_id},
    }


def turned(turn_id: str, model: str = "gpt-5-codex") -> Row:
    row = turn(model)
    return row | {"payload": row["payload"] | {"turn_id": turn_id}}


def headed(thread: str, **more: Any) -> Row:
    row = meta(thread)
    return row | {"payload": row["payload"] | {"timestamp": row["timestamp"], **more}}


def record(response: str, usage: Row, thread: str = ROOT, turn_id: str = OLD_TURN) -> Row:
    payload = {"thread_id": thread, "turn_id": turn_id, "response_id": response, "usage": usage}
    return {"timestamp": LATE, "type": "token_usage_record", "payload": payload}


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
    assert (one[16], one[8]) == (("c1", "/srv/a", "main", ""), 1_767_607_207 * 10**9)


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
    assert (one[16][3], one[13] >= 2) == (agent, agent != "")


# Copied history


def origin() -> CodexParser:
    return read(*origin_rows(), thread=ROOT)


def origin_rows() -> list[Row]:
    return [
        headed(ROOT),
        started(OLD_TURN),
        turned(OLD_TURN),
        spent(totals(1000, 0, 100), totals(1000, 0, 100)),
        spent(totals(3000, 500, 300), totals(2000, 500, 200)),
    ]


OWN = spent(totals(3700, 600, 340), totals(700, 100, 40), time=LATE)


@requirement("F5")
def test_a_fork_that_copies_its_parents_lines_counts_only_its_own() -> None:
    copied = [stamped(row, LATE) for row in origin_rows()]
    fork = read(
        headed(FORK, forked_from_id=ROOT), *copied, started(NEW_TURN), turned(NEW_TURN), OWN,
        thread=FORK,
    )  # fmt: skip
    found = folded(origin(), fork)
    assert used_in(found) == [(1000, 0, 100), (1500, 500, 200), (600, 100, 40)]
    assert [one["session"] for one in found] == [ROOT, ROOT, FORK]


@requirement("F5")
def test_a_copy_without_ids_is_the_same_response_as_its_origin() -> None:
    """Builds without turn ids: the copied first line says whose totals follow."""
    old = [meta(ROOT), turn(), spent(totals(1000, 0, 100)), spent(totals(3000, 500, 300))]
    copied = [stamped(row, LATE) for row in old]
    fork = read(headed(FORK, forked_from_id=ROOT), *copied, OWN, thread=FORK)
    assert used(read(*old, thread=ROOT), fork) == [(1000, 0, 100), (1500, 500, 200), (600, 100, 40)]


@requirement("F5")
def test_a_copy_of_a_copy_is_still_one_response() -> None:
    old = [meta(ROOT), turn(), spent(totals(1000, 0, 100))]
    middle = [headed("m"), *old, spent(totals(1500, 0, 120))]
    leaf = [headed("l"), *middle, spent(totals(1900, 0, 130))]
    files = read(*old, thread=ROOT), read(*middle, thread="m"), read(*leaf, thread="l")
    assert sorted(used(*files)) == [(400, 0, 10), (500, 0, 20), (1000, 0, 100)]


@requirement("F5")
def test_a_fork_that_only_names_its_parent_counts_from_the_parents_totals() -> None:
    fork = read(
        headed(FORK, forked_from_id=ROOT), started(NEW_TURN), turned(NEW_TURN), OWN, thread=FORK
    )
    assert used(fork) == [(600, 100, 40)]


@requirement("F5")
def test_a_parents_total_written_before_the_first_turn_is_only_a_base() -> None:
    fork = read(
        headed(FORK, forked_from_id=ROOT),
        spent(totals(3000, 500, 300), totals(2000, 500, 200)),
        started(NEW_TURN),
        turned(NEW_TURN),
        OWN,
        thread=FORK,
    )
    assert used(fork) == [(600, 100, 40)]


@requirement("F5")
def test_a_sub_agent_that_copies_only_the_last_turns_counts_nothing_of_them() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": ROOT}}}
    fork = read(
        headed(FORK, source=spawn, forked_from_id=ROOT),
        started(OLD_TURN),
        spent(totals(3000, 500, 300), totals(2000, 500, 200), time=LATE),
        started(NEW_TURN),
        turned(NEW_TURN),
        spent(totals(700, 100, 40), totals(700, 100, 40), time=LATE),
        thread=FORK,
    )
    assert used(origin(), fork) == [(1000, 0, 100), (1500, 500, 200), (600, 100, 40)]


@requirement("F5")
def test_the_ordinal_of_a_sub_agents_first_line_parts_copy_from_own() -> None:
    copied = spent(totals(3000, 500, 300), totals(2000, 500, 200)) | {"ordinal": 4}
    fork = read(
        headed("x", parent_thread_id="p", subagent_history_start_ordinal=5),
        turn(),
        copied,
        OWN | {"ordinal": 5},
        thread="x",
    )
    assert used(fork) == [(600, 100, 40)]


@requirement("F5")
def test_two_sub_agents_with_equal_first_requests_are_two() -> None:
    def child(thread: str, turn_id: str) -> CodexParser:
        first = spent(totals(700, 100, 40), totals(700, 100, 40))
        return read(headed(thread, parent_thread_id=ROOT), turned(turn_id), first, thread=thread)

    other = NEW_TURN[:-1] + "9"
    assert used(child(FORK, NEW_TURN), child(FORK[:-1] + "c", other)) == [(600, 100, 40)] * 2


def test_equal_requests_of_two_threads_are_two() -> None:
    rows = turn(), spent(totals(10, 0, 5))
    assert used(read(meta("a"), *rows, thread="a"), read(meta("b"), *rows, thread="b")) == [
        (10, 0, 5),
        (10, 0, 5),
    ]


# One record a response


def test_records_win_over_running_totals() -> None:
    one, two = totals(950, 100, 40), totals(1200, 200, 50)
    file = read(
        headed(ROOT),
        turned(OLD_TURN),
        record("r1", one),
        spent(one, one),
        record("r2", two),
        spent(totals(2150, 300, 90), two),
    )
    assert sorted(used(file)) == [(850, 100, 40), (1000, 200, 50)]


def test_totals_from_before_the_first_record_still_count() -> None:
    file = read(
        headed(ROOT),
        turned(OLD_TURN),
        spent(totals(100, 0, 10)),
        record("r1", totals(20, 0, 2)),
        spent(totals(120, 0, 12)),
    )
    assert sorted(used(file)) == [(20, 0, 2), (100, 0, 10)]


@requirement("F5")
def test_a_copied_record_is_the_same_response() -> None:
    rows = [turned(OLD_TURN), record("r1", totals(950, 100, 40))]
    fork = read(headed(FORK, forked_from_id=ROOT), headed(ROOT), *rows, thread=FORK)
    assert used(read(headed(ROOT), *rows, thread=ROOT), fork) == [(850, 100, 40)]


def test_a_record_repeated_inside_a_compaction_is_not_seen() -> None:
    first = record("r1", totals(950, 100, 40))
    compacted = {
        "timestamp": LATE,
        "type": "compacted",
        "payload": {"latest_token_usage_record": record("r2", totals(9, 9, 9))["payload"]},
    }
    assert used(read(headed(ROOT), turned(OLD_TURN), first, compacted)) == [(850, 100, 40)]


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
        part: CodexParser = parser("", stem(FORK), "salt", state)
        part.feed(lines(rows[at : at + step]), len(lines(rows[:at])))
        merge_groups(groups, part.fold.groups())
        state, at = part.state(), at + step
    assert groups == whole.fold.groups()
