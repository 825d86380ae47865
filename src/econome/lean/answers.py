"""One answer of a tool made cheaper: its data found, narrowed, cut, encoded and put back where the client's model reads it.

It takes a result of `tools/call` as it is on the wire and gives one back. Images, audio, resources, links and errors pass in
their places. Whatever is not smaller than before is left as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econome.errors import MenuError
from econome.lean.counting import Count
from econome.lean.forms import encode
from econome.lean.kept import Kept
from econome.lean.payload import payload_of
from econome.lean.policies import Policy

__all__ = ["AnswerRule", "Shaped", "shape"]


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """What may be done to the answers of a tool; as it stands, nothing is lost.

    *limit* rows of a collection, *rows* the field that holds them (dotted; None: found by type), *max_bytes* of one
    answer, *encode* in the smallest form, *more* gives a handle for what was cut, *repeats* refers to an earlier answer.

    Raises:
        MenuError: a limit or a cap below 1.
    """

    limit: int | None = None
    rows: str | None = None
    max_bytes: int | None = None
    encode: bool = True
    more: bool = True
    repeats: bool = False

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
) -> Shaped:
    """Return *result* with the economies of *rule* for a client of *policy*; *select* holds what `_select` asked for."""
    whole = dict(result)
    found = payload_of(result)
    if found is None or found.plain or not rule.encode:
        return Shaped(
            whole, found.before if found else "", found.before if found else "", "untouched"
        )
    encoded = encode(found.value, count)
    text = found.lead + encoded.text
    if len(text.encode()) >= len(found.before.encode()) or count(text) > count(found.before):
        return Shaped(whole, found.before, found.before, "untouched")
    if "structuredContent" in whole and not policy.text:
        return Shaped(whole, found.before, found.before, "untouched")
    return Shaped(found.replaced(result, text), found.before, text, encoded.form)
