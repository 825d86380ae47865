"""The figures of the page of all servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from econome.contract.measured import LockState
from econome.server.charts.bars import Bar, bars
from econome.server.charts.values import PLAIN, Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.legends import hidden, legend
from econome.server.screens.servers_seen import Seen, Sights
from econome.server.screens.servers_words import RISKS, Words, short
from econome.server.screens.state import address_of

if TYPE_CHECKING:
    from econome.server.screens.state import State
    from econome.server.telling import Telling

__all__ = ["SEVERITIES", "all_figures", "link_of", "locks", "proxied"]

SEVERITIES = ("BREAKING", "RISKY", "SAFE", "COSMETIC")
"""From the worst to the mildest."""

_DRAWN = 20
"""So many bars are drawn."""


def link_of(name: str) -> dict[str, str]:
    """Return where the name of a server leads to; one that is empty leads nowhere."""
    return {"server": address_of("servers", name)} if name else {}


def all_figures(sights: Sights, telling: Telling, state: State) -> tuple[Figure, ...]:
    """Return the figures; those without a row are left out, but for the table of all servers."""
    words = Words(telling)
    states = [(one.name, state) for one in sights.servers for state in one.locks]
    rows = [(one.name, each) for one in sights.servers for each in one.proxied]
    made = (
        _menus(sights, telling, words),
        _classes(sights, telling, words, state),
        _servers(sights, telling, words),
        locks(states, telling, words),
        proxied(rows, telling, words),
        _called(sights, telling, words),
    )
    return tuple(one for one in made if one.rows or one.name == "servers")


def _servers(sights: Sights, telling: Telling, words: Words) -> Figure:
    text = telling.text
    return Figure(
        "servers",
        text("Servers"),
        (
            Column("server", text("Server"), "text"),
            Column("tools", text("Tools")),
            Column("per_turn", text("Tokens a turn")),
            Column("deferred_share", text("Names alone"), "share"),
            Column("classes", text("Answers may be"), "text"),
            Column("profiled", text("Last profile"), "instant"),
            Column("lock", text("Lock"), "text"),
            Column("findings", text("Differences")),
        ),
        tuple(_server(one, telling, words) for one in sights.servers),
    )


def _server(one: Seen, telling: Telling, words: Words) -> Row:
    found = one.measured
    state = one.locks[0] if one.locks else None
    checked = one.checked
    differ = None
    if checked is not None and checked.outcome != "unchecked":
        differ = sum(checked.severities.values())
    outcome = "none" if state is None else state.outcome
    shown = {"lock": words.outcome(state), **short(server=one.name)}
    if found is None:
        shown["profiled"] = telling.text("not measured yet")
    else:
        shown["classes"] = words.counts(found.risks)
    return Row(
        (
            one.name,
            None if found is None else found.tools,
            None if found is None else found.per_turn,
            None if found is None else _share(found.deferred, found.per_turn),
            None if found is None else " ".join(f"{name}={found.risks.get(name, 0)}" for name in RISKS),
            _at(found),
            outcome,
            differ,
        ),
        shown,
        link_of(one.name),
    )  # fmt: skip


def _at(record: Any) -> str | None:
    """Return when something was measured, None where it was not."""
    return None if record is None else record.at


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _menus(sights: Sights, telling: Telling, words: Words) -> Figure:
    text = telling.text
    measured = [(one, one.measured) for one in sights.servers if one.measured is not None]
    alike = sights.alike
    groups = [
        Group(
            one.name,
            (found.per_turn,),
            words.tokens(found.per_turn),
            link_of(one.name).get("server", ""),
        )
        for one, found in alike[:_DRAWN]
    ]
    title = text("What menus cost in every turn")
    method = words.method(sights.tokenizer, estimate=any(found.estimate for _, found in alike))
    note = text("Tokens by {method}.", method=method)
    if len(alike) > len(groups):
        note += " " + text("The {count} dearest are drawn.", count=len(groups))
    if len(measured) > len(alike):
        note += " " + text(
            "Menus that were counted otherwise stand in the table alone, since such figures cannot be compared."
        )
    desc = text("One bar a server, as long as its menu has tokens.")
    return Figure(
        "menus",
        title,
        (
            Column("server", text("Server"), "text"),
            Column("tools", text("Tools")),
            Column("per_turn", text("Tokens a turn")),
            Column("deferred", text("Tokens a turn, names alone")),
            Column("deferred_share", text("Names alone"), "share"),
            Column("instructions", text("Instructions, once")),
            Column("tokenizer", text("Tokens by"), "text"),
            Column("estimate", text("How known"), "text"),
            Column("at", text("Last profile"), "instant"),
        ),
        tuple(
            Row(
                (
                    one.name,
                    found.tools,
                    found.per_turn,
                    found.deferred,
                    _share(found.deferred, found.per_turn),
                    found.instructions,
                    found.tokenizer,
                    "estimated" if found.estimate else "counted",
                    found.at,
                ),
                {
                    "estimate": words.bases["estimated" if found.estimate else "counted"],
                    **short(server=one.name),
                },
                link_of(one.name),
            )
            for one, found in measured
        ),
        worths(groups, (Series(text("Tokens a turn"), PLAIN),), Head("menus", title, desc))
        if groups
        else "",
        note,
    )


def _classes(sights: Sights, telling: Telling, words: Words, state: State) -> Figure:
    text = telling.text
    title = text("How large answers may grow")
    rows = [(one, one.measured) for one in sights.servers if one.measured is not None]
    series = {
        f"classes:{name}": Series(words.risks[name], at)
        for at, name in enumerate(RISKS)
        if any(found.risks.get(name) for _, found in rows)
    }
    seen = [one for key, one in series.items() if key not in hidden(state)]
    drawn = [
        Bar(
            one.name,
            tuple(found.risks.get(RISKS[each.place], 0) for each in seen),
            words.counts(found.risks),
        )
        for one, found in rows[:_DRAWN]
    ]
    desc = text("One bar a server; its parts are how many tools there are of each class.")
    return Figure(
        "classes",
        title,
        (
            Column("server", text("Server"), "text"),
            *(Column(name, words.risks[name]) for name in RISKS),
        ),
        tuple(
            Row((one.name, *(found.risks.get(name, 0) for name in RISKS)), links=link_of(one.name))
            for one, found in rows
        ),
        bars(
            drawn,
            [one.name for one in seen],
            name="classes",
            title=title,
            desc=desc,
            places=[one.place for one in seen],
        )
        if drawn
        else "",
        text(
            "Tools by static class, which their output schemas tell; n/a is a tool whose schema says nothing of its answers."
        ),
        legend(state, series),
    )


def locks(states: Sequence[tuple[str, LockState]], telling: Telling, words: Words) -> Figure:
    """Return the locks of servers, each by the server's name."""
    text = telling.text
    return Figure(
        "locks",
        text("Locks"),
        (
            Column("server", text("Server"), "text"),
            Column("lock", text("File"), "text"),
            Column("locked", text("Locked"), "instant"),
            Column("checked", text("Last check"), "instant"),
            Column("outcome", text("Outcome"), "text"),
            *(Column(name.lower(), words.severity(name)) for name in SEVERITIES),
            Column("over", text("Over budget")),
        ),
        tuple(_lock(name, state, telling, words) for name, state in states),
    )


def _lock(name: str, state: LockState, telling: Telling, words: Words) -> Row:
    checked = state.checked
    known = checked is not None and checked.outcome != "unchecked"
    differ: list[int | None] = [
        checked.severities.get(each, 0) if checked is not None and known else None
        for each in SEVERITIES
    ]
    over = None
    if checked is not None and known:
        over = sum(one.level == "fail" for one in checked.budget)
    shown = {"outcome": words.outcome(state), **short(server=name)}
    for column, record in (("locked", state.locked), ("checked", checked)):
        if record is None:
            shown[column] = telling.text("n/a")
    values = (name, state.lock, _at(state.locked), _at(checked), state.outcome, *differ, over)
    return Row(values, shown, link_of(name))


def proxied(rows: Sequence[tuple[str, Any]], telling: Telling, words: Words) -> Figure:
    """Return what the proxy or the library measured, a row for each server and method of counting."""
    text = telling.text
    return Figure(
        "proxied",
        text("What the proxy and the library made of it"),
        (
            Column("server", text("Server"), "text"),
            Column("method", text("Tokens by"), "text"),
            Column("answers", text("Answers")),
            Column("before", text("Tokens before")),
            Column("after", text("Tokens after")),
            Column("read_on", text("Read on")),
            Column("net", text("Saved on answers")),
            Column("menus_before", text("Menu before")),
            Column("menus_after", text("Menu after")),
        ),
        tuple(_proxied(name, each.method, each.estimate, each.figures, words) for name, each in rows),
        note=text(
            "From the lean ledger, all of its days. A menu is paid for in every turn and an answer once, so neither is added to the other; nor are figures that were counted by different methods."
        ),
    )  # fmt: skip


def _proxied(
    name: str, method: str, estimate: bool, figures: Mapping[str, Any], words: Words
) -> Row:
    answers, menu = figures["answers"], figures["menu"]
    return Row(
        (
            name,
            method,
            answers["count"],
            answers["before"],
            answers["after"],
            figures["read_on"]["tokens"],
            figures["net"],
            None if menu is None else menu["before"],
            None if menu is None else menu["after"],
        ),
        {"method": words.method(method, estimate=estimate), **short(server=name)},
        link_of(name),
    )


def _called(sights: Sights, telling: Telling, words: Words) -> Figure:
    text = telling.text
    title = text("What your sessions show")
    rows = [(one.name, tuple(one.called.values())) for one in sights.servers if one.called]
    rows.sort(key=lambda row: (-_total(row[1]), row[0]))
    groups = [
        Group(
            name,
            (_total(tools),),
            words.characters(_total(tools)),
            link_of(name).get("server", ""),
        )
        for name, tools in rows[:_DRAWN]
        if _total(tools)
    ]
    head = Head("called", title, text("One bar a server, as long as its answers have characters."))
    return Figure(
        "called",
        title,
        (
            Column("server", text("Server"), "text"),
            Column("tools", text("Tools called")),
            Column("calls", text("Calls")),
            Column("unanswered", text("Unanswered")),
            Column("failures", text("Failed")),
            Column("characters", text("Characters in answers")),
            Column("largest", text("Largest answer, characters")),
        ),
        tuple(
            Row(
                (
                    name,
                    len(tools),
                    sum(own["calls"] for own in tools),
                    sum(own["unanswered"] for own in tools),
                    sum(own["failures"] for own in tools),
                    _total(tools),
                    max((own["characters"]["max"] or 0 for own in tools), default=0),
                ),
                short(server=name),
                link_of(name),
            )
            for name, tools in rows
        ),
        worths(groups, (Series(text("Characters in answers"), PLAIN),), head) if groups else "",
        text(
            "From the transcripts of Claude Code, by the names that it gives servers. They hold no tokens of an answer, so sizes are characters."
        ),
    )


def _total(tools: Sequence[Mapping[str, Any]]) -> int:
    return sum(own["characters"]["total"] or 0 for own in tools)
