"""What records add up to: by method, encoding apart from cutting, reading on taken off, menus and their look-ups apart."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from econome.lean.records import Record
from econome.lean.totals import Totals
from econome.times import read_day
from tests.requirements import requirement

pytestmark = requirement("L19")

AT = "2026-10-17T12:00:00.000Z"
F, O200K = "features-v1", "o200k"


def answer(before: int, after: int, cut: int = 0, **more: Any) -> Record:
    given: dict[str, Any] = {
        "at": AT, "kind": "answer", "server": "gh", "method": F, "form": "json", "client": "claude-code",
    }  # fmt: skip
    return Record(**{**given, **more}, before=before, after=after, cut=cut)


def menu(before: int, after: int, at: str = AT, **more: Any) -> Record:
    given: dict[str, Any] = {"kind": "menu", "server": "gh", "method": F, "form": "flat", "at": at}
    return Record(**{**given, **more}, before=before, after=after)


def lookup(after: int, **more: Any) -> Record:
    given: dict[str, Any] = {
        "kind": "lookup",
        "server": "gh",
        "tool": "more",
        "method": F,
        "at": AT,
    }
    return Record(**{**given, **more}, after=after)


def report(*records: Record, **period: Any) -> dict[str, Any]:
    totals = Totals(period.pop("offset", lambda seconds: 0), **period)
    for record in records:
        totals.add(record)
    return totals.report()


def test_encoding_is_told_apart_from_cutting_and_what_was_read_on_is_taken_off() -> None:
    (method,) = report(
        answer(1000, 300, 500, rows_cut=40, form="toon-tab"), answer(100, 80), lookup(60)
    )["methods"]
    servers = method.pop("servers")
    assert method == {
        "method": F,
        "estimate": True,
        "answers": {
            "count": 2,
            "before": 1100,
            "after": 380,
            "encoding": 220,
            "cutting": 500,
            "rows_cut": 40,
            "forms": {"json": 1, "toon-tab": 1},
        },
        "read_on": {"count": 1, "tokens": 60},
        "net": 660,
        "menus": {"showings": 0, "before": 0, "after": 0, "lookups": {"count": 0, "tokens": 0}},
    }
    figures = {name: method[name] for name in ("answers", "read_on", "net", "menus")}
    assert servers == [{"server": "gh", **figures, "menu": None}]


def test_figures_of_different_tokenizers_are_never_added() -> None:
    methods = report(answer(100, 50), answer(90, 60, method=O200K))["methods"]
    assert [(each["method"], each["net"], each["estimate"]) for each in methods] == [
        (F, 50, True),
        (O200K, 30, False),
    ]


def test_a_menu_is_in_no_sum_of_answers_and_the_latest_is_shown() -> None:
    later = "2026-10-17T13:00:00.000Z"
    (method,) = report(menu(900, 500, later, form="signatures"), menu(1000, 700), answer(10, 5))[
        "methods"
    ]
    assert method["net"] == 5
    nothing = {"count": 0, "tokens": 0}
    assert method["menus"] == {"showings": 2, "before": 1900, "after": 1200, "lookups": nothing}
    (server,) = method["servers"]
    assert server["menu"] == {
        "at": later,
        "form": "signatures",
        "before": 900,
        "after": 500,
        "less": 400,
        "paid_back_after": 0,
    }


@pytest.mark.parametrize("tool", ["describe", "find", "refused"])
def test_what_a_menu_made_the_model_look_up_is_in_no_sum_of_answers(tool: str) -> None:
    (method,) = report(answer(10, 5), lookup(700, tool=tool), lookup(1))["methods"]
    assert (method["net"], method["read_on"]) == (4, {"count": 1, "tokens": 1})
    assert method["menus"]["lookups"] == {"count": 1, "tokens": 700}


@pytest.mark.parametrize(
    "before, after, looked_up, showings",
    [(1390, 118, 1272, 1), (1390, 118, 1273, 2), (1390, 118, 0, 0), (100, 100, 1, None), (90, 100, 1, None)],
)  # fmt: skip
def test_look_ups_are_paid_back_after_so_many_showings_as_save_what_they_cost(
    before: int, after: int, looked_up: int, showings: int | None
) -> None:
    records = [menu(before, after)]
    if looked_up:
        records += [lookup(1, tool="describe"), lookup(looked_up - 1, tool="find")]
    (server,) = report(*records)["methods"][0]["servers"]
    told = server["menu"]
    assert (told["less"], told["paid_back_after"]) == (before - after, showings)


@pytest.mark.parametrize(
    "before, after, cut, encoding, cutting",
    [
        (1000, 640, 400, 0, 360),  # a note of 40
        (1000, 300, 400, 300, 400),
        (90, 100, 0, -10, 0),  # dearer by the tokenizer that measures
        (90, 100, 5, 0, -10),
    ],
)
def test_the_note_of_a_cut_is_paid_by_cutting(
    before: int, after: int, cut: int, encoding: int, cutting: int
) -> None:
    (method,) = report(answer(before, after, cut))["methods"]
    answers = method["answers"]
    assert (answers["encoding"], answers["cutting"]) == (encoding, cutting)


def test_days_have_the_figures_of_their_records_where_they_are_asked_for() -> None:
    late = answer(10, 5, at="2026-10-16T23:30:00Z")
    (method,) = report(late, answer(90, 60), lookup(7), offset=lambda seconds: -3600, by_day=True)[
        "methods"
    ]
    (first,) = report(late)["methods"]
    (second,) = report(answer(90, 60), lookup(7))["methods"]
    named = ("answers", "read_on", "net", "menus")
    assert method["days"] == [
        {"day": "2026-10-16", **{name: first[name] for name in named}},
        {"day": "2026-10-17", **{name: second[name] for name in named}},
    ]
    assert "days" not in first


def test_servers_stand_by_what_they_saved() -> None:
    (method,) = report(
        answer(10, 5, server="a"), answer(90, 5, server="b"), answer(10, 5, server="0")
    )["methods"]
    assert [row["server"] for row in method["servers"]] == ["b", "0", "a"]


def test_the_time_that_was_added_is_that_of_the_middle_answer() -> None:
    calls = [answer(1, 1, added_us=time) for time in (5, 1, 4, 2, 3)]
    assert report(*calls, menu(1, 1))["added_us"] == {"calls": 5, "p50": 3, "p95": 5}
    assert report(*calls[:4])["added_us"] == {"calls": 4, "p50": 2, "p95": 5}
    assert report()["added_us"] == {"calls": 0, "p50": None, "p95": None}


def test_days_are_counted_in_the_zone() -> None:
    late = answer(10, 5, at="2026-10-16T23:30:00Z")
    day = read_day("2026-10-17")
    ahead = {"offset": lambda seconds: 3600, "since": day, "until": day}
    assert len(report(late, **ahead)["methods"]) == 1
    assert report(late, since=day)["methods"] == []
    assert report(late, until=day - 1)["methods"] != []


def test_only_what_a_client_was_shown_counts_where_it_was_asked_for() -> None:
    (method,) = report(answer(10, 5), answer(10, 2, client="cursor"), client="cursor")["methods"]
    assert method["net"] == 8


def test_faults_and_undated_records_are_counted_apart() -> None:
    totals = Totals(lambda seconds: 0)
    totals.add(Record(kind="fault", server="gh", at=AT))
    totals.add(answer(10, 5, at="yesterday"))
    assert (totals.report()["faults"], totals.undated, totals.report()["methods"]) == (1, 1, [])


_RECORDS = st.lists(
    st.builds(
        answer,
        st.integers(0, 999),
        st.integers(0, 999),
        st.integers(0, 99),
        method=st.sampled_from([F, O200K]),
        server=st.sampled_from("ab"),
        added_us=st.integers(0, 9),
        at=st.sampled_from([AT, "2026-10-16T12:00:00Z"]),
    )
    | st.builds(
        lookup,
        st.integers(0, 99),
        server=st.sampled_from("ab"),
        tool=st.sampled_from(["more", "describe"]),
    )
)


@given(_RECORDS, st.randoms())
def test_the_order_of_records_changes_nothing(records: list[Record], rng: random.Random) -> None:
    turned = records.copy()
    rng.shuffle(turned)
    assert report(*turned) == report(*records)


@given(_RECORDS)
def test_servers_add_up_to_their_method(records: list[Record]) -> None:
    for method in report(*records)["methods"]:
        assert sum(row["net"] for row in method["servers"]) == method["net"]
        assert (
            sum(row["answers"]["count"] for row in method["servers"]) == method["answers"]["count"]
        )
        figures = method["answers"]
        saved = figures["before"] - figures["after"]
        assert figures["encoding"] + figures["cutting"] == saved
        assert method["net"] == saved - method["read_on"]["tokens"]


@given(_RECORDS)
def test_days_add_up_to_their_method(records: list[Record]) -> None:
    for method in report(*records, by_day=True)["methods"]:
        assert sum(row["net"] for row in method["days"]) == method["net"]


@given(_RECORDS, _RECORDS)
def test_records_of_another_period_change_nothing(
    records: list[Record], others: list[Record]
) -> None:
    day = read_day("2026-10-17")
    moved = [replace(record, at="2026-10-18T00:00:00Z") for record in others]
    assert report(*records, *moved, until=day) == report(*records)
