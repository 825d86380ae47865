"""The figures of the page of one server."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from econome.contract.measured import Ceiling, Checked, Economy, LockState, Measured, Told
from econome.server.charts.values import PLAIN, Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.legends import hidden, legend
from econome.server.screens.servers_all import locks, proxied
from econome.server.screens.servers_answers import answers, called
from econome.server.screens.servers_seen import Seen
from econome.server.screens.servers_words import BASES, Words, short

if TYPE_CHECKING:
    from econome.server.screens.state import State
    from econome.server.telling import Telling

__all__ = ["one_figures"]

_DRAWN = 20
_LEAST, _LEAST_SHARE = 5, 100
"""What saves fewer tokens, or less than one part in so many, is not drawn."""


def one_figures(one: Seen, telling: Telling, state: State) -> tuple[Figure, ...]:
    """Return the figures of a server; those without a row are left out."""
    words = Words(telling)
    known, measured, made = one.known, one.measured, []
    if measured is not None:
        made += [
            _tools(measured, telling, words),
            _namespaces(measured, telling),
            _economies(measured, "turn", telling, words, state),
            _economies(measured, "answer", telling, words, state),
        ]
    if known is not None and known.answered is not None:
        made.append(answers(known.answered, telling, words, state))
    if known is not None:
        states = [(one.name, state) for state in one.locks]
        made += [
            locks(states, telling, words),
            _findings(one.name, one.locks, telling, words),
            _budgets(measured, one.checked, telling, words),
        ]
    made.append(proxied([(one.name, each) for each in one.proxied], telling, words))
    made.append(called(one.called or {}, telling, words, state))
    return tuple(figure for figure in made if figure.rows)


def _tools(found: Measured, telling: Telling, words: Words) -> Figure:
    text = telling.text
    title = text("The largest tools")
    groups = [
        Group(
            one.tool,
            (one.tokens,),
            words.tokens(one.tokens),
        )
        for one in found.largest[:_DRAWN]
    ]
    note = text(
        "Tokens by {method}, one by one.",
        method=words.method(found.tokenizer, estimate=found.estimate),
    )
    rest = found.declared - len(found.largest)
    if rest:
        note += " " + telling.plural(
            "{count} smaller one is left out.", "{count} smaller ones are left out.", rest
        )
    desc = text("One bar a tool, as long as it has tokens in the menu.")
    return Figure(
        "tools",
        title,
        (
            Column("tool", text("Tool"), "text"),
            Column("tokens", text("Tokens a turn")),
            Column("share", text("Share of the menu"), "share"),
            Column("found", text("Once, where it is searched for")),
            Column("class", text("Answers may be"), "text"),
            Column("namespace", text("Namespace"), "text"),
        ),
        tuple(
            Row(
                (one.tool, one.tokens, one.share, one.found, one.risk, one.namespace),
                {"class": words.risk(one.risk), **short(tool=one.tool, namespace=one.namespace)},
            )
            for one in found.largest
        ),
        worths(groups, (Series(text("Tokens a turn"), PLAIN),), Head("tools", title, desc))
        if groups
        else "",
        note,
    )


def _namespaces(found: Measured, telling: Telling) -> Figure:
    text = telling.text
    several = found.namespaces if len(found.namespaces) > 1 else ()
    return Figure(
        "namespaces",
        text("Namespaces"),
        (
            Column("namespace", text("Namespace"), "text"),
            Column("tools", text("Tools")),
            Column("tokens", text("Tokens a turn")),
            Column("share", text("Share of the menu"), "share"),
        ),
        tuple(
            Row((one.namespace, one.tools, one.tokens, one.share), short(namespace=one.namespace))
            for one in several
        ),
    )


def _economies(found: Measured, per: str, telling: Telling, words: Words, state: State) -> Figure:
    """Return what each economy would save; each bar is of one basis, and nothing is added up."""
    text = telling.text
    rows = [row for row in found.economies if row.per == per and row.saves is not None]
    drawn = sorted(filter(_is_worth_it, rows), key=lambda row: -(row.saves or 0))[:_DRAWN]
    a_turn = per == "turn"
    name = "economies" if a_turn else "answer-economies"
    title = (
        text("What would make every turn cheaper") if a_turn else text("What would make answers cheaper")
    )  # fmt: skip
    used = {row.basis for row in drawn}
    keys = {basis: f"{name}:{basis}" for basis in BASES}
    unseen = hidden(state)
    groups = [
        _saving(row, telling, words) for row in drawn if keys.get(row.basis or "") not in unseen
    ]
    series = {keys[basis]: Series(words.bases[basis], at) for at, basis in enumerate(BASES)}
    entries = legend(state, {keys[one]: series[keys[one]] for one in BASES if one in used})
    note = text("In the order in which to go about it. What is counted, measured and estimated is never added up, and economies on the same tokens cannot be either.")  # fmt: skip
    desc = text("One bar an economy, as long as it saves tokens, with the mark of how that is known.")  # fmt: skip
    return Figure(
        name,
        title,
        (
            Column("economy", text("Economy"), "text"),
            Column("what", text("Of what"), "text"),
            Column("order", text("Step")),
            Column("tokens_before", text("Tokens before")),
            Column("tokens_after", text("Tokens after")),
            Column("saves", text("Saves")),
            Column("basis", text("How known"), "text"),
        ),
        tuple(
            Row(
                (row.economy, row.what, row.order, row.tokens_before, row.tokens_after, row.saves, row.basis),
                {
                    "economy": words.step(row.economy),
                    "what": words.what(row),
                    "basis": words.bases.get(row.basis or "", text("n/a")),
                },
            )
            for row in rows
        ),
        worths(groups, tuple(series.values()), Head(name, title, desc)) if drawn else "",
        note,
        entries,
    )  # fmt: skip


def _is_worth_it(row: Economy) -> bool:
    saves = row.saves or 0
    return saves >= _LEAST and saves * _LEAST_SHARE >= (row.tokens_before or 0)


def _saving(row: Economy, telling: Telling, words: Words) -> Group:
    saves = row.saves or 0
    told = telling.text(
        "saves {count} tokens, {basis}",
        count=telling.count(saves),
        basis=words.bases.get(row.basis or "", ""),
    )
    values = tuple(saves if row.basis == basis else 0 for basis in BASES)
    return Group(f"{words.step(row.economy)}: {words.what(row)}", values, told)


def _explained(server: str, lock: str, told: Told) -> str:
    """Return the command that shows what a lock holds of a tool; nothing for one that it does not hold.

    Nor is there any for a name that a command line would take for an option, or a terminal for more than a name.
    """
    held = told.subject == "tool" and told.kind != "tool-added"
    if not held or told.name.startswith("-") or not told.name.isprintable():
        return ""
    return shlex.join(["econome", "lock", "explain", "--lock", lock, "--server", server, told.name])


def _findings(
    server: str, states: Sequence[LockState], telling: Telling, words: Words
) -> Figure:  # fmt: skip
    text = telling.text
    rows = [(state, told) for state in states if state.checked for told in state.checked.findings]
    several = len(states) > 1
    left = sum(
        sum(state.checked.severities.values()) - len(state.checked.findings)
        for state in states
        if state.checked
    )
    note = text("What the last check of each lock told, the worst first. The command shows what the lock holds of a tool.")  # fmt: skip
    if left:
        note += " " + telling.plural(
            "{count} milder one is left out.", "{count} milder ones are left out.", left
        )
    return Figure(
        "findings",
        text("What differs from the lock"),
        (
            Column("severity", text("Severity"), "text"),
            Column("kind", text("Rule"), "text"),
            Column("subject", text("Of what"), "text"),
            Column("name", text("Name"), "text"),
            Column("explain", text("What the lock holds"), "text"),
            *([Column("lock", text("File"), "text")] if several else []),
        ),
        tuple(
            Row(
                (
                    told.severity,
                    told.kind,
                    told.subject,
                    told.name,
                    _explained(server, state.lock, told),
                    *([state.lock] if several else []),
                ),
                {
                    "severity": words.severity(told.severity),
                    "subject": words.subject(told.subject),
                    **short(name=told.name),
                },
            )
            for state, told in rows
        ),
        note=note,
    )


def _budgets(
    measured: Measured | None, checked: Checked | None, telling: Telling, words: Words
) -> Figure:
    """Return the ceilings that are exceeded, by the last check, or without one by the profile."""
    text = telling.text
    rows: Sequence[Ceiling] = ()
    if checked is not None:
        rows = checked.budget
    elif measured is not None:
        rows = measured.budget
    level = {"fail": text("over budget"), "warn": text("a warning")}
    return Figure(
        "budgets",
        text("Budgets that do not hold"),
        (
            Column("name", text("Name"), "text"),
            Column("scope", text("Of what"), "text"),
            Column("tokens", text("Tokens")),
            Column("ceiling", text("Allowed")),
            Column("basis", text("How known"), "text"),
            Column("level", text("Level"), "text"),
        ),
        tuple(
            Row(
                (
                    one.name,
                    one.scope,
                    one.tokens,
                    one.ceiling,
                    "estimated" if one.estimated else "counted",
                    one.level,
                ),
                {
                    "scope": words.subject(one.scope),
                    "basis": words.bases["estimated" if one.estimated else "counted"],
                    "level": level[one.level],
                    **short(name=one.name),
                },
            )
            for one in rows
        ),
    )
