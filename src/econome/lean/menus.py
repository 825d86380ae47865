"""The menu of one namespace: the tools that `tools/list` shows, in the form that costs least, and how a call of them is read.

It chooses among forms by a count that is given, and never offers a menu that is larger than the one it replaces. It
asks nothing of a server and knows no client.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from econome.errors import MenuError
from econome.lean import FORMS
from econome.lean.actions import Action, Namespace, action_of
from econome.lean.calls import Grouping, MoreAsked, Outcome, Passed, Said, Sent
from econome.lean.caution import pieces
from econome.lean.counting import Count
from econome.lean.describe import look_up
from econome.lean.schemas import compact
from econome.lean.selects import SELECT, BreakEven, break_even, root_fields, select_property
from econome.lean.shown import Draft, Wanted, draft, untouched_tool

__all__ = ["Cost", "Menu", "baseline"]

_LOSSLESS = ("flat", "grouped", "signatures")
"""From the most to the least usual one; a less usual form has to be worth it."""

_WORTH = 0.05
"""The share of a menu that a less usual form must save on top of a more usual one to be used."""

_SURELY, _FEW = 0.95, 16
"""The share of another form's cost that a form may have to count as smaller by a second measure, less a few tokens.

Both measures err by some percent, and most on a small schema that is all marks. A flat form only leaves out, and needs
no margin.
"""

_IN_SCHEMAS = {
    "description": 1.0,
    "properties": 0.8,
    "required": 0.4,
    "integer": 0.2,
    "boolean": 0.2,
    '":{"': 0.5,
    '":["': 0.4,
    '":"': 0.1,
    '","': 0.1,
    '":[]}}': 0.5,
}
"""How many tokens less than `pieces` says these are, which stand in every schema: one each, in o200k at least."""

_PARTED = re.compile(r"_(?=[0-9])")
_UNDERLINE = 0.15
"""What an underline in a name adds on average; one before a digit is a token of its own."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one tool of a menu costs a turn."""

    name: str
    tokens: int


def baseline(tool: Mapping[str, Any]) -> str:
    """Return what a client shows its model of a tool: name, description and input schema, as compact JSON."""
    shown = {
        "name": tool.get("name"),
        "description": tool.get("description") or "",
        "input_schema": tool.get("inputSchema"),
    }
    return compact(shown)


@dataclass(frozen=True, slots=True)
class Menu:
    """The tools that one namespace shows, and what their calls mean.

    *form* is the one in use, which differs from the one asked for where that would cost more or cannot be made
    (*reason* says why). *more_call* is how the rest of a cut answer is asked for, None where it is not offered.
    *select* is what `_select` costs and saves, None where no action has fields to name. *wording* is `table` or `prose`,
    whichever of both a group is told in, and empty in other forms. *before* is of the server's own tools, *after* of all that
    is shown; forms are held against each other with `more` and `_select` in all of them.
    """

    name: str
    form: str
    tools: tuple[dict[str, Any], ...]
    before: tuple[Cost, ...]
    after: tuple[Cost, ...]
    namespace: Namespace
    grouping: Grouping | None = None
    tool: str | None = None
    more_tool: str | None = None
    describe_key: str | None = None
    selecting: frozenset[str] = frozenset()
    select: BreakEven | None = None
    more_call: str | None = None
    wording: str = ""
    reason: str = ""
    by_name: Mapping[str, Action] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tools: Sequence[Mapping[str, Any]],
        *,
        name: str,
        form: str,
        count: Count,
        more: bool = False,
        select: Callable[[str], bool] | None = None,
        keep_output: bool = False,
    ) -> Menu:
        """Return the menu for the tools of a server, as `tools/list` gave them.

        *select* tells by its name whether a tool is to take `_select`, which is offered where the output schema names
        fields and it pays. Without *keep_output* the tools declare no output schema, since their answers will carry none.

        Raises:
            MenuError: there is no such form.
        """
        actions = tuple(map(action_of, tools))
        if select is not None:
            actions = tuple(
                replace(one, select=root_fields(one.output)) if select(one.name) else one
                for one in actions
            )
        namespace = Namespace(name, actions)
        try:
            return cls.made(namespace, form=form, count=count, more=more, keep_output=keep_output)
        except MenuError as error:
            if form not in FORMS:
                raise
            flat = cls.made(namespace, form="flat", count=count, more=more, keep_output=keep_output)
            return replace(flat, reason=str(error))

    @classmethod
    def made(
        cls,
        namespace: Namespace,
        *,
        form: str,
        count: Count,
        more: bool = False,
        keep_output: bool = False,
        select_always: bool = False,
    ) -> Menu:
        """Return the menu for a namespace, with the economies that its actions declare.

        Raises:
            MenuError: there is no such form, or a group was asked for by name whose fields contradict each other.
        """
        if form not in FORMS:
            raise MenuError(f"menu {form!r}: expected one of {', '.join(FORMS)}")
        select = "always" if select_always else "off" if form == "untouched" else "paying"
        wanted = Wanted(count, more, keep_output, select)
        made, reason = _chosen(form, namespace, wanted)
        before = tuple(_cost(untouched_tool(action, wanted), count) for action in namespace.actions)
        return cls(
            name=namespace.name,
            form=made.form,
            tools=made.tools,
            before=before,
            after=tuple(_cost(tool, count) for tool in made.tools),
            namespace=namespace,
            grouping=made.grouping,
            tool=made.tool,
            more_tool=made.more_tool,
            more_call=made.more_call,
            describe_key=made.describe_key,
            selecting=made.selecting,
            wording=made.wording,
            select=break_even(namespace.actions, count)
            if select_property(namespace.actions)
            else None,
            reason=reason,
            by_name={
                name: action for action in reversed(namespace.actions) for name in action.names
            },
        )

    @property
    def total_after(self) -> int:
        """Tokens a turn that this menu costs."""
        return sum(cost.tokens for cost in self.after)

    def narrows(self, name: str) -> bool:
        """Tell whether the tool *name* of the server takes arguments by which a call may ask for less."""
        action = self.by_name.get(name)
        return action is None or action.narrows

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> Outcome:
        """Return what becomes of a call of *name* with *arguments*.

        A tool of the server can be called by its own name whatever the form; then its arguments are the server's
        to judge.
        """
        given = arguments if isinstance(arguments, Mapping) else {}
        if self.grouping is not None and name == self.tool:
            return self.grouping.call(given)
        if self.more_tool is not None and name == self.more_tool:
            return MoreAsked(given)
        if name in self.namespace.hidden:
            return Said(f"{name} is not offered here", failed=True, kind="refused")
        action = self.by_name.get(name)
        if action is None:
            return Passed(None)
        if self.describe_key is not None and given == {self.describe_key: True}:
            return Said(look_up([action]), failed=False, kind="describe")
        if action.name in self.selecting and SELECT in given:
            kept = {key: value for key, value in given.items() if key != SELECT}
            return Sent(action.name, kept, action, given[SELECT])
        return Passed(action)


@dataclass(frozen=True, slots=True)
class _Priced:
    """One form of a menu with its size."""

    draft: Draft
    tokens: int
    size: int
    usual: float

    def smaller(self, other: _Priced) -> bool:
        """Tell whether this is smaller by tokens and, since those may be an estimate, by bytes and any vocabulary."""
        margin = 0.0 if self.draft.form == "flat" else 1.0 - _SURELY + _FEW / max(other.tokens, 1)
        return (
            self.tokens < other.tokens
            and self.size < other.size
            and self.usual < other.usual * (1.0 - margin)
        )


def _priced(made: Draft, count: Count) -> _Priced:
    texts = [baseline(tool) for tool in made.tools]
    whole = "\n".join(texts).encode("utf-8", "replace").decode()
    return _Priced(made, sum(map(count, texts)), len(whole.encode()), _usual(whole))


def _usual(text: str) -> float:
    """Return about how many tokens a menu is by the vocabularies of today."""
    less = sum(text.count(part) * saved for part, saved in _IN_SCHEMAS.items())
    return pieces(text) - less + len(_PARTED.findall(text)) + _UNDERLINE * text.count("_")


def _cost(tool: Mapping[str, Any], count: Count) -> Cost:
    return Cost(str(tool.get("name", "")), count(baseline(tool)))


def _chosen(form: str, namespace: Namespace, wanted: Wanted) -> tuple[Draft, str]:
    """Return the form to use, and why it is not the one asked for."""
    plain = _priced(draft("untouched", namespace, wanted), wanted.count)
    reason = ""
    if form == "untouched":
        return plain.draft, reason
    if form != "auto":
        asked = _priced(draft(form, namespace, wanted), wanted.count)
        if asked.smaller(plain):
            return asked.draft, reason
        reason = f"{form} would cost {asked.tokens} tokens, the tools as they are {plain.tokens}"
    best = plain
    for other in _LOSSLESS if form not in ("flat", "grouped") else ("flat",):
        try:
            made = _priced(draft(other, namespace, wanted), wanted.count)
        except MenuError:
            continue  # fields that contradict each other rule this form out, no more
        gain = best.tokens - made.tokens
        if made.smaller(best) and gain > (_WORTH * plain.tokens if best is not plain else 0):
            best = made
    return best.draft, reason
