"""The page of what cost more than it had to: findings with their worth, what was looked for, what cannot be known."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from econome.server.charts.values import Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.judging import judged_now
from econome.server.screens.diagnosis_amounts import amount
from econome.server.screens.diagnosis_view import Told, View, view
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.legends import hidden, legend
from econome.server.screens.state import State
from econome.server.screens.usage_asked import DEFAULT_DAYS, PERIOD, lengths
from econome.server.screens.visit import Screen, Visit
from econome.times import parse_day
from econome.usage.asking import ALL_DAYS, DAYS

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["screen", "shown"]

_PLACES = {True: 0, False: 1}
_BASES = {True: "measured", False: "estimated"}
"""The marks of what was measured and of what was estimated."""


def screen(visit: Visit) -> Screen:
    """Return the page of the period that the address names, or that it is being judged."""
    since, until, _ = _period(visit)
    judged = judged_now(visit.desk, since, until, again=not visit.part)
    return shown(visit, judged.report, current=judged.current)


def shown(visit: Visit, report: dict[str, Any] | None, *, current: bool = True) -> Screen:
    """Return the page of a report, None for the first, which is not there yet; without *current* a newer one is made."""
    told, within = visit.telling, _within(visit.state)
    context: dict[str, Any] = {
        "lengths": lengths(told, _period(visit)[2]),
        "again": visit.state.link(),
        "usage": within.link(),
        "current": current,
        "view": None,
    }
    title = told.text("Diagnosis")
    if report is None:
        return Screen("diagnosis", title, context=context, manual="diagnosis")
    seen = view(told, report, within)
    context |= {
        "view": seen,
        "report": report,
        "cost": amount(told, report["cost"]),
        "period_text": _told_period(told, report["period"]),
    }
    tables = (table for finding in seen.findings for table in finding.evidence)
    figures = (_worth(visit, report, seen), seen.judged, *tables)
    return Screen("diagnosis", title, figures, context=context, manual="diagnosis")


def _period(visit: Visit) -> tuple[int | None, int | None, str]:
    """Return the first and the last day, None where it is open, and the length that was chosen, if one was."""
    since, until = (parse_day(visit.state.get(name)) for name in ("since", "until"))
    if since is not None:
        return since, until, ""
    days = visit.state.one_of("days", DAYS, DEFAULT_DAYS)
    if days == ALL_DAYS:
        return None, until, days if until is None else ""
    last = visit.moment.today if until is None else until
    return last - int(days) + 1, last, days if until is None else ""


def _within(state: State) -> State:
    """Return the page of what was consumed, in the period of this one."""
    pairs = tuple(pair for pair in state.pairs if pair[0] in PERIOD)
    return State("/usage", pairs or (("days", DEFAULT_DAYS),))


def _told_period(told: Telling, period: dict[str, str | None]) -> str:
    since, until = period["since"], period["until"]
    if since is None and until is None:
        return told.text("all days")
    if since is None:
        return told.text("up to {until}", until=told.day(until))
    if until is None:
        return told.text("from {since}", since=told.day(since))
    return told.text("{since} to {until}", since=told.day(since), until=told.day(until))


def _worth(visit: Visit, report: dict[str, Any], seen: View) -> Figure:
    """Return the worth of each finding, each with the mark of its basis, and how it adds up within its basis."""
    told, unseen = visit.telling, hidden(visit.state)
    rows, groups = [], []
    for finding, shown in zip(report["findings"], seen.findings, strict=True):
        worth = finding["worth"]
        usd = None if worth["usd"] is None else Decimal(worth["usd"])
        up_to = finding["cumulative_usd"]
        rows.append(
            Row(
                (
                    shown.name, shown.basis, worth["tokens"], usd, finding["share_of_cost"],
                    None if up_to is None else Decimal(up_to),
                ),
                links={"rule": f"#{shown.rule}"},
                place=_PLACES[shown.measured],
            )
        )  # fmt: skip
        if usd is not None and _BASES[shown.measured] not in unseen:
            groups.append(_group(shown, float(usd)))
    series = {
        _BASES[True]: Series(told.text("measured"), _PLACES[True]),
        _BASES[False]: Series(told.text("estimated"), _PLACES[False]),
    }
    known = any(finding["worth"]["usd"] is not None for finding in report["findings"])
    head = Head(
        "worth",
        told.text("Worth of the findings"),
        told.text(
            "One bar a finding, in USD; measured and estimated ones have marks of their own and are not added up."
        ),
    )
    return Figure(
        "worth",
        head.title,
        (
            Column("rule", told.text("finding"), "text"),
            Column("basis", told.text("basis"), "text"),
            Column("tokens", told.text("tokens")),
            Column("usd", told.text("worth"), "usd"),
            Column("share_of_cost", told.text("share of the cost"), "share"),
            Column("cumulative_usd", told.text("up to here, same basis"), "usd"),
        ),
        tuple(rows),
        chart=worths(groups, tuple(series.values()), head) if known else "",
        note=told.text(
            "Findings can be about the same responses: “up to here” counts each response once, by its largest finding, and never adds "
            "what was measured to what was estimated."
        ),
        legend=legend(visit.state, series) if known else (),
    )


def _group(shown: Told, usd: float) -> Group:
    values = (usd, 0.0) if shown.measured else (0.0, usd)
    return Group(shown.name, values, f"{shown.amount} · {shown.basis}", f"#{shown.rule}")
