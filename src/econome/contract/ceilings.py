"""What of one server is over its budget: the whole menu, a namespace, a tool of it, an answer.

It compares tokens that were counted with the ceilings of `econome.toml`. What was not counted is not over anything: of answers
nobody has seen it knows only what their output schema bounds, says that this is an estimate, and fails nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from econome.contract.static import static_class
from econome.lean.rules import Budget, Ceilings

__all__ = ["Over", "over"]


@dataclass(frozen=True, slots=True)
class Over:
    """One ceiling that is exceeded, or one for what the server does not have; then *tokens* is None.

    *scope* is what the ceiling is for and *name* which one: of `answer` the tool, of `server` the server. *estimated* says that
    no such answer was seen: it is the most that the output schema of the tool and its limits let through.
    """

    level: Literal["warn", "fail"]
    server: str
    scope: Literal["tool", "namespace", "server", "answer"]
    name: str
    tokens: int | None
    ceiling: int
    estimated: bool = False


def over(
    name: str,
    server: Mapping[str, Any],
    budget: Budget,
    *,
    answers: Mapping[str, int] | None = None,
) -> list[Over]:
    """Return what of the server *name*, as a lock has it, is over *budget*: the whole first, then its parts by name.

    What is over a ceiling that fails is not told again for one that warns. *answers* are the tokens of the largest answer of
    each tool that was seen.
    """
    fails = {(one.scope, one.name): one for one in _over("fail", name, server, budget, answers)}
    warns = {
        (one.scope, one.name): one for one in _over("warn", name, server, budget.warn, answers)
    }
    order = ("server", "namespace", "tool", "answer")
    return sorted({**warns, **fails}.values(), key=lambda one: (order.index(one.scope), one.name))


def _over(
    level: Literal["warn", "fail"],
    server: str,
    body: Mapping[str, Any],
    ceilings: Ceilings,
    answers: Mapping[str, int] | None,
) -> Iterator[Over]:
    tools, namespaces = body["tools"], body["namespaces"]
    tokens = body["menu"]["tokens"]
    if ceilings.menu_tokens is not None and tokens > ceilings.menu_tokens:
        yield Over(level, server, "server", server, tokens, ceilings.menu_tokens)
    for name, tokens in namespaces.items():
        ceiling = ceilings.namespace(name)
        if ceiling is not None and tokens > ceiling:
            yield Over(level, server, "namespace", name, tokens, ceiling)
    for name, tool in tools.items():
        ceiling = ceilings.tool(name)
        if ceiling is not None and tool["tokens"] > ceiling:
            yield Over(level, server, "tool", name, tool["tokens"], ceiling)
    for name in ceilings.tools.keys() - tools.keys():
        yield Over("warn", server, "tool", name, None, ceilings.tools[name])
    for name in ceilings.namespaces.keys() - namespaces.keys():
        yield Over("warn", server, "namespace", name, None, ceilings.namespaces[name])
    if ceilings.answer_tokens is not None:
        yield from _answers(level, server, tools, ceilings.answer_tokens, answers or {})


def _answers(
    level: Literal["warn", "fail"],
    server: str,
    tools: Mapping[str, Any],
    ceiling: int,
    answers: Mapping[str, int],
) -> Iterator[Over]:
    for name, tool in tools.items():
        if name in answers:
            if answers[name] > ceiling:
                yield Over(level, server, "answer", name, answers[name], ceiling)
        elif (most := _most(tool)) is not None and most > ceiling:
            yield Over("warn", server, "answer", name, most, ceiling, estimated=True)


def _most(tool: Mapping[str, Any]) -> int | None:
    """Return the most tokens that an answer is estimated at, None where nothing bounds it."""
    economy = tool["economy"]
    found = static_class(
        tool["declared"],
        limit=economy.get("limit"),
        max_bytes=economy.get("max_bytes"),
        rows=economy.get("rows"),
    )
    return found.max_tokens if found.bounded else None
