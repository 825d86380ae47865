"""The rules about the user's own norm: sessions with more sub-agents than usual, and days that cost more."""

from __future__ import annotations

from tests.builders import CWD
from tests.diagnosis.office import OPUS, Office, judged, said

FAN_OUT, UNUSUAL = "fan-out-above-norm", "unusual-day"


def sessions(office: Office, many: int) -> None:
    """Sessions of 0.1 USD, a fifth of it by a sub-agent."""
    for number in range(many):
        office.tree.main(f"n{number}", said(f"m{number}", 0, fresh=16_000))
        office.tree.agent(f"n{number}", "a", said(f"s{number}", 1, fresh=4_000))


def test_a_session_of_sub_agents_is_worth_what_lies_above_the_norm(office: Office) -> None:
    sessions(office, 12)
    office.tree.main("s1", said("m", 0, fresh=20_000))
    office.tree.agent("s1", "a1", said("s", 1, fresh=80_000))
    office.tree.agent("s1", "a2", said("t", 1, fresh=100_000))
    found = office.finding(FAN_OUT)
    # 1 USD, 0.90 of it by sub-agents; the norm is the floor, a half: 0.40 above, of 180,000 tokens 4 in 9
    assert found["worth"] == {
        "tokens": 80_000 * 4 // 9 + 100_000 * 4 // 9,
        "usd": found["worth"]["usd"],
        "partial": False,
        "basis": "estimated",
        "method": "above-own-norm",
    }
    assert abs(float(found["worth"]["usd"]) - 0.4) < 1e-15
    assert found["facts"] == {"sessions": 1, "norm_share": 0.5, "usual_share": 0.2}
    assert found["evidence"][0]["rows"] == [["s1", CWD, 0.9, 2, "1", found["worth"]["usd"]]]


def test_the_norm_is_the_users_own_where_it_is_above_the_floor(office: Office) -> None:
    for number in range(20):
        office.tree.main(f"n{number}", said(f"m{number}", 0, fresh=2_000))
        office.tree.agent(f"n{number}", "a", said(f"s{number}", 1, fresh=18_000))
    assert judged(office.judge(), FAN_OUT)["threshold"] == {
        "used": 0.9,
        "floor": 0.5,
        "percentile": {"of": "share-of-a-session", "p": 90, "value": 0.9},
        "decides": "finding",
    }
    assert office.outcome(FAN_OUT) == ("nothing", None)


def test_few_sessions_make_no_norm(office: Office) -> None:
    sessions(office, 9)
    assert office.outcome(FAN_OUT) == ("not judged", "too-few-sessions")


def days(office: Office, many: int) -> None:
    """Days of 1 USD each, in one session."""
    rows = [said(f"d{day}", 0, day=day, fresh=200_000) for day in range(many)]
    office.tree.main("usual", *rows)


def test_a_day_far_above_the_others_is_told_with_what_was_different(office: Office) -> None:
    days(office, 15)
    office.tree.main("s1", said("x", 30, day=4, fresh=800_000, cwd="/home/dev/big"))
    found = office.finding(UNUSUAL)
    # 5 USD on that day, of which twice the median, 2 USD, would have been usual
    assert found["worth"]["usd"] == "3"
    assert found["worth"]["basis"] == "estimated"
    assert found["worth"]["tokens"] == 200_000 * 3 // 5 + 800_000 * 3 // 5
    assert found["facts"] == {"days": 1, "usual_usd": "1", "spread_usd": "0", "norm_days": 15}
    tables = {table["name"]: table["rows"] for table in found["evidence"]}
    assert tables == {
        "days": [["2026-05-09", "5", "3"]],
        "models": [["2026-05-09", OPUS, "5", "1"]],
        "projects": [["2026-05-09", "/home/dev/big", "4", "0"]],
        "sessions": [
            ["2026-05-09", "s1", "/home/dev/big", "4"],
            ["2026-05-09", "usual", CWD, "1"],
        ],
    }


def test_the_norm_is_of_all_days_and_not_of_the_period_alone(office: Office) -> None:
    days(office, 15)
    office.tree.main("s1", said("x", 30, day=14, fresh=800_000))
    assert office.finding(UNUSUAL, since=14)["worth"]["usd"] == "3"
    assert office.outcome(UNUSUAL, until=12) == ("not judged", "too-few-days")


def test_days_that_are_alike_are_not_unusual(office: Office) -> None:
    days(office, 20)
    assert office.outcome(UNUSUAL) == ("nothing", None)


def test_a_cheap_day_is_not_unusual_however_cheap_the_others_are(office: Office) -> None:
    rows = [said(f"d{day}", 0, day=day, fresh=20) for day in range(15)]
    office.tree.main("usual", *rows, said("x", 1, day=3, fresh=199_900))
    assert office.outcome(UNUSUAL) == ("nothing", None)
