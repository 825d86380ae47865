"""Presets whose delegations cost more than they avoid, or whose work is much reworked, by the contract's estimates.

Pure. The figures are those of the balance; money is the balance's too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from econome.diagnosis.findings import (
    Claim,
    Finding,
    Judgement,
    Unit,
    evidence,
    found,
    not_judged,
    nothing,
)
from econome.diagnosis.norms import needed
from econome.prices.amounts import scaled

__all__ = ["delegation_loses"]

_LOSES = "delegation-loses"

_DELEGATIONS_NEEDED = 5
_SURE = 20
_REWORK_FLOOR = Fraction(1, 2)
_NORM = 90


def _atto(text: str | None) -> int | None:
    """Return an exact amount of dollars in atto-dollars."""
    if text is None:
        return None
    return -scaled(text[1:], 18) if text.startswith("-") else scaled(text, 18)


def _claim(row: Mapping[str, Any]) -> Claim:
    """Return what a preset lost, or, where it gained on the whole, what its rework cost."""
    money = row.get("usd") or {"net": None, "corrections": None}
    if row["net"] < 0:
        net = _atto(money["net"])
        return Claim(-row["net"], None if net is None else max(0, -net))
    return Claim(row["corrections"], _atto(money["corrections"]))


def delegation_loses(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Judgement:
    """Judge the presets of each client, given with the client's name as the balance has them (rule 10)."""
    enough = [(client, row) for client, row in rows if row["delegations"] >= _DELEGATIONS_NEEDED]
    if not enough:
        return not_judged(_LOSES, "no-delegations")
    rates = [Fraction(row["corrections"], row["avoided"]) for _, row in enough if row["avoided"] > 0]  # fmt: skip
    used, threshold = needed("rework-of-a-preset", _NORM, rates, _REWORK_FLOOR, told=float)
    claims: dict[Unit, Claim] = {}
    shown = []
    for client, row in enough:
        reworked = row["avoided"] > 0 and Fraction(row["corrections"], row["avoided"]) >= used
        if row["net"] >= 0 and not reworked:
            continue
        preset = row["preset"] or ""
        claim = claims[f"{client}\n{preset}"] = _claim(row)
        money = row.get("usd") or {}
        told = (
            preset, row["delegations"], row["avoided"], row["steering"], row["corrections"], row["net"],
            row["rework_rate"], money.get("net"),
        )  # fmt: skip
        shown.append(((-(claim.atto or 0), -claim.tokens, client, preset), told))
    if not shown:
        return nothing(_LOSES, threshold)
    columns = (
        ("preset", "preset"), ("delegations", "count"), ("avoided", "tokens"), ("steering", "tokens"),
        ("corrections", "tokens"), ("net", "tokens"), ("rework_rate", "share"), ("net_usd", "usd"),
    )  # fmt: skip
    table = evidence("presets", columns, [row for _, row in sorted(shown, key=lambda one: one[0])])
    count = sum(row[1] for row in table.rows)
    finding = Finding(
        _LOSES,
        "estimated",
        "medium" if count >= _SURE else "low",
        claims,
        {"presets": len(shown), "delegations": sum(row[1] for _, row in shown)},
        (table,),
    )
    return found(finding, threshold)
