"""Why a model id has the price it has, or none: steps, entry, dates, source, modifiers."""

from __future__ import annotations

from typing import Any

import pytest

from econome.prices import bundle
from econome.prices.explain import Lists, explanation, listing
from econome.prices.table import load
from tests.prices.builders import TODAY, bundled, day
from tests.prices.test_ids import SPELLINGS, UNPRICED
from tests.requirements import requirement

LISTS = Lists(bundle.raw("claude.json"), bundle.raw("vendors.json"))


def explained(
    model: str, on: str = TODAY, overrides: dict[str, Any] | None = None
) -> dict[str, Any]:
    return explanation(load(overrides), LISTS, model, day(on))


@requirement("P3", "P8")
def test_an_id_is_explained_whole() -> None:
    assert explained("us.anthropic.claude-sonnet-4-5-20250929-v1:0") == {
        "model": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "resolves_to": "claude-sonnet-4-5",
        "steps": [
            "Bedrock region prefix `us.` removed",
            "Bedrock prefix `anthropic.` removed",
            "Bedrock version `-v1:0` removed",
            "date `-20250929` removed",
        ],
        "day": "2026-10-17",
        "priced": True,
        "reason": None,
        "prices": [
            {"above": None, "input": "3.3", "output": "16.5", "cache_read": "0.33",
             "write_5m": "4.125", "write_1h": "6.6"},
            {"above": 200000, "input": "6.6", "output": "24.75", "cache_read": "0.66",
             "write_5m": "8.25", "write_1h": "13.2"},
        ],
        "modifiers": [
            {"when": "region prefix us.", "factor": "1.1", "effect": "1.1x", "applied": True},
            {"when": "speed fast", "factor": None, "effect": "no published factor: no price",
             "applied": False},
            {"when": "service_tier batch", "factor": "0.5", "effect": "0.5x", "applied": False},
            {"when": "service_tier priority", "factor": "1", "effect": "standard price, labelled",
             "applied": False},
            {"when": "service_tier auto, default, standard or none", "factor": "1",
             "effect": "standard price", "applied": False},
            {"when": "any other service_tier", "factor": None, "effect": "no price",
             "applied": False},
            {"when": "each web search", "factor": None,
             "effect": "0.01 USD beside the tokens, unmultiplied", "applied": False},
        ],
        "entries": [
            {"tier": "", "from": None, "until": None, "above": None, "input": "3",
             "output": "15", "cache_read": "0.3", "write_5m": "3.75", "write_1h": "6",
             "fast": None, "us_only": None, "web_search": "10"},
            {"tier": "", "from": None, "until": None, "above": 200000, "input": "6",
             "output": "22.5", "cache_read": "0.6", "write_5m": "7.5", "write_1h": "12",
             "fast": None, "us_only": None, "web_search": "10"},
        ],
        "list": "claude",
        "sources": [
            "https://platform.claude.com/docs/en/about-claude/pricing",
            "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing",
            "https://platform.claude.com/docs/en/about-claude/pricing#long-context-pricing",
        ],
        "notes": [],
    }  # fmt: skip


@requirement("P3")
@pytest.mark.parametrize("model", [spelling[0] for spelling in SPELLINGS])
def test_every_spelling_is_explained(model: str) -> None:
    found = explained(model)
    assert found["priced"]
    assert found["steps"]
    assert found["sources"]


@requirement("P3", "P4")
@pytest.mark.parametrize("model", UNPRICED)
def test_an_unpriced_id_is_told_so_and_offered_no_other_price(model: str) -> None:
    found = explained(model)
    assert not found["priced"]
    assert "is in no price list" in found["reason"]
    assert (found["prices"], found["entries"], found["sources"]) == ([], [], [])
    named = [name for name in bundled().names() if name in found["reason"]]
    assert all(name in model.lower().replace(".", "-") for name in named)


@requirement("P4", "P8")
@pytest.mark.parametrize(
    "on, reason",
    [
        ("2025-12-31", "no price on 2025-12-31: its next one begins on 2026-01-01"),
        ("2026-03-01", "no price on 2026-03-01: its last one ended before 2026-03-01"),
    ],
)
def test_a_model_outside_its_dates_is_told_when_it_has_a_price(on: str, reason: str) -> None:
    row = {"input": 1, "output": 2, "from": "2026-01-01", "until": "2026-03-01"}
    found = explained("mine", on, {"mine": row})
    assert (found["priced"], found["reason"], found["prices"]) == (False, reason, [])


@requirement("P8")
def test_doubts_are_told() -> None:
    assert explained("claude-sonnet-4")["notes"] == [
        "long prompts: sources differ; priced as Claude Sonnet 4.5"
    ]
    assert explained("claude-fable-5-2")["notes"] == ["one source only"]


@requirement("P8")
def test_another_vendors_model_names_its_seller_and_what_is_not_published() -> None:
    found = explained("GLM-4.6")
    assert found["list"] == "vendors"
    assert found["notes"] == [
        "sold by Z.AI",
        "cache writes have no published price and cost what input costs",
    ]


@requirement("P8")
def test_an_override_says_that_it_is_one() -> None:
    found = explained("claude-opus-5", TODAY, {"claude-opus-5": {"input": 1, "output": 2}})
    assert (found["list"], found["notes"]) == ("settings", ["from your settings"])
    assert [price["input"] for price in found["prices"]] == ["1"]


@requirement("P8")
def test_the_list_has_a_row_for_each_entry_and_prompt_length() -> None:
    rows = listing(bundled(), LISTS, ["claude-opus-4-6", "unheard-of", "claude-opus-5-5"])
    assert [
        (row["model"], row["from"], row["until"], row["above"], row["input"], row["fast"])
        for row in rows
    ] == [
        ("claude-opus-4-6", None, "2026-03-13", None, "5", "6"),
        ("claude-opus-4-6", None, "2026-03-13", 200000, "10", "6"),
        ("claude-opus-4-6", "2026-03-13", None, None, "5", "6"),
        ("claude-opus-5-5", "2026-09-22", None, None, "4", "2"),
    ]


@requirement("P8")
def test_every_listed_id_can_be_explained() -> None:
    table = bundled()
    for name in [*table.names(), *LISTS.vendor_ids()[::25]]:
        assert explanation(table, LISTS, name, day(TODAY))["entries"], name
