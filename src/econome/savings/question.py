"""What a balance asks for, and what a list of events does. Values: they look at nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

__all__ = ["BY", "KINDS", "NO_PRESET", "By", "Kind", "Question", "Selection"]

By = Literal["preset", "format", "model", "day", "delegation"]

BY: tuple[By, ...] = get_args(By)
"""What a row of a balance can be of."""

Kind = Literal["delegation", "steering", "correction", "conflict"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""What can be listed. A conflict came again under its id with another content, and is in no sum (S6)."""

NO_PRESET = ""
"""The preset of what the journal names none for."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: of which days, which client and which preset, in rows by what.

    `since` and `until` are local day numbers, both included; None leaves the period open. A `preset` of `NO_PRESET`
    asks for what has none.
    """

    since: int | None = None
    until: int | None = None
    client: str | None = None
    preset: str | None = None
    by: By | None = None
    limit: int | None = None

    def within(self, day: int) -> bool:
        """Return whether a local day is in the period."""
        return (self.since is None or day >= self.since) and (
            self.until is None or day <= self.until
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """Which events: those a question is about, and of them of one kind, of a format, a local model or a request.

    An empty name stands for what the journal names none for. *attached* says whether a request of the event is known.
    """

    question: Question = field(default_factory=Question)
    kind: Kind | None = None
    format: str | None = None
    model: str | None = None
    request: str | None = None
    attached: bool | None = None
