"""All rules over what was collected, and the report of what they came to: schema `econome.diagnosis/1`.

Pure: what was collected, the period and the day that it is are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from econome.diagnosis.answers import mcp_dominates, read_again
from econome.diagnosis.caching import cache_rebuilt, hour_unread
from econome.diagnosis.compacting import compaction_again
from econome.diagnosis.delegating import delegation_loses
from econome.diagnosis.findings import SCHEMA, UNKNOWN, Judgement, not_judged, told
from econome.diagnosis.habits import fan_out, unusual_day
from econome.diagnosis.menus import Menu, heavy_menu
from econome.diagnosis.models import dear_model, long_prompt
from econome.diagnosis.norms import Past, Period
from econome.diagnosis.spending import Spent, Thread, cuts_of, threads
from econome.prices.amounts import usd
from econome.times import day_text, period_texts

if TYPE_CHECKING:
    from econome.prices.table import PriceTable
    from econome.usage.detail import Compaction, ToolCall

__all__ = ["Collected", "Detailed", "diagnosis"]

_CLAUDE = "claude"
_OF_DETAIL = ("mcp-answers-dominate", "same-file-read-again", "compaction-again", "heavy-menu")


@dataclass(frozen=True, slots=True)
class Detailed:
    """What the detail pass told: calls and compactions of all days, and how much it read."""

    calls: Sequence[ToolCall] = ()
    compactions: Sequence[Compaction] = ()
    coverage: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Collected:
    """What is judged: responses, the past they are measured by, detail, presets of the balance, menus that were measured.

    *horizon* is the last moment of which a transcript tells; *detail* and *presets* are None where they cannot be had.
    """

    spent: Sequence[Spent]
    horizon: int
    past: Past
    prices: PriceTable
    detail: Detailed | None = None
    presets: Sequence[tuple[str, Mapping[str, Any]]] | None = None
    menus: Sequence[Menu] = ()
    coverage: Mapping[str, Any] = field(default_factory=dict)


def diagnosis(collected: Collected, period: Period, today: int) -> dict[str, Any]:
    """Return the report; *today* is only named in it."""
    within = [one for one in collected.spent if one.within]
    priced = [one.cost for one in within if one.cost is not None]
    judgements = [*_judged(collected, period, within), _presets(collected)]
    return {
        "schema": SCHEMA,
        "today": day_text(today),
        "period": period_texts(period.since, period.until),
        **told(judgements, sum(priced) if priced else None),
        "unknown": _unknown(within),
        "cost": {
            "usd": usd(sum(priced)) if priced or not within else None,
            "partial": len(priced) < len(within),
            "responses": len(within),
            "sessions": len({one.response.session for one in within}),
        },
        "coverage": dict(collected.coverage),
        "detail": None if collected.detail is None else dict(collected.detail.coverage),
        "prices": collected.prices.label(),
    }


def _presets(collected: Collected) -> Judgement:
    if collected.presets is None:
        return not_judged("delegation-loses", "no-ledger")
    return delegation_loses(collected.presets)


def _judged(collected: Collected, period: Period, within: Sequence[Spent]) -> Iterable[Judgement]:
    """Yield the judgements of the rules about responses."""
    of_counters = (
        "cache-rebuilt-after-pause", "hour-writes-unread", "dear-model-in-sub-agents", "fan-out-above-norm",
        "long-prompt-for-little", "unusual-day",
    )  # fmt: skip
    if not within:
        yield from (not_judged(rule, "no-responses") for rule in (*of_counters, *_OF_DETAIL))
        return
    of_threads = threads(collected.spent)
    cuts = cuts_of(() if collected.detail is None else collected.detail.compactions)
    yield cache_rebuilt(of_threads, cuts)
    yield hour_unread(of_threads, collected.horizon)
    yield dear_model(within, collected.prices)
    yield fan_out(within, collected.past)
    yield long_prompt(within, collected.prices)
    yield unusual_day(within, collected.past)
    if collected.detail is None:
        yield from (not_judged(rule, "no-detail") for rule in _OF_DETAIL)
    elif not any(one.response.source == _CLAUDE for one in within):
        yield from (not_judged(rule, "no-claude-transcripts") for rule in _OF_DETAIL)
    else:
        yield from _of_detail(collected.detail, collected, period, within, of_threads, cuts)


def _of_detail(
    detail: Detailed,
    collected: Collected,
    period: Period,
    within: Sequence[Spent],
    of_threads: dict[Thread, list[Spent]],
    cuts: dict[Thread, list[int]],
) -> Iterable[Judgement]:
    """Yield the judgements of the rules that need calls and compactions."""
    calls = [call for call in detail.calls if period.holds(period.day(call.called_ns))]
    yield mcp_dominates(calls, of_threads, cuts)
    yield read_again(calls, of_threads, cuts)
    compactions = [cut for cut in detail.compactions if period.holds(period.day(cut.at_ns))]
    yield compaction_again(compactions, within)
    yield heavy_menu(collected.menus, calls, of_threads, detail.calls)


def _unknown(within: Sequence[Spent]) -> list[str]:
    """Return what the report cannot know, the last ones only where there is such a thing."""
    there = {
        "detail-of-other-agents": any(one.response.source != _CLAUDE for one in within),
        "incomplete-output": any(one.response.output_incomplete for one in within),
        "models-without-a-price": any(one.cost is None for one in within),
        "undated-responses": any(one.response.time_ns is None for one in within),
    }
    return [name for name in UNKNOWN if there.get(name, True)]
