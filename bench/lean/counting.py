"""The tokenizers the bench counts with, and what of a menu and of an answer a model reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.lean.record import baseline, compact
from econome.errors import UsageError
from econome.tokenizers import tokenizer

__all__ = ["JUDGE", "answer_text", "counters", "menu_text", "tool_text"]

JUDGE = "o200k"
"""The tokenizer that the bars are judged by; others are shown beside it."""

_OTHERS = ("claude",)


def counters() -> dict[str, Callable[[str], int]]:
    """Return the tokenizers that are installed, by name: that of the bars first.

    Raises:
        UsageError: the one that the bars are judged by is not installed.
    """
    found = {JUDGE: tokenizer(JUDGE).count}
    for name in _OTHERS:
        try:
            found[name] = tokenizer(name).count
        except UsageError:  # it needs a later Python than the oldest that is supported
            continue
    return found


def tool_text(tool: Mapping[str, Any]) -> str:
    """Return what a client shows its model of a tool."""
    shown = {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "input_schema": tool["inputSchema"],
    }
    return compact(shown)


def menu_text(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return what a client shows its model of a menu."""
    return "[" + ",".join(map(tool_text, tools)) + "]"


def answer_text(result: Mapping[str, Any]) -> str:
    """Return what a client shows its model of an answer."""
    return baseline(dict(result))
