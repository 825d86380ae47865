"""The life of a request as one table, and the picture of it (D3).

It knows which event leads from where to where, and nothing of what makes one happen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from econome.delegation.wire import (
    CANCELLED,
    DONE,
    EXPIRED,
    FAILED,
    QUEUED,
    REFUSED,
    RUNNING,
    STATUSES,
    TO_REVIEW,
)

__all__ = ["ENDED", "START", "STATES", "Event", "advance", "diagram"]

Event = Literal[
    "queue", "refuse", "begin", "ask", "answer", "finish", "apply", "reject", "cancel", "expire", "fail"
]  # fmt: skip
"""What happens to a request: `ask` waits for its caller, with a question or with changes; `answer` is to a question."""

START: Final = "[*]"
"""Where a request is before it is taken in or refused, as the picture has it."""

STATES: Mapping[str, Mapping[Event, str]] = {
    START: {"queue": QUEUED, "refuse": REFUSED},
    QUEUED: {"begin": RUNNING, "cancel": CANCELLED, "expire": EXPIRED, "fail": FAILED},
    RUNNING: {
        "ask": TO_REVIEW,
        "finish": DONE,
        "cancel": CANCELLED,
        "expire": EXPIRED,
        "fail": FAILED,
    },
    TO_REVIEW: {
        "answer": RUNNING,
        "apply": DONE,
        "reject": CANCELLED,
        "cancel": CANCELLED,
        "expire": EXPIRED,
        "fail": FAILED,
    },
    **{status: {} for status in STATUSES},
}
"""Each state, and where each event that may happen in it leads."""

ENDED = frozenset(STATUSES)
"""The states in which nothing happens any more."""


def advance(state: str, event: Event) -> str:
    """Return the state after an event.

    Raises:
        ValueError: nothing of the kind may happen in that state.
    """
    try:
        return STATES[state][event]
    except KeyError:
        raise ValueError(f"{event} cannot happen to a request that is {state}") from None


def diagram() -> str:
    """Return the table as a state diagram of Mermaid."""
    lines = ["stateDiagram-v2"]
    for state, events in STATES.items():
        lines += [f"    {state} --> {after}: {event}" for event, after in events.items()]
        if not events:
            lines.append(f"    {state} --> [*]")
    return "\n".join(lines) + "\n"
