"""One answer of a library's server: narrowed, cut and encoded, and what its author wants said beside the data.

It takes the result as the server put it on the wire, and what the decorated function returned where one did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from econome.lean.answers import AnswerRule, Shaped, shape
from econome.lean.blocks import Answer
from econome.lean.counting import Count
from econome.lean.kept import Kept
from econome.lean.limits import collection, limited
from econome.lean.options import Economy, Held, Seen, Texts
from econome.lean.payload import payload_of
from econome.lean.policies import Policy
from econome.lean.selecting import UnknownField, asked

__all__ = ["answered", "complete", "handle_in", "selected", "whole"]


def complete(result: object) -> bool:
    """Tell whether a call succeeded: its result is no error, no question and no task."""
    return (
        isinstance(result, Mapping)
        and result.get("isError") is not True
        and result.get("resultType", "complete") == "complete"
        and "content" in result
    )


def whole(result: Any, held: Held) -> Any:
    """Return *result* with its data in one text where the SDK made a block of each item of a list."""
    if not complete(result) or "structuredContent" in result:
        return result
    texts = [block.get("type") == "text" for block in result["content"]]
    if not isinstance(held.value, list | tuple) or len(texts) == 1 or not all(texts):
        return result
    import pydantic_core

    text = pydantic_core.to_json(held.value, fallback=str).decode()
    return {**result, "content": [{"type": "text", "text": text}]}


def handle_in(result: Mapping[str, Any], name: str | None) -> str | None:
    """Return the workflow's handle that an answer carries in its root field *name*."""
    found = payload_of(result)
    if name is None or found is None or not isinstance(found.value, dict):
        return None
    handle = found.value.get(name)
    usable = isinstance(handle, str | int) and not isinstance(handle, bool) and handle != ""
    return str(handle) if usable else None


def selected(selection: object, fields: Sequence[str]) -> tuple[tuple[str, ...] | None, str | None]:
    """Return the fields that `_select` asks for, None for all; and why it is refused, where it names what there is not."""
    names = asked(selection)
    unknown = [name for name in names or () if name.partition(".")[0] not in fields]
    if unknown:
        return None, f"_select: {UnknownField(unknown, fields)}"
    return names, None


def answered(
    result: Mapping[str, Any],
    economy: Economy,
    held: Held,
    *,
    select: Sequence[str] | None,
    policy: Policy,
    count: Count,
    keep: Kept,
    principal: str,
) -> Shaped:
    """Return a successful result with the economies of its tool, and the blocks its author wants beside the data."""
    if economy.table:
        policy = replace(policy, text=True)
    before, after = _beside(result, economy, held.answer)
    cap = economy.max_bytes
    if cap is not None:
        cap = max(1, cap - sum(len(text.encode()) for text in (*before, *after)))
    rule = AnswerRule(
        limit=economy.limit,
        rows=economy.rows,
        max_bytes=cap,
        encode=economy.table is not False,
        more=bool(economy.more),
        repeats=bool(economy.repeats),
    )
    shaped = shape(
        result,
        rule=rule,
        policy=policy,
        select=select,
        count=count,
        keep=keep,
        principal=principal,
    )
    if not before and not after:
        return shaped
    content = [*map(_text, before), *shaped.result["content"], *map(_text, after)]
    return replace(shaped, result={**shaped.result, "content": content})


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _beside(
    result: Mapping[str, Any], economy: Economy, answer: Answer | None
) -> tuple[list[str], list[str]]:
    """Return the texts that go before the data and those after it, in the order of the wire."""
    own = answer if answer is not None else Answer(None)
    stale = [*economy.invalidates, *own.invalidation]
    before = [f"Stale now: {', '.join(stale)}"] if stale else []
    if own.note:
        before.append(own.note)
    if not economy.speaks and answer is None:
        return before, []
    seen = _seen(result, economy)
    rules = [*_made(economy.rules, seen), *own.rules]
    first = _first(seen)
    if economy.row_rules is not None and first is not None:
        rules[:0] = economy.row_rules(first)
    suggestions = [*_made(economy.suggestions, seen), *own.suggestions]
    after = [*_made(economy.ui, seen), *own.ui]
    for title, lines in (("Rules", rules), ("Next", suggestions)):
        if lines:
            after.append("\n".join([f"{title}:", *(f"- {line}" for line in lines)]))
    return before, after


def _made(texts: Texts, seen: Seen) -> Iterable[str]:
    return texts(seen) if callable(texts) else texts


def _first(seen: Seen) -> Any:
    """Return the record itself, or the first row of a collection, None where there is none."""
    rows = seen.data if isinstance(seen.data, list) else [seen.data]
    return rows[0] if rows else None


def _seen(result: Mapping[str, Any], economy: Economy) -> Seen:
    found = payload_of(result)
    value: Any = None
    if found is not None:
        value = found.text if found.plain else found.value
    place = collection(value, economy.rows)
    if place is None:
        return Seen(value, None)
    total = value
    for key in place:
        total = total[key]
    return Seen(limited(value, economy.limit, economy.rows)[0], len(total))
