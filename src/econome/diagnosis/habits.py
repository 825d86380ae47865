"""What is beyond the user's own habit: sessions with more sub-agents than usual, and days that cost more.

Pure. The norm is taken of all days up to the end of the period. What lies above it is an estimate of what a usual
session or day would not have cost, and no sign that it was not worth it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from econome.diagnosis.findings import (
    Claim,
    Claims,
    Evidence,
    Finding,
    Judgement,
    Percentile,
    Threshold,
    Unit,
    evidence,
    found,
    not_judged,
    nothing,
)
from econome.diagnosis.norms import DOLLAR, Past, around_median, needed, percentile
from econome.diagnosis.spending import Spent, is_sub_agent
from econome.prices.amounts import usd
from econome.times import day_text

__all__ = ["fan_out", "unusual_day"]

_FAN_OUT, _UNUSUAL = "fan-out-above-norm", "unusual-day"

_SHARE_FLOOR = Fraction(1, 2)
_NORM = 90
_SESSIONS_NEEDED, _DAYS_NEEDED = 10, 14
_SESSION_FLOOR = DOLLAR // 20
_DAY_FLOOR = DOLLAR
_SPREADS = 6
_CAUSES = 3


def _above(ones: Sequence[Spent], part: Fraction) -> dict[Unit, Claim]:
    """Claim a part of each response, rounded down."""
    return {
        one.place: Claim(int(one.tokens * part), int((one.cost or 0) * part))
        for one in ones
        if one.cost
    }


def fan_out(spent: Sequence[Spent], past: Past) -> Judgement:
    """Judge sessions whose sub-agents are a larger share of the cost than the user is used to (rule 4)."""
    shares = [
        Fraction(subs, cost) for cost, subs in past.sessions.values() if cost >= _SESSION_FLOOR
    ]
    if len(shares) < _SESSIONS_NEEDED:
        return not_judged(_FAN_OUT, "too-few-sessions")
    used, threshold = needed("share-of-a-session", _NORM, shares, _SHARE_FLOOR, told=float)
    sessions: dict[str, list[Spent]] = {}
    for one in spent:
        if one.within and one.cost is not None:
            sessions.setdefault(one.response.session, []).append(one)
    claims: dict[Unit, Claim] = {}
    rows = []
    for session, ones in sessions.items():
        subs = [one for one in ones if is_sub_agent(one.response)]
        cost, of_subs = sum(one.cost or 0 for one in ones), sum(one.cost or 0 for one in subs)
        if cost < _SESSION_FLOOR or Fraction(of_subs, cost) <= used:
            continue
        of_session = _above(subs, 1 - used * cost / of_subs)
        claims |= of_session
        above = sum(claim.atto or 0 for claim in of_session.values())
        told = (
            session, ones[0].response.project, of_subs / cost, len({one.thread for one in subs}), usd(cost), usd(above),
        )  # fmt: skip
        rows.append((-above, told))
    if not rows:
        return nothing(_FAN_OUT, threshold)
    columns = (
        ("session", "session"), ("project", "project"), ("share", "share"), ("agents", "count"), ("usd", "usd"),
        ("above_usd", "usd"),
    )  # fmt: skip
    usual = percentile(shares, 50) or Fraction(0)
    finding = Finding(
        _FAN_OUT,
        "estimated",
        "medium",
        claims,
        {"sessions": len(rows), "norm_share": float(used), "usual_share": float(usual)},
        (evidence("sessions", columns, [row for _, row in sorted(rows)]),),
    )
    return found(finding, threshold)


def unusual_day(spent: Sequence[Spent], past: Past) -> Judgement:
    """Judge days that cost more than the user's days do, and say what was different (rule 9).

    The norm is the median of all days with a cost and six times the median distance from it, at least twice the
    median.
    """
    if len(past.days) < _DAYS_NEEDED:
        return not_judged(_UNUSUAL, "too-few-days")
    middle, spread = around_median(list(past.days.values()))
    used = max(_DAY_FLOOR, middle + _SPREADS * spread, 2 * middle)
    own = Percentile("cost-of-a-day", 50, usd(middle))
    threshold = Threshold(usd(used), usd(_DAY_FLOOR), own)
    days: dict[int, list[Spent]] = {}
    for one in spent:
        if one.within and one.day is not None and one.cost is not None:
            days.setdefault(one.day, []).append(one)
    above: dict[int, Claims] = {}
    for day, ones in days.items():
        cost = sum(one.cost or 0 for one in ones)
        if cost > used:
            above[day] = _above(ones, Fraction(cost - used, cost))
    if not above:
        return nothing(_UNUSUAL, threshold)
    order = sorted(above, key=lambda day: (-sum(one.cost or 0 for one in days[day]), day))
    rows = [
        (
            day_text(day), usd(sum(one.cost or 0 for one in days[day])),
            usd(sum(claim.atto or 0 for claim in above[day].values())),
        )
        for day in order
    ]  # fmt: skip
    finding = Finding(
        _UNUSUAL,
        "estimated",
        "medium",
        {unit: claim for of_day in above.values() for unit, claim in of_day.items()},
        {
            "days": len(above),
            "usual_usd": usd(middle),
            "spread_usd": usd(spread),
            "norm_days": len(past.days),
        },
        (
            evidence("days", (("day", "day"), ("usd", "usd"), ("above_usd", "usd")), rows),
            _differing("models", "model", order, days, past),
            _differing("projects", "project", order, days, past),
            _dearest_sessions(order, days),
        ),
    )
    return found(finding, threshold)


def _differing(
    table: str, name: str, order: Sequence[int], days: dict[int, list[Spent]], past: Past
) -> Evidence:
    """Return of each day the models or projects that were most above what they usually cost."""
    rows = []
    for day in order:
        costs: dict[str, int] = {}
        for one in days[day]:
            key: str = getattr(one.response, name)
            costs[key] = costs.get(key, 0) + (one.cost or 0)
        usual = {key: past.usual(table, key, day) for key in costs}
        ranked = sorted(costs, key=lambda key: (usual[key] - costs[key], key))
        rows += [
            (day_text(day), key, usd(costs[key]), usd(usual[key]))
            for key in ranked[:_CAUSES]
            if costs[key] > usual[key]
        ]
    return evidence(
        table, (("day", "day"), (name, name), ("usd", "usd"), ("usual_usd", "usd")), rows
    )


def _dearest_sessions(order: Sequence[int], days: dict[int, list[Spent]]) -> Evidence:
    rows = []
    for day in order:
        costs: dict[tuple[str, str], int] = {}
        for one in days[day]:
            key = one.response.session, one.response.project
            costs[key] = costs.get(key, 0) + (one.cost or 0)
        ranked = sorted(costs, key=lambda key: (-costs[key], key))
        rows += [(day_text(day), *key, usd(costs[key])) for key in ranked[:_CAUSES]]
    columns = (("day", "day"), ("session", "session"), ("project", "project"), ("usd", "usd"))
    return evidence("sessions", columns, rows)
