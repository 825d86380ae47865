"""Read the bundled price files.

This half touches the world: it opens the two JSON files of ``data/`` and nothing else. It is
imported only when the fast path found no memo of an earlier run.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from econome.prices.amounts import atto_per_search
from econome.prices.rows import entry, factor

if TYPE_CHECKING:
    from econome.prices.rows import Compiled

__all__ = ["SEARCH", "claude", "filled", "raw", "vendor", "vendors"]

SEARCH = "10"
"""USD per thousand web searches where a vendor's own price is not listed (P7)."""


def raw(name: str) -> dict[str, Any]:
    """Return a bundled file as it is written."""
    path = os.path.join(os.path.dirname(__file__), "data", name)
    with open(path, encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data


def claude() -> dict[str, Any]:
    """Return the compiled Claude table: header values, factors and models, ready for a memo."""
    data = raw("claude.json")
    us_only, batch = factor(data["geo"]["us"]), factor(data["tier"]["batch"])
    search = atto_per_search(data["web_search"])
    models: dict[str, Compiled] = {}
    for name, model in data["models"].items():
        fast = factor(model["fast"]) if "fast" in model else None
        geo = us_only if model.get("us_only") else None
        entries = tuple(entry(row) for row in model["entries"])
        models[name] = (fast, geo, batch, search, entries)
    lengths = {band[0] for model in models.values() for row in model[4] for band in row[3][1:]}
    return {
        "version": data["version"],
        "checked": data["checked"],
        "thresholds": tuple(sorted(lengths.union(data["vendor_thresholds"]))),
        "regions": {name: factor(text) for name, text in data["region"].items()},
        "batch": batch,
        "search": search,
        "models": models,
    }


@cache
def vendors() -> dict[str, Any]:
    """Return the bundled prices of other vendors as they are written; do not change them."""
    return raw("vendors.json")


def vendor(name: str) -> Compiled | None:
    """Return another vendor's compiled model by its exact id, or ``None`` when it is not listed.

    No factor of Claude's applies to it: a tier has entries of its own, or the model has no price in
    that tier.
    """
    models = vendors()["models"]
    model = models.get(name)
    if isinstance(model, str):  # another id of the same model
        model = models[model]
    if model is None:
        return None
    entries = tuple(entry(filled(row), row.get("tier", "")) for row in model["entries"])
    return None, None, None, atto_per_search(model.get("web_search", SEARCH)), entries


def filled(row: dict[str, Any]) -> dict[str, Any]:
    """Return a vendor's row with the prices it leaves out.

    A cache nobody prices is no cache: its tokens cost what other input costs, and a 1-hour write
    without a price of its own costs what a write costs. Claude's multiples are not other vendors'.
    """
    full = {"cache_read": row["input"], "write_5m": row["input"], **row}
    full.setdefault("write_1h", full["write_5m"])
    if "long" in row:
        full["long"] = [filled(band) for band in row["long"]]
    return full
