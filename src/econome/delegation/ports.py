"""What the office needs of whoever does the work: a model that answers, or a coder that changes files.

The adapters are in `backends/` and `coder/`. To stop one, its task is cancelled; it then stops the generation itself before it ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from econome.delegation.order import Change, Question

__all__ = ["Ask", "Backend", "Coder", "Job", "Progress", "Prompt", "Proposal", "Written"]

Progress = Callable[[int], None]
"""Told how many pieces (about one token each) of the answer have come so far."""

Ask = Callable[[Question], Awaitable[bool]]
"""Puts a question to the caller and returns whether the act is allowed."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is given. `schema` asks for JSON of that schema where the backend can hold the model to it."""

    system: str | None
    user: str
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What a model answered; `estimated` where the counts are not the backend's own. `cut` where it hit max_tokens."""

    text: str
    model: str
    tokens_in: int
    tokens_out: int
    estimated: bool = False
    cut: bool = False


class Backend(Protocol):
    """A model that answers a prompt."""

    @property
    def name(self) -> str:
        """Its name in settings and presets."""

    @property
    def workers(self) -> int:
        """How many prompts it takes at once."""

    async def generate(self, prompt: Prompt, progress: Progress) -> Written:
        """Return the answer.

        Raises:
            BackendAway: it cannot be reached.
            BackendFailed: it was reached and did not finish.
        """

    async def close(self) -> None:
        """Let go of what it holds."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work for a coder: what to do in which repository, in a scratch directory of its own that exists and is empty.

    `files` are paths inside the repository that the brief is about.
    """

    brief: str
    repository: str
    scratch: str
    files: tuple[str, ...] = ()
    system: str | None = None
    model: str | None = None


class Proposal(Protocol):
    """The changes of a coder, computed by us and not yet applied."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The files that would change."""

    @property
    def refusal(self) -> str | None:
        """Why they cannot be applied, whatever the repository is like by then; None where they may be."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Paths that are no part of the changes: what tools left behind, and new binary files."""

    @property
    def written(self) -> Written:
        """What the coder said at the end, and what it consumed."""

    async def diff(self, path: str | None = None) -> str:
        """Return the unified diff, of one file or of all."""

    async def apply(self) -> tuple[str, ...]:
        """Apply all of it to the repository, or nothing; return the paths.

        Raises:
            ChangeRefused: it cannot be applied as it is.
        """

    async def discard(self) -> None:
        """Throw it away."""


class Coder(Protocol):
    """An agent that changes files in a clone of a repository."""

    @property
    def name(self) -> str:
        """Its name in settings and presets."""

    @property
    def workers(self) -> int:
        """How many jobs it takes at once."""

    async def work(self, job: Job, progress: Progress, ask: Ask) -> Proposal:
        """Return what it would change.

        Raises:
            BackendAway: it, or the model that it needs, cannot be reached.
            BackendFailed: it did not finish.
            ChangeRefused: there is no repository to work on.
        """

    async def close(self) -> None:
        """Let go of what it holds."""
