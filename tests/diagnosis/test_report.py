"""The report as a whole: what it holds of anybody's text, its sums, and what leaves it as it is."""

from __future__ import annotations

import json
import random
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome import clock
from econome.diagnosis.findings import KINDS, METHODS, REASONS, RULES, UNKNOWN
from econome.usage.open import read_tree
from econome.usage.query import Query
from econome.usage.report import usage_report
from tests.builders import Row
from tests.builders_codex import meta, rollout, spent, totals, turn
from tests.diagnosis.office import (
    DAY,
    HAIKU,
    OPUS,
    TODAY,
    Office,
    Report,
    answered,
    at,
    called,
    said,
)
from tests.diagnosis.sample import FACTS, TABLES, sample

SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=12, deadline=None)
SECRET = "the secret of the house"
SONNET = "claude-sonnet-4-5"


def work(chance: random.Random, name: str, day: int) -> list[Row]:
    """The lines of one thread, with pauses, tools, files and growing contexts."""
    rows: list[Row] = []
    minute, context = float(chance.randrange(300)), 0
    model = chance.choice((OPUS, HAIKU, SONNET, SONNET))
    for number in range(chance.randrange(2, 12)):
        minute += chance.choice((0.5, 2, 4, 7, 30, 61, 95))
        read = chance.choice((context, context, context, 0, context // 2))
        written = context - read + chance.choice((500, 8_000, 60_000))
        hour = chance.choice((0, written, written // 2))
        counted: dict[str, Any] = {"read": read, "hour": hour, "five": written - hour, "output": 900}  # fmt: skip
        context = read + written
        key = f"{name}-{number}"
        if chance.random() < 0.2:
            cut = {"type": "system", "subtype": "compact_boundary", "uuid": f"u-cut-{key}"}
            rows.append(
                {
                    **cut,
                    "timestamp": at(minute - 0.2, day),
                    "compactMetadata": {"preTokens": context},
                }
            )
        tool = chance.choice(("Read", "Read", "mcp__files__list", None))
        used = chance.choice((model, model, "no-such-model"))
        if tool is None:
            rows.append(said(key, minute, day=day, model=used, **counted))
            continue
        given = {"file_path": f"/home/dev/{SECRET}/plan.py", "text": SECRET}
        rows.append(called(key, minute, tool, given, day=day, model=used, **counted))
        rows.append(answered(key, minute + 0.1, SECRET * chance.choice((1, 9_000)), day=day))
    return rows


def files(chance: random.Random, mark: str) -> list[tuple[str, str, list[Row]]]:
    """Some sessions with their agents: session, agent ("" for the main thread), lines."""
    found = []
    for number in range(chance.randrange(1, 6)):
        session, day = f"{mark}{number}", chance.randrange(20)
        found.append((session, "", work(chance, f"{session}m", day)))
        for agent in range(chance.randrange(3)):
            name = chance.choice((f"a{agent}", f"acompact-{agent}"))
            found.append((session, name, work(chance, f"{session}{name}{agent}", day)))
    return found


def write(office: Office, found: list[tuple[str, str, list[Row]]]) -> None:
    for session, agent, rows in found:
        if agent:
            office.tree.agent(session, agent, *rows)
        else:
            office.tree.main(session, *rows)


def amount(text: str | None) -> Decimal:
    return Decimal(text or 0)


@FEW
@given(SEEDS)
def test_the_order_of_files_and_lines_changes_nothing(seed: int) -> None:
    chance = random.Random(seed)
    made = files(chance, "s")
    reports = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            office = Office(Path(folder))
            write(office, made)
            report = office.judge()
            report["coverage"].pop("roots")
            reports.append(report)
        chance.shuffle(made)
        made = [(session, agent, chance.sample(rows, len(rows))) for session, agent, rows in made]
    for report in reports:  # the file that a path is hidden from differs with the salt
        _forget_hashes(report)
    assert reports[0] == reports[1]


def _forget_hashes(report: Report) -> None:
    for finding in report["findings"]:
        for table in finding["evidence"]:
            at = [
                place for place, column in enumerate(table["columns"]) if column["kind"] == "hash"
            ]
            for place in at:
                for row in table["rows"]:
                    row[place] = "hash"
                table["rows"].sort(key=str)


@FEW
@given(SEEDS)
def test_another_session_never_lowers_what_was_measured(seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        office = Office(Path(folder))
        write(office, files(chance, "s"))
        before = office.judge()
        write(office, files(chance, "t"))
        after = office.judge()
    worths = [
        {
            one["rule"]: (amount(one["worth"]["usd"]), one["worth"]["tokens"] or 0)
            for one in report["findings"] if one["worth"]["basis"] == "measured"
        }
        for report in (before, after)
    ]  # fmt: skip
    for rule, (usd, tokens) in worths[0].items():
        assert worths[1][rule][0] >= usd
        assert worths[1][rule][1] >= tokens


@FEW
@given(SEEDS, st.sampled_from([(None, None), (3, None), (2, 9)]))
def test_the_sums_hold_and_nothing_that_was_said_is_told(
    seed: int, period: tuple[int | None, int | None]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        office = Office(Path(folder))
        write(office, files(random.Random(seed), "s"))
        report = office.judge(*period)
    cost = amount(report["cost"]["usd"])
    for basis in ("measured", "estimated"):
        total = report["totals"][basis]
        found = [one for one in report["findings"] if one["worth"]["basis"] == basis]
        worths = [amount(one["worth"]["usd"]) for one in found]
        assert all(0 <= worth <= cost for worth in worths)
        assert max(worths, default=0) <= amount(total["usd"]) <= min(sum(worths), cost)
        cumulative = [amount(one["cumulative_usd"]) for one in found]
        assert cumulative == sorted(cumulative)
        assert not found or cumulative[-1] == amount(total["usd"])
    ordered = [amount(one["worth"]["usd"]) for one in report["findings"]]
    assert ordered == sorted(ordered, reverse=True)
    assert [one["rule"] for one in report["judged"]] == list(RULES)
    assert SECRET not in json.dumps(report)
    assert "plan.py" not in json.dumps(report)
    _is_well_formed(report)


def _is_well_formed(report: Report) -> None:
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    for one in report["judged"]:
        assert one["reason"] is None or one["reason"] in REASONS
        assert (one["outcome"] == "not judged") == (one["reason"] is not None)
    assert set(report["unknown"]) <= set(UNKNOWN)
    for finding in report["findings"]:
        rule = finding["rule"]
        assert finding["worth"]["method"] == METHODS[rule]
        assert finding["facts"].keys() == FACTS[rule].keys()
        columns = [
            (table["name"], [(one["key"], one["kind"]) for one in table["columns"]])
            for table in finding["evidence"]
        ]
        assert columns == [
            (name, [(key, kind) for key, kind, _ in of]) for name, of in TABLES[rule]
        ]
        assert all(kind in KINDS for _, of in columns for _, kind in of)
        for table in finding["evidence"]:
            assert all(len(row) == len(table["columns"]) for row in table["rows"])
            assert len(table["rows"]) <= 20
            assert table["left_out"] >= 0


def test_the_sample_is_what_a_report_is(office: Office) -> None:
    made = sample()
    office.tree.main("s1", said("a", 0))
    real = office.judge()
    assert made.keys() == real.keys()
    for name in ("period", "totals", "cost", "coverage", "detail", "prices"):
        assert made[name].keys() == real[name].keys()
    _is_well_formed(made)
    assert {one["rule"] for one in sample(without=())["findings"]} == set(RULES)


@pytest.mark.parametrize("index", [True, False])
def test_nothing_at_all_is_no_finding(office: Office, index: bool) -> None:
    report = office.judge(index=index)
    assert report["findings"] == []
    assert {one["outcome"] for one in report["judged"]} <= {"nothing", "not judged"}
    assert report["cost"] == {"usd": "0", "partial": False, "responses": 0, "sessions": 0}
    assert report["totals"]["measured"] == {"tokens": 0, "usd": "0", "partial": False}


@pytest.mark.parametrize("index", [True, False])
def test_the_cost_is_that_of_the_report_of_usage(office: Office, index: bool) -> None:
    write(office, files(random.Random(7), "s"))
    office.tree.main("undated", {**said("u", 0), "timestamp": "later"})
    for since, until in ((None, None), (4, 12)):
        report = office.judge(since, until, zone="America/Los_Angeles", index=index)
        first = None if since is None else DAY + since
        last = None if until is None else DAY + until
        zone = clock.zone("America/Los_Angeles")
        with read_tree([str(office.tree.root)], office.settings, use_index=False) as tree:
            total = usage_report(tree, Query(since=first, until=last), zone, TODAY)["total"]
        assert report["cost"] == {
            "usd": total["cost_usd"],
            "partial": total["partial"],
            "responses": total["responses"],
            "sessions": total["sessions"],
        }
        assert ("undated-responses" in report["unknown"]) == (since is None)
        assert "models-without-a-price" in report["unknown"]


def test_two_rules_that_claim_one_response_are_not_added(office: Office) -> None:
    # rebuilt after a pause, for an hour that nobody used: 100,000 tokens at 9.50 and 101,000 at 3.75 USD a million
    office.tree.main("s1", said("a", 0, hour=100_000), said("b", 90, hour=101_000))
    office.tree.main("s2", said("late", 300, output=1))
    report = office.judge()
    worths = {one["rule"]: one["worth"]["usd"] for one in report["findings"]}
    assert worths == {"cache-rebuilt-after-pause": "0.95", "hour-writes-unread": "0.75375"}
    # the first response is claimed by the second rule alone, the second by the first rule, whose claim is larger
    assert report["totals"]["measured"]["usd"] == "1.325"
    assert [one["cumulative_usd"] for one in report["findings"]] == ["0.95", "1.325"]


def test_the_larger_claim_counts_also_where_the_other_rule_is_told_first(office: Office) -> None:
    office.tree.main("s1", said("a", 0, hour=100_000), said("b", 90, hour=101_000))
    office.tree.main("s2", said("c", 0, hour=200_000))
    office.tree.main("s3", said("late", 300, output=1))
    report = office.judge()
    worths = {one["rule"]: one["worth"]["usd"] for one in report["findings"]}
    assert worths == {"hour-writes-unread": "1.50375", "cache-rebuilt-after-pause": "0.95"}
    # 300,000 tokens at 3.75, and 100,000 at 9.50 USD a million
    assert report["totals"]["measured"] == {"tokens": 400_000, "usd": "2.075", "partial": False}


def test_transcripts_of_others_have_counters_and_no_detail(office: Office) -> None:
    used = totals(1000, 0, 50)
    rollout(office.tree.root, meta(), turn(), spent(used, used))
    report = office.judge()
    assert report["cost"]["responses"] > 0
    reasons = {one["rule"]: one["reason"] for one in report["judged"]}
    assert reasons["mcp-answers-dominate"] == "no-claude-transcripts"
    assert "detail-of-other-agents" in report["unknown"]
