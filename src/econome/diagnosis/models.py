"""What the choice of a model cost: a dear one in sub-agents, and the price of long prompts for little.

Pure. Another model would have used other numbers of tokens; what is compared is the same tokens at another price.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from econome.diagnosis.findings import (
    Claim,
    Finding,
    Judgement,
    evidence,
    found,
    nothing,
)
from econome.diagnosis.norms import DOLLAR, needed
from econome.diagnosis.spending import Spent, Thread, charge, is_sub_agent
from econome.prices.amounts import usd
from econome.prices.ids import normalise
from econome.usage.session import rates_of

if TYPE_CHECKING:
    from econome.prices.table import PriceTable

__all__ = ["MARGIN", "dear_model", "long_prompt"]

_DEAR, _LONG = "dear-model-in-sub-agents", "long-prompt-for-little"

MARGIN = Fraction(1, 10)
"""A prompt this far above a limit, and no farther, crossed it for little."""

_RUN_FLOOR = DOLLAR // 20
_RUNS_FROM = 50
_CHEAPER_BY = Fraction(1, 4)
_USED_AT_LEAST = 5
_ROWS_FROM = 50


@dataclass(frozen=True, slots=True)
class _Other:
    """A model that the user has, and what the same tokens would have cost with it, by place."""

    model: str
    in_sub_agents: bool
    costs: dict[int, int]


def dear_model(spent: Sequence[Spent], prices: PriceTable) -> Judgement:
    """Judge sub-agents that ran on a dearer model than another one the user has (rule 3).

    The other one is the dearest that is at least a quarter cheaper: one that does sub-agents' work, if there is any. A
    Claude model is held against Claude models only, another vendor's against other vendors'.
    """
    priced = [one for one in spent if one.within and one.cost is not None]
    subs = [one for one in priced if is_sub_agent(one.response)]
    runs: dict[Thread, int] = {}
    for one in subs:
        runs[one.thread] = runs.get(one.thread, 0) + (one.cost or 0)
    costs = list(runs.values())
    used, threshold = needed("cost-of-a-run", _RUNS_FROM, costs, _RUN_FLOOR, told=usd)
    dear = [one for one in subs if runs[one.thread] >= used]
    of_models: dict[tuple[str, str], list[Spent]] = {}
    for one in dear:
        of_models.setdefault((one.response.source, one.response.model), []).append(one)
    sources = {source for source, _ in of_models}
    candidates = {source: _candidates(priced, source) for source in sources}
    found_of: dict[tuple[str, str], _Other] = {}
    for (source, model), ones in of_models.items():
        other = _other(ones, candidates[source], prices)
        if other is not None:
            found_of[source, model] = other
    claims: dict[int | str, Claim] = {}
    groups: dict[tuple[str, str, str], list[Spent]] = {}
    for one in dear:
        choice = found_of.get((one.response.source, one.response.model))
        if choice is not None and one.place in choice.costs:
            saved = (one.cost or 0) - choice.costs[one.place]
            if saved > 0:
                claims[one.place] = Claim(one.tokens, saved)
                key = one.response.agent, one.response.model, choice.model
                groups.setdefault(key, []).append(one)
    if not claims:
        return nothing(_DEAR, threshold)
    rows = []
    for (agent, model, instead), ones in groups.items():
        cost = sum(one.cost or 0 for one in ones)
        saved = sum(claims[one.place].atto or 0 for one in ones)
        told = (
            agent, model, instead, len({one.thread for one in ones}), len(ones), sum(one.tokens for one in ones),
            usd(cost), usd(cost - saved),
        )  # fmt: skip
        rows.append((-saved, told))
    columns = (
        ("agent", "agent"), ("model", "model"), ("other_model", "model"), ("runs", "count"), ("responses", "count"),
        ("tokens", "tokens"), ("usd", "usd"), ("other_usd", "usd"),
    )  # fmt: skip
    finding = Finding(
        _DEAR,
        "estimated",
        "medium" if all(other.in_sub_agents for other in found_of.values()) else "low",
        claims,
        {
            "responses": len(claims),
            "runs": len({one.thread for ones in groups.values() for one in ones}),
            "models": len({model for _, model, _ in groups}),
        },
        (evidence("agents", columns, [row for _, row in sorted(rows)]),),
    )
    return found(finding, threshold)


def _candidates(priced: Iterable[Spent], source: str) -> dict[str, bool]:
    """Return the models that the user has of a source, the last used first, and whether sub-agents ran on them."""
    counts: dict[str, list[int]] = {}
    for one in priced:  # by time, so that the model used last comes last
        response = one.response
        if response.source == source and (is_sub_agent(response) or response.agent == "main"):
            of = counts.pop(response.model, [0, 0])
            of[is_sub_agent(response)] += 1
            counts[response.model] = of
    return {
        model: in_subs >= _USED_AT_LEAST
        for model, (in_main, in_subs) in reversed(counts.items())
        if in_main + in_subs >= _USED_AT_LEAST
    }


def _other(dear: Sequence[Spent], candidates: dict[str, bool], prices: PriceTable) -> _Other | None:
    """Return the dearest candidate that is enough cheaper for the same tokens, one that sub-agents ran on first."""
    best: tuple[tuple[bool, Fraction], _Other] | None = None
    for model, in_subs in candidates.items():
        if model == dear[0].response.model or _is_claude(model) != _is_claude(
            dear[0].response.model
        ):
            continue
        costs = {one.place: cost for one in dear if (cost := _at(one, model, prices)) is not None}
        whole = sum(one.cost or 0 for one in dear if one.place in costs)
        if not whole:
            continue
        saved = Fraction(whole - sum(costs.values()), whole)
        if saved < _CHEAPER_BY:
            continue
        rank = not in_subs, saved
        if best is None or rank < best[0]:
            best = rank, _Other(model, in_subs, costs)
    return None if best is None else best[1]


def _is_claude(model: str) -> bool:
    return normalise(model).canonical.startswith("claude-")


def _at(one: Spent, model: str, prices: PriceTable) -> int | None:
    """Return what the tokens of a response would have cost with another model; None where it had no price."""
    rates = rates_of(prices, one.response, model, one.prompt)
    return None if rates is None else charge(rates, one.response)


@dataclass(frozen=True, slots=True)
class _Crossing:
    """A response whose prompt is a little above its model's limit."""

    spent: Spent
    limit: int
    atto: int


def _crossing(one: Spent, prices: PriceTable) -> _Crossing | None:
    """Return what a long prompt cost beyond the price below the limit that it crossed by little (P6)."""
    for limit in reversed(prices.thresholds[: bisect_left(prices.thresholds, one.prompt)]):
        rates = rates_of(prices, one.response, one.response.model, limit)
        if rates is None or one.rates is None:
            return None
        if rates == one.rates:
            continue
        atto = (one.cost or 0) - charge(rates, one.response)
        near = one.prompt - limit <= MARGIN * limit
        return _Crossing(one, limit, atto) if near and atto > 0 else None
    return None


def long_prompt(spent: Iterable[Spent], prices: PriceTable) -> Judgement:
    """Judge responses whose whole price rose because their prompt was a little too long (rule 8)."""
    sessions: dict[tuple[str, str], list[_Crossing]] = {}
    for one in spent:
        crossing = _crossing(one, prices) if one.within else None
        if crossing is not None:
            key = one.response.session, one.response.model
            sessions.setdefault(key, []).append(crossing)
    counts = [len(crossings) for crossings in sessions.values()]
    used, threshold = needed("responses-of-a-session", _ROWS_FROM, counts, 1, decides="rows")
    if not sessions:
        return nothing(_LONG, threshold)
    rows = []
    for (session, model), crossings in sessions.items():
        atto = sum(crossing.atto for crossing in crossings)
        told = (
            session, crossings[0].spent.response.project, model, max(crossing.limit for crossing in crossings),
            len(crossings), max(crossing.spent.prompt for crossing in crossings), usd(atto),
        )  # fmt: skip
        if len(crossings) >= used:
            rows.append((-atto, told))
    columns = (
        ("session", "session"), ("project", "project"), ("model", "model"), ("limit", "tokens"), ("responses", "count"),
        ("largest", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    every = [crossing for crossings in sessions.values() for crossing in crossings]
    finding = Finding(
        _LONG,
        "measured",
        "high",
        {one.spent.place: Claim(one.spent.tokens, one.atto) for one in every},
        {"responses": len(every), "margin_share": float(MARGIN)},
        (
            evidence(
                "sessions", columns, [row for _, row in sorted(rows)], len(sessions) - len(rows)
            ),
        ),
    )
    return found(finding, threshold)
