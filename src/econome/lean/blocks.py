"""What a tool answers beside its data, the kind and the cost of each block, and their order on the wire (L9).

Stale data first, then what was cut, the data, what to show, what to keep to, what to do next. A cap in bytes is for all of
them, and whole rows of the data are what goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from econome.lean.counting import Count
from econome.lean.exact import compact
from econome.lean.forms import encode
from econome.lean.limits import Cut, capped, limited, note
from econome.lean.selecting import narrowed

__all__ = ["KINDS", "Answer", "Block", "arranged", "listed"]

KINDS = ("invalidation", "cut", "note", "data", "ui", "rules", "suggestions")
"""The kinds of blocks in the order of the wire."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The data of an answer and what is said beside it."""

    data: Any
    note: str | None = None
    ui: Sequence[str] = ()
    rules: Sequence[str] = ()
    suggestions: Sequence[str] = ()
    invalidation: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One text of an answer: its kind, and its cost in tokens."""

    kind: str
    text: str
    tokens: int


def listed(title: str, lines: Sequence[str]) -> str:
    """Return the text of a block of lines under a title."""
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)])


def _beside(answer: Answer) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []
    if answer.invalidation:
        said.append(("invalidation", f"Stale now: {', '.join(answer.invalidation)}"))
    if answer.note:
        said.append(("note", answer.note))
    said += [("ui", text) for text in answer.ui]
    if answer.rules:
        said.append(("rules", listed("Rules", answer.rules)))
    if answer.suggestions:
        said.append(("suggestions", listed("Next", answer.suggestions)))
    return said


def arranged(
    answer: Answer,
    *,
    count: Count,
    limit: int | None = None,
    rows: str | None = None,
    max_bytes: int | None = None,
    select: Sequence[str] | None = None,
    known: Sequence[str] | None = None,
    table: bool = True,
) -> tuple[Block, ...]:
    """Return the blocks of *answer* in their order: at most *limit* rows, at most *max_bytes* in all where rows can go.

    *select* narrows the data and nothing else; *known* are its declared fields. Without *table* the data is compact JSON.

    Raises:
        UnknownField: *select* names what is no field.
    """
    beside = _beside(answer)
    value, cuts = limited(answer.data, limit, rows)
    if select:
        value = narrowed(value, select, rows=rows, known=known)
    if max_bytes is not None:
        room = max_bytes - sum(len(text.encode()) for _, text in beside)
        value, cuts = _within(value, room, rows, cuts)
    if cuts:
        beside.append(("cut", note(cuts)))
    beside.append(("data", encode(value, count).text if table else compact(value)))
    ordered = sorted(beside, key=lambda one: KINDS.index(one[0]))
    return tuple(Block(kind, text, count(text)) for kind, text in ordered)


def _within(
    value: Any, room: int, rows: str | None, cuts: tuple[Cut, ...]
) -> tuple[Any, tuple[Cut, ...]]:
    """Return *value* and its cuts so that its JSON and the note of the cuts fit, where dropping rows can do that."""
    said = len(note(cuts).encode()) if cuts else 0
    for _ in range(3):  # a note may grow by a digit or a name as more is cut
        kept, made = capped(value, max(room - said, 0), rows, cuts)
        needed = len(note(made).encode()) if made else 0
        if needed <= said:
            return kept, made
        said = needed
    return kept, made
