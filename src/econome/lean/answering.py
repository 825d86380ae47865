"""One answer of a library's server: narrowed, cut and encoded, and what its author wants said beside the data.

It takes the result as the server put it on the wire, and what the decorated function returned where one did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from econome.lean.answers import AnswerRule, Shaped, shape
from econome.lean.blocks import Answer, listed
from econome.lean.counting import Count
from econome.lean.exact import compact
from econome.lean.kept import Kept
from econome.lean.limits import collection, limited
from econome.lean.options import Economy, Held, Seen, Texts
from econome.lean.payload import payload_of
from econome.lean.policies import Policy
from econome.lean.selecting import UnknownField, asked, fields_of, narrowed

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
    if not isinstance(held.value, list | tuple) or len(texts) == 1:
        return result
    import pydantic_core

    text = pydantic_core.to_json(held.value, fallback=str).decode()
    return {**result, "content": [_text(text)]}


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
    fields: Sequence[str],
    select: Sequence[str] | None,
    policy: Policy,
    count: Count,
    keep: Kept,
    principal: str,
    more_call: str,
) -> Shaped:
    """Return a successful result with the economies of its tool, and the blocks its author wants beside the data.

    *fields* are the root fields that the tool declares, *select* those of them that were asked for.
    """
    if economy.table:
        policy = replace(policy, text=True)
    answer = held.answer if held.answer is not None else Answer(None)
    before, after = _beside(result, economy, answer)
    cap = economy.max_bytes
    if cap is not None:
        cap = max(1, cap - sum(len(text.encode()) for text in (*before, *after)))
    result, select, remark = _narrowed(result, select, fields, policy)
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
        more_call=more_call,
    )
    # What an author notes on the data stands between what was cut of it and the data.
    content = [*shaped.result["content"]]
    place = 1 if content and str(content[0].get("text")).startswith("[cut]") else 0
    content[place:place] = [_text(text) for text in (remark, answer.note) if text]
    content = [*map(_text, before), *content, *map(_text, after)]
    return replace(shaped, result={**shaped.result, "content": content})


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _narrowed(
    result: Mapping[str, Any], select: Sequence[str] | None, fields: Sequence[str], policy: Policy
) -> tuple[Mapping[str, Any], Sequence[str] | None, str]:
    """Return the result, its structure narrowed where the client keeps it; what of *select* is left to do; and a remark.

    A declared field that the data happens to lack narrows nothing. A path that leads nowhere below a declared field is found
    only now that the tool has run: then all is sent, and said so, since an error would have the call repeated.
    """
    found = payload_of(result)
    if not select or found is None or found.plain:
        return result, None, ""
    there = fields_of(found.value)
    roots = {name: name.partition(".")[0] for name in select}
    names = [name for name, root in roots.items() if root in there or root not in fields]
    if not names:
        return result, None, ""
    try:
        value = narrowed(found.value, names)
    except UnknownField as fault:
        return result, None, f"_select: {fault}. All is sent."
    if policy.text or "structuredContent" not in result:
        return result, names, ""
    structure = value if found.wrap is None else {found.wrap: value}
    return {**found.replaced(result, compact(value)), "structuredContent": structure}, None, ""


def _beside(
    result: Mapping[str, Any], economy: Economy, answer: Answer
) -> tuple[list[str], list[str]]:
    """Return the texts that go before the data and those after it, in the order of the wire."""
    stale = [*economy.invalidates, *answer.invalidation]
    before = [f"Stale now: {', '.join(stale)}"] if stale else []
    seen = _seen(result, economy) if economy.speaks else Seen(None, None)
    first = _first(seen)
    rules: list[str] = []
    if economy.row_rules is not None and first is not None:
        rules += economy.row_rules(first)
    rules += [*_made(economy.rules, seen), *answer.rules]
    suggestions = [*_made(economy.suggestions, seen), *answer.suggestions]
    after = [*_made(economy.ui, seen), *answer.ui]
    after += [
        listed(title, lines) for title, lines in (("Rules", rules), ("Next", suggestions)) if lines
    ]
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
