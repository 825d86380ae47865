"""The tools that a model may call, as a table; it knows no protocol and no SDK.

A tool takes arguments and who asks, and gives one text. What a model can act on is an `EconomeError`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from econome.server.delegating.call import Asking, Carrier, Said
from econome.server.delegating.wire import FOLLOW, MENU, REVIEW
from econome.server.wire import (
    BALANCE_ARGUMENTS,
    BALANCE_TOOL,
    balance_answer,
    balance_question,
    fault,
)

if TYPE_CHECKING:
    from econome.errors import EconomeError
    from econome.server.desk import Desk

__all__ = ["Tool", "compact", "error_text", "tools"]


_Call = Callable[[Mapping[str, Any], Asking], Awaitable[Said]]
_LOOKING = (FOLLOW, REVIEW)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what a model is told of it, and what it does. `reads_only` promises that nothing changes."""

    name: str
    description: str
    arguments: Mapping[str, Any]
    call: _Call
    reads_only: bool


def tools(desk: Desk, carrier: Carrier) -> dict[str, Tool]:
    """Return the tools by name: those that *carrier* carries out, and the balance."""

    async def balance(arguments: Mapping[str, Any], asking: Asking) -> Said:
        asked = dict(arguments)
        return Said(
            compact(balance_answer(await desk.balance(lambda day: balance_question(asked, day))))
        )

    found = [_carried(name, carrier) for name in MENU]
    found.append(
        Tool(
            BALANCE_TOOL,
            "Tokens that delegating to the local model saved, per client: avoided, steering, corrections, net.",
            BALANCE_ARGUMENTS,
            balance,
            reads_only=True,
        )
    )
    return {tool.name: tool for tool in found}


def _carried(name: str, carrier: Carrier) -> Tool:
    async def call(arguments: Mapping[str, Any], asking: Asking) -> Said:
        return await carrier.carry(name, arguments, asking)

    description, taken = MENU[name]
    return Tool(name, description, taken, call, reads_only=name in _LOOKING)


def compact(value: object) -> str:
    """Return *value* as the JSON that costs a reader least: no blanks, no escapes."""
    return msgspec.json.encode(value).decode("utf-8")


def error_text(error: EconomeError) -> str:
    """Return what a model is told of an expected failure."""
    return compact(fault(str(error)))
