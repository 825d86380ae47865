"""One session: its responses in time, its agents as a tree, its models, and the gap to its cost record.

Pure: responses, prices and what the session's files say are arguments.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from econome.errors import AmbiguousSession, SessionUnknown
from econome.prices.amounts import usd
from econome.times import instant_text
from econome.usage.sums import TOKENS, Sum, Unpriced

if TYPE_CHECKING:
    from econome.prices.table import PriceTable
    from econome.usage.recall import Response

__all__ = ["SCHEMA", "agent_id", "find_session", "rates_of", "session_report", "time_text"]

SCHEMA = "econome.session/1"
_NS = 1_000_000_000
_MAIN, _ADVISOR = "main", "advisor"
_RECORDED = (
    ("inputTokens", ("input_tokens",)),
    ("outputTokens", ("output_tokens",)),
    ("cacheReadInputTokens", ("cache_read_tokens",)),
    ("cacheCreationInputTokens", ("cache_write_5m_tokens", "cache_write_1h_tokens")),
    ("webSearchRequests", ("web_searches",)),
)
"""The counters of a cost record's model and those of ours that they count."""


@dataclass(slots=True)
class _Agent:
    """One agent of the session: its kind, the id in its file's name, its own sums, who it started."""

    agent: str
    id: str
    sums: Sum = field(default_factory=Sum)
    first_ns: int | None = None
    children: list[_Agent] = field(default_factory=list)


def find_session(ids: Iterable[str], begin: str) -> str:
    """Return the session whose id is *begin*, or the only one whose id begins so.

    Raises:
        SessionUnknown: there is none.
        AmbiguousSession: there are several.
    """
    matches = sorted({name for name in ids if name.startswith(begin)})
    if begin in matches:
        return begin
    if not matches:
        raise SessionUnknown(begin)
    if len(matches) > 1:
        raise AmbiguousSession(begin, matches)
    return matches[0]


def agent_id(agent_file: str) -> str:
    """Return the id of the agent that a transcript is of, from its name; "" for a main transcript."""
    name = agent_file.rpartition("/")[2].removesuffix(".jsonl")
    return name.removeprefix("agent-") if name.startswith("agent-") else ""


def time_text(time_ns: int | None) -> str | None:
    """Return an instant as ISO 8601 with milliseconds; None stays None."""
    if time_ns is None:
        return None
    seconds, milli = divmod(time_ns // 1_000_000, 1000)
    return f"{instant_text(seconds).removesuffix('Z')}.{milli:03}Z"


def rates_of(
    prices: PriceTable, response: Response, model: str, prompt: int
) -> tuple[int, int, int, int, int, int] | None:
    """Return the rates that a response of so long a prompt would have with a model; None where there are none."""
    day = None if response.time_ns is None else response.time_ns // _NS // 86400
    bucket = bisect_left(prices.thresholds, prompt)
    return prices.rates(model, day, bucket, response.speed, response.tier, response.geo)


def session_report(
    session: str,
    responses: list[Response],
    prices: PriceTable,
    parents: Mapping[str, str],
    record: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return all of one session: schema `econome.session/1`.

    *parents* says which agent started which, by id; *record* is the session's cost record, if any (F15).
    Refused attempts stand apart, in no sum (F6).
    """
    total, unpriced = Sum(), Unpriced()
    models: dict[str, Sum] = {}
    agents: dict[tuple[str, str], _Agent] = {}
    listed = []
    refused = []
    for response in responses:
        row, counters, rates = _priced(response, prices)
        if response.kind:
            refused.append(row)
            continue
        listed.append(row)
        key = agent_id(response.agent_file), response.agent
        agent = agents.setdefault(key, _Agent(response.agent, key[0], first_ns=response.time_ns))
        for sums in (total, models.setdefault(response.model, Sum()), agent.sums):
            sums.add(counters, session)
            sums.charge(rates, counters)
        if rates is None:
            unpriced.add(response.model, counters)
    times = [response.time_ns for response in responses if response.time_ns is not None]
    ranked = sorted(models.items(), key=lambda pair: (-pair[1].cost, pair[0]))
    return {
        "schema": SCHEMA,
        "session": session,
        "source": responses[0].source if responses else None,
        "projects": list(dict.fromkeys(response.project for response in responses)),
        "branches": list(dict.fromkeys(response.branch for response in responses)),
        "first": time_text(min(times, default=None)),
        "last": time_text(max(times, default=None)),
        "total": _without_sessions(total.row({})),
        "models": [_without_sessions(sums.row({"model": model})) for model, sums in ranked],
        "agents": [_agent_row(agent) for agent in _rooted(agents, parents)],
        "responses": listed,
        "refused": refused,
        "recorded": None if record is None else _gap(record, total, models),
        "unpriced": unpriced.rows(),
        "prices": prices.label(),
    }


def _priced(
    response: Response, prices: PriceTable
) -> tuple[dict[str, Any], list[int], tuple[int, ...] | None]:
    """Return the row of a response, its counters in the order of cells, and its rates."""
    tokens = [getattr(response, name) for name in TOKENS]
    prompt = tokens[0] + sum(tokens[2:])
    rates = rates_of(prices, response, response.model, prompt)
    counters = [1, *tokens, response.web_searches, int(response.output_incomplete)]
    sums = Sum()
    sums.charge(rates, counters)
    row = {
        "time": time_text(response.time_ns),
        "model": response.model,
        "agent": response.agent,
        "agent_id": agent_id(response.agent_file) or None,
        **dict(zip(TOKENS, tokens, strict=True)),
        "web_searches": response.web_searches,
        "cost_usd": None if rates is None else usd(sums.cost),
        "output_incomplete": response.output_incomplete,
    }
    return row, counters, rates


def _without_sessions(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the count of sessions, which is one."""
    return {name: value for name, value in row.items() if name != "sessions"}


def _rooted(agents: Mapping[tuple[str, str], _Agent], parents: Mapping[str, str]) -> list[_Agent]:
    """Return the agents that no other one started, those they started below them, in the order of time."""
    main = agents.get(("", _MAIN))
    hosts: dict[
        str, _Agent
    ] = {}  # by id, the agent whose file it is; an advisor has none of its own
    for agent in agents.values():
        if agent.agent != _ADVISOR:
            hosts.setdefault(agent.id, agent)
    if main is not None:
        hosts[""] = main
    roots: list[_Agent] = []
    for agent in sorted(agents.values(), key=_order):
        parent = hosts.get(agent.id)
        if parent is None or parent is agent:
            parent = hosts.get(_parent(agent.id, parents), main)
        (roots if parent is None or parent is agent else parent.children).append(agent)
    return roots


def _parent(name: str, parents: Mapping[str, str]) -> str:
    """Return who started an agent, "" where that is not known or leads back to it."""
    seen, above = {name}, parents.get(name, "")
    while above:
        if above in seen:
            return ""
        seen.add(above)
        above = parents.get(above, "")
    return parents.get(name, "")


def _order(agent: _Agent) -> tuple[bool, int, str, str]:
    return agent.first_ns is None, agent.first_ns or 0, agent.id, agent.agent


def _agent_row(agent: _Agent) -> dict[str, Any]:
    """Return an agent with its own figures, those of all below it included under `with_children`."""
    children = [_agent_row(child) for child in agent.children]
    together = Sum()
    for sums in _family(agent):
        together.merge(sums)
    key = {"agent": agent.agent, "agent_id": agent.id or None}
    row = _without_sessions(agent.sums.row(key))
    whole = together.row({})
    row["with_children"] = {
        name: whole[name] for name in ("responses", "cost_usd", "partial", "output_incomplete")
    }
    return {**row, "children": children}


def _family(agent: _Agent) -> Iterable[Sum]:
    yield agent.sums
    for child in agent.children:
        yield from _family(child)


def _gap(record: Mapping[str, Any], total: Sum, models: Mapping[str, Sum]) -> dict[str, Any]:
    """Return what a cost record says and what it has beyond the transcript; a gap is never added (F15)."""
    used = record.get("modelUsage")
    recorded = {
        model: entry for model, entry in (used if isinstance(used, dict) else {}).items()
        if isinstance(entry, dict)
    }  # fmt: skip
    return {
        **_compared(record.get("totalCostUSD"), total),
        "unknown_model_cost": record.get("hasUnknownModelCost") is True,
        "models": [
            {
                "model": model,
                **_compared(recorded.get(model, {}).get("costUSD"), models.get(model, Sum())),
                "gap_tokens": _gap_tokens(recorded.get(model, {}), models.get(model, Sum())),
            }
            for model in sorted({*recorded, *models})
        ],
    }


def _compared(recorded: object, counted: Sum) -> dict[str, Any]:
    known = isinstance(recorded, int | Decimal) and not isinstance(recorded, bool)
    amount = Decimal(recorded) if known else None  # type: ignore[arg-type]
    if amount is not None and not amount.is_finite():
        amount = None
    ours = None if counted.unpriced and not counted.priced else Decimal(usd(counted.cost))
    gap = None if amount is None or ours is None else amount - ours
    return {
        "recorded_usd": None if amount is None else _plain(amount),
        "counted_usd": None if ours is None else _plain(ours),
        "gap_usd": None if gap is None else _plain(gap),
    }


def _gap_tokens(recorded: Mapping[str, Any], counted: Sum) -> dict[str, int | None]:
    """Return for each counter of a record how much more it has than the transcript."""
    ours = counted.row({})
    found: dict[str, int | None] = {}
    for theirs, names in _RECORDED:
        value = recorded.get(theirs, 0)
        whole = type(value) is int and value >= 0
        label = names[0] if len(names) == 1 else "cache_write_tokens"
        found[label] = value - sum(ours[name] for name in names) if whole else None
    return found


def _plain(amount: Decimal) -> str:
    """Return a decimal without exponent or trailing zeros."""
    text = f"{amount:f}"
    return (text.rstrip("0").rstrip(".") or "0") if "." in text else text
