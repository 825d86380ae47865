"""The first page of figures: today, 7 and 30 days side by side, and what the 30 days were spent on.

Pure: the tree, the zone and today's date are arguments. Every figure is one of `usage_report`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from econome.times import day_text
from econome.usage.query import Query
from econome.usage.report import usage_report

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.usage.tree import Tree

__all__ = ["PERIODS", "SCHEMA", "overview"]

SCHEMA = "econome.overview/1"
PERIODS = (1, 7, 30)
"""The lengths, in days with today as the last, of the periods side by side."""

_MAIN = "main"


def overview(tree: Tree, zone: Zone, today: int) -> dict[str, Any]:
    """Return the overview: schema `econome.overview/1`.

    `models`, `projects` and `agents` are all rows of the longest period, the dearest first;
    `sub_agents` sums the rows of `agents` other than `main`; `from_history` counts the files that are gone
    from disk and go on counting (F17).
    """
    longest = max(PERIODS)
    by_model = _report(tree, zone, today, longest, "model")
    totals = {
        length: by_model if length == longest else _report(tree, zone, today, length, "model")
        for length in PERIODS
    }
    agents: list[dict[str, Any]] = _report(tree, zone, today, longest, "agent")["rows"]
    return {
        "schema": SCHEMA,
        "today": day_text(today),
        "periods": [
            {
                "days": length,
                "since": day_text(today - length + 1),
                "until": day_text(today),
                **report["total"],
            }
            for length, report in totals.items()
        ],
        "models": by_model["rows"],
        "projects": _report(tree, zone, today, longest, "project")["rows"],
        "agents": agents,
        "sub_agents": _delegated(agents),
        "unpriced": by_model["unpriced"],
        "refused": by_model["refused"],
        "unsplit_write_tokens": by_model["unsplit_write_tokens"],
        "coverage": by_model["coverage"],
        "from_history": tree.totals["from_history"],
        "prices": by_model["prices"],
    }


def _last(today: int, length: int, by: str = "day") -> Query:
    return Query((by,), since=today - length + 1, until=today)


def _report(tree: Tree, zone: Zone, today: int, length: int, by: str) -> dict[str, Any]:
    return usage_report(tree, _last(today, length, by), zone, today)


def _delegated(agents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return responses and cost of everything that was not the main thread's."""
    rows = [row for row in agents if row["agent"] != _MAIN]
    priced = [Decimal(row["cost_usd"]) for row in rows if row["cost_usd"] is not None]
    cost = sum(priced, Decimal(0))
    return {
        "responses": sum(row["responses"] for row in rows),
        "cost_usd": f"{cost.normalize():f}" if priced or not rows else None,
        "partial": any(row["partial"] for row in rows),
    }
