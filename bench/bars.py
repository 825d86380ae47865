"""The bars: which ratio of which contenders must stay below what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.measure import Contender, Cost, median

__all__ = ["BARS", "Bar", "judge"]


def wall(cost: Cost) -> float:
    """Return the elapsed seconds."""
    return cost.wall_s


def cpu(cost: Cost) -> float:
    """Return the processor seconds."""
    return cost.cpu_s


def peak(cost: Cost) -> float:
    """Return the peak of the largest process, in MB."""
    return cost.peak_mb


@dataclass(frozen=True, slots=True)
class Bar:
    """A measure of *subject*, against the same measure of *peer* where there is one, and its limit."""

    subject: str
    peer: str | None
    measure: Callable[[Cost], float]
    limit: float
    goal: float | None = None

    @property
    def unit(self) -> str:
        """Return what the value counts."""
        return "x" if self.peer else ("MB" if self.measure is peak else "s")


BARS = (
    Bar("cold, no index", "ccusage", wall, 0.45, 0.30),
    Bar("cold, no index", "ccusage", cpu, 0.45),
    Bar("cold, no index", None, peak, 120),
    Bar("first run", "ccusage", wall, 0.60),
    Bar("first run", None, peak, 120),
    Bar("warm", "tokscale warm", wall, 0.12),
    Bar("warm", "python -c pass", wall, 8, 5),
    Bar("3 files appended", "warm", wall, 2),
    Bar("statusline", "python -c pass", wall, 4),
    Bar("--help", "python -c pass", wall, 6),
    Bar("small files, warm", None, wall, 1),
    Bar("4 GB, cold", "cold, no index", wall, 4.6),
    Bar("4 GB, cold", "cold, no index", peak, 4),
)


def judge(bar: Bar, contenders: Mapping[str, Contender]) -> tuple[float, str] | None:
    """Return the value of *bar* and whether it is met; None when what it needs was not measured.

    A ratio is the median of the ratios of each round, so that a slow minute weighs on both sides.
    """
    subject = contenders.get(bar.subject)
    if subject is None or not subject.costs:
        return None
    own = [bar.measure(cost) for cost in subject.costs]
    value = max(own) if bar.peer is None and bar.measure is peak else median(own)
    if bar.peer is not None:
        peer = contenders.get(bar.peer)
        if peer is None or not peer.costs:
            return None
        other = [bar.measure(cost) for cost in peer.costs]
        if len(own) == len(other):
            value = median([a / b for a, b in zip(own, other, strict=True)])
        else:
            value /= median(other)
    if bar.goal is not None and value <= bar.goal:
        return value, "met, and the goal"
    return value, "met" if value <= bar.limit else "NOT MET"
