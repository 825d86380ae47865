"""One answer of a tool made cheaper: its data found, narrowed, cut, encoded and put back where the client's model reads it.

It takes a result of `tools/call` as it is on the wire and gives one back. Images, audio, resources, links and errors pass in
their places. Whatever is not smaller than before is left as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from econome.errors import MenuError
from econome.lean.caution import cheaper
from econome.lean.counting import Count
from econome.lean.exact import LONGEST, compact, same
from econome.lean.forms import Encoded, encode, has_forms
from econome.lean.kept import Kept
from econome.lean.limits import (
    Cut,
    advice,
    call_text,
    capped,
    collection,
    limited,
    note,
    rows_hidden,
    text_capped,
)
from econome.lean.payload import Payload, holds_data, is_returned, payload_of, repeats
from econome.lean.policies import Policy
from econome.lean.selecting import UnknownField, asked, narrowed

__all__ = ["AnswerRule", "Shaped", "settled", "shape"]

_WORTH_A_REFERENCE = 200
"""Tokens from which a repeated answer is worth one line about it."""
_BEGINNING = 60
_LONGEST_TO_ENCODE = 2_000_000
"""Characters of a text up to which its data is looked for, where nothing is to be cut from it."""

_SHARE = 0.97
"""What an answer may cost of what it replaces."""
_BLANKS = 0.95
"""Where JSON without its blanks has at most that share of the letters, it costs less by any vocabulary."""


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """What may be done to the answers of a tool; as it stands, nothing is lost.

    *limit* rows of a collection, *rows* the field that holds them (dotted; None: found by type), *max_bytes* of one
    answer, *encode* in the smallest form, *more* gives a handle for what was cut, *repeats* refers to an earlier answer.
    *json* says that JSON in its texts is data, or that it never is; None: by what `payload.py` tells a file by.

    Raises:
        MenuError: a limit or a cap below 1.
    """

    limit: int | None = None
    rows: str | None = None
    max_bytes: int | None = None
    encode: bool = True
    more: bool = True
    repeats: bool = False
    json: bool | None = None

    @property
    def lossless(self) -> bool:
        """Tell whether nothing of an answer may be left out or referred to."""
        return self.limit is None and self.max_bytes is None and not self.repeats

    def __post_init__(self) -> None:
        """Refuse what could never be met."""
        for name, bound in (("limit", self.limit), ("max_bytes", self.max_bytes)):
            if bound is not None and bound < 1:
                raise MenuError(f"{name} {bound}: must be at least 1")


@dataclass(frozen=True, slots=True)
class Shaped:
    """An answer after its economies.

    *result* goes on the wire; *before* and *after* are what the model would have read and reads. *cut* holds the compact
    texts of the whole and of what was kept of it, None where nothing was left out. *handle* reads the rest.
    """

    result: dict[str, Any]
    before: str
    after: str
    form: str
    cut: tuple[str, str] | None = None
    rows_cut: int = 0
    handle: str | None = None


def shape(
    result: Mapping[str, Any],
    *,
    rule: AnswerRule,
    policy: Policy,
    select: Sequence[str] | None = None,
    count: Count,
    keep: Kept | None = None,
    principal: str = "",
    more_call: str = "more",
    narrows: bool = True,
    wire: bool = False,
    schema: Mapping[str, Any] | None = None,
    last: Count | None = None,
) -> Shaped:
    """Return *result* with the economies of *rule* for a client of *policy*.

    A result from the *wire* was read from JSON, which makes it quicker. *select* holds what `_select` asked for. What is cut
    is kept in *keep* for *principal*, who reads the rest by *more_call*; *narrows* says whether the tool takes arguments
    by which less may be asked for. *schema* is the tool's output schema, without which a string in the structure is no
    data. Where a real vocabulary was chosen, it has the *last* word: nothing that it counts as more is sent. A selection
    of what there is not is answered by an error that names the fields.
    """
    cuts = bool(select) or rule.limit is not None or rule.max_bytes is not None
    longest = LONGEST if cuts else _LONGEST_TO_ENCODE
    found = payload_of(result, longest, wire=wire, json=rule.json, schema=schema)
    if found is None:
        return Shaped(dict(result), "", "", "untouched")
    asking = _Asking(result, found, rule, policy, count, keep, principal, more_call, narrows)
    shaped = _shaped(asking, select)
    if last is None or shaped.form in ("untouched", "error"):
        return shaped
    return shaped if _fits(shaped, result, last) else asking.untouched()


def _fits(shaped: Shaped, result: Mapping[str, Any], last: Count) -> bool:
    """Tell whether an answer is no more to read than *result* was, whichever part of it a client shows its model."""
    if "structuredContent" in shaped.result:
        return last(_all(shaped.result)) <= last(_all(result))
    return last(shaped.after) <= last(shaped.before)


def _all(result: Mapping[str, Any]) -> str:
    texts = [block["text"] for block in result["content"] if block.get("type") == "text"]
    return "\n".join([*texts, compact(result["structuredContent"])])


def _shaped(asking: _Asking, select: Sequence[str] | None) -> Shaped:
    found, rule, keep = asking.found, asking.rule, asking.keep
    names = asked(select)
    if names is not None and not found.plain:
        try:
            narrow = narrowed(found.value, names, rows=rule.rows)
        except UnknownField as fault:
            return asking.refused(str(fault))
        if not same(narrow, found.value):
            found = replace(found, value=narrow, json=None)
            return asking.of(found).data(whole=asking.found.value)
    if rule.repeats and keep is not None and (again := asking.again()) is not None:
        return again
    return asking.plain() if found.plain else asking.data(whole=found.value)


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


@dataclass(slots=True)
class _Asking:
    """One answer on its way: what was found in it, and all that is asked of it."""

    result: Mapping[str, Any]
    found: Payload
    rule: AnswerRule
    policy: Policy
    count: Count
    keep: Kept | None
    principal: str
    more_call: str
    narrows: bool

    def of(self, found: Payload) -> _Asking:
        """Return the same with other data."""
        return replace(self, found=found)

    @property
    def _structured(self) -> bool:
        """Tell whether the client keeps its structure."""
        return "structuredContent" in self.result and not self.policy.text

    def untouched(self) -> Shaped:
        """Return the answer as it came."""
        return Shaped(dict(self.result), self.found.before, self.found.before, "untouched")

    def refused(self, text: str) -> Shaped:
        """Return an error in place of the answer."""
        error: dict[str, Any] = {
            "content": [{"type": "text", "text": f"_select: {text}"}],
            "isError": True,
        }
        kept = {key: self.result[key] for key in ("resultType", "_meta") if key in self.result}
        return Shaped(kept | error, self.found.before, error["content"][0]["text"], "error")

    def again(self) -> Shaped | None:
        """Return a reference where the principal was sent just this before; else keep it to know it again."""
        found, keep = self.found, self.keep
        text = found.text if found.plain else compact(found.value)
        if keep is None or self.count(found.before) < _WORTH_A_REFERENCE or self._structured:
            return None
        handle = keep.known(self.principal, text)
        keep.put(self.principal, text, plain=found.plain, rows=self.rule.rows, **self._page)
        if handle is None:
            return None
        begun = compact(text[:_BEGINNING])
        note = (
            f"[same] identical to an earlier answer, which begins {begun}; "
            f"read it again: {call_text(self.more_call, handle=handle)}"
        )
        after = found.replaced(self.result, note)
        return Shaped(after, found.before, note, "reference", handle=handle)

    @property
    def _page(self) -> dict[str, int | None]:
        return {"page": self.rule.limit, "max_bytes": self.rule.max_bytes}

    def _kept(self, text: str, *, plain: bool) -> str | None:
        if self.keep is None or not self.rule.more:
            return None
        return self.keep.put(self.principal, text, plain=plain, rows=self.rule.rows, **self._page)

    # Texts

    def plain(self) -> Shaped:
        """Return a text: out of its wrapping for a client of texts alone, its first lines where a cap is set."""
        found = self.found
        short = None
        if self.rule.max_bytes is not None and len(self._texts()) == 1:
            short = text_capped(found.text, self.rule.max_bytes)
        if short is None:
            return self._unwrapped()
        text, shown, total = short
        handle = self._kept(found.text, plain=True)
        hidden = advice(handle, shown, self.more_call, narrows=self.narrows)
        note = f"[cut] {shown} of {total} lines shown, {total - shown} hidden. {hidden}"
        if shown == 0:
            note = f"[cut] the beginning of a long line, 0 of {total} lines shown whole. {hidden}"
        after = f"{note}\n{text}"
        if not cheaper(after, found.before, _SHARE):
            return self._unwrapped()
        cut = (compact(found.text), compact(text))
        if self._structured:
            result = self._restructured(after, None, after)
        else:
            result = found.replaced(self.result, text, note)
        return Shaped(result, found.before, after, "text", cut, total - shown, handle)

    def _texts(self) -> list[Any]:
        return [block for block in self.result["content"] if block.get("type") == "text"]

    def _unwrapped(self) -> Shaped:
        """Return the text itself where a structure wraps it; the same letters without escapes are never dearer."""
        found = self.found
        if found.wrap is None or self._structured:
            return self.untouched()
        return Shaped(found.replaced(self.result, found.text), found.before, found.text, "text")

    # Data

    def data(self, *, whole: Any) -> Shaped:
        """Return data in its smallest form, cut as the rule says; *whole* is the data before it was narrowed."""
        value, cuts = self._cut()
        narrow = whole is not self.found.value
        if cuts:
            shaped = self._shortened(value, cuts, whole)
            if cheaper(shaped.after, self.found.before, _SHARE):
                return shaped
        if self._structured:
            return self._beside_structure()
        encoded = self._encoded(self.found.value, self.found.json)
        text = self.found.lead + encoded.text
        if not narrow and not self._smaller(text, encoded):
            return self._unwrapped() if self.found.texts else self.untouched()
        cut = (compact(whole), compact(self.found.value)) if narrow else None
        result = self.found.replaced(self.result, text)
        return Shaped(result, self.found.before, text, encoded.form, cut)

    def _encoded(self, value: object, json: str | None = None) -> Encoded:
        if self.rule.encode:
            return encode(value, self.count, json)
        return Encoded(compact(value) if json is None else json, "json")

    def _smaller(self, text: str, encoded: Encoded) -> bool:
        """Tell whether *text* costs less than what it replaces, by every measure at hand: an estimate errs."""
        found, before = self.found, self.found.before
        if before == found.json:  # a form that is not JSON was held against that already
            return encoded.form != "json"
        if len(text) >= len(before) * _BLANKS or encoded.form != "json":
            if not cheaper(text, before, _SHARE):
                return False
        known = encoded.tokens if text == encoded.text else None
        return (self.count(text) if known is None else known) < self.count(before)

    def _cut(self) -> tuple[Any, tuple[Cut, ...]]:
        rule = self.rule
        value, cuts = limited(self.found.value, rule.limit, rule.rows)
        if rule.max_bytes is not None:
            value, cuts = capped(value, rule.max_bytes, rule.rows, cuts)
        return value, cuts

    def _shortened(self, value: Any, cuts: tuple[Cut, ...], whole: Any) -> Shaped:
        handle = self._kept(compact(whole), plain=False)
        main = collection(whole, self.rule.rows)
        said = note(cuts, handle, self.more_call, main=main, narrows=self.narrows)
        encoded = self._encoded(value)
        text = self.found.lead + encoded.text
        if self._structured:
            result = self._restructured(value, said, compact(value))
            after = compact(result["structuredContent"])
        else:
            result = self.found.replaced(self.result, text, said)
            after = f"{said}\n{text}"
        cut = (compact(whole), compact(value))
        return Shaped(
            result, self.found.before, after, encoded.form, cut, rows_hidden(cuts), handle
        )

    def _restructured(self, value: Any, said: str | None, text: str) -> dict[str, Any]:
        """Return the result with other data in its structure, and in its texts where those say the same."""
        found = self.found
        result = dict(self.result)
        if found.texts or repeats(self.result, found.value):
            result = found.replaced(self.result, text, said)
        elif said is not None:
            result["content"] = [{"type": "text", "text": said}, *self.result["content"]]
        inner = text if found.texts else value
        structure = inner if found.wrap is None else {found.wrap: inner}
        return {**self.result, **result, "structuredContent": structure}

    def _beside_structure(self) -> Shaped:
        """Return the structure as it was, since a schema may promise all of it, and the texts beside it without blanks."""
        found = self.found
        if found.texts or not self.rule.encode or not repeats(self.result, found.value):
            return self.untouched()
        text = compact(found.value)
        if sum(len(block["text"]) for block in self._texts()) <= len(text):
            return self.untouched()
        return Shaped(
            {
                **found.replaced(self.result, text),
                "structuredContent": self.result["structuredContent"],
            },
            found.before,
            found.before,
            "json",
        )
