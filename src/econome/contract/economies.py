"""What each economy would save on one server, in the order in which a budget is best spent (L15).

Menus are counted. Answers are measured where a recording has some, and else estimated from their schemas; no figure mixes the
two, and each says which it is. Where neither is possible the figure is None, and the note says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from econome.contract.costs import name_of
from econome.contract.recorded import LIMIT, Answers, Measured
from econome.contract.static import StaticClass, static_class
from econome.errors import MenuError
from econome.lean.actions import Action, Namespace, action_of, free_name
from econome.lean.counting import Count
from econome.lean.describe import brief_text, described, prose
from econome.lean.menus import Menu, baseline
from econome.lean.selects import VALUE_TOKENS, break_even, root_fields, select_property

__all__ = ["ECONOMIES", "GROUPS", "Bounds", "Subject", "economies", "forms"]

ECONOMIES: Final = {
    "group": 1,
    "select": 2,
    "limit": 3,
    "table": 4,
    "encode": 4,
    "compact": 5,
    "lock": 6,
}
"""The economies, each with its place in the order of operations."""

GROUPS: Final = ("flat", "grouped", "signatures", "lean", "lazy")
"""The forms of a menu that are tried."""

_LOOKED_UP: Final = {
    "lean": "each look-up with `describe` costs the text of that tool and a turn",
    "lazy": "each tool is searched for first, which costs the text of three tools and a turn",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What bounds the answers of one tool: rows of a collection, the field that holds them, bytes."""

    limit: int | None = None
    rows: str | None = None
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """One server to be looked at: its tools, what the library does for each, its states, what bounds its answers.

    *answers* are those of a recording, by the name of a tool, counted as everything here is. *menu* is what is listed, where
    that is not the tools themselves.
    """

    server: str
    tools: Sequence[Mapping[str, Any]]
    economies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    machine: Mapping[str, Any] | None = None
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    answers: Mapping[str, Answers] | None = None
    menu: Sequence[Mapping[str, Any]] = ()

    @property
    def listed(self) -> Sequence[Mapping[str, Any]]:
        """What a turn pays for."""
        return self.menu or self.tools

    @property
    def own(self) -> frozenset[str]:
        """The names of its tools, which what a library lists besides has not."""
        return frozenset(map(name_of, self.tools))

    def bound(self, name: str) -> Bounds:
        """Return what bounds the answers of a tool."""
        return self.bounds.get(name, Bounds())

    def economy(self, name: str) -> Mapping[str, Any]:
        """Return what the library does for a tool."""
        known = self.economies.get(name)
        return known if isinstance(known, Mapping) else {}


_Row = dict[str, Any]
_Whole = Sequence[tuple[Mapping[str, Any], int]]
"""What a turn pays for: each entry of a list, and its tokens."""


def economies(
    subject: Subject,
    *,
    count: Count,
    menus: Sequence[Mapping[str, Any]] | None = None,
) -> list[_Row]:
    """Return a row for each thing that each economy would save, in their order and then the largest saving first.

    A row has `economy`, `order`, `what`, `tokens_before`, `tokens_after`, `per` (`turn` or `answer`), `basis` (`counted`,
    `measured`, `estimated` or None) and `note`. *menus* are what `forms` gave, where that is known already.
    """
    menus = forms(subject, count=count) if menus is None else menus
    whole = [(tool, count(baseline(tool))) for tool in subject.listed]
    measured = _measured(subject)
    made = [
        *_grouped(subject, whole, menus),
        *_selected(subject, count),
        *_limited(subject, measured),
        *_tables(subject, count),
        *_encoded(measured),
        *_compacted(subject, whole, count),
        _row("lock", "the menu and the classes of answers, as they are now", None, None, "turn", None, _LOCKED),
    ]  # fmt: skip
    return sorted(made, key=lambda row: (row["order"], list(ECONOMIES).index(row["economy"]), _rank(row)))  # fmt: skip


_NO_MENU: Final = "no list of tools is known"
_LOCKED: Final = "econome lock keeps them, and econome lock --check fails where one rises"


def _rank(row: _Row) -> tuple[int, str]:
    before, after = row["tokens_before"], row["tokens_after"]
    return (after - before if before is not None and after is not None else 1 << 60), row["what"]


def _row(
    economy: str,
    what: str,
    before: int | None,
    after: int | None,
    per: str,
    basis: str | None,
    note: str = "",
) -> _Row:
    return {
        "economy": economy,
        "order": ECONOMIES[economy],
        "what": what,
        "tokens_before": before,
        "tokens_after": after,
        "per": per,
        "basis": basis,
        "note": note,
    }


def forms(subject: Subject, *, count: Count) -> list[dict[str, Any]]:
    """Return what the menu comes to in each of `GROUPS`: `form`, `tokens` (None where it is not had) and `reason`.

    Where a library keeps the rest of cut answers, each form has what gives it.
    """
    own = subject.own
    more = free_name("more", own) in map(name_of, subject.menu)
    more = more or any(subject.economy(name).get("more") is True for name in own)
    found: list[dict[str, Any]] = []
    for form in GROUPS:
        try:
            menu = Menu.of(subject.tools, name=subject.server, form=form, count=count, more=more, keep_output=True)  # fmt: skip
        except MenuError as error:
            found.append({"form": form, "tokens": None, "reason": str(error)})
            continue
        had = menu.form == form
        reason = "" if had else menu.reason or f"comes out as {menu.form} here"
        found.append({"form": form, "tokens": menu.total_after if had else None, "reason": reason})
    return found


def _grouped(subject: Subject, whole: _Whole, menus: Sequence[Mapping[str, Any]]) -> Iterator[_Row]:
    before = sum(tokens for _, tokens in whole) if subject.tools else None
    for form in menus:
        name, tokens = form["form"], form["tokens"]
        basis = None if tokens is None else "counted"
        note = form["reason"] or _LOOKED_UP.get(name, "nothing is lost")
        note = note if subject.tools else _NO_MENU
        yield _row("group", f"menu as {name}", before, tokens, "turn", basis, note)


def _selected(subject: Subject, count: Count) -> Iterator[_Row]:
    found = False
    for tool in subject.tools:
        action = action_of(tool)
        names = root_fields(action.output)
        offering = replace(action, select=names)
        if not names or select_property([offering]) is None:
            continue
        even = break_even([offering], count)
        if not even.saves:
            continue
        found = True
        before = sum(count(name) + VALUE_TOKENS for name in names)
        worth = f"it costs {even.cost} tokens a turn and pays from {even.answers:.1f} narrowed records a turn on"
        if subject.economy(action.name).get("select"):
            worth = f"it is offered; {worth}"
        yield _row("select", action.name, before, before - even.saves, "answer", "estimated", worth)
    if not found:
        note = "no output schema names several fields, so that there is nothing known to select"
        note = note if subject.tools else _NO_MENU
        yield _row("select", "records of answers", None, None, "answer", None, note)


def _limited(subject: Subject, measured: Mapping[str, Measured]) -> Iterator[_Row]:
    for name, one in measured.items():
        cut = f"{one.rows_cut} rows cut in {one.cut}" if one.cut else "nothing to cut in any"
        note = (
            f"limit {one.limit}: {cut} of {one.answers} recorded; rows are weighed as compact JSON"
        )
        yield _row("limit", name, _mean(one.before, one.answers), _mean(one.limited, one.answers), "answer", "measured", note)  # fmt: skip
    unknown = 0
    free = False
    for tool in subject.tools:
        name = name_of(tool)
        if name in measured:
            continue
        now = _class(tool, subject.bound(name))
        if now.min_tokens is None:
            unknown += 1
            continue
        if now.bounded:
            continue
        free = True
        row = _estimated(name, now, _class(tool, subject.bound(name), LIMIT))
        if row is not None:
            yield row
    if unknown:
        what = f"{unknown} tools" if unknown > 1 else "1 tool"
        note = "their output schemas say nothing of their answers, and none were recorded"
        yield _row("limit", what, None, None, "answer", None, note)
    if not (measured or unknown or free):
        note = "every one that is declared is bounded" if subject.tools else _NO_MENU
        yield _row("limit", "collections of answers", None, None, "answer", None, note)


def _class(tool: Mapping[str, Any], bound: Bounds, limit: int | None = None) -> StaticClass:
    """Return the static class of a tool under its bounds and, where it has no limit of its own, another one."""
    own = bound.limit if bound.limit is not None else limit
    return static_class(tool, limit=own, max_bytes=bound.max_bytes, rows=bound.rows)


def _estimated(name: str, now: StaticClass, then: StaticClass) -> _Row | None:
    if now.max_tokens is None or then.max_tokens is None:
        return None
    note = f"of a hundred rows, {LIMIT} are kept; class {now.name} becomes {then.name}"
    if not then.bounded:
        note = f"a limit of {LIMIT} does not bound {then.collections[0] or 'it'}: cap its bytes"
    if then.max_tokens >= now.max_tokens:
        return _row("limit", name, now.max_tokens, None, "answer", None, note)
    after = then.max_tokens
    return _row("limit", name, now.max_tokens, after, "answer", "estimated", note)


def _measured(subject: Subject) -> dict[str, Measured]:
    """Return what was measured of each tool, where any of its answers was."""
    return {
        name: own
        for name, answers in (subject.answers or {}).items()
        if (own := answers.measured) is not None and own.answers
    }


def _encoded(measured: Mapping[str, Measured]) -> Iterator[_Row]:
    for name, own in measured.items():
        note = f"the smallest form that decodes to the same, over {own.answers} recorded"
        if own.cut:
            note += "; rows that a limit cuts are still in it, so the two cannot be added"
        yield _row("encode", name, _mean(own.before, own.answers), _mean(own.encoded, own.answers), "answer", "measured", note)  # fmt: skip
    if not measured:
        note = "what a table saves depends on the values: record some answers to see it"
        yield _row("encode", "answers", None, None, "answer", None, note)


def _mean(total: int, many: int) -> int:
    """Return a mean in whole tokens, halves up."""
    return (2 * total + many) // (2 * many)


def _tables(subject: Subject, count: Count) -> Iterator[_Row]:
    actions = tuple(action_of(tool) for tool in subject.tools)
    if len(actions) < 2:  # one tool is in no group
        return
    namespace = Namespace(subject.server, actions)
    before = count(prose(namespace))
    after = count(described(namespace, lambda _: 0).text)  # where both are alike, it is the table
    note = "in place of sentences, in a menu that is grouped"
    if after > before:
        more = after - before
        tokens = "1 token" if more == 1 else f"{more} tokens"
        note = f"the table is {tokens} longer than the sentences it would replace: keep those"
    yield _row("table", f"descriptions of {subject.server}", before, after, "turn", "counted", note)


def _compacted(subject: Subject, whole: _Whole, count: Count) -> Iterator[_Row]:
    what = "first sentences of descriptions"
    if not subject.tools:
        yield _row("compact", what, None, None, "turn", None, _NO_MENU)
        return
    before = sum(tokens for _, tokens in whole)
    initial = subject.machine.get("initial") if subject.machine is not None else None
    if isinstance(initial, str):
        yield from _by_state(subject, initial, whole, count)
    if not any(isinstance(subject.economy(name_of(tool)).get("short"), str) for tool, _ in whole):
        own = subject.own
        after = sum(
            min(_short(action_of(tool), tool, count), tokens) if name_of(tool) in own else tokens
            for tool, tokens in whole
        )
        note = "where no more is shown until a state is reached"
        yield _row("compact", what, before, after, "turn", "estimated", note)


def _by_state(
    subject: Subject,
    initial: str,
    whole: _Whole,
    count: Count,
) -> Iterator[_Row]:
    """Return what the table of states saves at the start: tools that are closed, and short texts of those that are open."""
    open_ = []
    for tool, tokens in whole:
        economy = subject.economy(name_of(tool))
        states, short = economy.get("states"), economy.get("short")
        if not isinstance(states, list | tuple) or initial in states:
            open_.append((tool, tokens, short if isinstance(short, str) else None))
    before = sum(tokens for _, tokens in whole)
    shown = sum(tokens for _, tokens, _ in open_)
    note = "where the list follows the state of a session"
    yield _row("compact", f"tools closed in the state {initial}", before, shown, "turn", "counted", note)  # fmt: skip
    if any(short is not None for _, _, short in open_):
        after = sum(
            tokens if short is None else count(baseline({**tool, "description": short}))
            for tool, tokens, short in open_
        )
        yield _row("compact", f"short texts in the state {initial}", shown, after, "turn", "counted", "the full texts come with the next state")  # fmt: skip


def _short(action: Action, tool: Mapping[str, Any], count: Count) -> int:
    return count(baseline({**tool, "description": brief_text(action)}))
