"""The figures of a session that are of its parts: models, agents as a tree, types of agents, its own cost record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from econome.server.charts.ring import ring
from econome.server.charts.tree import tree
from econome.server.charts.values import NEUTRAL, PLACES, Head, Node, Series
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.legends import hidden, legend
from econome.server.screens.session_seen import MAIN, Seen, tokens

__all__ = ["agents", "delegated", "kinds", "models", "record"]

_SHORT_ID = 9
_STEP = "· "

_Agent = Mapping[str, Any]


def models(seen: Seen) -> Figure:
    """Return what each model did, as a ring and a table."""
    text, telling = seen.telling.text, seen.telling
    found = seen.report["models"]
    parts: list[tuple[Series, float, str]] = []
    for row in found:
        value = float(row["cost_usd"] or 0) if seen.priced else float(tokens(row))
        parts.append((seen.series(row["model"]), value, seen.cost(row)))
    title = text("Models")
    whole = seen.report["total"]
    centre = seen.cost(whole) if seen.priced else telling.brief(tokens(whole))
    head = Head("models", title, text("One part a model, as large as its share of the cost."))
    return Figure(
        "models",
        title,
        (Column("model", text("Model"), "text"), *seen.columns()),
        tuple(
            Row(
                (row["model"], *seen.values(row)),
                {"model": seen.series(row["model"]).name, **seen.shown(row)},
                place=seen.series(row["model"]).place,
            )
            for row in found
        ),
        ring(parts, head, centre) if any(value for _, value, _ in parts) else "",
    )


def delegated(seen: Seen) -> tuple[float | None, Decimal, int]:
    """Return what sub-agents are of the cost, what they cost, and how many there are."""
    others = [agent for _, agent in _flat(seen.report["agents"]) if agent["agent"] != MAIN]
    cost = sum((Decimal(agent["cost_usd"] or 0) for agent in others), Decimal(0))
    return seen.share(cost), cost, len(others)


def agents(seen: Seen) -> Figure:
    """Return who started whom, and what each cost alone and with those below it."""
    text, telling = seen.telling.text, seen.telling
    places = _places(seen)
    flat = list(_flat(seen.report["agents"]))
    title = text("Agents")
    share, _, count = delegated(seen)
    note = telling.plural(
        "{count} sub-agent: {share} of the cost of the session.",
        "{count} sub-agents: {share} of the cost of the session.",
        count,
        share=telling.share(share),
    )
    chart = ""
    if count:
        desc = text("Blocks as wide as their cost with all that they started, which stand below them.")  # fmt: skip
        unseen = frozenset(kind for kind in places if _key(kind) in hidden(seen.state))
        nodes = _nodes(seen, seen.report["agents"], places, unseen)
        chart = tree(nodes, Head("agents", title, desc))
    rows = []
    for level, agent in flat:
        below = agent["with_children"]
        values = (
            agent["agent"], agent["agent_id"], level, agent["responses"], _known(agent),
            seen.share(agent["cost_usd"]), below["responses"], _known(below),
        )  # fmt: skip
        shown = {"agent": _STEP * level + seen.agent(agent["agent"])}
        if agent["agent_id"]:
            shown["agent_id"] = _short(agent["agent_id"])
        else:
            shown["agent_id"] = "–"
        if agent["partial"] and agent["cost_usd"] is not None:
            shown["cost_usd"] = seen.cost(agent)
        if below["partial"] and below["cost_usd"] is not None:
            shown["with_children_usd"] = seen.cost(below)
        rows.append(Row(values, shown, place=places.get(agent["agent"], NEUTRAL)))
    columns = (
        Column("agent", text("Agent"), "text"),
        Column("agent_id", text("Its id"), "text"),
        Column("level", text("Level")),
        Column("responses", text("Responses")),
        Column("cost_usd", text("Its own cost"), "usd"),
        Column("share", text("Share of the cost"), "share"),
        Column("with_children_responses", text("Responses with those it started")),
        Column("with_children_usd", text("Cost with those it started"), "usd"),
    )
    series = {_key(kind): Series(seen.agent(kind), place) for kind, place in places.items()}
    entries = legend(seen.state, series) if chart else ()
    return Figure("agents", title, columns, tuple(rows), chart, note, entries)


def _key(kind: str) -> str:
    """Return what hides a type of agents; a model of the same name is another series."""
    return f"agent:{kind}"


def _known(row: Mapping[str, Any]) -> Decimal | None:
    return None if row["cost_usd"] is None else Decimal(row["cost_usd"])


def _short(agent_id: str) -> str:
    """Return what tells an agent from its siblings: services put their name, which they share, before it."""
    return agent_id.rpartition("-")[2][:_SHORT_ID]


def _flat(found: Sequence[_Agent]) -> Iterator[tuple[int, _Agent]]:
    """Yield (level, agent), each before those it started."""
    left = [(0, agent) for agent in reversed(found)]
    while left:
        level, agent = left.pop()
        yield level, agent
        left += [(level + 1, child) for child in reversed(agent["children"])]


def _nodes(
    seen: Seen, found: Sequence[_Agent], places: Mapping[str, int], unseen: frozenset[str]
) -> tuple[Node, ...]:
    """Return the blocks of agents; in the place of those of a hidden type stand those that they started."""
    made: list[Node] = []
    for agent in found:
        children = _nodes(seen, agent["children"], places, unseen)
        if agent["agent"] in unseen:
            made += children
        else:
            made.append(_node(seen, agent, places, children))
    return tuple(made)


def _node(seen: Seen, agent: _Agent, places: Mapping[str, int], children: tuple[Node, ...]) -> Node:
    text = seen.telling.text
    below = agent["with_children"]
    told = seen.cost(agent)
    if agent["children"]:
        told = text("{cost}, with those it started {whole}", cost=seen.cost(agent), whole=seen.cost(below))  # fmt: skip
    own = float(agent["cost_usd"] or 0) if seen.priced else float(tokens(agent))
    return Node(
        seen.agent(agent["agent"]),
        own + sum(child.value for child in children),
        told,
        places.get(agent["agent"], NEUTRAL),
        children,
    )


def _places(seen: Seen) -> dict[str, int]:
    """Return the colour of each type of agents: the main thread's first, then the dearest's."""
    costs = _by_kind(seen)
    ranked = sorted(costs, key=lambda kind: (kind != MAIN, -costs[kind][2], kind))
    return {kind: at if at < PLACES else NEUTRAL for at, kind in enumerate(ranked)}


def _by_kind(seen: Seen) -> dict[str, tuple[int, int, Decimal, bool, bool]]:
    """Return for each type: agents, responses, cost, whether anything has a price, whether anything has none."""
    found: dict[str, tuple[int, int, Decimal, bool, bool]] = {}
    for _, agent in _flat(seen.report["agents"]):
        count, responses, cost, priced, partial = found.get(
            agent["agent"], (0, 0, Decimal(0), False, False)
        )
        found[agent["agent"]] = (
            count + 1,
            responses + agent["responses"],
            cost + Decimal(agent["cost_usd"] or 0),
            priced or agent["cost_usd"] is not None,
            partial or agent["partial"] or agent["cost_usd"] is None,
        )
    return found


def kinds(seen: Seen) -> Figure:
    """Return what each type of agents came to."""
    text = seen.telling.text
    found = _by_kind(seen)
    places = _places(seen)
    rows = []
    for kind, (count, responses, cost, priced, partial) in sorted(
        found.items(), key=lambda one: (-one[1][2], one[0])
    ):
        amount = cost if priced else None
        shown = {"agent": seen.agent(kind)}
        if partial and priced:
            shown["cost_usd"] = f"≥ {seen.telling.usd(cost)}"
        rows.append(
            Row((kind, count, responses, amount, seen.share(amount)), shown, place=places[kind])
        )
    columns = (
        Column("agent", text("Type of agent"), "text"),
        Column("agents", text("Agents")),
        Column("responses", text("Responses")),
        Column("cost_usd", text("Cost"), "usd"),
        Column("share", text("Share of the cost"), "share"),
    )
    return Figure("kinds", text("Types of agents"), columns, tuple(rows))


def record(seen: Seen) -> Figure:
    """Return the client's own cost record beside what the transcript holds; without one it has no rows (F15)."""
    text = seen.telling.text
    found = seen.report["recorded"]
    rows = [] if found is None else [*found["models"], {"model": None, **found}]
    made = []
    for row in rows:
        amounts = (row[name] for name in ("recorded_usd", "counted_usd", "gap_usd"))
        values = [None if amount is None else Decimal(amount) for amount in amounts]
        model = row["model"]
        name = text("all models") if model is None else seen.series(model).name
        made.append(Row((model, *values), {"model": name}))
    columns = (
        Column("model", text("Model"), "text"),
        Column("recorded_usd", text("Recorded by Claude Code"), "usd"),
        Column("counted_usd", text("Counted from the transcript"), "usd"),
        Column("gap_usd", text("Gap"), "usd"),
    )
    note = text("The client's own record of the cost; a gap is calls that never reached the transcript, or another price. It is in no sum.")  # fmt: skip
    return Figure("record", text("The session's own cost record"), columns, tuple(made), note=note)
