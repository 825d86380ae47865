"""A price is found by the exact id after its spelling is undone, never by prefix or family."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.prices.ids import BEDROCK_REGIONS, normalise
from tests.prices.builders import MODELS, bundled, million
from tests.requirements import requirement

KNOWN = [word for line in MODELS.split("\n") for word in line.split() if word[0] == "c"]

SPELLINGS = [
    ("claude-opus-5", "claude-opus-5", ""),
    ("claude-haiku-4-5-20251001", "claude-haiku-4-5", ""),
    ("claude-haiku-4-5@20251001", "claude-haiku-4-5", ""),
    ("claude-opus-4-6@default", "claude-opus-4-6", ""),
    ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", ""),
    ("anthropic/claude-opus-4.6", "claude-opus-4-6", ""),
    ("anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", ""),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "us"),
    ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "eu"),
    ("au.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "au"),
    ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "jp"),
    ("apac.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4", "apac"),
    ("global.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", "global"),
    ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet", ""),
    ("us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", "us"),
    ("claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet", ""),
    ("claude-opus-4.6", "claude-opus-4-6", ""),
    ("claude-3.5-haiku", "claude-3-5-haiku", ""),
    ("claude-3-5-haiku", "claude-3-5-haiku", ""),
    ("claude-3-5-haiku-20241022", "claude-3-5-haiku", ""),
    ("claude-3-7-sonnet-latest", "claude-3-7-sonnet", ""),
    ("claude-3.7-sonnet", "claude-3-7-sonnet", ""),
    ("claude-opus-4-6[1m]", "claude-opus-4-6", ""),
    ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5", ""),
    ("Claude-Opus-4-6[1M]", "claude-opus-4-6", ""),
    ("CLAUDE-OPUS-5", "claude-opus-5", ""),
    (" claude-opus-5\n", "claude-opus-5", ""),
    ("claude-opus-4-20250514", "claude-opus-4", ""),
    ("claude-opus-4-0", "claude-opus-4", ""),
    ("claude-sonnet-4.0", "claude-sonnet-4", ""),
    ("US.Anthropic.Claude-Opus-4.6-20260205-V1:0", "claude-opus-4-6", "us"),
]

UNPRICED = [
    "claude-opus-5-5-5",
    "claude-opus-5-6",
    "claude-opus-6",
    "claude-opus",
    "claude-haiku",
    "claude-haiku-5",
    "claude-sonnet-latest",
    "claude-opus-5-fast",
    "claude-opus-5x",
    "claude-opus-51",
    "xclaude-opus-5",
    "my-claude-opus-5",
    "claude-3-opus-20240229",
    "claude-opus-5-20251301",
    "claude-opus-5-2025100",
    "claude-opus-5-20251001-20251002",
    "claude-opus-5@",
    "claude-opus-5@prod",
    "claude-opus-5:thinking",
    "claude-opus-5-v1",
    "us.claude-opus-5",
    "mars.anthropic.claude-opus-5-v1:0",
    "us-gov.anthropic.claude-opus-4-6-v1:0",
    "anthropic.anthropic.claude-opus-5",
    "openrouter/anthropic/claude-opus-5",
    "claude-opus-5[200k]",
    "claude.opus.5",
    "claude-",
    "claude",
    "unknown",
    "<synthetic>",
    "",
    "gpt",
    "gpt-5-",
    "gpt-5-2025",
]


@requirement("P3")
@pytest.mark.parametrize("written, canonical, region", SPELLINGS)
def test_a_spelling_is_undone(written: str, canonical: str, region: str) -> None:
    found = normalise(written)
    assert (found.canonical, found.region) == (canonical, region)
    assert bool(found.steps) == (written != canonical)


@requirement("P3")
@pytest.mark.parametrize("written, canonical, region", SPELLINGS)
def test_a_spelling_has_the_price_of_its_model(written: str, canonical: str, region: str) -> None:
    table = bundled()
    price = million(table, written)
    if region in ("", "global", "apac"):
        assert price == million(table, canonical)
    assert price is not None


@requirement("P3", "P4")
@pytest.mark.parametrize("model", UNPRICED)
def test_an_id_that_is_not_listed_has_no_price(model: str) -> None:
    assert million(bundled(), model) is None


@requirement("P3")
def test_opus_5_does_not_price_opus_5_5() -> None:
    table = bundled()
    assert million(table, "claude-opus-5-5") != million(table, "claude-opus-5")


@requirement("P3")
@given(st.sampled_from(KNOWN), st.text("-.@:/[]abz0159v", min_size=1, max_size=12))
def test_a_longer_id_is_the_same_model_or_has_its_own_price(model: str, more: str) -> None:
    name = normalise(model + more)
    price = million(bundled(), model + more)
    assert price is None or name.canonical in KNOWN
    assert name.canonical == model or price is None or len(name.canonical) > len(model)


@requirement("P3")
@given(st.text(max_size=40))
def test_any_text_has_a_normal_form_that_stays(text: str) -> None:
    once = normalise(text).canonical
    assert once == once.strip()
    if once in KNOWN:
        assert normalise(once).canonical == once


@requirement("P3")
@given(
    st.sampled_from(KNOWN),
    st.sampled_from(["", *(f"{region}." for region in BEDROCK_REGIONS)]),
    st.sampled_from(["", "-20250929"]),
)
def test_every_bedrock_spelling_of_a_model_names_it(model: str, region: str, date: str) -> None:
    found = normalise(f"{region}anthropic.{model}{date}-v1:0")
    assert (found.canonical, found.region) == (model, region[:-1])


@requirement("P3")
@pytest.mark.parametrize(
    "written",
    ["GPT-5", "gpt-5", "gpt-5.3-codex", "o3", "gemini-2.5-pro", "MiniMax-M2.1", "GLM-4.6"],
)
def test_another_vendors_model_is_found_by_its_exact_id(written: str) -> None:
    found = normalise(written)
    assert found.canonical == written.lower()
    assert million(bundled(), written) is not None


@requirement("P3")
@pytest.mark.parametrize(
    "written", ["gpt-5-20250807", "gemini-2-5-pro", "openai.gpt-5", "gpt-5@latest"]
)
def test_the_spellings_of_claude_ids_are_not_those_of_others(written: str) -> None:
    assert normalise(written).canonical == written
    assert million(bundled(), written) is None


@requirement("P3")
def test_each_thing_undone_is_said() -> None:
    assert normalise("EU.anthropic.claude-opus-4.6-20260205-v1:0[1m]").steps == [
        "capitals made small",
        "context window mark `[1m]` removed",
        "Bedrock region prefix `eu.` removed",
        "Bedrock prefix `anthropic.` removed",
        "Bedrock version `-v1:0` removed",
        "date `-20260205` removed",
        "dotted version written with hyphens",
    ]
