"""F8: days, weeks, months, hours and periods of a zone."""

from __future__ import annotations

import json
import time

import pytest

from tests.builders import Tree, assistant
from tests.door import expected, run, split, text, total, usage
from tests.requirements import requirement

ANGELES, PARIS, HOWE, APIA = (
    "America/Los_Angeles",
    "Europe/Paris",
    "Australia/Lord_Howe",
    "Pacific/Apia",
)
EDGES = [
    # Los Angeles springs forward on 2026-03-08 and falls back on 2025-11-02
    (ANGELES, "2026-03-08T07:59:59Z", "2026-03-07"),
    (ANGELES, "2026-03-08T08:00:00Z", "2026-03-08"),
    (ANGELES, "2026-03-09T06:59:59Z", "2026-03-08"),
    (ANGELES, "2026-03-09T07:00:00Z", "2026-03-09"),
    (ANGELES, "2025-11-02T06:59:59Z", "2025-11-01"),
    (ANGELES, "2025-11-02T07:00:00Z", "2025-11-02"),
    (ANGELES, "2025-11-03T07:59:59Z", "2025-11-02"),
    (ANGELES, "2025-11-03T08:00:00Z", "2025-11-03"),
    # Paris on 2026-03-29 and 2025-10-26
    (PARIS, "2026-03-28T22:59:59Z", "2026-03-28"),
    (PARIS, "2026-03-28T23:00:00Z", "2026-03-29"),
    (PARIS, "2026-03-29T21:59:59Z", "2026-03-29"),
    (PARIS, "2026-03-29T22:00:00Z", "2026-03-30"),
    (PARIS, "2025-10-25T21:59:59Z", "2025-10-25"),
    (PARIS, "2025-10-25T22:00:00Z", "2025-10-26"),
    (PARIS, "2025-10-26T22:59:59Z", "2025-10-26"),
    (PARIS, "2025-10-26T23:00:00Z", "2025-10-27"),
    # Lord Howe moves by half an hour: 2026-04-05 has 24.5 hours, 2025-10-05 has 23.5
    (HOWE, "2026-04-04T12:59:59Z", "2026-04-04"),
    (HOWE, "2026-04-04T13:00:00Z", "2026-04-05"),
    (HOWE, "2026-04-05T13:29:59Z", "2026-04-05"),
    (HOWE, "2026-04-05T13:30:00Z", "2026-04-06"),
    (HOWE, "2025-10-04T13:29:59Z", "2025-10-04"),
    (HOWE, "2025-10-04T13:30:00Z", "2025-10-05"),
    (HOWE, "2025-10-05T12:59:59Z", "2025-10-05"),
    (HOWE, "2025-10-05T13:00:00Z", "2025-10-06"),
    # Apia went from 2011-12-29 to 2011-12-31
    (APIA, "2011-12-30T09:59:59Z", "2011-12-29"),
    (APIA, "2011-12-30T10:00:00Z", "2011-12-31"),
    (APIA, "2011-12-31T09:59:59Z", "2011-12-31"),
    (APIA, "2011-12-31T10:00:00Z", "2012-01-01"),
    # a quarter of an hour, the ends of the world, and an offset of 44 minutes and 30 seconds
    ("Asia/Kathmandu", "2026-01-05T18:14:59Z", "2026-01-05"),
    ("Asia/Kathmandu", "2026-01-05T18:15:00Z", "2026-01-06"),
    ("Pacific/Kiritimati", "2026-01-05T09:59:59Z", "2026-01-05"),
    ("Pacific/Kiritimati", "2026-01-05T10:00:00Z", "2026-01-06"),
    ("Etc/GMT+12", "2026-01-05T11:59:59Z", "2026-01-04"),
    ("Africa/Monrovia", "1971-06-01T00:44:29Z", "1971-05-31"),
    ("Africa/Monrovia", "1971-06-01T00:44:30Z", "1971-06-01"),
]


@requirement("F8")
@pytest.mark.parametrize(("zone", "time", "day"), EDGES)
def test_a_day_is_the_calendar_day_of_the_zone_at_that_instant(
    tree: Tree, zone: str, time: str, day: str
) -> None:
    tree.main("s1", assistant("a", time=time))
    assert split(tree.root, "day", "--timezone", zone) == {day: 1}


@requirement("F8")
@pytest.mark.parametrize("zone", [ANGELES, PARIS, HOWE, APIA])
def test_one_tree_answers_for_all_days_of_a_zone(tree: Tree, zone: str) -> None:
    mine = [(time, day) for name, time, day in EDGES if name == zone]
    tree.main("s1", *(assistant(f"a{n}", time=time) for n, (time, _) in enumerate(mine)))
    wanted: dict[str, int] = {}
    for _, day in mine:
        wanted[day] = wanted.get(day, 0) + 1
    assert split(tree.root, "day", "--timezone", zone) == wanted


@requirement("F8")
def test_the_day_that_apia_skipped_holds_nothing(tree: Tree) -> None:
    apia = [(time, day) for name, time, day in EDGES if name == APIA]
    tree.main("s1", *(assistant(f"a{n}", time=time) for n, (time, _) in enumerate(apia)))
    zone = ("--timezone", APIA)
    skipped = total(tree.root, *zone, "--since", "2011-12-30", "--until", "2011-12-30")
    assert skipped == expected(0, sessions=0)
    assert total(tree.root, *zone, "--since", "2011-12-29", "--until", "2011-12-31") == expected(3)


@requirement("F8")
def test_the_system_zone_is_the_default(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.main("s1", assistant("a", time="2026-01-05T02:00:00Z"))
    monkeypatch.setenv("TZ", ANGELES)
    time.tzset()
    ran = run("usage", "--json", "--root", str(tree.root), "--days", "all", "--by", "day")
    assert [row["day"] for row in json.loads(ran.out)["rows"]] == ["2026-01-04"]


@requirement("F8")
@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../../etc/passwd", "/etc/localtime"])
def test_an_unknown_zone_is_an_error_that_names_it(tree: Tree, zone: str) -> None:
    ran = run("usage", "--json", "--root", str(tree.root), "--timezone", zone)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert zone in ran.err


@requirement("F8")
@pytest.mark.parametrize(("word", "first"), [("7", "2026-10-11"), ("30", "2026-09-18")])
def test_a_period_is_today_and_the_days_before(tree: Tree, word: str, first: str) -> None:
    year, month, number = (int(part) for part in first.split("-"))
    before = f"{year}-{month:02}-{number - 1:02}T23:59:59.999Z"
    tree.main(
        "s1",
        assistant("a", time=before),
        assistant("b", time=f"{first}T00:00:00Z"),
        assistant("c", time="2026-10-17T11:00:00Z"),
    )
    assert split(tree.root, "day", "--days", word) == {first: 1, "2026-10-17": 1}


@requirement("F8")
@pytest.mark.parametrize(
    ("now", "zone", "first"),
    [
        ("2026-03-10T07:00:00Z", ANGELES, "2026-03-04T08:00:00Z"),  # 7 days of 167 hours
        ("2025-11-05T12:00:00Z", ANGELES, "2025-10-30T07:00:00Z"),  # 7 days of 169 hours
        ("2026-10-17T06:59:59Z", ANGELES, "2026-10-10T07:00:00Z"),  # still the 16th there
        ("2012-01-02T12:00:00Z", APIA, "2011-12-28T10:00:00Z"),  # the skipped day is one of 7
    ],
)
def test_a_period_counts_calendar_days_and_not_hours(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, now: str, zone: str, first: str
) -> None:
    monkeypatch.setenv("ECONOME_NOW", now)
    second = int(first[17:19])
    assert second == 0
    hour = int(first[11:13])
    before = f"{first[:11]}{hour - 1:02}:59:59Z"
    tree.main("s1", assistant("a", time=before), assistant("b", time=first))
    assert total(tree.root, "--days", "7", "--timezone", zone) == expected(1)


@requirement("F8")
def test_the_bounds_of_a_period_are_inclusive(tree: Tree) -> None:
    days = ("2026-01-04", "2026-01-05", "2026-01-06", "2026-01-07")
    times = [f"{day}T{hour}" for day in days for hour in ("00:00:00Z", "23:59:59.999Z")]
    tree.main("s1", *(assistant(f"a{n}", time=time) for n, time in enumerate(times)))
    both = split(tree.root, "day", "--since", "2026-01-05", "--until", "2026-01-06")
    assert both == {"2026-01-05": 2, "2026-01-06": 2}
    assert total(tree.root, "--since", "2026-01-06")["responses"] == 4
    assert total(tree.root, "--until", "2026-01-05")["responses"] == 4
    assert total(tree.root, "--since", "2026-01-05", "--until", "2026-01-05")["responses"] == 2


@requirement("F8")
@pytest.mark.parametrize(
    ("by", "time", "label"),
    [
        ("week", "2026-01-28T10:00:00Z", "2026-W05"),
        ("week", "2026-01-01T10:00:00Z", "2026-W01"),
        ("week", "2027-01-03T10:00:00Z", "2026-W53"),
        ("week", "2024-12-30T10:00:00Z", "2025-W01"),
        ("month", "2026-05-31T23:59:59Z", "2026-05"),
        ("hour", "2026-05-31T00:59:59Z", 0),
        ("hour", "2026-05-31T23:00:00Z", 23),
    ],
)
def test_weeks_months_and_hours_have_their_labels(
    tree: Tree, by: str, time: str, label: object
) -> None:
    tree.main("s1", assistant("a", time=time))
    assert split(tree.root, by) == {label: 1}


@requirement("F8")
def test_hours_are_local_by_the_rule_of_the_instant(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("a", time="2026-01-05T12:00:00Z"),
        assistant("b", time="2026-07-05T12:00:00Z"),
    )
    assert split(tree.root, "hour", "--timezone", PARIS) == {13: 1, 14: 1}
    assert split(tree.root, "hour", "--timezone", HOWE) == {22: 1, 23: 1}


@requirement("F8")
def test_an_index_written_in_one_zone_answers_in_another(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-01-05T02:00:00Z"))
    usage(tree.root)
    for zone in (ANGELES, PARIS, "Asia/Kathmandu"):
        args = ("--timezone", zone)
        assert text(tree.root, args=args) == text(tree.root, args=(*args, "--no-index"))


@requirement("F8")
@pytest.mark.parametrize(
    ("zone", "first", "last"),
    [
        ("Pacific/Kiritimati", "2026-01-05T10:00:00Z", "2026-01-06T09:59:59Z"),
        ("Etc/GMT+12", "2026-01-06T12:00:00Z", "2026-01-07T11:59:59Z"),
        ("Asia/Kathmandu", "2026-01-05T18:15:00Z", "2026-01-06T18:14:59Z"),
    ],
)
def test_a_period_of_one_day_holds_all_of_it_in_zones_far_from_utc(
    tree: Tree, zone: str, first: str, last: str
) -> None:
    tree.main("s1", assistant("a", time=first), assistant("b", time=last))
    for name, day in (("--since", "2026-01-06"), ("--until", "2026-01-06")):
        assert total(tree.root, "--timezone", zone, name, day) == expected(2)
    both = ("--timezone", zone, "--since", "2026-01-06", "--until", "2026-01-06")
    assert total(tree.root, *both) == expected(2)
    for name, day in (("--since", "2026-01-07"), ("--until", "2026-01-05")):
        assert total(tree.root, "--timezone", zone, name, day)["responses"] == 0
