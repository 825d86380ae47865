"""Flatten the data of the package `genai-prices` into `src/econome/prices/data/vendors.json`.

Run by `make prices` at a release, with that package installed; a report never imports it. Only its
data is read, not its calculation. Kept are models with a price per input and per output token, by the
exact ids the package lists: a rule that matches a prefix, a part or a pattern names no id and is left
out. What a dated row with prompt lengths and service tiers cannot say is left out too and counted.

The same id sold by several companies: its maker's price counts; without a maker, a price that all agree
on; otherwise none. Claude models are left out: `claude.json` is theirs, written by hand.

    python tools/make_prices.py            write vendors.json, and the prompt lengths into claude.json
    python tools/make_prices.py --check    print where the package differs from claude.json
"""

from __future__ import annotations

import argparse
import collections
import datetime
import importlib
import importlib.metadata
import json
import pathlib
import re
import sys
from typing import Any

DATA = pathlib.Path(__file__).resolve().parent.parent / "src" / "econome" / "prices" / "data"
PACKAGE = "genai-prices"

# Imported by name: the package is no dependency of the project, so its types are not checked here.
types: Any = importlib.import_module("genai_prices.types")
providers: Any = importlib.import_module("genai_prices.data").providers

MAKERS = (
    "arcee",
    "cohere",
    "deepseek",
    "google",
    "meta",
    "minimax",
    "mistral",
    "moonshotai",
    "openai",
    "perplexity",
    "x-ai",
    "zai",
)
"""Companies that sell their own models: what they ask is the list price of their ids."""

CONVERTED = ("zhipuai",)
"""Companies without a price in USD; the package converts and keeps only the cheapest prompt length."""

TIERS = ("flex", "priority", "fast")
FIELDS = (
    ("input", "input_mtok"),
    ("output", "output_mtok"),
    ("cache_read", "cache_read_mtok"),
    ("write_5m", "cache_write_mtok"),
    ("write_1h", "cache_write_1h_mtok"),
)
UNSAYABLE = {
    "requests_kcount": "a fee per request",
    "output_reasoning_mtok": "reasoning tokens at a price of their own",
    "output_citation_mtok": "citation tokens at a price of their own",
}
Row = dict[str, Any]


class LeftOut(Exception):
    """A model whose price a row cannot say; the text is the reason that is counted."""


def exact_ids(provider: Any, model: Any) -> list[str]:
    """Return the ids that name *model* and nothing else, in small letters."""
    clauses, ids = [model.match], {model.id.lower()}
    while clauses:
        clause = clauses.pop()
        if isinstance(clause, types.ClauseOr):
            clauses += clause.or_
        elif isinstance(clause, types.ClauseEquals):
            ids.add(clause.equals.lower())
    return sorted(name for name in ids if provider.find_model(name) is model)


def dated_prices(model: Any) -> list[tuple[datetime.date | None, Any]]:
    """Return the prices of *model* with the first day of each, oldest first."""
    if not isinstance(model.prices, list):
        return [(None, model.prices)]
    found: list[tuple[datetime.date | None, Any]] = []
    for one in model.prices:
        if isinstance(one.constraint, types.TimeOfDateConstraint):
            raise LeftOut("a price by the time of day")
        first = one.constraint.start_date if one.constraint else None
        if found and (first is None or (found[-1][0] and first < found[-1][0])):
            raise LeftOut("dates out of order")
        if found and found[-1][0] == first:
            found.pop()
        found.append((first, one.prices))
    return found


def variants(model: Any) -> dict[str, list[Any]]:
    """Return the price variants that a service tier of a response selects, by tier."""
    found: dict[str, list[Any]] = collections.defaultdict(list)
    for variant in model.price_variants or ():
        if variant.when == {"processing": "batch"}:
            found["batch"].append(variant)
        elif list(variant.when) == ["service_tier"] and variant.when["service_tier"] in TIERS:
            found[variant.when["service_tier"]].append(variant)
    return found


def rows_of(model: Any) -> list[Row]:
    """Return the dated rows of *model*, standard tier first."""
    standard = dated_prices(model)
    rows = [row(first, end, prices.__dict__) for first, end, prices in spans(standard)]
    for tier, choices in sorted(variants(model).items()):
        if any(isinstance(one.constraint, types.TimeOfDateConstraint) for one in choices):
            continue
        days = {one.constraint.start_date for one in choices if one.constraint}
        starts = sorted({*days, *(first for first, _ in standard if first)})
        for first, end, _ in spans([(None, None), *((day, None) for day in starts)]):
            active = [one for one in choices if one.constraint is None or is_on(one, first)]
            if not active:
                continue
            prices = dict(
                next(
                    p for f, p in reversed(standard) if f is None or (first and f <= first)
                ).__dict__
            )
            for one in reversed(active):
                prices.update(one.prices.__dict__)
            rows.append({"tier": tier, **row(first, end, prices)})
    return rows


def is_on(variant: Any, day: datetime.date | None) -> bool:
    """Return whether a dated variant holds on *day*; ``None`` is before every date."""
    return day is not None and variant.constraint.start_date <= day


def spans(starts: list[tuple[Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """Return each start with the start that ends it."""
    ends = [first for first, _ in starts[1:]] + [None]
    return [(first, end, prices) for (first, prices), end in zip(starts, ends, strict=True)]


def row(first: Any, end: Any, prices: dict[str, Any]) -> Row:
    """Return one dated row; prices that follow from a wider one are left to the reader."""
    for key, reason in UNSAYABLE.items():
        if prices.get(key):
            raise LeftOut(reason)
    asked = {name: prices[key] for name, key in FIELDS if prices.get(key) is not None}
    if "input" not in asked or "output" not in asked:
        raise LeftOut("no price per text token in and out")
    limits = {
        tier.start for p in asked.values() if isinstance(p, types.TieredPrices) for tier in p.tiers
    }
    plain = {"from": first and first.isoformat(), "until": end and end.isoformat()}
    found: Row = {key: value for key, value in plain.items() if value}
    found |= {name: text(at(price, 0)) for name, price in asked.items()}
    if limits:
        found["long"] = [
            {"above": limit, **{name: text(at(price, limit + 1)) for name, price in asked.items()}}
            for limit in sorted(limits)
        ]
    return found


def at(price: Any, prompt: int) -> Any:
    """Return a price for a prompt of so many tokens."""
    if not isinstance(price, types.TieredPrices):
        return price
    return next((t.price for t in reversed(price.tiers) if prompt > t.start), price.base)


def text(price: Any) -> str:
    """Return a Decimal without exponent or trailing zeros."""
    plain = f"{price:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    if len(plain.partition(".")[2]) > 12:
        raise LeftOut("more decimals than can be held")
    return plain


def search_price(model: Any) -> str | None:
    """Return the latest price of a thousand web searches, if the package has one."""
    prices = dated_prices(model)[-1][1].__dict__.get("web_searches_kcount")
    return text(prices) if prices is not None else None


def offer_of(provider: Any, model: Any) -> Row | str:
    """Return what a company asks for *model*.

    Raises:
        LeftOut: a row cannot say it.
    """
    if provider.id in CONVERTED:
        raise LeftOut("no price in USD")
    offer: Row = {"by": provider.id, "entries": rows_of(model)}
    if (search := search_price(model)) is not None:
        offer["web_search"] = search
    return offer


def vendor_models() -> tuple[dict[str, Row], dict[str, int]]:
    """Return the rows by exact id, and how many ids were left out for which reason."""
    offers: dict[str, dict[str, Row | str]] = collections.defaultdict(dict)
    for provider in providers:
        for model in provider.models:
            try:
                offer = offer_of(provider, model)
            except LeftOut as reason:
                offer = str(reason)
            for name in exact_ids(provider, model):
                if "claude" not in name and provider.id != "anthropic":
                    offers[name][provider.id] = offer
    models: dict[str, Row] = {}
    left_out: dict[str, int] = collections.Counter()
    for name, found in sorted(offers.items()):
        chosen = choose(found)
        if isinstance(chosen, str):
            left_out[chosen] += 1
        else:
            models[name] = chosen
    return models, dict(sorted(left_out.items()))


def choose(found: dict[str, Row | str]) -> Row | str:
    """Return the offer that prices an id, or why none does."""
    makers = [found[name] for name in MAKERS if name in found]
    offers = makers or [found[name] for name in sorted(found)]
    rows = [offer for offer in offers if not isinstance(offer, str)]
    if not rows or (makers and len(rows) < len(makers)):
        return next(offer for offer in offers if isinstance(offer, str))
    same = all(
        (o["entries"], o.get("web_search")) == (rows[0]["entries"], rows[0].get("web_search"))
        for o in rows
    )
    return rows[0] if same and len(rows) == len(offers) else "sold by several at different prices"


def write(checked: str | None) -> None:
    """Write both files; *checked* is the day of the check, by default that of `claude.json`."""
    claude = DATA / "claude.json"
    old = claude.read_text(encoding="utf-8")
    checked = checked or json.loads(old)["checked"]
    models, left_out = vendor_models()
    used = {model["by"] for model in models.values()}
    version = importlib.metadata.version(PACKAGE)
    head = {
        "schema": "econome.vendor-prices/1",
        "package": PACKAGE,
        "version": version,
        "checked": checked,
        "unit": "USD per million tokens; a missing cache_read or write_5m costs what input costs, a missing write_1h what write_5m costs",
        "left_out": left_out,
    }
    sellers = {
        p.id: {"name": p.name, "source": (p.pricing_urls or [""])[0]}
        for p in providers
        if p.id in used
    }
    lines = [f" {dump(key)}: {dump(value)}," for key, value in head.items()]
    lines += [' "sellers": {', block(sellers), " },", ' "models": {', block(shared(models)), " }"]
    (DATA / "vendors.json").write_text("{\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")
    limits = sorted(
        {b["above"] for m in models.values() for e in m["entries"] for b in e.get("long", ())}
    )
    new = re.sub(
        r'"vendor_thresholds": \[[^]]*\]', f'"vendor_thresholds": {json.dumps(limits)}', old
    )
    claude.write_text(new, encoding="utf-8")
    print(f"{PACKAGE} {version}: {len(models)} ids; left out {left_out}; prompt lengths {limits}")


def shared(models: dict[str, Row]) -> dict[str, Any]:
    """Write a row once and let the other ids of the same model name the first."""
    first: dict[str, str] = {}
    found: dict[str, Any] = {}
    for name, model in models.items():
        known = first.setdefault(dump(model), name)
        found[name] = model if known == name else known
    return found


def dump(value: Any) -> str:
    """Return *value* as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def block(rows: dict[str, Any]) -> str:
    """Return the members of a JSON object, one a line."""
    return ",\n".join(f"  {dump(key)}:{dump(value)}" for key, value in rows.items())


def check() -> int:
    """Print where the package and `claude.json` differ; return the number of differences."""
    ours = json.loads((DATA / "claude.json").read_text(encoding="utf-8"))["models"]
    anthropic = next(p for p in providers if p.id == "anthropic")
    count = 0
    for name, model in ours.items():
        theirs = anthropic.find_model(name)
        if theirs is None:
            count += 1
            print(f"{name}: not in {PACKAGE}")
            continue
        mine = [comparable(one) for one in model["entries"]]
        other = [comparable(one) for one in rows_of(theirs) if "tier" not in one]
        for left, right in [
            ("claude.json", [r for r in mine if r not in other]),
            (PACKAGE, [r for r in other if r not in mine]),
        ]:
            for one in right:
                count += 1
                print(f"{name}: only in {left}: {one}")
        fast = next((v for v in theirs.price_variants or () if v.when == {"speed": "fast"}), None)
        factor = (
            text(fast.prices.input_mtok / dated_prices(theirs)[-1][1].input_mtok) if fast else None
        )
        if factor != model.get("fast"):
            count += 1
            print(f"{name}: fast factor {model.get('fast')}, {PACKAGE} says {factor}")
    known = {anthropic.find_model(name) and anthropic.find_model(name).id for name in ours}
    for model in anthropic.models:
        if model.id not in known:
            count += 1
            print(f"{model.id}: not in claude.json")
    print(f"{count} differences from {PACKAGE} {importlib.metadata.version(PACKAGE)}")
    return count


def comparable(one: Row) -> Row:
    """Return a row whose equal prices are written alike."""

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [{key: plain(each) for key, each in band.items()} for band in value]
        if isinstance(value, str) and "." in value:
            return value.rstrip("0").rstrip(".")
        return value

    return {key: plain(value) for key, value in sorted(one.items())}


def main() -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description="Refresh the bundled prices of other vendors.")
    parser.add_argument("--check", action="store_true", help="compare claude.json with the package")
    parser.add_argument(
        "--checked", metavar="DATE", help="day of the check (default: claude.json's)"
    )
    asked = parser.parse_args()
    if asked.check:
        check()
    else:
        write(asked.checked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
