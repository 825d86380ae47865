"""A report of the diagnosis in a reader's words: values that the page and the command both show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from econome.server.screens.diagnosis_amounts import amount
from econome.server.screens.diagnosis_limits import Limit, limits
from econome.server.screens.diagnosis_seen import seen
from econome.server.screens.diagnosis_steps import steps
from econome.server.screens.diagnosis_tables import evidence
from econome.server.screens.diagnosis_why import why
from econome.server.screens.diagnosis_words import (
    bases,
    confidences,
    methods,
    names,
    outcomes,
    reasons,
    sought,
    unknowns,
)
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.state import State

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["Together", "Told", "View", "view"]

_Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """One finding in words. *measured* is whether its worth was counted, not estimated; *steps* are what can be done."""

    rule: str
    name: str
    amount: str
    facts: tuple[str, ...]
    """Its tokens, and its share of the cost where it has an amount."""
    measured: bool
    basis: str
    method: str
    confidence: str
    why: str
    limit: str
    """From where on the rule tells, and what is usual for the user."""
    seen: str
    steps: tuple[str, ...]
    evidence: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """What all findings of one basis come to, each response counted once; *share* is of the cost of the period."""

    basis: str
    amount: str
    tokens: str
    share: str


@dataclass(frozen=True, slots=True)
class View:
    """A whole report in words."""

    findings: tuple[Told, ...]
    sums: tuple[Together, ...]
    """One for each basis that has findings: never one sum of both."""
    judged: Figure
    unknown: tuple[str, ...]


def view(told: Telling, report: _Report, within: State) -> View:
    """Return the report in words; *within* is the page of what was consumed, in the same period."""
    unknown = unknowns(told)
    thresholds = {one["rule"]: one["threshold"] for one in report["judged"]}
    return View(
        tuple(
            _finding(told, finding, thresholds[finding["rule"]], within)
            for finding in report["findings"]
        ),
        tuple(_together(told, report, basis) for basis in _bases(report)),
        _judged(told, report),
        tuple(unknown[one] for one in report["unknown"]),
    )


def _bases(report: _Report) -> list[str]:
    held = {finding["worth"]["basis"] for finding in report["findings"]}
    return [basis for basis in ("measured", "estimated") if basis in held]


def _together(told: Telling, report: _Report, basis: str) -> Together:
    total, cost = report["totals"][basis], report["cost"]["usd"]
    part = None if total["usd"] is None or not cost or not Decimal(cost) else Decimal(total["usd"])
    share = told.share(None if part is None else float(part / Decimal(cost)))
    tokens = told.plural("{count} token", "{count} tokens", total["tokens"])
    return Together(bases(told)[basis], amount(told, total), tokens, share)


def _finding(
    told: Telling, finding: Mapping[str, Any], threshold: Mapping[str, Any] | None, within: State
) -> Told:
    rule, worth = finding["rule"], finding["worth"]
    return Told(
        rule=rule,
        name=names(told)[rule],
        amount=amount(told, worth),
        facts=_facts(told, finding),
        measured=worth["basis"] == "measured",
        basis=bases(told)[worth["basis"]],
        method=methods(told)[worth["method"]],
        confidence=confidences(told)[finding["confidence"]],
        why=why(told, rule, finding["confidence"]),
        limit=_limit(told, limits(told, rule, threshold)),
        seen=seen(told, rule, finding["facts"]),
        steps=tuple(steps(told)[rule]),
        evidence=tuple(evidence(told, finding, within)),
    )


def _limit(told: Telling, limit: Limit) -> str:
    if not limit.own:
        return told.text("The rule reports from {used} on.", used=limit.used)
    return told.text("The rule reports from {used} on. {own}.", used=limit.used, own=limit.own)


def _facts(told: Telling, finding: Mapping[str, Any]) -> tuple[str, ...]:
    tokens, share = finding["worth"]["tokens"], finding["share_of_cost"]
    facts = []
    if tokens is not None:
        facts.append(told.plural("{count} token", "{count} tokens", tokens))
    if share is not None:
        facts.append(told.text("{share} of the cost", share=told.share(share)))
    return tuple(facts)


def _judged(told: Telling, report: _Report) -> Figure:
    """Return every rule with what it looked for, what came of it, and from where on it tells."""
    named, called, looked = names(told), outcomes(told), sought(told)
    rows = []
    for one in report["judged"]:
        rule, outcome = one["rule"], called[one["outcome"]]
        limit = limits(told, rule, one["threshold"])
        if one["reason"] is not None:
            outcome = f"{outcome}: {reasons(told)[one['reason']]}"
        links = {"rule": f"#{rule}"} if one["outcome"] == "found" else {}
        values = (named[rule], outcome, limit.used, limit.floor, limit.own, looked[rule])
        rows.append(Row(values, links=links))
    return Figure(
        "judged",
        told.text("What was looked for"),
        (
            Column("rule", told.text("rule"), "text"),
            Column("outcome", told.text("outcome"), "text"),
            Column("used", told.text("reports from"), "text"),
            Column("floor", told.text("floor"), "text"),
            Column("own", told.text("your own"), "text"),
            Column("sought", told.text("what it looks for"), "text"),
        ),
        tuple(rows),
        note=told.text(
            "The floor is fixed, so that nothing too small to matter is reported. A rule that reports from more than its floor reports only "
            "what is beyond your own habit; with the others, your habit chooses which rows are shown."
        ),
    )
