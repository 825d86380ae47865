"""F7: when a response happened."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Tree, assistant
from tests.door import coverage, expected, split, total, usage
from tests.requirements import requirement

GOOD = {
    "2026-01-05T23:59:59Z": "2026-01-05",
    "2026-01-05T23:59:59.9Z": "2026-01-05",
    "2026-01-05T23:59:59.999Z": "2026-01-05",
    "2026-01-05T23:59:59.999999Z": "2026-01-05",
    "2026-01-05T23:59:59.999999999Z": "2026-01-05",
    "2026-01-05T23:59:59": "2026-01-05",
    "2026-01-05T23:59:59.123456": "2026-01-05",
    "2026-01-06T00:00:00Z": "2026-01-06",
    "2026-01-05T23:30:00+00:00": "2026-01-05",
    "2026-01-06T01:59:59+02:00": "2026-01-05",
    "2026-01-06T02:00:00+02:00": "2026-01-06",
    "2026-01-05T18:59:59.5-05:00": "2026-01-05",
    "2026-01-05T19:00:00-05:00": "2026-01-06",
    "2026-01-06T05:44:59+05:45": "2026-01-05",
    "2026-01-06T05:45:00+05:45": "2026-01-06",
    "2024-02-29T12:00:00Z": "2024-02-29",
    "1970-01-01T00:00:00Z": "1970-01-01",
    "1969-12-31T23:59:59Z": "1969-12-31",
}
BAD: tuple[Any, ...] = (
    "",
    "yesterday",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    1767607200,
    None,
    True,
    {},
)


@requirement("F7")
@pytest.mark.parametrize(("written", "day"), GOOD.items())
def test_a_time_is_an_iso_instant(tree: Tree, written: str, day: str) -> None:
    tree.main("s1", assistant("a", time=written))
    assert split(tree.root, "day") == {day: 1}
    assert coverage(tree.root)["undated"] == 0


@requirement("F7")
@pytest.mark.parametrize("written", BAD)
def test_without_a_usable_time_a_response_is_undated(tree: Tree, written: object) -> None:
    row = {**assistant("a"), "timestamp": written}
    tree.main("s1", row, assistant("b"))
    answer = usage(tree.root, "--by", "day")
    assert {row["day"]: row["responses"] for row in answer["rows"]} == {None: 1, "2026-01-05": 1}
    assert answer["coverage"]["undated"] == 1
    assert answer["total"]["responses"] == 2


@requirement("F7")
def test_a_response_without_the_field_is_undated(tree: Tree) -> None:
    tree.main("s1", assistant("a", time=None))
    assert split(tree.root, "day") == {None: 1}
    found = coverage(tree.root)
    assert (found["undated"], found["first_day"], found["last_day"]) == (1, None, None)


@requirement("F7")
@pytest.mark.parametrize("by", ["week", "month", "hour"])
def test_an_undated_response_is_in_no_week_month_or_hour(tree: Tree, by: str) -> None:
    tree.main("s1", assistant("a", time=None))
    assert split(tree.root, by) == {None: 1}


@requirement("F7")
@pytest.mark.parametrize(
    "period",
    [("--days", "7"), ("--days", "90"), ("--since", "1970-01-01"), ("--until", "2099-01-01")],
)
def test_an_undated_response_is_in_no_period(tree: Tree, period: tuple[str, ...]) -> None:
    tree.main("s1", assistant("a", time=None), assistant("b", time="2026-10-17T01:00:00Z"))
    assert total(tree.root, *period) == expected(1)
    assert coverage(tree.root, *period)["undated"] == 1


@requirement("F7")
def test_the_time_of_a_response_is_the_earliest_of_its_lines(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("a", time="2026-01-07T10:00:00Z"),
        assistant("a", time="nonsense"),
        assistant("a", time="2026-01-06T00:30:00+01:00"),
        assistant("a", time="2026-01-06T10:00:00Z"),
    )
    assert split(tree.root, "day") == {"2026-01-05": 1}


@requirement("F7")
def test_a_copy_may_hold_the_earliest_line(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-01-07T10:00:00Z"), slug="-a")
    tree.agent("s2", "acompact-1", assistant("a", time="2026-01-06T10:00:00Z"), slug="-b")
    assert split(tree.root, "day") == {"2026-01-06": 1}
    assert split(tree.root, "session") == {"s1": 1}


@requirement("F7")
@pytest.mark.usefixtures("age")
def test_a_line_that_goes_backwards_in_time_moves_its_response(tree: Tree) -> None:
    path = tree.main("s1", assistant("a", time="2026-01-07T10:00:00Z"))
    assert split(tree.root, "day") == {"2026-01-07": 1}
    path.write_bytes(path.read_bytes() + path.read_bytes().replace(b"2026-01-07", b"2026-01-03"))
    assert split(tree.root, "day") == {"2026-01-03": 1}


@requirement("F7")
@pytest.mark.parametrize(
    "written",
    [
        "2026-01-05 10:00:00.000Z",
        "2026-01-05t10:00:00.000Z",
        "2026-01-05T10:00:00.000z",
        "2026-01-05T10:00:00,000Z",
        "2026-01-05T24:00:00.000Z",
        "2026-01-05T23:59:60.000Z",
        "2026-01-05T10:00:00.000+",
        "2026-01-05T10:00:00+0530",
        "2026-01-05T10:00:00+05",
        "2026-01-05T10:00:00-00:00",
        "2026-01-05T10:00:00+25:00",
        "2026-01-05T10:00Z",
        "2026-01-05",
        "20260105T100000.000000Z",
        "2026-W02-1T10:00:00.000Z",
        "2026-01-05T10:00:00.Z",
        "2026-01-05T10:00:00.0123456789Z",
        " 2026-01-05T10:00:00Z",
        "\uff12026-01-05T10:00:00.000Z",
        "0001-01-01T00:00:00.000Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59-12:00",
        "2026-01-05T10:00:00\u0000000Z",
    ],
)
def test_a_time_in_another_form_loses_no_row_and_is_read_in_one_way(
    tree: Tree, written: str
) -> None:
    tree.main("s1", assistant("a", time=written))
    for zone in ("UTC", "Pacific/Kiritimati", "Etc/GMT+12"):
        assert usage(tree.root, "--timezone", zone)["total"]["responses"] == 1
