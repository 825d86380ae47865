"""What a balance asks for. A value: it looks at nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["BY", "NO_PRESET", "By", "Question"]

By = Literal["preset", "format", "model", "day", "delegation"]

BY: tuple[By, ...] = get_args(By)
"""What a row of a balance can be of."""

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
