"""The rule about presets whose delegations cost more than they avoid."""

from __future__ import annotations

from typing import Any

from econome.diagnosis.delegating import delegation_loses
from econome.diagnosis.findings import Judgement, told
from tests.diagnosis.office import Office

LOSES = "delegation-loses"


def row(preset: str = "tests", **changes: Any) -> dict[str, Any]:
    """A row of the balance; the figures that follow from others are made."""
    found: dict[str, Any] = {"preset": preset, "delegations": 6, "avoided": 10_000, "steering": 1_000, "corrections": 0}  # fmt: skip
    found |= changes
    found["net"] = found["avoided"] - found["steering"] - found["corrections"]
    found["rework_rate"] = found["corrections"] / found["avoided"] if found["avoided"] > 0 else None
    return found


def judge(*rows: dict[str, Any]) -> Judgement:
    return delegation_loses([("claude-code", one) for one in rows])


def test_a_preset_that_costs_more_than_it_avoids_is_worth_its_loss() -> None:
    money = {"net": "-0.05", "corrections": "0.01", "partial": False}
    lost = row("tests", avoided=4_000, steering=9_000, usd=money)
    (found,) = told([judge(lost, row("docs"))], None)["findings"]
    assert found["worth"] == {
        "tokens": 5_000,
        "usd": "0.05",
        "partial": False,
        "basis": "estimated",
        "method": "contract-estimate",
    }
    assert found["confidence"] == "low"
    assert found["facts"] == {"presets": 1, "delegations": 6}
    assert found["evidence"][0]["rows"] == [["tests", 6, 4_000, 9_000, 0, -5_000, 0.0, "-0.05"]]


def test_a_preset_that_is_much_reworked_is_worth_its_rework() -> None:
    (found,) = told([judge(row(corrections=6_000, delegations=20))], None)["findings"]
    assert (found["worth"]["tokens"], found["worth"]["usd"]) == (6_000, None)
    assert found["confidence"] == "medium"


def test_presets_that_pay_are_no_finding() -> None:
    assert judge(row(), row("docs", corrections=4_000)).outcome == "nothing"


def test_few_delegations_are_not_judged(office: Office) -> None:
    assert judge(row(delegations=4, steering=90_000)).reason == "no-delegations"
    assert office.outcome(LOSES) == ("not judged", "no-delegations")


def test_a_ledger_that_cannot_be_read_is_said_so(office: Office) -> None:
    (office.settings_data() / "logs" / "mcp" / "economies.jsonl").mkdir(parents=True)
    assert office.outcome(LOSES) == ("not judged", "no-ledger")
