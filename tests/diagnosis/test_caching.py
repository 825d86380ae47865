"""The rules about the prompt cache: rebuilt after a pause, and kept for an hour in vain."""

from __future__ import annotations

import pytest

from tests.builders import CWD, Row
from tests.diagnosis.office import OPUS, Office, at, judged, said, usd

REBUILT, UNREAD = "cache-rebuilt-after-pause", "hour-writes-unread"


def pause(minutes: float, *, read: int = 0, five: int = 0, hour: int = 0, again: int) -> list[Row]:
    """A response that writes to the cache, a pause, and one that writes *again* so many tokens."""
    long = again if hour else 0
    return [
        said("a", 0, five=five, hour=hour, output=100),
        said("b", minutes, read=read, fresh=10, output=100, hour=long, five=again - long),
    ]


def test_what_lapsed_in_a_pause_of_more_than_an_hour_is_worth_its_second_writing(
    office: Office,
) -> None:
    office.tree.main("s1", *pause(90, hour=100_000, again=101_000))
    found = office.finding(REBUILT)
    assert found["worth"] == {
        "tokens": 100_000,
        "usd": usd(100_000, "9.5"),
        "partial": False,
        "basis": "measured",
        "method": "write-minus-read-price",
    }
    assert found["confidence"] == "high"
    assert found["facts"] == {"rebuilds": 1, "sessions": 1, "longest_pause_seconds": 5400}
    (table,) = found["evidence"]
    assert table["rows"] == [
        ["s1", CWD, "main", OPUS, f"{at(90)[:-1]}.000Z", 5400, 3600, 100_000, 100_000, "0.95"]
    ]
    assert table["left_out"] == 0


def test_what_was_written_for_five_minutes_lapses_after_five(office: Office) -> None:
    office.tree.main("s1", *pause(6, five=60_000, again=70_000))
    found = office.finding(REBUILT)
    assert (found["worth"]["tokens"], found["worth"]["usd"]) == (60_000, usd(60_000, "5.75"))
    assert found["evidence"][0]["rows"][0][6] == 300


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(pause(55, hour=100_000, again=101_000), id="within the hour"),
        pytest.param(pause(4, five=100_000, again=101_000), id="within five minutes"),
        pytest.param(pause(90, hour=100_000, read=100_000, again=5_000), id="read after all"),
        pytest.param(pause(90, hour=100_000, again=40_000), id="a shorter context"),
        pytest.param(pause(90, hour=9_000, again=10_000), id="a small context"),
        pytest.param(
            [said("a", 0, hour=100_000), said("b", 90, hour=101_000, model="claude-opus-4-7")],
            id="another model",
        ),
    ],
)
def test_nothing_is_said_where_nothing_is_known_to_have_lapsed(
    office: Office, rows: list[Row]
) -> None:
    office.tree.main("s1", *rows)
    assert office.outcome(REBUILT) == ("nothing", None)


def test_only_what_could_not_be_read_counts(office: Office) -> None:
    office.tree.main("s1", *pause(90, hour=100_000, read=40_000, again=70_000))
    assert office.finding(REBUILT)["worth"]["tokens"] == 60_000


def test_no_more_was_rebuilt_than_was_written(office: Office) -> None:
    office.tree.main("s1", said("a", 0, hour=100_000), said("b", 90, fresh=70_000, hour=40_000))
    assert office.finding(REBUILT)["worth"]["tokens"] == 40_000


def test_the_part_that_lives_for_an_hour_is_not_missed_after_ten_minutes(office: Office) -> None:
    office.tree.main("s1", *pause(10, hour=30_000, five=50_000, read=30_000, again=60_000))
    found = office.finding(REBUILT)
    assert (found["worth"]["tokens"], found["worth"]["usd"]) == (50_000, usd(50_000, "9.5"))


def test_a_compaction_in_the_pause_explains_the_writing(office: Office) -> None:
    cut = {
        "type": "system", "subtype": "compact_boundary", "timestamp": at(80), "cwd": CWD, "uuid": "u-cut",
        "compactMetadata": {"trigger": "auto", "preTokens": 100_000},
    }  # fmt: skip
    first, second = pause(90, hour=100_000, again=101_000)
    office.tree.main("s1", first, cut, second)
    assert office.outcome(REBUILT) == ("nothing", None)


def test_the_cache_of_another_thread_is_not_this_ones(office: Office) -> None:
    first, second = pause(90, hour=100_000, again=101_000)
    office.tree.main("s1", first)
    office.tree.agent("s1", "a1", second)
    office.tree.main("s2", {**second, "requestId": "req_other"} | {"message": {**second["message"], "id": "msg_other"}})  # fmt: skip
    assert office.outcome(REBUILT) == ("nothing", None)


def test_a_pause_that_began_before_the_period_counts_on_the_day_it_ended(office: Office) -> None:
    office.tree.main(
        "s1", said("a", 0, hour=100_000), said("b", 0, day=3, hour=101_000), said("c", 0, day=5)
    )
    assert office.finding(REBUILT, since=3, until=3)["worth"]["tokens"] == 100_000
    assert office.outcome(REBUILT, until=2) == ("nothing", None)
    assert office.outcome(REBUILT, since=4) == ("nothing", None)
    office.tree.main(
        "s1",
        said("a", 0, hour=30_000),
        said("b", 0, day=1, hour=80_000),
        said("c", 0, day=3, hour=90_000),
    )
    assert office.finding(REBUILT, since=3)["worth"]["tokens"] == 80_000


def test_the_larger_half_is_shown_and_all_of_it_is_counted(office: Office) -> None:
    for number in range(1, 6):
        size = number * 20_000
        office.tree.main(f"s{number}", said(f"a{number}", 0, five=size), said(f"b{number}", 9, five=size))  # fmt: skip
    report = office.judge()
    assert judged(report, REBUILT)["threshold"] == {
        "used": 60_000,
        "floor": 10_000,
        "percentile": {"of": "tokens-of-a-rebuild", "p": 50, "value": 60_000},
        "decides": "rows",
    }
    found = office.finding(REBUILT)
    assert found["worth"]["tokens"] == 300_000
    assert [row[8] for row in found["evidence"][0]["rows"]] == [100_000, 80_000, 60_000]
    assert found["evidence"][0]["left_out"] == 2


def later(hours: int = 3) -> Row:
    """A response long after, by which all that could be read was."""
    return said("later", hours * 60, output=1)


def test_a_write_for_an_hour_that_nobody_reads_is_worth_what_five_minutes_would_have_saved(
    office: Office,
) -> None:
    office.tree.main("s1", said("a", 0, hour=50_000))
    office.tree.main("s2", later())
    found = office.finding(UNREAD)
    assert found["worth"] == {
        "tokens": 50_000,
        "usd": usd(50_000, "3.75"),
        "partial": False,
        "basis": "measured",
        "method": "hour-minus-five-minute-price",
    }
    assert found["facts"] == {
        "sessions": 1,
        "written_tokens": 50_000,
        "unread_tokens": 50_000,
        "unread_usd": "0.1875",
        "short_tokens": 0,
        "short_usd": "0",
    }
    assert found["evidence"][0]["rows"] == [["s1", CWD, 50_000, 50_000, 0, "0.1875"]]


def test_what_is_read_in_steps_of_five_minutes_only_is_told_apart(office: Office) -> None:
    office.tree.main("s1", said("a", 0, hour=50_000), said("b", 4, read=30_000), said("c", 8, read=30_000))  # fmt: skip
    office.tree.main("s2", later())
    facts = office.finding(UNREAD)["facts"]
    assert (facts["unread_tokens"], facts["short_tokens"]) == (20_000, 30_000)


def test_what_was_dropped_in_between_was_not_read_after_the_pause(office: Office) -> None:
    office.tree.main(
        "s1",
        said("a", 0, hour=50_000),
        said("b", 4, read=50_000),
        said("c", 8, read=10_000, five=45_000),
        said("d", 40, read=55_000),
    )
    office.tree.main("s2", later())
    facts = office.finding(UNREAD)["facts"]
    assert (facts["unread_tokens"], facts["short_tokens"]) == (0, 40_000)


@pytest.mark.parametrize("steps", [(20,), (4, 30), (4, 8, 60)])
def test_one_read_after_more_than_five_minutes_was_what_the_hour_is_for(
    office: Office, steps: tuple[int, ...]
) -> None:
    reads = [said(f"r{minutes}", minutes, read=50_000) for minutes in steps]
    office.tree.main("s1", said("a", 0, hour=50_000), *reads)
    office.tree.main("s2", later())
    assert office.outcome(UNREAD) == ("nothing", None)


def test_what_may_still_be_read_is_not_judged(office: Office) -> None:
    office.tree.main("s1", said("a", 0, hour=50_000))
    office.tree.main("s2", said("b", 59, output=1))
    assert office.outcome(UNREAD) == ("nothing", None)


def test_a_helper_reads_what_the_main_conversation_wrote(office: Office) -> None:
    office.tree.main("s1", said("a", 0, hour=50_000))
    office.tree.agent("s1", "acompact-1", said("b", 30, read=50_000))
    office.tree.main("s2", later())
    assert office.outcome(UNREAD) == ("nothing", None)


def test_a_read_of_the_day_after_the_period_is_seen(office: Office) -> None:
    office.tree.main("s1", said("a", 15 * 60 + 55, hour=50_000), said("b", 16 * 60 + 15, read=50_000))  # fmt: skip
    office.tree.main("s2", said("later", 0, day=2))
    assert office.outcome(UNREAD, until=0) == ("nothing", None)
