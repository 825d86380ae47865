"""The bundled files: what they promise about themselves, and that every number in them can be held."""

from __future__ import annotations

import itertools
import json
import re
from decimal import Decimal
from typing import Any

import pytest

from econome.prices import bundle
from econome.prices.ids import normalise
from econome.prices.rows import RATE_NAMES
from econome.times import read_day
from tests.prices.builders import MODELS, bundled
from tests.requirements import requirement

CLAUDE = bundle.raw("claude.json")
VENDORS = bundle.raw("vendors.json")
WRITTEN = {name: model for name, model in VENDORS["models"].items() if isinstance(model, dict)}
ONE_SOURCE = {"claude-fable-5-2", "claude-mythos-5-2"}


def _entries() -> list[tuple[str, dict[str, Any]]]:
    models = {**CLAUDE["models"], **WRITTEN}
    return [(name, entry) for name, model in models.items() for entry in model["entries"]]


def _limits(models: dict[str, Any]) -> set[int]:
    return {
        band["above"]
        for model in models.values()
        for entry in model["entries"]
        for band in entry.get("long", ())
    }


@requirement("P8")
def test_the_table_says_its_version_its_check_date_and_its_sources() -> None:
    table = bundled()
    assert (table.version, table.checked) == (CLAUDE["version"], "2026-10-17")
    assert all(url.startswith("https://") for url in CLAUDE["sources"].values())
    for name, model in CLAUDE["models"].items():
        assert model["sources"], name
        assert set(model["sources"]) <= CLAUDE["sources"].keys()


@requirement("P8")
def test_the_table_holds_the_published_models_and_no_other() -> None:
    published = {word for word in MODELS.split() if word.startswith("claude-")}
    assert set(CLAUDE["models"]) == published == set(bundled().names())


@requirement("P8")
def test_what_is_uncertain_is_marked() -> None:
    marked = {name for name, model in CLAUDE["models"].items() if model.get("one_source")}
    disputed = {name for name, model in CLAUDE["models"].items() if "disputed" in model}
    assert (marked, disputed) == (ONE_SOURCE, {"claude-sonnet-4"})


@requirement("P8")
def test_other_vendors_prices_say_where_they_come_from() -> None:
    assert VENDORS["package"] == "genai-prices"
    assert re.fullmatch(r"\d+\.\d+\.\d+", VENDORS["version"])
    assert read_day(VENDORS["checked"])
    assert all(reason and count > 0 for reason, count in VENDORS["left_out"].items())
    for name, model in WRITTEN.items():
        seller = VENDORS["sellers"][model["by"]]
        assert seller["name"], name
        assert seller["source"].startswith("https://"), name


@requirement("P3")
def test_a_vendors_id_is_exact_and_names_no_claude_model() -> None:
    for name in VENDORS["models"]:
        assert name == name.lower() == normalise(name).canonical
        assert "claude" not in name
        assert not set(name) & set("*^$?()|\\ ")


@requirement("P3")
def test_a_second_id_names_a_written_model() -> None:
    seconds = [model for model in VENDORS["models"].values() if isinstance(model, str)]
    assert seconds
    assert set(seconds) <= WRITTEN.keys()


@requirement("P8")
def test_no_two_entries_of_a_tier_hold_on_the_same_day() -> None:
    for name, model in {**CLAUDE["models"], **WRITTEN}.items():
        spans = sorted(
            (row.get("tier", ""), row.get("from", ""), row.get("until", "9999-12-31"))
            for row in model["entries"]
        )
        for (tier, first, end), (next_tier, begin, _) in itertools.pairwise(spans):
            assert first < end, name
            assert tier != next_tier or end <= begin, name


@requirement("P5")
def test_writes_cost_no_less_than_input_and_reads_no_more() -> None:
    for name, entry in _entries():
        if name not in CLAUDE["models"]:
            continue
        for band in [entry, *entry.get("long", ())]:
            plain, out, read, short, long = (Decimal(band[key]) for key in RATE_NAMES)
            assert 0 < read < plain < short < long, name
            assert long == 2 * plain, name
            assert short == plain * Decimal("1.2" if name == "claude-3-haiku" else "1.25"), name
            assert out in (plain * 5, plain * Decimal("3.75")), name


@requirement("P6")
def test_the_limits_of_all_vendors_are_known_before_their_file_is_opened() -> None:
    assert sorted(_limits(WRITTEN)) == CLAUDE["vendor_thresholds"]
    assert bundled().thresholds == tuple(sorted(_limits(WRITTEN) | _limits(CLAUDE["models"])))


@requirement("P6")
def test_prices_rise_with_the_prompt_in_the_order_they_are_written() -> None:
    for name, entry in _entries():
        limits = [band["above"] for band in entry.get("long", ())]
        assert limits == sorted(set(limits)), name


@requirement("P2")
def test_every_price_can_be_held_and_multiplied_exactly() -> None:
    for name in CLAUDE["models"]:
        compiled, _ = bundled().find(name)
        assert compiled is not None
        for *_, bands in compiled[4]:
            for _, rates in bands:
                assert [rate % 200 for rate in rates] == [0] * 5, name


@requirement("P2", "P8")
@pytest.mark.parametrize("name", sorted(VENDORS["models"])[::40])
def test_another_vendors_model_is_priced_as_written(name: str) -> None:
    model = VENDORS["models"][name]
    model = VENDORS["models"][model] if isinstance(model, str) else model
    compiled = bundle.vendor(name)
    assert compiled is not None
    for (tier, _, _, bands), entry in zip(compiled[4], model["entries"], strict=True):
        assert tier == entry.get("tier", "")
        assert [band[0] for band in bands[1:]] == [row["above"] for row in entry.get("long", ())]
        for (_, rates), row in zip(bands, [entry, *entry.get("long", ())], strict=True):
            assert rates[0] == Decimal(row["input"]) * 10**12
            assert rates[1] == Decimal(row["output"]) * 10**12
            assert rates[2] == Decimal(row.get("cache_read", row["input"])) * 10**12
            write = row.get("write_5m", row["input"])
            assert rates[3] == Decimal(write) * 10**12
            assert rates[4] == Decimal(row.get("write_1h", write)) * 10**12


@requirement("P8")
def test_every_vendors_row_can_be_compiled() -> None:
    assert all(bundle.vendor(name) is not None for name in VENDORS["models"])


@requirement("P8")
def test_the_files_are_one_model_a_line_and_sorted() -> None:
    assert list(VENDORS["models"]) == sorted(VENDORS["models"])
    assert json.loads(json.dumps(VENDORS)) == VENDORS
