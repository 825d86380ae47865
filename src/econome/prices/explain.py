"""The price table for people: its rows, and why a model id has the price it has, or none.

Nothing here computes a price: amounts are asked of the price table, reasons are read from the
bundled files. An id that no list holds is told so; another model's price is never offered for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from econome.prices.amounts import usd
from econome.prices.ids import normalise
from econome.prices.rows import ALWAYS, FOREVER, RATE_NAMES
from econome.prices.tariff import STANDARD_TIERS
from econome.times import day_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from econome.prices.rows import Compiled
    from econome.prices.tariff import PriceTable

__all__ = ["Lists", "explanation", "listing"]

_MILLION = 10**6


class Lists:
    """The bundled files as they are written, for what a price table does not keep: the reasons."""

    def __init__(self, claude: Mapping[str, Any], vendors: Mapping[str, Any]) -> None:
        self.claude, self.vendors = claude, vendors

    def vendor_ids(self) -> list[str]:
        """Return the ids of other vendors' models."""
        return list(self.vendors["models"])

    def about(self, table: PriceTable, name: str) -> dict[str, Any] | None:
        """Return where the price of a normalised id comes from and what is said of it."""
        if name in table.overridden:
            return {"list": "settings", "sources": [], "notes": ["from your settings"]}
        model = self.claude["models"].get(name)
        if model is not None:
            named = self.claude["sources"]
            notes = [model[key] for key in ("note", "disputed") if key in model]
            sources = [named[key] for key in model["sources"]]
            return {"list": "claude", "sources": sources, "notes": notes}
        row = self.vendors["models"].get(name)
        if row is None:
            return None
        row = self.vendors["models"][row] if isinstance(row, str) else row
        seller = self.vendors["sellers"][row["by"]]
        return {
            "list": "vendors",
            "sources": [seller["source"]],
            "notes": [f"sold by {seller['name']}", *_unpublished(row)],
        }


def listing(table: PriceTable, lists: Lists, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of these models: one for each dated entry, tier and prompt length."""
    rows: list[dict[str, Any]] = []
    for name in names:
        compiled, _ = table.find(name)
        about = lists.about(table, name)
        if compiled is not None and about is not None:
            rows += [{"model": name, **row, **about} for row in _rows(compiled)]
    return rows


def explanation(table: PriceTable, lists: Lists, model: str, day: int) -> dict[str, Any]:
    """Return what *model* resolves to on a UTC *day*, why, and what changes its price."""
    name = normalise(model)
    compiled, region = table.find(model)
    about = lists.about(table, name.canonical)
    answer: dict[str, Any] = {
        "model": model,
        "resolves_to": name.canonical,
        "steps": name.steps or ["taken as it is"],
        "day": day_text(day),
        "priced": False,
        "reason": None,
        "prices": [],
        "modifiers": [],
        "entries": [],
        "list": None,
        "sources": [],
        "notes": [],
    }
    if compiled is None or about is None:
        return answer | {"reason": _absent(name.canonical)}
    current = [row for row in _rows(compiled) if _holds(row, day)]
    prices = _prices(table, model, day, current)
    return answer | {
        "priced": bool(prices),
        "reason": None if prices else _undated(compiled, day),
        "prices": prices,
        "modifiers": _modifiers(table, compiled, region, lists),
        "entries": _rows(compiled),
        **about,
    }


def _rows(compiled: Compiled) -> list[dict[str, Any]]:
    """Return a compiled model's entries as rows of decimal strings, in USD per million tokens."""
    fast, us_only, _, search, entries = compiled
    return [
        {
            "tier": tier,
            "from": None if first == ALWAYS else day_text(first),
            "until": None if end == FOREVER else day_text(end),
            "above": None if above < 0 else above,
            **_million(rates),
            "fast": _decimal(fast),
            "us_only": _decimal(us_only),
            "web_search": usd(search * 1000),
        }
        for tier, first, end, bands in entries
        for above, rates in bands
    ]


def _million(rates: Sequence[int]) -> dict[str, str]:
    return {key: usd(rate * _MILLION) for key, rate in zip(RATE_NAMES, rates, strict=False)}


def _decimal(factor: tuple[int, int] | None) -> str | None:
    return None if factor is None else usd(factor[0] * 10**18 // factor[1])


def _holds(row: Mapping[str, Any], day: int) -> bool:
    shown = day_text(day)  # ISO dates sort as days do
    begun = row["from"] is None or row["from"] <= shown
    return begun and (row["until"] is None or shown < row["until"])


def _prices(
    table: PriceTable, model: str, day: int, rows: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what tokens cost that day, region included, for each prompt length."""
    found: list[dict[str, Any]] = []
    for row in rows:
        above = row["above"]
        bucket = 0 if above is None else table.thresholds.index(above) + 1
        rates = table.rates(model, day, bucket, "", "", "")
        if rates is not None and row["tier"] == "":
            found.append({"above": above, **_million(rates)})
    return found


def _modifiers(
    table: PriceTable, compiled: Compiled, region: str, lists: Lists
) -> list[dict[str, Any]]:
    """Return what multiplies the price of this model: when, by how much, and whether its id says so."""
    fast, us_only, batch, search, entries = compiled
    found: list[dict[str, Any]] = []

    def add(when: str, factor: str | None, effect: str, applied: bool = False) -> None:
        found.append({"when": when, "factor": factor, "effect": effect, "applied": applied})

    if region:
        factor = _decimal(table.region_factor(region))
        add(f"region prefix {region}.", factor, f"{factor}x", applied=True)
    if fast is None:
        add("speed fast", None, "no published factor: no price")
    else:
        add("speed fast", _decimal(fast), f"{_decimal(fast)}x")
    if us_only is not None:
        add("inference_geo us", _decimal(us_only), f"{_decimal(us_only)}x")
    tiers = sorted({entry[0] for entry in entries} - {""})
    for tier in tiers:
        add(f"service_tier {tier}", None, "prices of its own, see the entries")
    if batch is not None:
        add("service_tier batch", _decimal(batch), f"{_decimal(batch)}x")
        add("service_tier priority", "1", "standard price, labelled")
    known = ", ".join(sorted(name for name in STANDARD_TIERS if name))
    add(f"service_tier {known} or none", "1", "standard price")
    add("any other service_tier", None, "no price")
    add("each web search", None, f"{usd(search)} USD beside the tokens, unmultiplied")
    return found


def _absent(name: str) -> str:
    return (
        f"{name or 'an empty id'} is in no price list, and a price is never taken from a model of like name; "
        "add it to the settings under [prices]"
    )


def _undated(compiled: Compiled, day: int) -> str:
    """Say why a listed model has no price on *day*."""
    standard = [entry for entry in compiled[4] if entry[0] == ""]
    later = [entry[1] for entry in standard if entry[1] > day]
    if later:
        return f"no price on {day_text(day)}: its next one begins on {day_text(min(later))}"
    ended = max(entry[2] for entry in standard)
    return f"no price on {day_text(day)}: its last one ended before {day_text(ended)}"


def _unpublished(row: Mapping[str, Any]) -> list[str]:
    """Say which cache prices of another vendor's model are not published."""
    missing = [key for key in ("cache_read", "write_5m") if key not in row["entries"][0]]
    words = {"cache_read": "cache reads", "write_5m": "cache writes"}
    return [f"{words[key]} have no published price and cost what input costs" for key in missing]
