"""What a menu costs in each of its forms, and which one a client would be shown: a dry run, as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from econome.errors import MenuError
from econome.lean.menus import FORMS, Menu, baseline
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.wire import value_of
from econome.lean.rules import Budget

__all__ = ["trial"]


def trial(
    lean: Lean, tools: Sequence[bytes], client: str, budget: Budget, *, estimate: bool
) -> dict[str, Any]:
    """Return the report of a dry run over the tools of a server, each as its bytes.

    Raises:
        MenuError: the menu cannot be built.
    """
    policy = lean.policy(client)
    before = [value_of(tool) for tool in tools]
    menu = None if lean.passing else lean.menu(policy, tools)
    after = before if menu is None else [dict(tool) for tool in menu.tools]
    whole, shown = _costs(lean, before), _costs(lean, after)
    ceiling = budget.menu_tokens
    return {
        "server": lean.name,
        "client": client,
        "tokenizer": lean.tokenizer,
        "estimate": estimate,
        "asked": policy.menu,
        "form": "untouched" if menu is None else menu.form,
        "tokens_before": _sum(whole),
        "tokens_after": _sum(shown),
        "budget_tokens": ceiling,
        "over_budget": ceiling is not None and _sum(shown) > ceiling,
        "forms": [_form(lean, policy.text, tools, form) for form in FORMS if form != "auto"],
        "before": whole,
        "after": shown,
        "menu_before": before,
        "menu_after": after,
    }


def _costs(lean: Lean, tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"tool": str(tool.get("name", "")), "tokens": lean.measure(baseline(tool))}
        for tool in tools
    ]


def _sum(costs: Sequence[Mapping[str, Any]]) -> int:
    return sum(cost["tokens"] for cost in costs)


def _form(lean: Lean, text: bool, tools: Sequence[bytes], form: str) -> dict[str, Any]:
    """Return what the menu comes to in one form; None where it cannot be had, or would be larger."""
    try:
        menu = Menu.of(
            list(map(value_of, tools)),
            name=lean.name,
            form=form,
            count=lean.count,
            keep_output=not text,
        )
    except MenuError:
        return {"form": form, "tokens": None}
    usable = menu.form == form
    return {"form": form, "tokens": _sum(_costs(lean, menu.tools)) if usable else None}
