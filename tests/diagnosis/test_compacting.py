"""The rule about sessions that were compacted several times."""

from __future__ import annotations

from tests.builders import CWD, Row
from tests.diagnosis.office import Office, at, said

AGAIN = "compaction-again"


def cut(minutes: float, before: int | None = 150_000, *, mark: str = "", day: int = 0) -> Row:
    """A line that says that the conversation was cut down."""
    return {
        "type": "system", "subtype": "compact_boundary", "timestamp": at(minutes, day), "cwd": CWD,
        "uuid": f"u-cut-{day}-{minutes}{mark}", "compactMetadata": {"trigger": "auto", "preTokens": before, "postTokens": 9_000},
    }  # fmt: skip


def test_a_session_compacted_twice_is_worth_what_its_compactions_cost(office: Office) -> None:
    office.tree.main("s1", said("a", 0), cut(1), said("b", 2), cut(3, 160_000))
    office.tree.agent("s1", "acompact-1", said("c", 1, read=150_000, output=2_000))
    office.tree.agent("s1", "acompact-2", said("d", 3, fresh=10_000, output=2_000))
    found = office.finding(AGAIN)
    # 150,000 read at 0.50 and 10,000 of input at 5, 4,000 of output at 25 USD a million
    assert found["worth"] == {
        "tokens": 164_000,
        "usd": "0.225",
        "partial": False,
        "basis": "measured",
        "method": "cost-of-compactions",
    }
    assert found["confidence"] == "high"
    assert found["facts"] == {"sessions": 1, "compactions": 2, "responses": 2}
    assert found["evidence"][0]["rows"] == [["s1", CWD, 2, 310_000, 18_000, 2, 164_000, "0.225"]]


def test_where_no_transcript_tells_what_they_cost_that_is_not_known(office: Office) -> None:
    office.tree.main("s1", said("a", 0), cut(1, None), cut(3, None))
    found = office.finding(AGAIN)
    assert (found["worth"]["tokens"], found["worth"]["usd"]) == (None, None)
    assert found["share_of_cost"] is None
    assert found["confidence"] == "medium"


def test_one_compaction_is_no_finding_nor_are_two_on_different_sides_of_a_period(
    office: Office,
) -> None:
    office.tree.main("s1", said("a", 0), cut(1), said("b", 0, day=1), cut(1, day=1))
    office.tree.main("s2", said("c", 0), cut(2))
    assert office.finding(AGAIN)["facts"]["sessions"] == 1
    assert office.outcome(AGAIN, until=0) == ("nothing", None)


def test_a_session_that_went_on_from_a_copy_repeats_its_compactions(office: Office) -> None:
    office.tree.main("s1", said("a", 0), cut(1), said("b", 2), cut(3))
    office.tree.main("s2", cut(1, mark="copy"), cut(3, mark="copy"), said("c", 5))
    assert office.finding(AGAIN)["facts"] == {"sessions": 1, "compactions": 2, "responses": 0}
