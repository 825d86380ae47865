"""One answer of a tool made cheaper: its data found, narrowed, cut, encoded and put back where the client's model reads it.

It takes a result of `tools/call` as it is on the wire and gives one back. Images, audio, resources, links and errors pass in
their places. Whatever is not smaller than before is left as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from econome.lean.counting import Count
from econome.lean.exact import LONGEST, compact
from econome.lean.forms import has_forms
from econome.lean.kept import Kept
from econome.lean.payload import holds_data, is_returned, payload_of
from econome.lean.policies import Policy
from econome.lean.selecting import asked
from econome.lean.shaping import CUT, Shaping
from econome.lean.treatment import AnswerRule, Shaped

__all__ = ["settled", "shape"]

_LONGEST_TO_ENCODE = 2_000_000
"""Characters of a text up to which its data is looked for, where nothing is to be cut from it."""


def shape(
    result: Mapping[str, Any],
    *,
    rule: AnswerRule,
    policy: Policy,
    select: Sequence[str] | None = None,
    fields: Sequence[str] = (),
    count: Count,
    keep: Kept | None = None,
    principal: str = "",
    conversation: str | None = None,
    more_call: str = "more",
    narrows: bool = True,
    wire: bool = False,
    schema: Mapping[str, Any] | None = None,
    last: Count | None = None,
    restructures: bool = False,
) -> Shaped:
    """Return *result* with the economies of *rule* for a client of *policy*.

    A result from the *wire* was read from JSON, which makes it quicker. *select* holds what `_select` asked for, of the root
    *fields* that the tool declares where it declares some; the tool has run, so one that cannot be carried out is a remark
    on the full data. What is cut is kept in *keep* for *principal*, who reads the rest by *more_call*; *narrows* says whether
    the tool takes arguments by which less may be asked for. *conversation* is what has one memory of earlier answers, None
    where nobody knows. *schema* is the tool's output schema, without which a string in the structure is no data. Where a
    real vocabulary was chosen, it has the *last* word: nothing that it counts as more is sent. A structure that is kept is
    cut or narrowed only where *restructures* says that its author wants so.
    """
    cuts = bool(select) or rule.limit is not None or rule.max_bytes is not None
    longest = LONGEST if cuts else _LONGEST_TO_ENCODE
    found = payload_of(result, longest, wire=wire, json=rule.json, schema=schema)
    if found is None:
        return Shaped(dict(result), "", "", "untouched")
    asking = Shaping(
        result,
        found,
        rule,
        policy,
        count,
        keep,
        principal,
        conversation,
        more_call,
        narrows,
        restructures,
    )
    names = asked(select)
    if names is None and (again := asking.again()) is not None:
        return again
    if names is not None:
        asking.narrow(names, fields)
    shaped = asking.plain() if found.plain else asking.data()
    if last is not None and shaped.form != "untouched" and not _fits(shaped, result, last):
        shaped = asking.untouched()
    if shaped.cut is None:
        asking.seen()
    return _remarked(shaped, asking) if asking.remark else shaped


def _remarked(shaped: Shaped, asking: Shaping) -> Shaped:
    """Return an answer with a remark in front of its data."""
    found, remark = asking.found, asking.remark
    if asking.policy.text and "structuredContent" in shaped.result:
        # A structure would hide the texts beside it from such a client.
        text, form = (found.text, "text") if found.texts else (found.before, "json")
        shaped = replace(shaped, result=found.replaced(shaped.result, text), form=form)
    content = list(shaped.result["content"])
    noted = shaped.cut is not None and content[0].get("text", "").startswith(CUT)
    content.insert(1 if noted else 0, {"type": "text", "text": remark})
    return replace(
        shaped,
        result={**shaped.result, "content": content},
        after=f"{remark}\n{shaped.after}",
        remark=remark,
    )


def _fits(shaped: Shaped, result: Mapping[str, Any], last: Count) -> bool:
    """Tell whether an answer is no more to read than *result* was, whichever part of it a client shows its model."""
    if "structuredContent" in shaped.result:
        return last(_all(shaped.result)) <= last(_all(result))
    return last(shaped.after) <= last(shaped.before)


def _all(result: Mapping[str, Any]) -> str:
    texts = [block["text"] for block in result["content"] if block.get("type") == "text"]
    return "\n".join([*texts, compact(result["structuredContent"])])


def settled(
    result: Mapping[str, Any],
    rule: AnswerRule,
    policy: Policy,
    schema: Mapping[str, Any] | None = None,
) -> str | None:
    """Return what `shape` makes of *result* where that is told without a look into its data, None where it is not.

    It is `untouched` or, where its structure does nothing but wrap its one text, that `text` without the structure. Most
    answers are, and what they cost need not be known before they are sent.
    """
    content = result.get("content")
    if not rule.lossless or type(content) is not list:
        return None
    if result.get("isError") is True or result.get("resultType", "complete") != "complete":
        return "untouched"
    texts = [
        block.get("text")
        for block in content
        if type(block) is dict and block.get("type") == "text" and block.get("text")
    ]
    only = texts[0] if len(texts) == 1 == len(content) and type(texts[0]) is str else None
    if "structuredContent" not in result:
        return "untouched" if only is not None and not holds_data(only, rule.json) else None
    value = result["structuredContent"]
    if not policy.text or type(value) is not dict:
        return None
    if len(value) == 1:
        ((name, inner),) = value.items()
        if type(inner) is str and only == inner:
            data = rule.json is not None or is_returned(result, schema)
            return None if data and holds_data(inner, rule.json) else "text"
        if name == "result":
            return None
    return None if has_forms(value) else "untouched"
