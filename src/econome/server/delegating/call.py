"""What a call of a tool is, whatever protocol it came by: who asks, what the connection adds, and what comes back.

It knows no tool, no protocol and no office.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from econome.delegation.order import Caller, Standing

__all__ = ["Asking", "Carrier", "Said", "Tell"]

Tell = Callable[[Standing], Awaitable[None]]
"""Told, about each second while a call waits, how its request stands."""


def _stays() -> bool:
    return False


async def _unnamed() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and what is known of the connection.

    `withdrawn` tells, once a call was cancelled, whether it was the caller who did not want it any more; a call can also
    end because the token changed or the server stops. `roots` gives the client's own roots, None where it names none;
    `base` and `deadline_s` are those of an order. `begun` is told at once how a new request stands, and so its id.
    """

    caller: Caller = field(default_factory=Caller)
    tell: Tell | None = None
    withdrawn: Callable[[], bool] = _stays
    roots: Callable[[], Awaitable[tuple[str, ...] | None]] = _unnamed
    base: str | None = None
    deadline_s: float | None = None
    begun: Tell | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """The one text that answers a call; `failed` where it tells of a failure."""

    text: str
    failed: bool = False


class Carrier(Protocol):
    """Whoever carries out the tools that hand work over: the office of this process, or the server that runs."""

    async def carry(self, tool: str, arguments: Mapping[str, Any], asking: Asking) -> Said:
        """Carry out a call; whoever is cancelled while it waits, and was withdrawn, cancels its request.

        Raises:
            EconomeError: it cannot be done; the text says what to do instead.
        """
