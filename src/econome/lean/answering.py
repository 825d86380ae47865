"""One answer of a library's server: narrowed, cut and encoded, and what its author wants said beside the data.

It takes the result as the server put it on the wire, and what the decorated function returned where one did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from econome.lean.answers import shape
from econome.lean.blocks import Answer, Block, arranged, beside
from econome.lean.counting import Count
from econome.lean.exact import compact
from econome.lean.kept import Kept
from econome.lean.limits import collection, limited
from econome.lean.options import Economy, Held, Seen, Texts
from econome.lean.payload import Payload, payload_of
from econome.lean.pointers import value_at
from econome.lean.policies import Policy
from econome.lean.shaping import CUT
from econome.lean.treatment import AnswerRule

__all__ = ["answered", "complete", "handle_in", "whole"]


def complete(result: object) -> bool:
    """Tell whether a call succeeded: its result is no error, no question and no task."""
    return (
        isinstance(result, Mapping)
        and result.get("isError") is not True
        and result.get("resultType", "complete") == "complete"
        and "content" in result
    )


def whole(result: Any, held: Held) -> Any:
    """Return the result of a decorated function with its data in one text, and no more in it than its type lets through.

    The SDK makes a block of each item of a list, and a text of what was returned before its type was looked at.
    """
    if not complete(result) or not held.filled:
        return result
    texts = [block.get("type") == "text" for block in result["content"]]
    if not all(texts):
        return result
    if "structuredContent" in result:
        found = payload_of(result)
        if found is None or found.plain or found.texts:
            return result
        return {**result, "content": [_text(compact(found.value))]}
    if not isinstance(held.value, list | tuple):
        return result
    import pydantic_core
    from mcp_types import TextContent

    if any(isinstance(one, TextContent) for one in held.value):
        return result
    text = pydantic_core.to_json(held.value, fallback=str).decode()
    return {**result, "content": [_text(text)]}


def handle_in(
    result: Mapping[str, Any], name: str | None, schema: Mapping[str, Any] | None = None
) -> str | None:
    """Return the workflow's handle that an answer of a tool with that output *schema* carries in its root field *name*."""
    found = payload_of(result, schema=schema)
    if name is None or found is None or not isinstance(found.value, dict):
        return None
    handle = found.value.get(name)
    usable = isinstance(handle, str | int) and not isinstance(handle, bool) and handle != ""
    return str(handle) if usable else None


def answered(
    result: Mapping[str, Any],
    economy: Economy,
    held: Held,
    *,
    fields: Sequence[str],
    select: Sequence[str] | None,
    policy: Policy,
    count: Count,
    keep: Kept,
    principal: str,
    more_call: str,
    conversation: str | None = None,
    narrows: bool = True,
    schema: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], tuple[Block, ...]]:
    """Return a successful result with the economies of its tool, and its blocks: the data, and what its author says beside.

    *fields* are the root fields that the tool declares, *select* those of them that were asked for, *schema* is that of its
    output. *conversation* is what has one memory of earlier answers, None where nobody knows. A cut or a selection is its
    author's own, so it holds for a structure too.
    """
    if economy.table:
        policy = replace(policy, text=True)
    found = payload_of(result, schema=schema) if economy.speaks else None
    around = beside(_said(found, economy, held.answer or Answer(None)))
    cap = economy.max_bytes
    if cap is not None:
        cap = max(cap - sum(len(block.text.encode()) for block in around), 1)
    shaped = shape(
        result,
        rule=AnswerRule(
            limit=economy.limit,
            rows=economy.rows,
            max_bytes=cap,
            encode=economy.table is not False,
            more=bool(economy.more),
            repeats=bool(economy.repeats),
        ),
        policy=policy,
        select=select,
        fields=fields,
        count=count,
        keep=keep,
        principal=principal,
        conversation=conversation,
        more_call=more_call,
        narrows=narrows,
        schema=schema,
        last=count,
        restructures=True,
    )
    kinds = {shaped.remark: "note"} if shaped.remark else {}
    own = [
        Block(kinds.get(block.get("text", ""), "data"), block) for block in shaped.result["content"]
    ]
    if own and shaped.cut is not None and own[0].text.startswith(CUT):
        own[0] = replace(own[0], kind="cut")
    blocks = arranged((*own, *around))
    return {**shaped.result, "content": [block.content for block in blocks]}, blocks


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _said(found: Payload | None, economy: Economy, answer: Answer) -> Answer:
    """Return all that is said beside the data: what the tool's economies make of it, and what its function added."""
    seen = _seen(found, economy) if economy.speaks else Seen(None, None)
    first = _first(seen)
    of_row = () if economy.row_rules is None or first is None else economy.row_rules(first)
    return replace(
        answer,
        ui=[*_made(economy.ui, seen), *answer.ui],
        rules=[*of_row, *_made(economy.rules, seen), *answer.rules],
        suggestions=[*_made(economy.suggestions, seen), *answer.suggestions],
        invalidation=[*economy.invalidates, *answer.invalidation],
    )


def _made(texts: Texts, seen: Seen) -> Iterable[str]:
    return texts(seen) if callable(texts) else texts


def _first(seen: Seen) -> Any:
    """Return the record itself, or the first row of a collection, None where there is none."""
    rows = seen.data if isinstance(seen.data, list) else [seen.data]
    return rows[0] if rows else None


def _seen(found: Payload | None, economy: Economy) -> Seen:
    value: Any = None
    if found is not None:
        value = found.text if found.plain else found.value
    place = collection(value, economy.rows)
    if place is None:
        return Seen(value, None)
    return Seen(limited(value, economy.limit, economy.rows)[0], len(value_at(value, place)))
