"""The rules about prices of models: a dear one in sub-agents, and long prompts for little."""

from __future__ import annotations

from tests.builders import CWD, Row
from tests.diagnosis.office import HAIKU, OPUS, Office, judged, said

DEAR, LONG = "dear-model-in-sub-agents", "long-prompt-for-little"
SONNET = "claude-sonnet-4-5"


def run(name: str, model: str, many: int = 5, tokens: int = 10_000) -> list[Row]:
    """The responses of one sub-agent."""
    return [said(f"{name}{n}", n, model=model, fresh=tokens, output=1_000) for n in range(many)]


def test_a_dear_sub_agent_is_worth_the_difference_to_the_model_that_others_ran_on(
    office: Office,
) -> None:
    office.tree.main("s1", said("m", 0, output=1))
    office.tree.agent("s1", "dear", *run("d", OPUS), meta={"agentType": "Plan"})
    office.tree.agent("s1", "cheap", *run("c", HAIKU), meta={"agentType": "Explore"})
    found = office.finding(DEAR)
    # 50,000 of input and 5,000 of output: 0.25 + 0.125 USD against 0.05 + 0.025 USD
    assert found["worth"] == {
        "tokens": 55_000,
        "usd": "0.3",
        "partial": False,
        "basis": "estimated",
        "method": "same-tokens-at-other-price",
    }
    assert found["confidence"] == "medium"
    assert found["facts"] == {"responses": 5, "runs": 1, "models": 1}
    assert found["evidence"][0]["rows"] == [["Plan", OPUS, HAIKU, 1, 5, 55_000, "0.375", "0.075"]]


def test_a_model_of_the_main_conversation_is_a_weaker_reason(office: Office) -> None:
    office.tree.main("s1", *run("m", HAIKU))
    office.tree.agent("s1", "dear", *run("d", OPUS))
    assert office.finding(DEAR)["confidence"] == "low"


def test_of_several_cheaper_models_the_dearest_is_compared(office: Office) -> None:
    for name, model in (("d", OPUS), ("c", HAIKU), ("b", SONNET)):
        office.tree.agent("s1", name, *run(name, model))
    rows = office.finding(DEAR)["evidence"][0]["rows"]
    assert {row[1]: row[2] for row in rows} == {OPUS: SONNET, SONNET: HAIKU}


def test_a_model_that_sub_agents_run_on_comes_before_one_of_the_main_conversation(
    office: Office,
) -> None:
    office.tree.main("s1", *run("m", SONNET))
    office.tree.agent("s1", "dear", *run("d", OPUS))
    office.tree.agent("s1", "cheap", *run("c", HAIKU))
    assert [row[2] for row in office.finding(DEAR)["evidence"][0]["rows"]] == [HAIKU]


def test_a_model_without_company_is_not_called_dear(office: Office) -> None:
    office.tree.main("s1", *run("m", OPUS))
    office.tree.agent("s1", "dear", *run("d", OPUS))
    office.tree.agent("s1", "rare", *run("r", HAIKU, many=4))
    assert office.outcome(DEAR) == ("nothing", None)


def test_short_runs_and_helpers_are_left_alone(office: Office) -> None:
    office.tree.main("s1", *run("m", HAIKU))
    office.tree.agent("s1", "a1", *run("d", OPUS, many=1, tokens=100))
    office.tree.agent("s1", "acompact-1", *run("c", OPUS))
    assert office.outcome(DEAR) == ("nothing", None)


def test_a_run_has_to_be_as_dear_as_the_users_runs_are(office: Office) -> None:
    office.tree.agent("s1", "cheap", *run("c", HAIKU))
    for name, tokens in (("a", 12_000), ("b", 100_000), ("d", 200_000)):
        office.tree.agent("s1", name, *run(name, OPUS, tokens=tokens))
    report = office.judge()
    # five responses of 12,000 and 1,000 tokens: 0.3 + 0.125 USD
    assert judged(report, DEAR)["threshold"] == {
        "used": "0.425",
        "floor": "0.05",
        "percentile": {"of": "cost-of-a-run", "p": 50, "value": "0.425"},
        "decides": "finding",
    }


def test_a_prompt_a_little_too_long_is_worth_the_difference_of_the_whole_price(
    office: Office,
) -> None:
    office.tree.main("s1", said("a", 0, model=SONNET, fresh=10_000, read=195_000, output=1_000))
    found = office.finding(LONG)
    # 10,000 of input at 3, 195,000 read at 0.30 and 1,000 of output at 7.50 USD a million more
    assert found["worth"] == {
        "tokens": 206_000,
        "usd": "0.096",
        "partial": False,
        "basis": "measured",
        "method": "long-minus-short-price",
    }
    assert found["facts"] == {"responses": 1, "margin_share": 0.1}
    assert found["evidence"][0]["rows"] == [["s1", CWD, SONNET, 200_000, 1, 205_000, "0.096"]]


def test_a_prompt_within_the_limit_or_far_beyond_it_is_no_finding(office: Office) -> None:
    office.tree.main(
        "s1",
        said("a", 0, model=SONNET, read=200_000),
        said("b", 1, model=SONNET, read=220_001),
        said("c", 2, model=OPUS, read=205_000),
        said("d", 3, model="no-such-model", read=205_000),
    )
    assert office.outcome(LONG) == ("nothing", None)
