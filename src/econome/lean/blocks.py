"""What a tool answers: its data and what is said beside it, each a block of a kind, in one order on the wire (L9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["KINDS", "Answer", "Block", "arranged", "beside", "text_block"]

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
    """One block of an answer: its kind, and the content as it is on the wire."""

    kind: str
    content: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The text of the block, empty where it is an image or another thing."""
        text = self.content.get("text")
        return text if isinstance(text, str) else ""


def text_block(kind: str, text: str) -> Block:
    """Return a block of one text."""
    return Block(kind, {"type": "text", "text": text})


def beside(answer: Answer) -> tuple[Block, ...]:
    """Return the blocks of all that is said beside the data."""
    said: list[tuple[str, str]] = [("ui", text) for text in answer.ui]
    if answer.invalidation:
        said.append(("invalidation", f"Stale now: {', '.join(answer.invalidation)}"))
    if answer.note:
        said.append(("note", answer.note))
    for kind, title, lines in (
        ("rules", "Rules", answer.rules),
        ("suggestions", "Next", answer.suggestions),
    ):
        if lines:
            said.append((kind, "\n".join([f"{title}:", *(f"- {line}" for line in lines)])))
    return arranged(text_block(kind, text) for kind, text in said)


def arranged(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return blocks in the order of the wire, those of one kind as they came."""
    return tuple(sorted(blocks, key=lambda block: KINDS.index(block.kind)))
