"""What a diagnosis says: findings with their worth, what was judged, and what cannot be known; as values and as a report.

Pure. Worth is a whole number of atto-dollars (1e-18 USD) until it becomes text. What is measured and what is estimated
never meet in one sum. A rule's worth is made of claims, at most one on each response (or on each preset of
delegations); where several rules claim one response, a sum over rules takes the largest claim alone, so that it never
exceeds what the responses cost.

A report, shortened (`tests/diagnosis/sample.py` has one with every part)::

    {"schema": "econome.diagnosis/1", "today": "2026-10-20", "period": {"since": "2026-10-01", "until": null},
     "findings": [{"rule": "cache-rebuilt-after-pause", "confidence": "high", "share_of_cost": 0.12,
                   "worth": {"tokens": 90000, "usd": "0.5175", "partial": false, "basis": "measured",
                             "method": "write-minus-read-price"},
                   "cumulative_usd": "0.5175", "facts": {"rebuilds": 1, "sessions": 1},
                   "evidence": [{"name": "pauses", "columns": [{"key": "session", "kind": "session"}],
                                 "rows": [["s1"]], "left_out": 0}]}],
     "totals": {"method": "largest-claim-of-each-response", "measured": {"tokens": 90000, "usd": "0.5175"}, …},
     "judged": [{"rule": "unusual-day", "outcome": "not judged", "reason": "too-few-days", "threshold": null}, …],
     "unknown": ["flat-rate", …], "cost": {"usd": "4.3", "partial": false, "responses": 12, "sessions": 2},
     "coverage": {…}, "detail": {…} | null, "prices": {…}}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from econome.prices.amounts import usd

__all__ = [
    "KINDS", "METHODS", "REASONS", "RULES", "SCHEMA", "UNKNOWN", "Basis", "Claim", "Claims", "Confidence", "Evidence",
    "Finding", "Judgement", "Outcome", "Percentile", "Threshold", "Unit", "evidence", "found", "not_judged", "nothing", "told",
]  # fmt: skip

SCHEMA = "econome.diagnosis/1"

RULES = (
    "cache-rebuilt-after-pause",
    "hour-writes-unread",
    "dear-model-in-sub-agents",
    "fan-out-above-norm",
    "mcp-answers-dominate",
    "same-file-read-again",
    "compaction-again",
    "long-prompt-for-little",
    "unusual-day",
    "delegation-loses",
    "heavy-menu",
)
"""The rules, in the order in which they are told as judged."""

METHODS = {
    "cache-rebuilt-after-pause": "write-minus-read-price",
    "hour-writes-unread": "hour-minus-five-minute-price",
    "dear-model-in-sub-agents": "same-tokens-at-other-price",
    "fan-out-above-norm": "above-own-norm",
    "mcp-answers-dominate": "characters-carried-on",
    "same-file-read-again": "characters-carried-on",
    "compaction-again": "cost-of-compactions",
    "long-prompt-for-little": "long-minus-short-price",
    "unusual-day": "above-own-norm",
    "delegation-loses": "contract-estimate",
    "heavy-menu": "menu-of-every-turn",
}
"""How the worth of each rule was come by."""

REASONS = (
    "no-responses",
    "no-detail",
    "no-claude-transcripts",
    "too-few-days",
    "too-few-sessions",
    "no-ledger",
    "no-delegations",
    "no-profile",
)
"""Why a rule was not judged."""

UNKNOWN = (
    "flat-rate",
    "quality-of-answers",
    "need-of-a-dear-model",
    "calls-beyond-transcripts",
    "cache-lifetime",
    "cause-of-a-rebuild",
    "parts-of-files",
    "changes-from-outside",
    "tokens-of-characters",
    "overlap-of-findings",
    "detail-of-other-agents",
    "incomplete-output",
    "models-without-a-price",
    "undated-responses",
)
"""What a report may say that it cannot know; the last four only where there is such a thing."""

KINDS = (
    "session", "project", "model", "agent", "tool", "server", "preset", "hash", "day", "instant", "seconds", "count",
    "tokens", "characters", "usd", "share", "economy",
)  # fmt: skip
"""What a column of evidence can hold. Sessions, projects, models, agents, tools, servers and presets are anybody's text;
a day is an ISO date, an instant ISO 8601 in UTC, `usd` an exact decimal text or None, a share a number from 0 to 1."""

Basis = Literal["measured", "estimated"]
Confidence = Literal["high", "medium", "low"]
Outcome = Literal["found", "nothing", "not judged"]
Unit = int | str
"""What can be claimed once: a response by its place among those of the period, or a thing by its name."""

_ROWS = 20


@dataclass(frozen=True, slots=True)
class Claim:
    """What a rule says of one unit: so many of its tokens, and their worth, None where it has no price."""

    tokens: int
    atto: int | None


Claims = Mapping[Unit, Claim]


@dataclass(frozen=True, slots=True)
class Percentile:
    """The user's own norm: the *p*th percentile of something, None where there was nothing to take it of."""

    of: str
    p: int
    value: Any


@dataclass(frozen=True, slots=True)
class Threshold:
    """What was needed: *used* is the larger of the floor and the user's own norm.

    It decides whether there is a finding, or (`rows`) only which rows of its evidence are shown, while the worth counts
    everything from the floor on.
    """

    used: Any
    floor: Any
    percentile: Percentile | None = None
    decides: Literal["finding", "rows"] = "finding"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A table of what a finding rests on; *left_out* rows are not shown."""

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that costs, by one rule."""

    rule: str
    basis: Basis
    confidence: Confidence
    claims: Claims
    facts: Mapping[str, Any]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a rule came to."""

    rule: str
    outcome: Outcome
    reason: str | None = None
    threshold: Threshold | None = None
    finding: Finding | None = None


def nothing(rule: str, threshold: Threshold | None = None) -> Judgement:
    """Return that a rule found nothing."""
    return Judgement(rule, "nothing", None, threshold)


def not_judged(rule: str, reason: str) -> Judgement:
    """Return that a rule could not be applied, and why."""
    return Judgement(rule, "not judged", reason)


def found(finding: Finding, threshold: Threshold | None) -> Judgement:
    """Return that a rule found something."""
    return Judgement(finding.rule, "found", None, threshold, finding)


def evidence(
    name: str,
    columns: Sequence[tuple[str, str]],
    rows: Sequence[tuple[Any, ...]],
    beside: int = 0,
) -> Evidence:
    """Return the first rows as evidence; those after them, and *beside* others, are counted as left out."""
    shown = tuple(rows[:_ROWS])
    return Evidence(name, tuple(columns), shown, len(rows) - len(shown) + beside)


@dataclass(slots=True)
class _Sum:
    """Claims added up: on each unit the largest of those made."""

    claims: dict[Unit, Claim] = field(default_factory=dict)

    def add(self, claims: Claims) -> None:
        for unit, claim in claims.items():
            known = self.claims.get(unit)
            if known is None or _size(claim) > _size(known):
                self.claims[unit] = claim

    def told(self) -> dict[str, Any]:
        """Return the sum; `partial` says that something of it has no price (P4)."""
        amounts = [claim.atto for claim in self.claims.values() if claim.atto is not None]
        return {
            "tokens": sum(claim.tokens for claim in self.claims.values()),
            "usd": usd(sum(amounts)) if amounts or not self.claims else None,
            "partial": len(amounts) < len(self.claims),
        }


def _size(claim: Claim) -> tuple[int, int]:
    return -1 if claim.atto is None else claim.atto, claim.tokens


def _order(finding: Finding) -> tuple[bool, int, int, int]:
    """The dearest first; what has no price after them, by its tokens."""
    amounts = [claim.atto for claim in finding.claims.values() if claim.atto is not None]
    tokens = sum(claim.tokens for claim in finding.claims.values())
    return not amounts, -sum(amounts), -tokens, RULES.index(finding.rule)


def told(judgements: Iterable[Judgement], cost_atto: int | None) -> dict[str, Any]:
    """Return the parts of a report that tell what was judged: `findings`, `totals` and `judged`.

    *cost_atto* is what the period cost, of which each worth is a share; None where nothing of it has a price.
    """
    judged = sorted(judgements, key=lambda one: RULES.index(one.rule))
    ordered = sorted((one.finding for one in judged if one.finding is not None), key=_order)
    sums: dict[Basis, _Sum] = {"measured": _Sum(), "estimated": _Sum()}
    findings = []
    for finding in ordered:
        of_basis = sums[finding.basis]
        of_basis.add(finding.claims)
        findings.append(_finding(finding, cost_atto, of_basis.told()["usd"]))
    return {
        "findings": findings,
        "totals": {
            "method": "largest-claim-of-each-response",
            **{basis: of_basis.told() for basis, of_basis in sums.items()},
        },
        "judged": [
            {
                "rule": one.rule,
                "outcome": one.outcome,
                "reason": one.reason,
                "threshold": None if one.threshold is None else _threshold(one.threshold),
            }
            for one in judged
        ],
    }


def _finding(finding: Finding, cost_atto: int | None, cumulative: str | None) -> dict[str, Any]:
    alone = _Sum()
    alone.add(finding.claims)
    worth = alone.told() if finding.claims else {"tokens": None, "usd": None, "partial": False}
    amount = sum(claim.atto or 0 for claim in alone.claims.values())
    share = None if worth["usd"] is None or not cost_atto else amount / cost_atto
    return {
        "rule": finding.rule,
        "worth": {**worth, "basis": finding.basis, "method": METHODS[finding.rule]},
        "share_of_cost": share,
        "confidence": finding.confidence,
        "facts": dict(finding.facts),
        "evidence": [
            {
                "name": table.name,
                "columns": [{"key": key, "kind": kind} for key, kind in table.columns],
                "rows": [list(row) for row in table.rows],
                "left_out": table.left_out,
            }
            for table in finding.evidence
        ],
        "cumulative_usd": cumulative,
    }


def _threshold(threshold: Threshold) -> dict[str, Any]:
    own = threshold.percentile
    return {
        "used": threshold.used,
        "floor": threshold.floor,
        "percentile": None if own is None else {"of": own.of, "p": own.p, "value": own.value},
        "decides": threshold.decides,
    }
