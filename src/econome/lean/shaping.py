"""One answer on its way: narrowed, referred to, cut, written in its form and put back where the client's model reads it.

It carries out what `shape` in answers.py was asked for. What it cannot make smaller stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from econome.lean.caution import cheaper
from econome.lean.counting import Count
from econome.lean.exact import compact, same
from econome.lean.fitting import fitted
from econome.lean.forms import Encoded, encode
from econome.lean.kept import Kept
from econome.lean.limits import (
    Cut,
    advice,
    call_text,
    collection,
    limited,
    note,
    rows_hidden,
    text_capped,
)
from econome.lean.payload import Payload, repeats
from econome.lean.policies import Policy
from econome.lean.selecting import UnknownField, narrowed
from econome.lean.treatment import AnswerRule, Shaped

__all__ = ["CUT", "Shaping"]

CUT = "[cut]"
"""What the note of a cut begins with."""

_WORTH_A_REFERENCE = 200
"""Tokens from which a repeated answer is worth one line about it."""
_BEGINNING = 60
_SHARE = 0.97
"""What an answer may cost of what it replaces."""
_BLANKS = 0.95
"""Where JSON without its blanks has at most that share of the letters, it costs less by any vocabulary."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is sent of data: the value that is left, what was cut of it and the note on that, and its form after a *lead*."""

    value: Any
    cuts: tuple[Cut, ...]
    note: str
    lead: str
    encoded: Encoded

    @property
    def text(self) -> str:
        """The data as it is sent."""
        return self.lead + self.encoded.text

    @property
    def said(self) -> int:
        """Bytes of the note."""
        return len(self.note.encode()) + 1 if self.note else 0

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return self.said + len(self.text.encode())


@dataclass(slots=True)
class Shaping:
    """One answer on its way: what was found in it, and all that is asked of it."""

    result: Mapping[str, Any]
    found: Payload
    rule: AnswerRule
    policy: Policy
    count: Count
    keep: Kept | None
    principal: str
    conversation: str | None
    more_call: str
    narrows: bool
    restructures: bool
    whole: Any = None
    remark: str = ""
    handle: str | None = None
    main: tuple[str, ...] | None = None
    _put: bool = False

    def __post_init__(self) -> None:
        """Remember the data before it is narrowed."""
        self.whole = self.found.value

    @property
    def _structured(self) -> bool:
        """Tell whether the client keeps its structure."""
        return "structuredContent" in self.result and not self.policy.text

    @property
    def _fixed(self) -> bool:
        """Tell whether nothing of the data may be left out: a note in a text is not seen by who reads the structure."""
        return self._structured and not self.restructures

    @property
    def _room(self) -> int | None:
        """Return the bytes that there are for the data and the note of a cut."""
        cap = self.rule.max_bytes
        said = len(self.remark.encode()) + 1 if self.remark else 0
        return None if cap is None else max(cap - said, 1)

    def narrow(self, names: Sequence[str], fields: Sequence[str]) -> None:
        """Leave the fields that are asked for, or remark on those that are not there."""
        found = self.found
        if found.plain or self._fixed:
            return
        try:
            value = narrowed(found.value, names, rows=self.rule.rows, known=fields or None)
        except UnknownField as fault:
            self.remark = f"_select: {fault}. All is sent."
            return
        if not same(value, found.value):
            self.found = replace(found, value=value, json=None)

    def untouched(self) -> Shaped:
        """Return the answer as it came."""
        return Shaped(dict(self.result), self.found.before, self.found.before, "untouched")

    # What was sent before

    @property
    def _told(self) -> str | None:
        """The conversation in which this answer may be referred to later, None where it is not worth that or cannot be."""
        if self.keep is None or not self.rule.repeats or self._structured:
            return None
        if not self.conversation or self.count(self.found.before) < _WORTH_A_REFERENCE:
            return None
        return self.conversation

    @property
    def _text(self) -> str:
        return self.found.text if self.found.plain else compact(self.found.value)

    def again(self) -> Shaped | None:
        """Return a reference where all of this was sent in the conversation before."""
        told = self._told
        if told is None or self.keep is None:
            return None
        text = self._text
        handle = self.keep.known(self.principal, told, text)
        if handle is None:
            return None
        self._keep(self.keep, text, plain=self.found.plain, conversation=told)
        begun = compact(text[:_BEGINNING])
        note = (
            f"[same] identical to an earlier answer, which begins {begun}; "
            f"read it again: {call_text(self.more_call, handle=handle)}"
        )
        after = self.found.replaced(self.result, note)
        return Shaped(after, self.found.before, note, "reference", handle=handle)

    def seen(self) -> None:
        """Remember that all of this is in the conversation."""
        told = self._told
        if told is not None and self.keep is not None:
            self._keep(self.keep, self._text, plain=self.found.plain, conversation=told)

    def _keep(self, keep: Kept, text: str, *, plain: bool, conversation: str = "") -> str | None:
        rule = self.rule
        return keep.put(
            self.principal,
            text,
            plain=plain,
            conversation=conversation,
            rows=rule.rows,
            page=rule.limit,
            max_bytes=rule.max_bytes,
        )

    def _kept(self, text: str, *, plain: bool) -> str | None:
        if self.keep is None or not self.rule.more:
            return None
        return self._keep(self.keep, text, plain=plain)

    # Texts

    def plain(self) -> Shaped:
        """Return a text: out of its wrapping for a client of texts alone, its first lines where a cap is set."""
        found, room = self.found, self._room
        if room is None or self._fixed or len(self._texts()) != 1:
            return self._unwrapped()
        if text_capped(found.text, room) is None:
            return self._unwrapped()
        handle, total = self._kept(found.text, plain=True), found.text.count("\n") + 1
        said = len(f"{self._line_note(0, total, handle)}{total}\n".encode())  # no other is longer
        short = text_capped(found.text, max(room - said, 1))
        assert short is not None  # less room than that in which it did not fit
        text, shown, _ = short
        note = self._line_note(shown, total, handle)
        after = f"{note}\n{text}"
        if not cheaper(after, found.before, _SHARE):
            return self._unwrapped()
        cut = (compact(found.text), compact(text))
        if self._structured:
            result = self._restructured(after, None, after)
        else:
            result = found.replaced(self.result, text, note)
        return Shaped(result, found.before, after, "text", cut, total - shown, handle)

    def _line_note(self, shown: int, total: int, handle: str | None) -> str:
        hidden = advice(handle, shown, self.more_call, narrows=self.narrows)
        if shown == 0:
            return f"{CUT} the beginning of a long line, 0 of {total} lines shown whole. {hidden}"
        return f"{CUT} {shown} of {total} lines shown, {total - shown} hidden. {hidden}"

    def _texts(self) -> list[Any]:
        return [block for block in self.result["content"] if block.get("type") == "text"]

    def _unwrapped(self) -> Shaped:
        """Return the text itself where a structure wraps it; the same letters without escapes are never dearer."""
        found = self.found
        if found.wrap is None or self._structured:
            return self.untouched()
        return Shaped(found.replaced(self.result, found.text), found.before, found.text, "text")

    # Data

    def data(self) -> Shaped:
        """Return data in its smallest form, cut as the rule says."""
        if self._fixed:
            return self._beside_structure()
        rule, room = self.rule, self._room
        value, cuts = limited(self.found.value, rule.limit, rule.rows)
        if room is None:
            part = self._part(value, cuts)
        else:
            part = fitted(value, cuts, room=room, rows=rule.rows, write=self._part)
        if not part.cuts:
            return self._uncut(part)
        shaped = self._shortened(part)
        if cheaper(shaped.after, self.found.before, _SHARE):
            return shaped
        return self._uncut(self._part(self.found.value, ()))

    def _part(self, value: Any, cuts: tuple[Cut, ...]) -> _Part:
        """Return what would be sent of the data with those cuts."""
        said = ""
        if cuts:
            if not self._put:
                self._put, self.handle = True, self._kept(compact(self.whole), plain=False)
                self.main = collection(self.whole, self.rule.rows)
            said = note(cuts, self.handle, self.more_call, main=self.main, narrows=self.narrows)
        known = self.found.json if value is self.found.value else None
        if self._structured or not self.rule.encode:
            encoded = Encoded(compact(value) if known is None else known, "json")
        else:
            encoded = encode(value, self.count, known)
        return _Part(value, cuts, said, self.found.lead, encoded)

    def _uncut(self, part: _Part) -> Shaped:
        """Return all of the data, narrowed as it may be."""
        found, narrow = self.found, self.whole is not self.found.value
        cut = (compact(self.whole), compact(found.value)) if narrow else None
        if self._structured:
            return self._restructured_whole(part, cut) if narrow else self._beside_structure()
        over = self._room is not None and len(found.before.encode()) > self._room
        if not narrow and not over and not self._smaller(part.text, part.encoded):
            return self._unwrapped() if found.texts else self.untouched()
        result = found.replaced(self.result, part.text)
        return Shaped(result, found.before, part.text, part.encoded.form, cut)

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

    def _shortened(self, part: _Part) -> Shaped:
        if self._structured:
            result = self._restructured(part.value, part.note, part.text)
            after = compact(result["structuredContent"])
        else:
            result = self.found.replaced(self.result, part.text, part.note)
            after = f"{part.note}\n{part.text}"
        cut = (compact(self.whole), compact(part.value))
        hidden = rows_hidden(part.cuts)
        form = part.encoded.form
        return Shaped(result, self.found.before, after, form, cut, hidden, self.handle)

    def _restructured_whole(self, part: _Part, cut: tuple[str, str] | None) -> Shaped:
        result = self._restructured(part.value, None, part.text)
        after = compact(result["structuredContent"])
        return Shaped(result, self.found.before, after, "json", cut)

    def _restructured(self, value: Any, said: str | None, text: str) -> dict[str, Any]:
        """Return the result with other data in its structure, and in its texts where those say the same."""
        found = self.found
        result = dict(self.result)
        if found.texts or repeats(self.result, self.whole):
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
        result = {
            **found.replaced(self.result, text),
            "structuredContent": self.result["structuredContent"],
        }
        return Shaped(result, found.before, found.before, "json")
