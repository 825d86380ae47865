"""Runs a preset's own checks on a backend (D6).

Each check is one request as any other, and its first answer counts: no second attempt, no choice of the better one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from econome.delegation.checking import shortfalls
from econome.delegation.checks import Check
from econome.delegation.order import Order
from econome.delegation.ports import Backend
from econome.delegation.presets import Preset
from econome.delegation.prompt import prompt_of
from econome.errors import BackendFailed, FormatBroken

__all__ = ["Outcome", "Trial", "try_preset"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one check went: what was asked, and what the answer fell short of, one line each."""

    brief: str
    reasons: tuple[str, ...]
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Trial:
    """How all checks of a preset went; `model` is None where none was answered."""

    preset: Preset
    backend: str
    model: str | None
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> int:
        """How many checks held."""
        return sum(not outcome.reasons for outcome in self.outcomes)


async def try_preset(
    preset: Preset, backend: Backend, told: Callable[[Outcome], None] | None = None
) -> Trial:
    """Return how a preset's checks go on a backend; *told* hears of each as it ends.

    Raises:
        BackendAway: the backend cannot be reached; there is no score then.
    """
    outcomes = []
    for each in preset.checks:
        outcome = await _outcome(preset, each, backend)
        outcomes.append(outcome)
        if told is not None:
            told(outcome)
    models = [outcome.model for outcome in outcomes if outcome.model is not None]
    return Trial(preset, backend.name, models[-1] if models else None, tuple(outcomes))


async def _outcome(preset: Preset, each: Check, backend: Backend) -> Outcome:
    prompt = prompt_of(preset, Order(each.brief), each.files)
    try:
        written = await backend.generate(prompt, lambda _pieces: None)
    except BackendFailed as error:
        return Outcome(each.brief, (f"no answer: {error}",))
    try:
        reasons = await shortfalls(preset.format, each, written.text)
    except FormatBroken as error:
        reasons = [f"not of the format {preset.format.name}: {error}"]
    except BackendFailed as error:
        reasons = [str(error)]
    if written.cut and reasons:
        reasons.append("it was cut at max_tokens")
    counts = written.tokens_in, written.tokens_out
    return Outcome(each.brief, tuple(reasons), written.model, *counts)
