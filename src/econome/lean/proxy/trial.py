"""What a menu costs in each of its forms, and which one a client would be shown: a dry run, as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from econome.errors import MenuError
from econome.lean import FORMS
from econome.lean.actions import Action, fields_of
from econome.lean.menus import Menu, baseline
from econome.lean.policies import Policy
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.wire import value_of
from econome.lean.rules import Budget, Named
from econome.lean.selects import SELECT, break_even

__all__ = ["trial"]

_NOTHING = Named()


def trial(
    lean: Lean,
    tools: Sequence[bytes],
    client: str,
    budget: Budget,
    *,
    estimate: bool,
    named: Named = _NOTHING,
) -> dict[str, Any]:
    """Return the report of a dry run over the tools of a server, each as its bytes; *named* is what the rules name.

    Raises:
        MenuError: the menu cannot be built.
    """
    policy = lean.policy(client)
    before = [value_of(tool) for tool in tools]
    menu = None if lean.passing else lean.menu(policy, tools)
    after = before if menu is None else [dict(tool) for tool in menu.tools]
    whole, shown = _costs(lean, before), _costs(lean, after)
    ceiling = budget.menu_tokens
    known = {cost["tool"] for cost in whole}
    return {
        "server": lean.name,
        "client": client,
        "tokenizer": lean.tokenizer,
        "estimate": estimate,
        "asked": policy.menu,
        "form": "untouched" if menu is None else menu.form,
        "reason": None if menu is None else _reason(menu, policy.menu),
        "wording": None if menu is None else menu.wording or None,
        "more": None if menu is None else menu.more_call,
        "tokens_added": 0 if menu is None else _sum(shown) - _bare(lean, policy, menu, before),
        "tokens_before": _sum(whole),
        "tokens_after": _sum(shown),
        "budget_tokens": ceiling,
        "over_budget": ceiling is not None and _sum(shown) > ceiling,
        "forms": [_form(lean, policy, tools, form) for form in FORMS if form != "auto"],
        "select": _selects(lean, menu, policy, before),
        "structures_whole": not policy.text and _shortens(lean),
        "unknown_tools": [name for name in named.tools if name not in known],
        "other_tables": list(named.others),
        "before": whole,
        "after": shown,
        "menu_before": before,
        "menu_after": after,
    }


def _bare(lean: Lean, policy: Policy, menu: Menu, tools: Sequence[Mapping[str, Any]]) -> int:
    """Return what a menu would cost without what the rules add to it, `more` and `_select`."""
    form, keep = menu.form, not policy.text
    bare = Menu.of(tools, name=lean.name, form=form, count=lean.count, keep_output=keep)
    return _sum(_costs(lean, bare.tools))


def _costs(lean: Lean, tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"tool": str(tool.get("name", "")), "tokens": lean.measure(baseline(tool))}
        for tool in tools
    ]


def _sum(costs: Sequence[Mapping[str, Any]]) -> int:
    return sum(cost["tokens"] for cost in costs)


def _form(lean: Lean, policy: Policy, tools: Sequence[bytes], form: str) -> dict[str, Any]:
    """Return what the menu comes to in one form, with all that the rules add; None where it is not had, and why."""
    try:
        menu = lean.menu(replace(policy, menu=form), tools)
    except MenuError as error:
        return {"form": form, "tokens": None, "reason": str(error)}
    reason = _reason(menu, form)
    tokens = _sum(_costs(lean, menu.tools)) if reason is None else None
    return {"form": form, "tokens": tokens, "reason": reason}


def _reason(menu: Menu, asked: str) -> str | None:
    """Return why a menu is not of the form that was asked for; None where it is."""
    if asked in ("auto", menu.form):
        return None
    if not menu.reason:
        return f"comes out as {menu.form} here"
    costs = menu.reason.removeprefix(f"{asked} would cost ")
    if costs != menu.reason:
        return f"not surely smaller ({costs})"
    return f"does not apply: {menu.reason}"


def _shortens(lean: Lean) -> bool:
    """Tell whether the rules limit rows or bytes of any answer."""
    rules = [lean.rules.usual, *map(lean.rules.tool, lean.rules.tools)]
    return any(rule.limit is not None or rule.max_bytes is not None for rule in rules)


def _selects(
    lean: Lean, menu: Menu | None, policy: Policy, tools: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]] | None:
    """Return for each tool that is to take `_select` whether it does, and else why not; None where none is to."""
    wanted = [
        name for name in (str(tool.get("name", "")) for tool in tools) if lean.rules.tool(name).select
    ]  # fmt: skip
    if not wanted:
        return None
    found = []
    for name in wanted:
        reason: str | None = "--pass changes nothing"
        if menu is not None:
            kept = None if policy.text else "this client keeps structures, which are never narrowed"
            reason = kept or _unselected(lean, menu, policy.menu, name)
        found.append({"tool": name, "offered": reason is None, "reason": reason})
    return found


def _unselected(lean: Lean, menu: Menu, asked: str, name: str) -> str | None:
    """Return why an action takes no `_select`; None where it does."""
    action = menu.by_name[name]
    group: tuple[Action, ...] = (action,)
    if menu.grouping is not None and action in menu.grouping.namespace.actions:
        group = menu.grouping.namespace.actions
    if not action.select:
        return (
            "it declares no output schema"
            if action.output is None
            else "its output schema names no fields"
        )
    if name in menu.selecting or (len(group) > 1 and menu.grouping and menu.grouping.selects):
        return None
    if any(SELECT in fields_of(one.schema) for one in group):
        return f"there is a field {SELECT} already"
    if asked == "untouched":
        return "untouched tools stay as they are"
    even = break_even(group, lean.count)
    if even.pays:
        return "its schema cannot be added to"
    return f"its names cost {even.cost} tokens a turn, one narrowed answer saves about {even.saves}"
