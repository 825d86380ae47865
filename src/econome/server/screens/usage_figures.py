"""The figures of the page of usage that are by what was spent on: models, projects, agents, sessions with sub-agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from econome.server.charts.ring import ring
from econome.server.charts.values import PLAIN, Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.screens.figure import Column, Figure, Row, Value
from econome.server.screens.usage_scene import dollars
from econome.usage.panorama import MAIN, Amount

if TYPE_CHECKING:
    from econome.server.screens.usage_scene import Scene
    from econome.usage.panorama import Strand

__all__ = ["agents", "fanout", "models", "projects"]

_FIRST: Final = 10
_BEGINNING: Final = 8


def models(scene: Scene) -> Figure:
    """Return the models: a ring of their cost, and a table with the same facts plus what no ring can show (V5)."""
    told, found = scene.telling, scene.found
    ranked = scene.ranked(found.models.items())
    title = told.text("Models")
    parts = []
    for model, amount in ranked:
        if amount.known and amount.cost:
            share = told.share(scene.share(amount.cost))
            parts.append(
                (scene.series(model), dollars(amount.cost), f"{scene.cost(amount)}, {share}")
            )
    desc = told.text("A ring with one part a model, as long as its share of the cost.")
    rows = tuple(
        Row(
            (model, *scene.values(amount), scene.share(amount.cost if amount.known else None)),
            {"model": scene.series(model).name, **scene.shown(amount)},
            {"model": scene.only("model", model)},
            scene.series(model).place,
        )
        for model, amount in ranked
    )
    columns = (
        Column("model", told.text("Model"), "text"),
        *scene.columns(),
        Column("share", told.text("Share of the cost"), "share"),
    )
    drawn = ring(parts, Head("models-chart", title, desc), scene.cost(found.total)) if parts else ""
    return Figure("models", title, columns, rows, drawn)


def projects(scene: Scene) -> Figure:
    """Return the ten dearest projects, bars relative to the first, the full path in the tooltip (V6)."""
    told, found = scene.telling, scene.found
    ranked = scene.ranked(found.projects.items())
    title = told.text("Dearest projects")
    first, others = ranked[:_FIRST], ranked[_FIRST:]
    groups = [
        Group(
            scene.project(path),
            (dollars(amount.cost),),
            scene.cost(amount),
            scene.only("project", path),
            path,
        )
        for path, amount in first
        if amount.known
    ]
    rows = [
        Row(
            (path, *scene.values(amount), scene.share(amount.cost if amount.known else None)),
            {"project": scene.project(path), **scene.shown(amount)},
            {"project": scene.only("project", path)},
        )
        for path, amount in (ranked if scene.every else first)
    ]
    note = ""
    if others:
        rest = _sum([amount for _, amount in others])
        note = told.plural(
            "And {count} more project with {cost}.", "And {count} more projects with {cost}.", len(others),
            cost=scene.cost(rest),
        )  # fmt: skip
        if not scene.every:
            named = told.plural("{count} more project", "{count} more projects", len(others))
            values: tuple[Value, ...] = None, *scene.values(rest), scene.share(rest.cost)
            rows.append(Row(values, {"project": named, **scene.shown(rest)}))
    columns = (
        Column("project", told.text("Project"), "text"),
        *scene.columns(),
        Column("share", told.text("Share of the cost"), "share"),
    )
    desc = told.text("One bar a project, as long as its cost relative to the dearest one.")
    drawn = (
        worths(groups, (Series(told.text("Cost"), PLAIN),), Head("projects-chart", title, desc))
        if groups
        else ""
    )
    return Figure("projects", title, columns, tuple(rows), drawn, note)


def agents(scene: Scene) -> Figure:
    """Return what sub-agents cost: their share as the headline, then a row a type (V7)."""
    told, found = scene.telling, scene.found
    types = [(kind, amount) for kind, amount in found.agents.items() if kind != MAIN]
    own = [(MAIN, found.agents[MAIN])] if MAIN in found.agents else []
    delegated = _sum([amount for _, amount in types])
    ranked = [*own, *scene.ranked(types)]
    share = scene.share(delegated.cost if delegated.known else None)
    title = told.text("Sub-agents")
    if share is not None:
        title = told.text("Sub-agents: {share} of the cost", share=told.share(share))
    rows = tuple(
        Row(
            (kind, *scene.values(amount), scene.share(amount.cost if amount.known else None)),
            {"agent": scene.agent(kind), **scene.shown(amount)},
            {"agent": scene.only("agent", kind)},
        )
        for kind, amount in ranked
    )
    groups = [
        Group(
            scene.agent(kind),
            (dollars(amount.cost),),
            scene.cost(amount),
            scene.only("agent", kind),
        )
        for kind, amount in ranked[: _FIRST + 1]
        if amount.known
    ]
    columns = (
        Column("agent", told.text("Agent"), "text"),
        *scene.columns(),
        Column("share", told.text("Share of the cost"), "share"),
    )
    desc = told.text(
        "One bar for the main threads and one a type of sub-agents, as long as their cost."
    )
    drawn = (
        worths(groups, (Series(told.text("Cost"), PLAIN),), Head("agents-chart", title, desc))
        if types
        else ""
    )
    note = told.text(
        "Sub-agents cost {cost} of {whole}.",
        cost=scene.cost(delegated),
        whole=scene.cost(found.total),
    )
    return Figure(
        "agents", title, columns, rows, drawn, note if types else told.text("None in this period.")
    )


def fanout(scene: Scene) -> Figure:
    """Return the sessions whose sub-agents cost most, with their share and what they were."""
    told, found = scene.telling, scene.found
    fans = [
        (one, types, _sum(list(types.values())))
        for one in found.sessions.values()
        if (types := one.delegated)
    ]
    fans.sort(key=lambda fan: (-fan[2].cost, -fan[2].tokens, fan[0].name))
    title = told.text("Sessions whose sub-agents cost most")
    rows = tuple(_fan(scene, *fan) for fan in (fans if scene.every else fans[:_FIRST]))
    groups = [
        Group(
            f"{scene.project(one.project)} · {one.name[:_BEGINNING]}",
            (dollars(delegated.cost),),
            f"{scene.cost(delegated)} · {told.share(_share(one.amount, delegated))}",
            scene.session(one.name),
            f"{one.project} {one.name}",
        )
        for one, _, delegated in fans[:_FIRST]
        if delegated.known
    ]  # fmt: skip
    columns = (
        Column("session", told.text("Session"), "text"),
        Column("project", told.text("Project"), "text"),
        Column("delegated_usd", told.text("Sub-agents"), "usd"),
        Column("cost_usd", told.text("Cost"), "usd"),
        Column("share", told.text("Share"), "share"),
        Column("types", told.text("Types")),
        Column("dearest", told.text("Dearest type"), "text"),
    )
    desc = told.text("One bar a session, as long as the cost of its sub-agents.")
    note = told.plural(
        "{count} of {sessions} sessions had sub-agents.", "{count} of {sessions} sessions had sub-agents.",
        len(fans), sessions=told.count(len(found.sessions)),
    )  # fmt: skip
    if fans:
        shares = told.text(
            "Beside each: what they cost, and their share of the cost of the session."
        )
        note = f"{note} {shares}"
    drawn = (
        worths(groups, (Series(told.text("Cost"), PLAIN),), Head("fanout-chart", title, desc))
        if groups
        else ""
    )
    return Figure("fanout", title, columns, rows, drawn, note)


def _fan(scene: Scene, one: Strand, types: dict[str, Amount], delegated: Amount) -> Row:
    dearest = scene.ranked(types.items())[0][0]
    values: tuple[Value, ...] = (
        one.name, one.project, delegated.usd, one.amount.usd, _share(one.amount, delegated), len(types), dearest,
    )  # fmt: skip
    shown = {"project": scene.project(one.project), "dearest": scene.agent(dearest)}
    for key, amount in (("delegated_usd", delegated), ("cost_usd", one.amount)):
        if amount.unpriced and amount.known:
            shown[key] = scene.cost(amount)
    links = {
        "session": scene.session(one.name),
        "project": scene.only("project", one.project),
        "dearest": scene.only("agent", dearest),
    }
    return Row(values, shown, links)


def _share(one: Amount, delegated: Amount) -> float | None:
    return delegated.cost / one.cost if delegated.known and one.cost else None


def _sum(amounts: Sequence[Amount]) -> Amount:
    found = Amount()
    for amount in amounts:
        found.merge(amount)
    return found
