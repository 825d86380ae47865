"""Codex rollouts: history that a fork copied is not counted again, one record is one response (F18, F5)."""

from __future__ import annotations

from econome.usage.readers.codex import CodexParser
from tests.builders import Row
from tests.builders_codex import meta, spent, totals, turn
from tests.requirements import requirement
from tests.usage.rollouts import (
    FORK,
    LATE,
    NEW_TURN,
    OLD_TURN,
    ROOT,
    folded,
    headed,
    read,
    record,
    stamped,
    started,
    turned,
    used,
    used_in,
)

pytestmark = requirement("F18")


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
