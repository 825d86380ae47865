"""What a call that a client makes of a menu turns into: a call of the server, or an answer of ours.

It knows arguments as values, and never changes the value or the order of one that reaches the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econome.lean.actions import Action

__all__ = ["MoreAsked", "Outcome", "Passed", "Said", "Sent"]


@dataclass(frozen=True, slots=True)
class Passed:
    """The call goes on byte for byte; *action* is None where the server declared no tool of that name."""

    action: Action | None


@dataclass(frozen=True, slots=True)
class Sent:
    """The call goes on under another name or with other arguments than the client gave.

    *select* is the value of `_select`, whatever it is, and None where it was not given; *selects* says whether it was.
    """

    name: str
    arguments: Mapping[str, Any]
    action: Action
    select: object = None
    selects: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """The call is answered here: *kind* is `refused` (then it *failed*), `describe` or `find`."""

    text: str
    failed: bool
    kind: str


@dataclass(frozen=True, slots=True)
class MoreAsked:
    """The rest of a cut answer is asked for, with these arguments."""

    arguments: Mapping[str, Any]


Outcome = Passed | Sent | Said | MoreAsked
