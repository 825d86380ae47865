"""Other vendors' models: their own tiers, none of Claude's factors, and a file opened only when needed."""

from __future__ import annotations

import marshal
from decimal import Decimal
from typing import Any

import pytest

from econome.prices import bundle
from econome.prices.table import load
from tests.prices.builders import bundled, day, million
from tests.requirements import requirement


class Drawer:
    """A memo that keeps what `marshal` can, as a store on disk would."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[str, bytes]] = {}
        self.misses: list[str] = []

    def get(self, key: str, stamp: str) -> Any:
        known = self.kept.get(key)
        if known is None or known[0] != stamp:
            self.misses.append(key)
            return None
        return marshal.loads(known[1])

    def put(self, key: str, stamp: str, obj: Any) -> None:
        self.kept[key] = stamp, marshal.dumps(obj)


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the bundled files unreadable."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} was opened")

    bundle.vendors.cache_clear()
    monkeypatch.setattr(bundle, "raw", refuse)


@requirement("P3")
def test_a_claude_id_never_opens_the_file_of_other_vendors(monkeypatch: pytest.MonkeyPatch) -> None:
    table = bundled()
    monkeypatch.setattr(bundle, "vendor", None)
    assert million(table, "claude-opus-5") is not None
    assert million(table, "claude-unheard-of") is None


@requirement("P7")
def test_a_tier_of_another_vendor_has_prices_of_its_own() -> None:
    table = bundled()
    standard, flex = million(table, "gpt-5"), million(table, "gpt-5", tier="flex")
    assert standard is not None
    assert flex == tuple(price / 2 for price in standard)


@requirement("P4", "P7")
def test_claudes_factors_are_not_other_vendors() -> None:
    table = bundled()
    assert million(table, "glm-4.6", tier="batch") is None
    assert million(table, "glm-4.6", tier="priority") is None
    assert million(table, "gpt-5", speed="fast") is None
    assert million(table, "glm-4.6", geo="us") == million(table, "glm-4.6")


@requirement("P4", "P8")
def test_a_tiers_price_begins_on_its_day() -> None:
    table = bundled()
    assert million(table, "gpt-5", tier="batch", on="2026-10-13") is None
    assert million(table, "gpt-5", tier="batch", on="2026-10-14") is not None


@requirement("P8")
def test_another_vendors_past_keeps_its_price() -> None:
    table = bundled()
    before, after = (million(table, "o3", on=on) for on in ("2025-06-09", "2025-06-10"))
    assert before is not None
    assert after is not None
    assert (str(before[0]), str(after[0])) == ("10", "2")


@requirement("P6")
def test_another_vendors_long_prompt_costs_more() -> None:
    table = bundled()
    prices = [million(table, "gemini-2.5-pro", prompt=count) for count in (200_000, 200_001)]
    assert [price and (price[0], price[4]) for price in prices] == [
        (Decimal("1.25"), Decimal(10)),
        (Decimal("2.5"), Decimal(15)),
    ]


@requirement("P7")
def test_a_search_has_its_vendors_price_or_the_common_one() -> None:
    table = bundled()
    searches = [
        table.rates(model, day("2026-10-17"), 0, "", "", "")
        for model in ("gemini-2.5-pro", "glm-4.6")
    ]
    assert [rates and rates[5] for rates in searches] == [35 * 10**15, 10 * 10**15]


@requirement("P8")
@pytest.mark.usefixtures("sealed")
def test_without_a_memo_the_files_are_read() -> None:
    with pytest.raises(AssertionError, match=r"claude\.json was opened"):
        load()


@requirement("P8")
def test_a_memo_stands_for_the_files(request: pytest.FixtureRequest) -> None:
    drawer = Drawer()
    models = ["claude-opus-5", "gpt-5", "GLM-4.6", "nobody-sells-this"]
    first = [load(None, drawer).rates(model, 20_000, 3, "", "", "") for model in models]
    assert sorted(drawer.misses) == sorted(drawer.kept)
    drawer.misses.clear()
    request.getfixturevalue("sealed")
    table = load(None, drawer)
    assert [table.rates(model, 20_000, 3, "", "", "") for model in models] == first
    assert (table.thresholds, drawer.misses) == (bundled_thresholds(drawer), [])


def bundled_thresholds(drawer: Drawer) -> tuple[int, ...]:
    limits: tuple[int, ...] = marshal.loads(drawer.kept["prices/claude"][1])["thresholds"]
    return limits


@requirement("P8")
def test_a_memo_of_another_release_is_forgotten() -> None:
    drawer = Drawer()
    load(None, drawer)
    drawer.kept["prices/claude"] = "an older stamp", marshal.dumps({"version": "old"})
    assert load(None, drawer).version == bundled().version
    assert load(None, drawer).version == bundled().version
    assert drawer.misses == ["prices/claude"] * 2
