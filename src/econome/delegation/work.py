"""One piece of work as the office sees it: what it takes, what it gave, and what it consumed so far.

It knows no model and no file. The office decides when, the task what.
"""

from __future__ import annotations

from typing import Protocol

from econome.delegation.order import Caller, Order
from econome.delegation.ports import Ask, Prompt, Proposal, Written
from econome.tokens import estimate_tokens

__all__ = ["Desk", "Tally", "Task"]


class Tally:
    """What a request consumed: the sums of what ended, and how far the model is with what did not.

    `cut` says that the last answer ends at the limit of tokens. Where it is stopped in the middle, what the model took and wrote until then is counted and marked as an estimate.
    """

    __slots__ = ("_asked", "_estimated", "_in", "_out", "_prompts", "cut", "model", "pieces")

    def __init__(self) -> None:
        self.model: str | None = None
        self.pieces = 0
        self.cut = False
        self._asked = self._in = self._out = self._prompts = 0
        self._estimated = False

    def begin(self, prompt: Prompt) -> None:
        """A prompt is sent."""
        self.pieces = 0
        self.cut = False
        self._asked = estimate_tokens((prompt.system or "") + prompt.user)
        self.model = prompt.model or self.model

    def progress(self, pieces: int) -> None:
        """So many pieces of the answer have come."""
        self.pieces = pieces

    def add(self, written: Written) -> None:
        """An answer is whole."""
        self._in += written.tokens_in
        self._out += written.tokens_out
        self._estimated |= written.estimated
        self._prompts += 1
        self.cut = written.cut
        self._asked = 0
        self.model = written.model

    @property
    def _broken_off(self) -> bool:
        return bool(self._asked and self.pieces)

    @property
    def tokens_in(self) -> int | None:
        """Return the tokens of all prompts; None where no model answered."""
        known = self._in + (self._asked if self._broken_off else 0)
        return known if self._prompts or self._broken_off else None

    @property
    def tokens_out(self) -> int | None:
        """Return the tokens of all answers; None where no model answered."""
        known = self._out + (self.pieces if self._broken_off else 0)
        return known if self._prompts or self._broken_off else None

    @property
    def estimated(self) -> bool:
        """Whether any of it is an estimate."""
        return self._estimated or self._broken_off


class Task(Protocol):
    """What is to be done for one request: resolved, its files read, nothing begun."""

    @property
    def place(self) -> str:
        """The name of the backend or coder that does it."""

    @property
    def workers(self) -> int:
        """How many of them go on there at once."""

    @property
    def preset(self) -> str | None:
        """The name of its preset."""

    @property
    def format(self) -> str | None:
        """The name of the format of its answer."""

    @property
    def output(self) -> str | None:
        """The file that the answer is written to, as it is shown."""

    async def work(self, request_id: str, tally: Tally, ask: Ask) -> str | Proposal:
        """Return the answer in its format, or changes to review; it stops when it is cancelled.

        Raises:
            EconomeError: it was not done.
        """

    async def deliver(self, text: str) -> None:
        """Write the answer where it belongs; it is not cancelled.

        Raises:
            FileRefused: it cannot be written there.
        """

    async def close(self) -> None:
        """Clear away what the work needed."""


class Desk(Protocol):
    """Makes tasks of orders."""

    async def take(self, order: Order, caller: Caller) -> Task:
        """Return the task of an order.

        Raises:
            EconomeError: it is refused.
        """

    async def close(self) -> None:
        """Let go of every backend."""
